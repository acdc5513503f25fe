# cmake -DWORK=<folder> -P check_readmes_test.cmake: check_readmes.cmake accepts a small tree that keeps the rules, and
# finds each way to break one that is planted in it.
cmake_minimum_required(VERSION 3.25)
include(${CMAKE_CURRENT_LIST_DIR}/rooms.cmake)

set(rows)  # of the table in model/README.md
foreach(room IN LISTS rooms)
  if(room MATCHES "^model/(.*)$")
    list(APPEND rows ${CMAKE_MATCH_1})
  endif()
endforeach()

# verdict(rows text): makes the tree with these rows and this text in model/README.md, and runs the check on it.
function(verdict rows text)
  file(REMOVE_RECURSE ${WORK})
  file(WRITE ${WORK}/tree/model/law/rank_one.hpp
    "namespace weir {\nclass rank_one {\n  double spread() const;\n};\n}\n")
  file(WRITE ${WORK}/tree/runtime/CMakeLists.txt "add_library(weir::language ALIAS weir_language)\n")
  list(TRANSFORM rows REPLACE "(.+)" "| [\\1](\\1/README.md) | a room |")
  list(JOIN rows "\n" rows)
  file(WRITE ${WORK}/tree/model/README.md
    "# model\n\n| room | what is there |\n|---|---|\n${rows}\n\n${text}\n\n    `gone.hpp`\n\n```\n`gone.hpp`\n```\n")
  execute_process(
    COMMAND ${CMAKE_COMMAND} -DROOT=${WORK}/tree -DWORK=${WORK} -P ${CMAKE_CURRENT_LIST_DIR}/check_readmes.cmake
    RESULT_VARIABLE code OUTPUT_VARIABLE output ERROR_VARIABLE output)
  string(REGEX REPLACE "\n *" " " output "${output}")  # lines of messages are folded
  set(code ${code} PARENT_SCOPE)
  set(output "${output}" PARENT_SCOPE)
endfunction()

function(expect_refused reason)
  string(FIND "${output}" "${reason}" at)
  if(code EQUAL 0 OR at EQUAL -1)
    message(FATAL_ERROR "did not say \"${reason}\": ${output}")
  endif()
endfunction()

foreach(text "`rank_one::spread()` and `weir::rank_one::spread`" "`weir::language`" "`std::none`, `tbb::none`"
    "`rank_one.hpp`, `law/rank_one.hpp`, `model/law/rank_one`, `law/`" "`build/release/weir`"
    "`ns/hop`, `/events`, gone.hpp")
  verdict("${rows}" "${text}")
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "refused ${text}: ${output}")
  endif()
endforeach()

foreach(name "rank_one::gone" "gone::spread()" "gone.hpp" "law/gone.hpp" "law/gone" "runtime/law/rank_one.hpp")
  verdict("${rows}" "See `rank_one.hpp` and `${name}`.")
  string(REPLACE "()" "" name "${name}")
  expect_refused(": ${name} is not in the tree")
endforeach()

set(others ${rows})
list(POP_FRONT others first)
verdict("${others}" "")
expect_refused("the rows of its table of rooms are ${first}, ")
verdict("${others};${first}" "")
expect_refused("the rows of its table of rooms are ${first}, ")
verdict("${rows};attic" "")
expect_refused("the rows of its table of rooms are ${first}, ")
