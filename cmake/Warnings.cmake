# Compiler flags every target of this project shares.
#
# -ffp-contract=off and the absence of -ffast-math keep results identical between builds
# (docs/design/determinism.md).
add_library(maxmargin_flags INTERFACE)
target_compile_options(maxmargin_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wold-style-cast
  -Wnon-virtual-dtor -ffp-contract=off
  $<$<CXX_COMPILER_ID:GNU>:-Wduplicated-cond>
  $<$<CXX_COMPILER_ID:GNU>:-Wlogical-op>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # g++ 12 sees overlapping copies in "text" + std::string where there are none (its bug 105329).
  target_compile_options(maxmargin_flags INTERFACE -Wno-restrict)
  if(MAXMARGIN_PRECOMPILED_HEADERS)
    # The same false findings; in precompiled headers they are not kept quiet as the system's.
    target_compile_options(maxmargin_flags INTERFACE
      -Wno-stringop-overflow -Wno-stringop-overread -Wno-array-bounds)
  endif()
endif()
if(MAXMARGIN_UNITY)
  # In a batch, names private to one file are shadowed by locals of the next; builds file by file
  # (CI's first) see what is really shadowed.
  target_compile_options(maxmargin_flags INTERFACE -Wno-shadow)
endif()
if(MAXMARGIN_WARNINGS_AS_ERRORS)
  target_compile_options(maxmargin_flags INTERFACE -Werror)
endif()
if(MAXMARGIN_DEBUG_CHECKS)
  target_compile_definitions(maxmargin_flags INTERFACE MAXMARGIN_DEBUG_CHECKS _GLIBCXX_ASSERTIONS)
endif()
if(MAXMARGIN_SANITIZE)
  target_compile_options(maxmargin_flags INTERFACE
    -fsanitize=${MAXMARGIN_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(maxmargin_flags INTERFACE -fsanitize=${MAXMARGIN_SANITIZE})
endif()
