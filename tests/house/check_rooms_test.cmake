# cmake -DWORK=<folder> -P check_rooms_test.cmake: check_rooms.cmake accepts a small tree that keeps the rules, and
# finds each way to break one that is planted in it.
cmake_minimum_required(VERSION 3.25)
include(${CMAKE_CURRENT_LIST_DIR}/rooms.cmake)

# verdict(result output file text [file text]...): plants each `text` in its `file` of the tree, or removes the file
# where the text is MISSING, and runs the check.
function(verdict result output)
  file(REMOVE_RECURSE ${WORK})
  foreach(room IN LISTS rooms)
    list(JOIN named_in_${room} ", " names)
    if(NOT names)
      set(names "nothing of weir")
    endif()
    file(WRITE ${WORK}/${room}/README.md "# ${room}\n\nA room.\nMay include: ${names}.\n")
  endforeach()
  file(WRITE ${WORK}/model/include/weir/model/observation.hpp "#pragma once\n#include <vector>\n")
  file(WRITE ${WORK}/scheduler/include/weir/scheduler/policies/policy.hpp "#pragma once\n#include <weir/scheduler/view/view.hpp>\n")
  file(WRITE ${WORK}/scheduler/include/weir/scheduler/view/view.hpp "#pragma once\n#include <weir/model/observation.hpp>\n")
  file(WRITE ${WORK}/runtime/include/weir/run/start.hpp "#pragma once\n#include <weir/scheduler/policies/policy.hpp>\n")
  file(WRITE ${WORK}/runtime/run/start.cpp "#include <weir/run/start.hpp>\n#include <nlohmann/json.hpp>\n")
  file(WRITE ${WORK}/runtime/include/weir/weir.hpp "#pragma once\n#include <weir/run/start.hpp>\n")
  file(WRITE ${WORK}/examples/squares.cpp "#include <weir/weir.hpp>\n// #include <weir/run/start.hpp>\n")
  set(planted ${ARGN})
  while(planted)
    list(POP_FRONT planted file text)
    if(text STREQUAL "MISSING")
      file(REMOVE ${WORK}/${file})
    else()
      file(WRITE ${WORK}/${file} "${text}")
    endif()
  endwhile()
  execute_process(COMMAND ${CMAKE_COMMAND} -DROOT=${WORK} -P ${CMAKE_CURRENT_LIST_DIR}/check_rooms.cmake
    RESULT_VARIABLE code OUTPUT_VARIABLE text ERROR_VARIABLE text)
  set(${result} ${code} PARENT_SCOPE)
  set(${output} "${text}" PARENT_SCOPE)
endfunction()

function(expect_accepted)
  verdict(code output ${ARGN})
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "refused ${ARGN}: ${output}")
  endif()
endfunction()

# expect_refused(reason file text [file text]...): the reason is given, and the first file or its folder is named.
function(expect_refused reason file)
  verdict(code output ${file} ${ARGN})
  string(REGEX REPLACE "\n *" " " output "${output}")  # lines of messages are folded
  string(REGEX REPLACE "\\.[a-z]+$" "" unit "${file}")
  get_filename_component(folder "${file}" DIRECTORY)
  string(REGEX MATCH "${unit}|${folder}:" names_file "${output}")
  string(FIND "${output}" "${reason}" gives_reason)
  if(code EQUAL 0 OR NOT names_file OR gives_reason EQUAL -1)
    message(FATAL_ERROR "did not refuse ${file} with ${ARGN} because \"${reason}\": ${output}")
  endif()
endfunction()

expect_accepted(model/plain.hpp "#pragma once\n#include <cmath>\n#include <weir/model/observation.hpp>\n")
expect_accepted(runtime/include/weir/run/start.hpp "#include <weir/scheduler/policies/policy.hpp>\nnamespace [[gnu::visibility(\"default\")]] weir {\nnamespace detail {\n")
expect_accepted(runtime/run/start.cpp "namespace weir::detail {\n")
expect_accepted(bench/weir/compare/run.cpp "#include <weir/run/start.hpp>\n#include <CLI/CLI.hpp>\n")
expect_accepted(model/a.cpp "#include \"model/a.hpp\"\n#include \"model/b.hpp\"\n" model/a.hpp "// nothing" model/b.hpp "// nothing"
  model/b.cpp "#include \"model/b.hpp\"\n")

# An include that goes up, or to a neighbour.
expect_refused("model/ may not include scheduler/policies/" model/bad.hpp "#include <weir/scheduler/policies/policy.hpp>\n")
expect_refused("model/ may not include runtime/run/" model/bad.cpp "  #  include \"runtime/run/start.hpp\"\n")
expect_refused("model/ may not include scheduler/policies/" model/bad.hpp "#include <scheduler/policies/policy.hpp>\n")
expect_refused("model/ may not include model/law/" model/bad.hpp "#include \"model/law/component_law.hpp\"\n")
expect_refused("scheduler/view/ may not include scheduler/policies/" scheduler/view/bad.hpp
  "#include <weir/scheduler/policies/policy.hpp>\n")
