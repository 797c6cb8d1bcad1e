# Run by the build (cmake -P): what the built tool says of itself, as files. Completion scripts of the
# shells it knows, and its man page.
#   cmake -DTOOL=... -DVERSION=... -DMAN_PAGE=packaging/man_page.sh -DZSH_FOLDER=... -DOUTPUT=FOLDER
#         -P ToolFiles.cmake
file(REMOVE_RECURSE ${OUTPUT})
foreach(place bash:bash-completion/completions/maxmargin zsh:zsh/${ZSH_FOLDER}/_maxmargin
    fish:fish/vendor_completions.d/maxmargin.fish)
  string(REGEX MATCH "^([a-z]+):(.*)$" unused ${place})
  set(shell ${CMAKE_MATCH_1})
  set(file ${OUTPUT}/${CMAKE_MATCH_2})
  execute_process(COMMAND ${TOOL} completion ${shell}
    OUTPUT_VARIABLE script ERROR_VARIABLE refusal RESULT_VARIABLE status)
  if(status EQUAL 0)
    file(WRITE ${file} "${script}")
  else()
    message(STATUS "no completion for ${shell}: ${refusal}")
  endif()
endforeach()
execute_process(COMMAND sh ${MAN_PAGE} ${TOOL} ${VERSION} OUTPUT_VARIABLE page
  COMMAND_ERROR_IS_FATAL ANY)
file(WRITE ${OUTPUT}/man/man1/maxmargin.1 "${page}")
# The time inside is left out, so that the same help gives the same bytes.
execute_process(COMMAND gzip -9n ${OUTPUT}/man/man1/maxmargin.1 COMMAND_ERROR_IS_FATAL ANY)
