# cmake -D... -P check_shared.cmake: builds weir as a shared library and installs it. The library exports the public
# names only. Programs built against that prefix, by find_package and by pkg-config, behave as with the static one.
cmake_minimum_required(VERSION 3.25)
set(build ${WORK}/build)

function(run)
  execute_process(COMMAND ${ARGN} OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE code)
  if(NOT code EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

# Not optimised, which is soonest built and shows most: nothing is inlined.
set(CONFIG Release)
run(${CMAKE_COMMAND} -S ${SOURCE} -B ${build} -G ${GENERATOR} -DCMAKE_BUILD_TYPE=${CONFIG} -DCMAKE_CXX_FLAGS_RELEASE=-O0
  -DBUILD_SHARED_LIBS=ON -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER}
  -DWEIR_BUILD_TESTS=OFF -DWEIR_BUILD_BENCH=OFF -DWEIR_BUILD_EXAMPLES=OFF)
run(${CMAKE_COMMAND} --build ${build} -j 2)

# One file, named by the version and linked by the minor one.
file(GLOB_RECURSE library ${build}/libweir.so)
get_filename_component(folder ${library} DIRECTORY)
foreach(name libweir.so.${MINOR_VERSION} libweir.so.${VERSION})
  if(NOT EXISTS ${folder}/${name})
    message(FATAL_ERROR "there is no ${name}")
  endif()
endforeach()

# The exported names.
run(${NM} -DC --defined-only ${library})
string(REGEX REPLACE "[^\n]* [A-Za-z] ([^\n]*)" "\\1" symbols "${output}")
foreach(wanted "weir::start(weir::network const&, weir::options)" "typeinfo for weir::run_error"
    "typeinfo for weir::type_error" "weir::linked_version()" "weir::record::labels[abi:cxx11]() const")
  string(FIND "\n${symbols}" "\n${wanted}\n" at)
  if(at EQUAL -1)
    message(SEND_ERROR "does not show ${wanted}")
  endif()
endforeach()

set(inside)  # the classes of headers that are not public
file(GLOB_RECURSE headers RELATIVE ${SOURCE} ${SOURCE}/model/*.hpp ${SOURCE}/scheduler/*.hpp ${SOURCE}/runtime/*.hpp)
list(FILTER headers EXCLUDE REGEX "/include/")
foreach(header IN LISTS headers)
  file(STRINGS ${SOURCE}/${header} lines REGEX "^(class|struct) [a-z_]+ ")
  list(TRANSFORM lines REPLACE "^(class|struct) ([a-z_]+) .*" "\\2")
  list(APPEND inside ${lines})
endforeach()
# Those that public headers have as well, or name without hiding them: other libraries of weir call these.
file(GLOB_RECURSE headers ${SOURCE}/model/include/*.hpp ${SOURCE}/scheduler/include/*.hpp ${SOURCE}/runtime/include/*.hpp)
foreach(header IN LISTS headers)
  file(STRINGS ${header} lines REGEX "^(class|struct) [a-z_]+[ ;]")
  list(TRANSFORM lines REPLACE "^(class|struct) ([a-z_]+).*" "\\2")
  list(REMOVE_ITEM inside ${lines})
endforeach()
list(REMOVE_ITEM inside stack_room thread_end)  # of each of which these libraries call one function
list(LENGTH inside classes)
if(classes LESS 50)
  message(FATAL_ERROR "found only ${classes} classes of the inside: ${inside}")
endif()

string(REGEX REPLACE "[][;]" "_" symbols "${symbols}")  # which would not be elements of a list
string(STRIP "${symbols}" symbols)
string(REGEX REPLACE "\n" ";" symbols "${symbols}")
foreach(symbol IN LISTS symbols)
  # The name of a function template has its result in front.
  if(NOT symbol MATCHES "^([a-z ]+[&*]* )?((vtable|VTT|typeinfo|typeinfo name|guard variable) for )?weir::")
    message(SEND_ERROR "shows what is not weir's: ${symbol}")
  endif()
  string(REGEX REPLACE "^[^:]*weir::(detail::)?([a-z_0-9]*).*" "\\2" class "${symbol}")
  if(class IN_LIST inside)
    message(SEND_ERROR "shows what is not public: ${symbol}")
  endif()
endforeach()

foreach(WAY find_package pkg_config)
  run(${CMAKE_COMMAND} -DWAY=${WAY} -DSHARED=ON -DSOURCE=${SOURCE} -DBUILD=${build} -DCONFIG=${CONFIG} -DCOMPILER=${COMPILER}
    -DPKG_CONFIG=${PKG_CONFIG} -DGENERATOR=${GENERATOR} -DWORK=${WORK}/${WAY} -P ${CMAKE_CURRENT_LIST_DIR}/check_installed.cmake)
endforeach()
