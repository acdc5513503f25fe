include(${CMAKE_CURRENT_LIST_DIR}/../expect.cmake)

file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})
