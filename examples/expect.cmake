# expect(code stdout stderr ARGS...): runs PROGRAM in WORK and fails unless it ends with this code and its outputs match
# these regular expressions.
cmake_minimum_required(VERSION 3.25)

function(expect code stdout stderr)
  execute_process(COMMAND ${PROGRAM} ${ARGN} WORKING_DIRECTORY ${WORK} RESULT_VARIABLE status OUTPUT_VARIABLE out
    ERROR_VARIABLE err)
  if(NOT status STREQUAL code OR NOT out MATCHES "${stdout}" OR NOT err MATCHES "${stderr}")
    message(FATAL_ERROR "${PROGRAM} ${ARGN}: ended with ${status}, expected ${code}\nprinted\n${out}expected\n${stdout}\n"
      "and on stderr\n${err}expected\n${stderr}")
  endif()
endfunction()
