#include "scheduler/machine/openmp_places.hpp"

#include <dlfcn.h>

#include <cstdlib>

namespace weir {
namespace {

using number = int (*)();
using number_in = int (*)(int place);
using units_of = void (*)(int place, int* into);

// A function of the OpenMP library that is loaded; null: there is none. A library that a plug-in brought need not be
// visible to the whole process.
template <class Function>
Function find(const char* function) {
  void* found = dlsym(RTLD_DEFAULT, function);
  for (const char* const library : {"libgomp.so.1", "libomp.so.5", "libomp.so", "libiomp5.so"}) {
    if (found) break;
    void* const loaded = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
    if (!loaded) continue;
    found = dlsym(loaded, function);
    dlclose(loaded);
  }
  return reinterpret_cast<Function>(found);
}

}  // namespace

openmp_places openmp_places_of_process() {
  openmp_places result;
  for (const char* const name : {"OMP_PROC_BIND", "GOMP_CPU_AFFINITY", "KMP_AFFINITY", "OMP_PLACES"})
    if (const char* const value = std::getenv(name)) {
      result.variable = std::string(name) + "=" + value;
      break;
    }
  if (result.variable.empty()) return result;
  const auto places = find<number>("omp_get_num_places");
  const auto size = find<number_in>("omp_get_place_num_procs");
  const auto read = find<units_of>("omp_get_place_proc_ids");
  if (!places || !size || !read) return result;
  for (int place = 0; place < places(); ++place) {
    std::vector<int> units(static_cast<std::size_t>(size(place)));
    if (!units.empty()) read(place, units.data());
    result.units.insert(result.units.end(), units.begin(), units.end());
  }
  return result;
}

}  // namespace weir
