# expect(code stdout stderr ARGS...): runs IMAGES and fails unless it ends with this code and its outputs match these
# regular expressions.
cmake_minimum_required(VERSION 3.25)

function(expect code stdout stderr)
  execute_process(COMMAND ${IMAGES} ${ARGN} WORKING_DIRECTORY ${WORK} RESULT_VARIABLE status OUTPUT_VARIABLE out
    ERROR_VARIABLE err)
  if(NOT status STREQUAL code OR NOT out MATCHES "${stdout}" OR NOT err MATCHES "${stderr}")
    message(FATAL_ERROR "images ${ARGN}: ended with ${status}, expected ${code}\nprinted\n${out}expected\n${stdout}\n"
      "and on stderr\n${err}expected\n${stderr}")
  endif()
endfunction()

# expect_same(a b count): the folders have so many files, of the same names and bytes.
function(expect_same a b count)
  file(GLOB in_a RELATIVE ${WORK}/${a} ${WORK}/${a}/*)
  file(GLOB in_b RELATIVE ${WORK}/${b} ${WORK}/${b}/*)
  list(LENGTH in_a found)
  if(NOT found EQUAL count OR NOT in_a STREQUAL in_b)
    message(FATAL_ERROR "${a} has ${in_a}, ${b} has ${in_b}: expected the same ${count} files")
  endif()
  foreach(name IN LISTS in_a)
    file(SHA256 ${WORK}/${a}/${name} bytes_a)
    file(SHA256 ${WORK}/${b}/${name} bytes_b)
    if(NOT bytes_a STREQUAL bytes_b)
      message(FATAL_ERROR "${name} differs in ${a} and ${b}")
    endif()
  endforeach()
endfunction()

file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})
