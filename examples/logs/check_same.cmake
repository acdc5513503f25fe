# cmake -DPROGRAM=<logs> -DPLAIN=<logs_plain_count> -DWORK=<folder> -P check_same.cmake: every way prints what a plain loop
# counts, of logs that are drawn and of logs that are partly broken.
include(${CMAKE_CURRENT_LIST_DIR}/check_common.cmake)

# expect_plain(code name top ARGS...): LOGS ends with this code and prints what the loop counts in that file, which is its
# standard input as well.
function(expect_plain code name top)
  execute_process(COMMAND ${PLAIN} count ${WORK}/${name} ${top} OUTPUT_VARIABLE counted COMMAND_ERROR_IS_FATAL ANY)
  foreach(how "--by weir" "--by pipeline" "--lines")
    separate_arguments(how)
    execute_process(COMMAND ${PROGRAM} ${ARGN} ${how} --top ${top} WORKING_DIRECTORY ${WORK} RESULT_VARIABLE status
      OUTPUT_VARIABLE out ERROR_VARIABLE err INPUT_FILE ${WORK}/${name})
    if(NOT status STREQUAL code OR NOT out STREQUAL counted OR NOT err STREQUAL "")
      message(FATAL_ERROR "logs ${ARGN} ${how} --top ${top}: ended with ${status}, expected ${code}\nprinted\n${out}"
        "a plain loop counts\n${counted}stderr: ${err}")
    endif()
  endforeach()
  set(counted "${counted}" PARENT_SCOPE)
endfunction()

foreach(seed 1 2)
  execute_process(COMMAND ${PLAIN} draw ${WORK}/drawn${seed}.log 3 ${seed} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
expect_plain(0 drawn1.log 1000000 drawn1.log)  # all of them
expect_plain(0 drawn1.log 0 drawn1.log)
expect_plain(0 drawn1.log 10 drawn1.log)
expect_plain(0 drawn1.log 10 -)
expect_plain(0 drawn1.log 10 --draw 3)
set(of_seed_1 "${counted}")
expect_plain(0 drawn2.log 10 --draw 3 --seed 2)
if(counted STREQUAL of_seed_1)
  message(FATAL_ERROR "two seeds draw logs with the same counts\n${counted}")
endif()

# Lines that are none of a log are counted and skipped; the last may lack its newline.
set(start "10.0.0.1 - - [12/Mar/2024:06:25:24 +0000]")
file(WRITE ${WORK}/mixed.log
  "${start} \"GET /a HTTP/1.1\" 404 12\n"
  "${start} \"GET /a?x=1 HTTP/1.1\" 500 12 \"-\" \"agent\"\n"
  "${start} \"GET /b HTTP/1.1\" 404 12\n"
  "${start} \"GET /c HTTP/1.1\" 399 12\n"
  "${start} \"GET /c HTTP/1.1\" 400\n"
  "${start} \"GET /say\\\"quoted\\\" HTTP/1.1\" 404 1\n"
  "${start} \"GET /old\" 404 1\n"
  "${start} \"-\" 408 -\n"
  "${start} \"\" 400 -\n"
  "\n"
  "no log line\n"
  "${start} \"GET /a HTTP/1.1 404 12\n"
  "${start} \"GET /a HTTP/1.1\\\" 404 12\n"
  "${start} \"GET /a HTTP/1.1\" 40\n"
  "${start} \"GET /a HTTP/1.1\" 4040 1\n"
  "${start} \"GET /a HTTP/1.1\" 600 1\n"
  "${start} \"GET /a HTTP/1.1\" 099 1\n"
  "${start} \"GET /a HTTP/1.1\" 4x4 1\n"
  "${start} \"GET /a HTTP/1.1\"404 1\n"
  "${start} \"GET /b HTTP/1.1\" 404 12")
expect_plain(1 mixed.log 20 mixed.log)
if(NOT counted MATCHES "^9 errors, 10 lines skipped\n        2  /a\n        2  /b\n        1  \n        1  -\n        1  /c\n")
  message(FATAL_ERROR "of mixed.log a plain loop counts\n${counted}")
endif()
expect_plain(1 mixed.log 1 mixed.log)  # of two with as many errors it is the first by name

# A log without lines, and one that is a line longer than a block.
file(WRITE ${WORK}/empty.log "")
expect_plain(0 empty.log 10 empty.log)
string(REPEAT "long/" 500000 path)
file(WRITE ${WORK}/long.log "${start} \"GET /a HTTP/1.1\" 404 12\n${start} \"GET /${path} HTTP/1.1\" 404 12\n"
  "${start} \"GET /a HTTP/1.1\" 404 12\n")
foreach(how "--by weir" "--by pipeline" "--lines")
  separate_arguments(how)
  expect(0 "^3 errors, 0 lines skipped\n        2  /a\n$" "^$" long.log --top 1 ${how})
endforeach()
