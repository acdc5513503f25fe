#pragma once

#include "bench/weir/compare/compare_workload.hpp"

namespace weir::program {

// The tasks of StreamPU's DVB-S2 receiver, as a chain of 23 emulated boxes that take 50 times as long. Tasks without a
// state may run on several cores at the same time. On a machine with two kinds of cores they take as long as they did
// on the performance and the efficiency cores of one processor.
//
// The times are those of D. Orhan, Y. Idouar, L. L. Pilla, A. Cassagne, D. Barthou, C. Jego, Scheduling Strategies for
// Partially-Replicable Task Chains on Two Types of Resources, 2025 (arXiv:2502.10000), for an Intel Core Ultra 9 185H:
// github.com/aff3ct/amp-scheduling, examples/dvbs2_ultra9.cpp. No division is faster than the longest task with a
// state, which takes 1341.9 us. Stages of neighbouring tasks reach that on 11 P cores, or on 6 P and 8 E.
compared_workload dvbs2_receiver(const workload_size& size);

}  // namespace weir::program
