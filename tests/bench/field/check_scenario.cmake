# cmake -DPYTHON=<python3> -DWEIR=<weir> -DSCRIPT=<scenario.py> -DWORK=<folder> -P check_scenario.cmake: the script makes
# the expected scenario of a report, `weir simulate` runs it, also by a pattern of arrival, and what is no report and no box
# is refused by name.
cmake_minimum_required(VERSION 3.25)

file(MAKE_DIRECTORY ${WORK})
set(here ${CMAKE_CURRENT_LIST_DIR})
execute_process(COMMAND ${PYTHON} ${SCRIPT} ${here}/report.json --name tiny --from "a test" --serial small --records 500
  OUTPUT_FILE ${WORK}/tiny.json ERROR_VARIABLE err RESULT_VARIABLE status)
if(status)
  message(FATAL_ERROR "scenario.py ended with ${status}: ${err}")
endif()
execute_process(COMMAND ${CMAKE_COMMAND} -E compare_files ${WORK}/tiny.json ${here}/report.expected RESULT_VARIABLE differs)
if(differs)
  message(FATAL_ERROR "${WORK}/tiny.json is not ${here}/report.expected")
endif()
# Of 36 invocations of a box that 30 records reached by links, 6 are of records that came back from another, of 10.
execute_process(COMMAND ${PYTHON} ${SCRIPT} ${here}/report.json --name tiny --from "a test" --back small=large
  OUTPUT_VARIABLE out ERROR_VARIABLE err RESULT_VARIABLE status)
if(status OR NOT out MATCHES "from\": \"small\", \"to\": \"output\", \"records\": 0.4}" OR
   NOT out MATCHES "from\": \"small\", \"to\": \"large\", \"records\": 0.6}")
  message(FATAL_ERROR "with --back scenario.py ended with ${status} after it printed\n${out}${err}")
endif()
execute_process(COMMAND ${WEIR} simulate ${WORK}/tiny.json --cores 4 --policy adaptive OUTPUT_VARIABLE out ERROR_VARIABLE err
  RESULT_VARIABLE status)
if(status OR NOT out MATCHES "tiny: 3 components on 4 cores, 500 records")
  message(FATAL_ERROR "weir simulate ended with ${status} after it printed\n${out}${err}")
endif()
# Its records arrive by a pattern where arrivals.py says so: as many as the rate and the seconds give.
get_filename_component(folder ${SCRIPT} DIRECTORY)
execute_process(COMMAND ${PYTHON} ${folder}/arrivals.py ${WORK}/tiny.json --pattern spike --rate 30 --seconds 10
  OUTPUT_FILE ${WORK}/spike.json ERROR_VARIABLE err RESULT_VARIABLE status)
execute_process(COMMAND ${WEIR} simulate ${WORK}/spike.json --cores 4 --policy adaptive OUTPUT_VARIABLE out ERROR_VARIABLE more)
if(status OR NOT out MATCHES "tiny spike: 3 components on 4 cores, 300 records")
  message(FATAL_ERROR "arrivals.py ended with ${status}: ${err}; weir simulate printed\n${out}${more}")
endif()
foreach(case "${here}/check_scenario.cmake;a;is no report of a run" "${here}/report.json;none;there is no box none; there are source, sort")
  list(GET case 0 file)
  list(GET case 1 box)
  list(SUBLIST case 2 -1 words)
  execute_process(COMMAND ${PYTHON} ${SCRIPT} ${file} --name a --from b --serial ${box} OUTPUT_VARIABLE out ERROR_VARIABLE err
    RESULT_VARIABLE status)
  string(FIND "${err}" "scenario.py: " begins)
  string(FIND "${err}" "${words}" at)
  if(NOT status OR out OR begins OR at EQUAL -1)
    message(FATAL_ERROR "scenario.py of ${file} ended with ${status} after it printed\n${out}${err}expected was: ${words}")
  endif()
endforeach()
