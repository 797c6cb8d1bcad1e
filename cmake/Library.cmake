# The library: every .cpp below src/<module>, public headers under include/.
#
# Sources are globbed on purpose: a folder is a module (ARCHITECTURE.md), so a file in it is part
# of it, and CONFIGURE_DEPENDS notices new files.
#
# Sources are compiled once, to maxmargin_objects. The library maxmargin is made of them, and so is
# the archive maxmargin_static of tests, benchmarks and fuzz targets, which see private headers too.
find_package(Threads REQUIRED)
find_package(ZLIB REQUIRED)
find_package(BZip2 REQUIRED)
find_package(LibLZMA REQUIRED)
find_package(Eigen3 REQUIRED NO_MODULE)
find_package(nlohmann_json REQUIRED)
set(BLA_VENDOR OpenBLAS)
find_package(BLAS REQUIRED)
find_package(LAPACK REQUIRED)
find_path(MAXMARGIN_CBLAS_INCLUDE cblas.h PATH_SUFFIXES openblas REQUIRED)
find_path(MAXMARGIN_SPECTRA_INCLUDE Spectra/SymEigsSolver.h REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(MAXMARGIN_CLP REQUIRED clp)

file(GLOB_RECURSE maxmargin_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*.cpp)
file(GLOB_RECURSE maxmargin_headers CONFIGURE_DEPENDS
  ${PROJECT_SOURCE_DIR}/include/maxmargin/*.hpp)
configure_file(${PROJECT_SOURCE_DIR}/cmake/version.hpp.in
  ${PROJECT_BINARY_DIR}/include/maxmargin/core/version.hpp @ONLY)

add_library(maxmargin_objects OBJECT ${maxmargin_sources})
maxmargin_unity(maxmargin_objects)
target_compile_features(maxmargin_objects PRIVATE cxx_std_20)
target_include_directories(maxmargin_objects PRIVATE
  ${PROJECT_SOURCE_DIR}/include ${PROJECT_BINARY_DIR}/include ${PROJECT_SOURCE_DIR}/src)
# System headers, so that their warnings are theirs; none of them appears in a public header.
target_include_directories(maxmargin_objects SYSTEM
  PRIVATE ${MAXMARGIN_CBLAS_INCLUDE} ${MAXMARGIN_SPECTRA_INCLUDE} ${MAXMARGIN_CLP_INCLUDE_DIRS})
target_link_libraries(maxmargin_objects PRIVATE maxmargin_flags Threads::Threads Eigen3::Eigen
  nlohmann_json::nlohmann_json ZLIB::ZLIB BZip2::BZip2 LibLZMA::LibLZMA)
set(MAXMARGIN_COMMON_HEADERS <algorithm> <array> <cmath> <functional> <map> <optional> <span>
  <string> <variant> <vector>)
if(MAXMARGIN_PRECOMPILED_HEADERS)
  target_precompile_headers(maxmargin_objects PRIVATE ${MAXMARGIN_COMMON_HEADERS})
endif()
# Clp by name: pkg-config would add the reference BLAS beside OpenBLAS.
set(maxmargin_needs LAPACK::LAPACK BLAS::BLAS ZLIB::ZLIB BZip2::BZip2 LibLZMA::LibLZMA Clp CoinUtils)

add_library(maxmargin $<TARGET_OBJECTS:maxmargin_objects>)
add_library(maxmargin::maxmargin ALIAS maxmargin)
target_sources(maxmargin PUBLIC FILE_SET HEADERS
  BASE_DIRS ${PROJECT_SOURCE_DIR}/include ${PROJECT_BINARY_DIR}/include
  FILES ${maxmargin_headers} ${PROJECT_BINARY_DIR}/include/maxmargin/core/version.hpp)
target_compile_features(maxmargin PUBLIC cxx_std_20)
target_link_directories(maxmargin PRIVATE $<BUILD_INTERFACE:${MAXMARGIN_CLP_LIBRARY_DIRS}>)
target_link_libraries(maxmargin
  PUBLIC Threads::Threads
  PRIVATE $<BUILD_INTERFACE:maxmargin_flags> ${maxmargin_needs})
# Threads sleep between loops (docs/design/threads.md): their code must not be unloaded.
target_link_options(maxmargin PRIVATE $<$<PLATFORM_ID:Linux>:LINKER:-z,nodelete>)
set_target_properties(maxmargin PROPERTIES
  VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
  EXPORT_NAME maxmargin)

add_library(maxmargin_static STATIC EXCLUDE_FROM_ALL $<TARGET_OBJECTS:maxmargin_objects>)
target_compile_features(maxmargin_static PUBLIC cxx_std_20)
target_include_directories(maxmargin_static INTERFACE
  ${PROJECT_SOURCE_DIR}/include ${PROJECT_BINARY_DIR}/include ${PROJECT_SOURCE_DIR}/src)
target_link_directories(maxmargin_static INTERFACE ${MAXMARGIN_CLP_LIBRARY_DIRS})
target_link_libraries(maxmargin_static INTERFACE Threads::Threads ${maxmargin_needs})
