# cmake -DLINKS_<folder>=a,b,.. -P check_links.cmake: fails when the target of a folder links a library that it may not.
cmake_minimum_required(VERSION 3.25)
include(${CMAKE_CURRENT_LIST_DIR}/rooms.cmake)

foreach(folder model scheduler language runtime components)
  string(REPLACE "," ";" links "${LINKS_${folder}}")
  foreach(link IN LISTS links)
    string(REGEX REPLACE "\\$<[A-Z_]+:([^<>]*)>" "\\1" name "${link}")
    if(name AND NOT name STREQUAL "weir_build" AND NOT name IN_LIST may_link_${folder})
      message(SEND_ERROR "weir::${folder} may not link ${name}")
    endif()
  endforeach()
endforeach()
