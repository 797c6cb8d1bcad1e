# Installation: library, headers, CMake package, pkg-config file; apps/maxmargin adds the tool. The
# components are those of the Debian packages (cmake/Package.cmake).
include(CMakePackageConfigHelpers)
set(maxmargin_cmake_dir ${CMAKE_INSTALL_LIBDIR}/cmake/maxmargin)

install(TARGETS maxmargin EXPORT maxmarginTargets
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT library
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library NAMELINK_COMPONENT development
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development
  FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
install(EXPORT maxmarginTargets NAMESPACE maxmargin:: DESTINATION ${maxmargin_cmake_dir}
  COMPONENT development)

configure_package_config_file(cmake/maxmarginConfig.cmake.in
  ${PROJECT_BINARY_DIR}/maxmarginConfig.cmake INSTALL_DESTINATION ${maxmargin_cmake_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/maxmarginConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/maxmarginConfig.cmake
              ${PROJECT_BINARY_DIR}/maxmarginConfigVersion.cmake
  DESTINATION ${maxmargin_cmake_dir} COMPONENT development)

# The file finds its prefix from where it lies, so that any --prefix at install time is right.
file(RELATIVE_PATH maxmargin_pc_to_prefix /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
configure_file(cmake/maxmargin.pc.in ${PROJECT_BINARY_DIR}/maxmargin.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/maxmargin.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
  COMPONENT development)
