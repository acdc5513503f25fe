#pragma once

#include <string>
#include <vector>

namespace weir {

// OpenMP's library binds the main thread to one of its places where the environment asks for it: gcc's before main()
// begins, LLVM's in the first parallel region. The system then reports few processing units for that thread, which may
// be the only one. All places together have the units that the process had before.
struct openmp_places {
  std::string variable;    // that asks for binding, such as "OMP_PROC_BIND=true"; empty: none does
  std::vector<int> units;  // of all places; empty without such a library
};

// Reads the environment, and asks the OpenMP library that is loaded.
openmp_places openmp_places_of_process();

}  // namespace weir
