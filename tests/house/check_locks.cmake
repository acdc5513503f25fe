# All locks of runtime/ stand in the list of runtime/threads/locks.hpp, and clang's thread-safety analysis finds none taken
# against it. A planted mistake shows that it would.
#
#     cmake -DCOMPILER=clang++ -DROOT=.. -DINCLUDE=<build>/include -DHTTPLIB=<where there is one> -DMPI=<its folders of headers> -DWORK=<folder> -P check_locks.cmake
file(GLOB_RECURSE headers RELATIVE ${ROOT} ${ROOT}/runtime/*.hpp)
file(GLOB_RECURSE sources RELATIVE ${ROOT} ${ROOT}/runtime/*.cpp)
if(NOT HTTPLIB)
  list(FILTER sources EXCLUDE REGEX "^runtime/live/")
endif()
if(NOT MPI)
  list(FILTER sources EXCLUDE REGEX "^runtime/mpi/")
endif()
list(TRANSFORM MPI PREPEND -I)
foreach(file IN LISTS headers sources)
  file(STRINGS ${ROOT}/${file} found REGEX "std::(recursive_|shared_|timed_)?mutex")
  if(found AND NOT file MATCHES "/threads/(locks|primitives)[.]hpp$")
    message(FATAL_ERROR "${file} has a lock that is not in the list of runtime/threads/locks.hpp: ${found}")
  endif()
endforeach()

set(flags -std=c++20 -fsyntax-only -Wthread-safety -Wthread-safety-beta -Werror=thread-safety -Werror=thread-safety-beta
  -I${ROOT} -I${ROOT}/model/include -I${ROOT}/scheduler/include -I${ROOT}/runtime/include -I${INCLUDE} ${MPI} -DOMPI_SKIP_MPICXX -DMPICH_SKIP_MPICXX -DSPDLOG_COMPILED_LIB -DSPDLOG_FMT_EXTERNAL)
file(WRITE ${WORK}/runtime.cpp "")
foreach(source IN LISTS sources)
  file(APPEND ${WORK}/runtime.cpp "#include \"${source}\"\n")
endforeach()
execute_process(COMMAND ${COMPILER} ${flags} ${WORK}/runtime.cpp RESULT_VARIABLE result ERROR_VARIABLE said)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "${said}")
endif()

file(WRITE ${WORK}/planted.cpp "
#include \"runtime/threads/locks.hpp\"
namespace weir::detail {
struct { WEIR_LOCK(ledger) mutex; } inner;
struct { WEIR_LOCK(placing) mutex; } outer;
void planted() {
  const lock_guard first(inner.mutex);
  const lock_guard second(outer.mutex);
}
}
")
execute_process(COMMAND ${COMPILER} ${flags} ${WORK}/planted.cpp RESULT_VARIABLE result ERROR_VARIABLE said)
if(result EQUAL 0 OR NOT said MATCHES "must be acquired before")
  message(FATAL_ERROR "locks that are taken in the wrong order were not found:\n${said}")
endif()
