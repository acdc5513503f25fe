# cmake -DCASE=archive -DWEIR=<weir> -DWORK=<folder> -P check.cmake: the commands of CASE.sh print CASE.expected.
cmake_minimum_required(VERSION 3.25)

file(REMOVE_RECURSE ${WORK})
file(COPY ${CMAKE_CURRENT_LIST_DIR}/ DESTINATION ${WORK})
file(COPY ${CMAKE_CURRENT_LIST_DIR}/../data/ DESTINATION ${WORK}/logs)
file(COPY ${CMAKE_CURRENT_LIST_DIR}/../../runtime/process/python/weir_worker.py DESTINATION ${WORK})
get_filename_component(folder ${WEIR} DIRECTORY)
set(ENV{PATH} "${folder}:$ENV{PATH}")
execute_process(COMMAND bash -e ${CASE}.sh WORKING_DIRECTORY ${WORK} RESULT_VARIABLE status OUTPUT_VARIABLE out
  ERROR_VARIABLE out)
file(READ ${WORK}/${CASE}.expected expected)
if(NOT status EQUAL 0 OR NOT "${out}" STREQUAL expected)
  message(FATAL_ERROR "${CASE}.sh ended with ${status} after it printed\n${out}\nexpected was\n${expected}")
endif()
