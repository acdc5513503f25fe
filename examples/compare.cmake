# Runs PROGRAM and fails unless it ends well and prints exactly what the file EXPECTED holds.
execute_process(COMMAND ${PROGRAM} RESULT_VARIABLE status OUTPUT_VARIABLE printed)
file(READ ${EXPECTED} expected)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${PROGRAM} ended with ${status} after it printed\n${printed}")
elseif(NOT printed STREQUAL expected)
  message(FATAL_ERROR "${PROGRAM} printed\n${printed}expected was\n${expected}")
endif()
