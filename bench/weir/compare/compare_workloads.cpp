#include "bench/weir/compare/compare_workloads.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bench/support/bad_input.hpp"
#include "bench/support/readable.hpp"

namespace weir::program {

const std::vector<workload_entry>& compare_workloads() {
  const std::string many = "package:4 core:12 pu:1";
  static const std::vector<workload_entry> all{
      {"matmul", "generate, then two products of different sizes", "local", matmul_pair},
      {"swap", "the same, but the sizes of the two products swap halfway", "local", swapped_pair},
      {"openmp", "the same as matmul, but the smaller product by OpenMP next to oneTBB", "local", openmp_pair},
      {"mixed", "a chain of four boxes of 0.1 to 77 us; one is parallel inside, one keeps a state in order", "local",
       mixed_pipeline},
      {"emulated", "a chain of four, the same all the time", many, emulated_chain},
      {"phases", "a chain of four; in each of four phases another is the heaviest", many, emulated_phases},
      {"fanout", "a choice of two branches: three of four records to a light one, the others to a heavy one", many,
       emulated_fanout},
      {"few", "a chain of four of any width, for fewer records than cores", many, emulated_few},
      {"sykora", "Sykora & Scholz's three boxes, parallel shares 0, 0.5 and 1, in three phases", "core:4 pu:1",
       sykora_boxes},
      {"dvbs2", "StreamPU's DVB-S2 receiver, 23 tasks of which 13 have a state; on cores of two kinds with --machine",
       "core:11 pu:1", dvbs2_receiver}};
  return all;
}

const workload_entry& find_workload(const std::string& name) {
  const auto& all = compare_workloads();
  const auto found = std::find_if(all.begin(), all.end(), [&](const workload_entry& w) { return w.name == name; });
  if (found != all.end()) return *found;
  std::vector<std::string> names;
  for (const workload_entry& w : all) names.push_back(w.name);
  throw bad_input(fmt::format("--workload: there is no workload {}; there are {}", excerpt(name), listed(names)));
}

}  // namespace weir::program
