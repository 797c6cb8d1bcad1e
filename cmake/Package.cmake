# Debian packages by CPack (make package): the tool, the library, and what a program that uses the
# library is built with.
set(maxmargin_abi ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
set(maxmargin_package_tool maxmargin)
set(maxmargin_package_library libmaxmargin${maxmargin_abi})
set(maxmargin_package_development libmaxmargin-dev)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME maxmargin)
set(CPACK_PACKAGE_VENDOR "The maxmargin developers")
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE
  GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_COMPONENTS_ALL tool library development)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER ${MAXMARGIN_MAINTAINER})
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR})
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY "=")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

set(version ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})
set(library_dependency "${maxmargin_package_library} (= ${version})")
set(CPACK_DEBIAN_TOOL_PACKAGE_NAME ${maxmargin_package_tool})
set(CPACK_DEBIAN_TOOL_PACKAGE_SECTION science)
set(CPACK_DEBIAN_TOOL_PACKAGE_DEPENDS ${library_dependency})
set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME ${maxmargin_package_library})
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/packaging/debian/triggers)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME ${maxmargin_package_development})
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS ${library_dependency})

# The first line is the summary; CPack's own, the same for all, is left out.
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")
set(about "Support vector machines and their relatives for supervised,
semi-supervised, unsupervised and structured learning. Every answer comes
with a certificate: a bound that says how far it can be from the best one.
.
This package has")
set(CPACK_COMPONENT_TOOL_DESCRIPTION "maximum-margin learners with certificates
${about} the command-line tool, its man page and completions.")
set(CPACK_COMPONENT_LIBRARY_DESCRIPTION "maximum-margin learners with certificates - library
${about} the shared library.")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "maximum-margin learners with certificates - headers
${about} headers, the CMake package and the pkg-config file.")

# What Debian wants of every package. gzip leaves out name and time: the same input, the same bytes.
foreach(document changelog:CHANGELOG.md changelog.Debian:packaging/debian/changelog)
  string(REGEX MATCH "^([^:]+):(.*)$" unused ${document})
  set(file ${PROJECT_BINARY_DIR}/debian/${CMAKE_MATCH_1})
  configure_file(${PROJECT_SOURCE_DIR}/${CMAKE_MATCH_2} ${file} COPYONLY)
  execute_process(COMMAND gzip -9nkf ${file} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
foreach(component ${CPACK_COMPONENTS_ALL})
  install(FILES packaging/debian/copyright
                ${PROJECT_BINARY_DIR}/debian/changelog.gz
                ${PROJECT_BINARY_DIR}/debian/changelog.Debian.gz
    DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${maxmargin_package_${component}}
    COMPONENT ${component})
endforeach()
include(CPack)
