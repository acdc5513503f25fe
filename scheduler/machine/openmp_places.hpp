#pragma once

#include <string>
#include <vector>

namespace weir {

// OpenMP's library binds the main thread to one of its places where the environment asks for it: gcc's before main()
// begins, LLVM's in the first parallel region. The system then says of that thread, perhaps the only one, that it may
// use few processing units. The places together have those that the process had before.
struct openmp_places {
  std::string variable;    // that asks for it, such as "OMP_PROC_BIND=true"; empty: none does
  std::vector<int> units;  // of all places; empty where no such library is loaded
};

// Reads the environment, and asks the library that is loaded, whichever it is.
openmp_places openmp_places_of_process();

}  // namespace weir
