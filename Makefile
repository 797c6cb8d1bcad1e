# Thin wrapper around CMake (CMakePresets.json): the two commands a stranger needs, and the rest.
#
#   make demo     install what is missing, build, run the demonstration
#   make test     install what is missing, build, run all tests
#   make bench    run the speed studies (minutes; tables go to docs/results)
#   make bench-convex       relaxations beside their bars, CSDP and SDPA
#   make bench-structural   structural machines beside their bars and dlib
#   make bench-clustering   clustering and kernel PCA against scikit-learn
#   make bench-supervised   supervised machines against LIBSVM, LIBLINEAR and scikit-learn
#   make install  install the tool and the library (PREFIX=/usr/local)
#   make check    quick checks: format, layers, source rules
#   make asan     unit tests on a library with address and undefined-behaviour sanitizers
#   make tsan     unit tests under the thread sanitizer
#   make fuzz     every reader's fuzz target (FUZZ_SECONDS=60 each)

PREFIX ?= /usr/local
FUZZ_SECONDS ?= 60
RELEASE := build/release
TOOL := $(RELEASE)/apps/maxmargin/maxmargin
CMAKE_ARGS ?=
# CI sets CI=true: warnings are errors there.
CI_ARGS := $(if $(CI),-DMAXMARGIN_WARNINGS_AS_ERRORS=ON)

.PHONY: all demo test bench bench-clustering bench-convex bench-structural bench-supervised install check asan tsan fuzz packages configure build clean format

all: build

packages:
	@tools/install-packages.sh

configure: packages
	@cmake --preset release $(CI_ARGS) $(CMAKE_ARGS) >/dev/null

build: configure
	@cmake --build $(RELEASE)

# The demonstration needs the tool alone.
demo: configure
	@cmake --build $(RELEASE) --target maxmargin_tool
	@$(TOOL) demo --plot maxmargin-demo.svg

test: build
	@ctest --test-dir $(RELEASE) --output-on-failure --no-tests=error -j 2

check: packages
	@tools/check.sh

asan: build
	@cmake --preset asan $(CI_ARGS) $(CMAKE_ARGS) >/dev/null
	@cmake --build build/asan --target maxmargin_static
	@tools/asan_tests.sh

tsan: packages
	@cmake --preset tsan $(CMAKE_ARGS) >/dev/null
	@cmake --build build/tsan
	@ctest --preset tsan

fuzz: packages
	@tools/fuzz_smoke.sh $(FUZZ_SECONDS)

bench: packages
	@bench/run.sh

# Kernel and linear machines against LIBSVM, LIBLINEAR and scikit-learn (about half an hour).
bench-supervised: packages
	@bench/studies/supervised
	@bench/studies/linear ../shared/data/libsvm

# Clustering and kernel PCA against scikit-learn, support vector clustering against n (minutes).
bench-clustering: packages
	@bench/studies/clustering
	@python3 bench/studies/sv_clustering.py build/bench/apps/maxmargin/maxmargin

# Convex relaxations against their bars, CSDP and SDPA (about an hour).
bench-convex: packages
	@bench/studies/convex

# Structural machines: solvers, dlib, CoNLL-2000, Viterbi, ranking, kills (about half an hour).
bench-structural: packages
	@bench/studies/structural

install: build
	@cmake --install $(RELEASE) --prefix $(PREFIX)

format:
	@git ls-files '*.cpp' '*.hpp' | xargs clang-format-14 -i

clean:
	@rm -rf build
