# maxmargin_unity(TARGET): compiles the sources of a target in batches (MAXMARGIN_UNITY). Those that
# would clash are kept apart, see unity_batches.awk.
function(maxmargin_unity target)
  if(NOT MAXMARGIN_UNITY)
    return()
  endif()
  find_program(MAXMARGIN_AWK awk REQUIRED)
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.cpp$")
  execute_process(
    COMMAND ${MAXMARGIN_AWK} -v size=12 -v look_back=40
            -v "roots=${PROJECT_SOURCE_DIR}/src|${PROJECT_SOURCE_DIR}/include"
            -f ${PROJECT_SOURCE_DIR}/cmake/unity_batches.awk ${sources}
    WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}
    OUTPUT_VARIABLE batches OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE "\n" ";" batches "${batches}")
  foreach(line ${batches})
    string(REGEX MATCH "^([0-9]+) (.*)$" unused "${line}")
    set_source_files_properties(${CMAKE_MATCH_2} PROPERTIES UNITY_GROUP batch_${CMAKE_MATCH_1})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  # g++ takes files of a batch for headers, in which a member of an anonymous type would be a mistake.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endfunction()
