# Tries to compile SNIPPET with COMPILER and the FLAGS, which must fail with the MESSAGE (a regular expression) among
# what the compiler says; without a MESSAGE it must succeed.
execute_process(COMMAND ${COMPILER} ${FLAGS} -fsyntax-only ${SNIPPET} RESULT_VARIABLE status ERROR_VARIABLE said OUTPUT_QUIET)
string(REGEX REPLACE "[\n ]+" " " said_flat "${said}")
if(MESSAGE STREQUAL "")
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${SNIPPET} must compile, but:\n${said}")
  endif()
elseif(status EQUAL 0)
  message(FATAL_ERROR "${SNIPPET} must not compile, but it does")
elseif(NOT said_flat MATCHES "${MESSAGE}")
  message(FATAL_ERROR "${SNIPPET} does not compile, but not for the reason '${MESSAGE}':\n${said}")
endif()
