#pragma once

#include <utility>
#include <vector>

namespace weir {

// A number of cores, as an argument: `run.predict("multiply", 2000, cores{8})`.
struct cores {
  constexpr explicit cores(int number) : count(number) {}
  int count;
};

// What one invocation may use: for boxes that start threads of their own (OpenMP, std::thread, a C library). Such
// threads inherit the affinity mask of the invoking thread; they should be size() of them. Immutable.
class grant {
 public:
  grant(int count, std::vector<int> os_units) : size_(count), os_units_(std::move(os_units)) {}

  int size() const { return size_; }  // cores of this invocation's lane, >= 1

  // The system's numbers of the processing units of those cores; empty on a synthetic machine, where nothing is bound.
  const std::vector<int>& cpus() const { return os_units_; }

 private:
  int size_;
  std::vector<int> os_units_;
};

}  // namespace weir
