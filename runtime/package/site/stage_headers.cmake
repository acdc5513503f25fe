# cmake -DROOT=<tree> -DVERSION=x.y.z -DTO=<folder> -P stage_headers.cmake: the public headers, as they are installed.
cmake_minimum_required(VERSION 3.25)
string(REGEX MATCH "^([0-9]+)\\.([0-9]+)\\.([0-9]+)$" PROJECT_VERSION "${VERSION}")
set(PROJECT_VERSION_MAJOR ${CMAKE_MATCH_1})
set(PROJECT_VERSION_MINOR ${CMAKE_MATCH_2})
set(PROJECT_VERSION_PATCH ${CMAKE_MATCH_3})
file(COPY ${ROOT}/model/include/weir ${ROOT}/scheduler/include/weir ${ROOT}/runtime/include/weir DESTINATION ${TO}
  FILES_MATCHING PATTERN "*.hpp" PATTERN "*.h")
configure_file(${ROOT}/runtime/include/weir/version.hpp.in ${TO}/weir/version.hpp @ONLY)
