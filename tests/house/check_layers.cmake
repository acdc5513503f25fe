# cmake -DROOT=<tree> -P check_layers.cmake: fails, naming file and line, when an include
#   - goes up the layers or sideways to a folder that the including folder may not use,
#   - of ours is not spelt from the root ("model/observation.hpp"),
#   - names a library that the folder may not use, or,
#   - in a header that users get, names any library at all;
# and when a header that users get opens namespace weir without saying that what is in it is visible, or another one does.
cmake_minimum_required(VERSION 3.25)
include(${CMAKE_CURRENT_LIST_DIR}/layers.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/../../runtime/package/public_headers.cmake)

set(problems)

macro(problem text)
  list(APPEND problems "${file}: ${include}: ${text}")
endmacro()

set(public)
if(EXISTS ${ROOT}/runtime/weir.hpp.in)
  public_headers(${ROOT} ${ROOT}/runtime/weir.hpp.in public)
  list(APPEND public runtime/version.hpp.in)
endif()

foreach(folder model scheduler runtime components examples bench)
  file(GLOB_RECURSE files RELATIVE ${ROOT} ${ROOT}/${folder}/*.hpp ${ROOT}/${folder}/*.cpp ${ROOT}/${folder}/*.hpp.in)
  foreach(file IN LISTS files)
    file(STRINGS ${ROOT}/${file} includes REGEX "^[ \t]*#[ \t]*include[ \t]*[<\"]")
    foreach(include IN LISTS includes)
      string(REGEX REPLACE "^[ \t]*#[ \t]*include[ \t]*([<\"])([^>\"]*)[>\"].*" "\\1;\\2" parts "${include}")
      list(GET parts 0 mark)
      list(GET parts 1 path)
      string(REGEX MATCH "^[^/]*" first "${path}")

      if(first IN_LIST house_folders AND path MATCHES "/")
        if(NOT first IN_LIST may_include_${folder})
          problem("${folder}/ may not include ${first}/")
        elseif(mark STREQUAL "<" AND NOT first STREQUAL "weir")
          problem("in the tree an include of ours is written in quotes")
        endif()
      elseif(mark STREQUAL "\"")
        problem("an include of ours is spelt from the root")
      endif()

      foreach(library IN LISTS library_headers)
        string(FIND "${path}" "${library}" at)
        if(at EQUAL 0)
          if(NOT library IN_LIST may_use_${folder})
            problem("${folder}/ may not use this library")
          elseif(file IN_LIST public)
            problem("a public header shows no library")
          endif()
        endif()
      endforeach()

      if(path IN_LIST never_in_${folder})
        problem("${folder}/ uses no thread, clock or file")
      endif()
    endforeach()

    file(STRINGS ${ROOT}/${file} opened REGEX "^namespace .*weir.*{$")
    foreach(line IN LISTS opened)
      set(is_visible FALSE)
      if(line STREQUAL "namespace [[gnu::visibility(\"default\")]] weir {")
        set(is_visible TRUE)
      endif()
      if(file IN_LIST public AND NOT is_visible)
        list(APPEND problems "${file}: ${line}: what a public header declares is visible")
      elseif(is_visible AND NOT file IN_LIST public)
        list(APPEND problems "${file}: ${line}: only what a public header declares is visible")
      endif()
    endforeach()
  endforeach()
endforeach()

if(problems)
  list(JOIN problems "\n  " problems)
  message(FATAL_ERROR "\n  ${problems}")
endif()
