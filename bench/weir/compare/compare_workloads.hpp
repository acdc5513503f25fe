#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/weir/compare/compare_workload.hpp"

namespace weir::program {

// generate >> first >> second: two matrices are drawn, and two components each multiply one by itself. Real work on
// real cores; every product is checked.
compared_workload matmul_pair(const workload_size& size);   // first: N, second: half of N
compared_workload swapped_pair(const workload_size& size);  // in the second half of the stream, first: half of N,
                                                            // second: N
compared_workload openmp_pair(const workload_size& size);   // as matmul_pair, second by OpenMP on its grant

// draw >> square >> digest >> tally: boxes of about 12, 77, 31 and 0.1 us on one core. `square` is parallel inside,
// `draw` and `digest` are not but may run in several lanes, and `tally` keeps a state in the order of the stream. Real
// work on real cores; every result is compared with the sequential one.
compared_workload mixed_pipeline(const workload_size& size);

// Components that sleep for their cost, one invocation at a time, so that a machine can divide cores that it does not
// have. The predictor x of each is its milliseconds on one core.
compared_workload emulated_chain(const workload_size& size);
compared_workload emulated_phases(const workload_size& size);
compared_workload emulated_fanout(const workload_size& size);
compared_workload emulated_few(const workload_size& size);

// M. Sykora, S.-B. Scholz, 2013: three boxes in series. More cores divide nothing, half and all of their work. Five
// records cost 100, 100 and 500 ms, five 200, 300 and 200, five 300, 200 and 600.
compared_workload sykora_boxes(const workload_size& size);

// The tasks of StreamPU's DVB-S2 receiver, as a chain of 23 emulated boxes that take 50 times as long. Tasks without a
// state may run on several cores at the same time. On a machine with two kinds of cores they take as long as they did
// on the performance and the efficiency cores of one processor.
//
// The times are those of D. Orhan, Y. Idouar, L. L. Pilla, A. Cassagne, D. Barthou, C. Jego, Scheduling Strategies for
// Partially-Replicable Task Chains on Two Types of Resources, 2025 (arXiv:2502.10000), for an Intel Core Ultra 9 185H:
// github.com/aff3ct/amp-scheduling, examples/dvbs2_ultra9.cpp. No division is faster than the longest task with a
// state, which takes 1341.9 us. Stages of neighbouring tasks reach that on 11 P cores, or on 6 P and 8 E.
compared_workload dvbs2_receiver(const workload_size& size);

// A workload by name.
struct workload_entry {
  std::string name;
  std::string about;    // one line for --help
  std::string machine;  // "local", or the synthetic topology to emulate if the user names none
  std::function<compared_workload(const workload_size&)> make;

  bool is_emulated() const { return machine != "local"; }
};

// All workloads, in the order of the listing.
const std::vector<workload_entry>& compare_workloads();

// Throws bad_input listing all if there is none of this name.
const workload_entry& find_workload(const std::string& name);

}  // namespace weir::program
