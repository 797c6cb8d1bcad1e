# Thin wrapper around CMake (CMakePresets.json): the two commands a stranger needs, and the rest. Each
# installs the Debian packages it misses (tools/apt-packages.txt), and no others.
#
#   make demo     build the tool, run the demonstration
#   make test     build everything, run all tests
#   make install  install the tool and the library (PREFIX=/usr/local)
#   make uninstall  remove what make install installed
#   make package  Debian packages of tool, library and headers in build/package/packages
#   make bench    speed of readers, Gram matrices and k-means (minutes; tables go to docs/results)
#   make bench-convex       relaxations against their target figures, CSDP and SDPA
#   make bench-structural   structural machines against their target figures and dlib
#   make bench-latent       latent machines: what moved planes save, against cold starts
#   make bench-clustering   clustering and kernel PCA against scikit-learn
#   make bench-supervised   supervised machines against LIBSVM, LIBLINEAR and scikit-learn
#   make check    quick checks: format, layers, source rules, clang-tidy on what changed since BASE
#   make asan     unit tests on a library with address and undefined-behaviour sanitizers
#   make tsan     unit tests under the thread sanitizer
#   make fuzz     every reader's fuzz target (FUZZ_SECONDS=60 each)

PREFIX ?= /usr/local
FUZZ_SECONDS ?= 60
RELEASE := build/release
TOOL := $(RELEASE)/apps/maxmargin/maxmargin
CMAKE_ARGS ?=
# Several files compiled at once, in half the time.
UNITY ?= ON
# CI sets CI=true: warnings are errors there.
CI_ARGS := $(if $(CI),-DMAXMARGIN_WARNINGS_AS_ERRORS=ON)
PACKAGES := @tools/install-packages.sh

# The tool and the library without the tests, unless they are there already; the tests come to the same
# folder later, so that make test after make demo compiles neither again. A folder keeps what it was
# made with: that of a first make test compiles file by file, which is best for who changes them.
TOOL_ARGS = $(if $(wildcard $(RELEASE)/CMakeCache.txt),,\
  -DMAXMARGIN_BUILD_TESTS=OFF -DMAXMARGIN_BUILD_EXAMPLES=OFF -DMAXMARGIN_UNITY=$(UNITY))
TEST_ARGS := -DMAXMARGIN_BUILD_TESTS=ON -DMAXMARGIN_BUILD_EXAMPLES=ON $(if $(CI),-DMAXMARGIN_UNITY=OFF)

.PHONY: all tool may-install demo configure build test install uninstall package package-test check asan tsan fuzz bench bench-clustering bench-convex bench-latent bench-structural bench-supervised clean format

all: build

tool:
	$(PACKAGES) build
	@cmake --preset release -B $(RELEASE) $(CI_ARGS) $(TOOL_ARGS) $(CMAKE_ARGS) >/dev/null
	@cmake --build $(RELEASE) --target maxmargin_tool

demo: tool
	@$(TOOL) demo --plot maxmargin-demo.svg

configure:
	$(PACKAGES) build test
	@cmake --preset release -B $(RELEASE) $(CI_ARGS) $(TEST_ARGS) $(CMAKE_ARGS) >/dev/null

build: configure
	@cmake --build $(RELEASE)

test: build
	@ctest --test-dir $(RELEASE) --output-on-failure --no-tests=error -j 2

# Known before the minutes of a build.
may-install:
	@folder="$(PREFIX)"; while [ ! -e "$$folder" ]; do folder=$$(dirname "$$folder"); done; \
	  test -w "$$folder" || { echo "$(PREFIX) is not yours to write to: \
	make tool, then sudo make install; or make install PREFIX=$$HOME/.local" >&2; exit 1; }

install: may-install tool
	@cmake --build $(RELEASE) --target maxmargin_tool_files
	@cmake --install $(RELEASE) --prefix $(PREFIX)
	@cp $(RELEASE)/install_manifest.txt $(RELEASE)/installed.txt

# What the last make install put there; folders of our own go with it.
uninstall:
	@test -f $(RELEASE)/installed.txt || { echo "nothing was installed from here" >&2; exit 1; }
	@xargs rm -fv <$(RELEASE)/installed.txt
	@xargs -n 1 dirname <$(RELEASE)/installed.txt | sort -u | sed -n 's|\(.*/maxmargin\)\(/.*\)\{0,1\}$$|\1|p' | \
	  sort -u | xargs -r -I '{}' find '{}' -depth -type d -empty -delete
	@rm $(RELEASE)/installed.txt

package:
	$(PACKAGES) build package
	@cmake --preset package $(CI_ARGS) -DMAXMARGIN_UNITY=$(UNITY) $(CMAKE_ARGS) >/dev/null
	@cmake --build build/package
	@cpack --config build/package/CPackConfig.cmake
	@ls build/package/packages/*.deb

# In a fresh minimal Debian 12, which only root can make: install, run, build a program, purge.
package-test: package
	$(PACKAGES) package-test
	@tests/install/debian.sh build/package/packages

check:
	$(PACKAGES) check
	@tools/check.sh

asan: build
	$(PACKAGES) sanitize
	@cmake --preset asan $(CI_ARGS) $(CMAKE_ARGS) >/dev/null
	@cmake --build build/asan --target maxmargin_static
	@tools/asan_tests.sh

tsan:
	$(PACKAGES) build test
	@cmake --preset tsan $(CMAKE_ARGS) >/dev/null
	@cmake --build build/tsan
	@ctest --preset tsan

fuzz:
	$(PACKAGES) build sanitize
	@tools/fuzz_smoke.sh $(FUZZ_SECONDS)

bench:
	$(PACKAGES) build bench
	@bench/run.sh

# Kernel and linear machines against LIBSVM, LIBLINEAR and scikit-learn (about half an hour).
bench-supervised:
	$(PACKAGES) build bench
	@bench/studies/supervised
	@bench/studies/linear ../shared/data/libsvm

# Clustering and kernel PCA against scikit-learn, support vector clustering against n (minutes).
bench-clustering:
	$(PACKAGES) build bench
	@bench/studies/clustering
	@python3 bench/studies/sv_clustering.py build/bench/apps/maxmargin/maxmargin

# Convex relaxations against their target figures, CSDP and SDPA (about an hour).
bench-convex:
	$(PACKAGES) build bench
	@bench/studies/convex

# Structural machines: solvers, dlib, CoNLL-2000, Viterbi, ranking, kills (about half an hour).
bench-structural:
	$(PACKAGES) build bench
	@bench/studies/structural

# Latent machines: planes that move with the completions, against cold starts (about half an hour).
bench-latent:
	$(PACKAGES) build bench
	@bench/studies/latent

format:
	@git ls-files '*.cpp' '*.hpp' | xargs clang-format-14 -i

clean:
	@rm -rf build
