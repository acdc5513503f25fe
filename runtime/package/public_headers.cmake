# The public headers: <weir/weir.hpp> and what it includes, directly or not. No list of them is kept by hand.
#
# In the tree an include of ours is spelt from the root, "model/observation.hpp". Installed, the header lies at
# include/weir/model/observation.hpp and is included as <weir/model/observation.hpp>, so that no other folder called
# `model` on a user's include path can take its place.

cmake_policy(VERSION 3.25)

# One include of ours: CMAKE_MATCH_2 is its path from the root.
set(weir_include_regex "(^|\n)[ \t]*#[ \t]*include[ \t]*\"((model|scheduler|runtime)/[^\"\n]+)\"")

# includes_of_ours(file result): the paths of ours that a file includes.
function(includes_of_ours file result)
  file(READ "${file}" text)
  string(REGEX MATCHALL "${weir_include_regex}" lines "${text}")
  set(paths)
  foreach(line IN LISTS lines)
    string(REGEX REPLACE ".*\"([^\"]+)\"" "\\1" path "${line}")
    list(APPEND paths "${path}")
  endforeach()
  set(${result} ${paths} PARENT_SCOPE)
endfunction()

# public_headers(root entry result): the paths, from the root, of all headers that the file `entry` reaches, sorted.
function(public_headers root entry result)
  includes_of_ours("${entry}" waiting)
  set(seen)
  while(waiting)
    list(POP_FRONT waiting path)
    if(NOT path IN_LIST seen)
      list(APPEND seen "${path}")
      includes_of_ours("${root}/${path}" more)
      list(APPEND waiting ${more})
    endif()
  endwhile()
  list(SORT seen)
  set(${result} ${seen} PARENT_SCOPE)
endfunction()

# stage_public_headers(root generated staged): copies them, rewritten, to <staged>/weir; `generated` is the folder that
# holds weir/weir.hpp, weir/live.hpp, weir/snet.hpp, weir/mpi.hpp, weir/cereal.hpp, weir/macros_off.hpp, weir/macros_back.hpp,
# weir/weir_box.h, weir/openmp.hpp and weir/version.hpp.
function(stage_public_headers root generated staged)
  public_headers("${root}" "${generated}/weir/weir.hpp" paths)
  public_headers("${root}" "${generated}/weir/live.hpp" paths_of_live)
  public_headers("${root}" "${generated}/weir/snet.hpp" paths_of_snet)
  public_headers("${root}" "${generated}/weir/mpi.hpp" paths_of_mpi)
  list(APPEND paths ${paths_of_live} ${paths_of_snet} ${paths_of_mpi})
  list(REMOVE_DUPLICATES paths)
  file(REMOVE_RECURSE "${staged}")
  foreach(path IN LISTS paths)
    rewrite_header("${root}/${path}" "${staged}/weir/${path}")
  endforeach()
  foreach(name weir.hpp live.hpp snet.hpp mpi.hpp cereal.hpp macros_off.hpp macros_back.hpp weir_box.h openmp.hpp version.hpp)
    rewrite_header("${generated}/weir/${name}" "${staged}/weir/${name}")
  endforeach()
endfunction()

function(rewrite_header from to)
  file(READ "${from}" text)
  string(REGEX REPLACE "${weir_include_regex}" "\\1#include <weir/\\2>" text "${text}")
  file(WRITE "${to}" "${text}")
endfunction()
