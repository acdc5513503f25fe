# cmake -DCLANG_FORMAT=<clang-format-14> -DROOT=<tree> -P check_format.cmake: fails, naming them, when
# sources or headers are laid out otherwise than .clang-format says.
cmake_minimum_required(VERSION 3.25)
set(files)
foreach(layer model scheduler runtime components examples bench tests)
  file(GLOB_RECURSE found RELATIVE ${ROOT} ${ROOT}/${layer}/*.hpp ${ROOT}/${layer}/*.cpp)
  list(APPEND files ${found})
endforeach()
if(NOT files)
  message(FATAL_ERROR "there are no sources in ${ROOT}")
endif()

execute_process(COMMAND ${CLANG_FORMAT} --dry-run ${files} WORKING_DIRECTORY ${ROOT}
  RESULT_VARIABLE code ERROR_VARIABLE said)
string(REGEX MATCHALL "[^\n]+:[0-9]+:[0-9]+: warning" places "${said}")
list(TRANSFORM places REPLACE ":[0-9]+: warning$" "")
if(places OR NOT code EQUAL 0)
  list(JOIN places "\n  " lines)
  message(FATAL_ERROR "clang-format-14 lays these out otherwise:\n  ${lines}")
endif()
