# expect(code stdout stderr ARGS...): runs LOGS and fails unless it ends with this code and its outputs match these
# regular expressions. Of what stands before, `input` is a file that it reads as its standard input.
cmake_minimum_required(VERSION 3.25)

function(expect code stdout stderr)
  set(from)
  if(DEFINED input)
    set(from INPUT_FILE ${WORK}/${input})
  endif()
  execute_process(COMMAND ${LOGS} ${ARGN} WORKING_DIRECTORY ${WORK} ${from} RESULT_VARIABLE status OUTPUT_VARIABLE out
    ERROR_VARIABLE err)
  if(NOT status STREQUAL code OR NOT out MATCHES "${stdout}" OR NOT err MATCHES "${stderr}")
    message(FATAL_ERROR "logs ${ARGN}: ended with ${status}, expected ${code}\nprinted\n${out}expected\n${stdout}\n"
      "and on stderr\n${err}expected\n${stderr}")
  endif()
endfunction()

set(ways "--by;weir" "--by;pipeline" "--lines")
file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})