expect_refused("scheduler/view/ may not include runtime/run/" scheduler/view/bad.hpp "#include <weir/run/start.hpp>\n")
expect_refused("runtime/run/ may not include components/matrix/" runtime/run/bad.cpp
  "#include \"components/matrix/matrix.hpp\"\n")
expect_refused("runtime/ may not include bench/support/" runtime/include/weir/weir.hpp "#include \"bench/support/host.hpp\"\n")
expect_refused("components/ may not include model/" components/bad.hpp "#include <weir/model/observation.hpp>\n")
expect_refused("examples/ may not include runtime/run/" examples/bad.cpp "#include <weir/run/start.hpp>\n")
expect_refused("bench/weir/fit/ may not include bench/weir/compare/" bench/weir/fit/bad.cpp
  "#include \"bench/weir/compare/compare_run.hpp\"\n")
expect_refused("model/ may not include tests/" model/bad.cpp "#include \"tests/support/busy.hpp\"\n")

# An include that is spelt otherwise.
expect_refused("is written in quotes" runtime/run/bad.hpp "#include <model/observation.hpp>\n")
expect_refused("is spelt from the root" model/bad.hpp "#include \"observation.hpp\"\n")
expect_refused("is spelt from the root" scheduler/view/bad.hpp "#include \"../../model/observation.hpp\"\n")

# A library.
expect_refused("may not use this library" model/bad.cpp "#include <tbb/task_arena.h>\n")
expect_refused("may not use this library" scheduler/view/bad.cpp "#include <hwloc.h>\n")
expect_refused("may not use this library" components/bad.hpp "#include <weir/weir.hpp>\n")
expect_refused("a public header shows no library" runtime/include/weir/run/start.hpp "#include <nlohmann/json.hpp>\n")
expect_refused("a public header includes no other" runtime/include/weir/run/start.hpp "#include \"runtime/run/inside.hpp\"\n")
expect_refused("no public header includes this one" runtime/include/weir/run/alone.hpp "#pragma once\n")
expect_refused("is written <weir/" runtime/run/bad.cpp "#include \"weir/run/start.hpp\"\n")
expect_refused("uses no thread, clock or file" model/law/bad.cpp "#include <thread>\n")

# Visibility.
expect_refused("what a public header declares is visible" runtime/include/weir/run/start.hpp "namespace weir {\n")
expect_refused("what a public header declares is visible" runtime/include/weir/run/start.hpp "namespace weir::detail {\n")
expect_refused("only what a public header declares" runtime/run/bad.hpp
  "namespace [[gnu::visibility(\"default\")]] weir {\n")

# Circles: of two headers, through a header and a source, of three units.
expect_refused("include each other in a circle" model/a.hpp "#include \"model/b.hpp\"\n" model/b.hpp "#include \"model/a.hpp\"\n")
expect_refused("include each other in a circle" model/a.cpp "#include \"model/b.hpp\"\n" model/a.hpp "// nothing"
  model/b.hpp "#include \"model/a.hpp\"\n")
expect_refused("include each other in a circle" components/a.cpp "#include \"components/b.hpp\"\n"
  components/b.hpp "#include \"components/c.hpp\"\n" components/c.cpp "#include \"components/a.hpp\"\n" components/a.hpp "// nothing")
list(GET faces 0 face)  # its source may, its header may not
get_filename_component(folder ${face} DIRECTORY)
expect_accepted(${face}.cpp "#include \"${folder}/b.hpp\"\n" ${face}.hpp "// nothing" ${folder}/b.hpp "#include \"${face}.hpp\"\n")
expect_refused("include each other in a circle" ${face}.hpp "#include \"${folder}/b.hpp\"\n" ${folder}/b.hpp "#include \"${face}.hpp\"\n")

# Rooms.
expect_refused("a folder with sources that is no room" model/attic/bad.hpp "#pragma once\n")
expect_refused("a room has one" model/README.md MISSING)
expect_refused("by rooms.cmake its line is" model/README.md "# model\n\nA room.\n")
expect_refused("by rooms.cmake its line is" model/README.md "# model\n\nA room.\nMay include: scheduler.\n")
expect_refused("by rooms.cmake its line is" scheduler/view/README.md "# view\n\nA room.\nMay include: machine.\n")
# A row that names a room of a later one, or none at all.
foreach(row "room(model/attic INCLUDES bench)" "room(scheduler/attic INCLUDES vieww)" "room(model/attic INCLUDES runtime/vieww)")
  file(WRITE ${WORK}/row.cmake "cmake_minimum_required(VERSION 3.25)\ninclude(${CMAKE_CURRENT_LIST_DIR}/rooms.cmake)\n"
    "list(FILTER rooms EXCLUDE REGEX \"^bench\")\n${row}\n")
  execute_process(COMMAND ${CMAKE_COMMAND} -P ${WORK}/row.cmake RESULT_VARIABLE code OUTPUT_QUIET ERROR_QUIET)
  if(code EQUAL 0)
    message(FATAL_ERROR "accepted ${row}")
  endif()
endforeach()
