# cmake -DROOT=<tree> -P check_sentences.cmake: fails, naming file and line, when a comment or Markdown has a sentence
# of one of the five habits of sentences.awk.
cmake_minimum_required(VERSION 3.25)
get_filename_component(ROOT ${ROOT} ABSOLUTE)

file(GLOB files RELATIVE ${ROOT} ${ROOT}/*.md)
foreach(folder IN ITEMS runtime scheduler model components examples tests bench)
  file(GLOB_RECURSE more RELATIVE ${ROOT} ${ROOT}/${folder}/*.hpp ${ROOT}/${folder}/*.hpp.in ${ROOT}/${folder}/*.cpp
    ${ROOT}/${folder}/*.h ${ROOT}/${folder}/*.md)
  list(APPEND files ${more})
endforeach()
execute_process(COMMAND ${CMAKE_COMMAND} -E env LC_ALL=C awk -f ${CMAKE_CURRENT_LIST_DIR}/sentences.awk ${files}
  WORKING_DIRECTORY ${ROOT} OUTPUT_VARIABLE findings COMMAND_ERROR_IS_FATAL ANY)
if(findings)
  string(REPLACE "\n" "\n  " findings "${findings}")
  message(FATAL_ERROR "\n  ${findings}")
endif()
