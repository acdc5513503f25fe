# cmake -DROOT=<tree> -P check_classes.cmake: fails and names each fault. In model, scheduler and runtime,
# a fault is that
#   - a source has no header of its name in its room,
#   - a source defines a member function of a class that the header of another source declares,
#   - a class has more than 20 data members, or
#   - `using namespace` stands at namespace scope.
# classes.awk reads the files.
cmake_minimum_required(VERSION 3.25)
get_filename_component(ROOT ${ROOT} ABSOLUTE)
set(most_members 20)

file(GLOB_RECURSE files RELATIVE ${ROOT}
  ${ROOT}/model/*.hpp ${ROOT}/model/*.cpp ${ROOT}/scheduler/*.hpp ${ROOT}/scheduler/*.cpp
  ${ROOT}/runtime/*.hpp ${ROOT}/runtime/*.cpp ${ROOT}/runtime/*.hpp.in)
execute_process(COMMAND ${CMAKE_COMMAND} -E env LC_ALL=C awk -f ${CMAKE_CURRENT_LIST_DIR}/classes.awk ${files}
  WORKING_DIRECTORY ${ROOT} OUTPUT_VARIABLE facts COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[^\n]+" facts "${facts}")

# unit_of(file result): its path without its ending, and of a public header without include/weir.
function(unit_of file result)
  string(REGEX REPLACE "\\.(hpp|cpp|hpp\\.in)$" "" unit "${file}")
  string(REGEX REPLACE "^[a-z]+/include/weir/(model|scheduler|runtime)/" "\\1/" unit "${unit}")
  string(REGEX REPLACE "^([a-z]+)/include/weir/" "\\1/" unit "${unit}")
  set(${result} ${unit} PARENT_SCOPE)
endfunction()

set(problems)
set(headers)
foreach(file IN LISTS files)
  if(NOT file MATCHES "\\.cpp$")
    unit_of(${file} unit)
    list(APPEND headers ${unit})
  endif()
endforeach()
foreach(file IN LISTS files)
  unit_of(${file} unit)
  if(file MATCHES "\\.cpp$" AND NOT unit IN_LIST headers)
    list(APPEND problems "${file}: has no header of its name")
  endif()
endforeach()

foreach(fact IN LISTS facts)
  if(fact MATCHES "^class ([^ ]+) ([a-z_0-9:]+) ([0-9]+)$")
    set(class ${CMAKE_MATCH_2})
    set(file ${CMAKE_MATCH_1})
    if(CMAKE_MATCH_3 GREATER most_members)
      list(APPEND problems "${file}: ${class} has ${CMAKE_MATCH_3} members, which is more than ${most_members}")
    endif()
    unit_of(${file} unit)
    list(APPEND units_of_${class} ${unit})
  elseif(fact MATCHES "^using ([^ ]+) (.*)$")
    list(APPEND problems "${CMAKE_MATCH_1}: using namespace ${CMAKE_MATCH_2} at namespace scope")
  elseif(fact MATCHES "^unread (.*)$")
    list(APPEND problems "${CMAKE_MATCH_1}: its braces do not match, as far as classes.awk reads it")
  endif()
endforeach()

foreach(fact IN LISTS facts)
  if(NOT fact MATCHES "^member ([^ ]+[.]cpp) (.*)::[^:]+$")
    continue()
  endif()
  set(file ${CMAKE_MATCH_1})
  string(REPLACE "::" ";" names "${CMAKE_MATCH_2}")
  foreach(class IN LISTS names)  # the outermost class: the names before it are namespaces
    if(units_of_${class})
      unit_of(${file} unit)
      if(NOT unit IN_LIST units_of_${class})
        list(GET units_of_${class} 0 declared)
        list(APPEND problems "${file}: has members of ${class}, which ${declared} declares")
      endif()
      break()
    endif()
  endforeach()
endforeach()

if(problems)
  list(REMOVE_DUPLICATES problems)
  list(JOIN problems "\n  " problems)
  message(FATAL_ERROR "\n  ${problems}")
endif()
