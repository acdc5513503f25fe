#pragma once

namespace components {

// A task of a DVB-S2 receiver, with its measured times on the two kinds of cores of an Intel Core Ultra 9 185H. A task
// without a state may run on several frames at a time. Source: StreamPU, aff3ct/amp-scheduling,
// examples/dvbs2_ultra9.cpp; arXiv:2502.10000.
struct dvbs2_task {
  const char* name;
  double performance, efficiency;  // microseconds on a core of each kind
  bool is_stateless;
};

inline constexpr dvbs2_task dvbs2_tasks[] = {
    {"receive", 131.65, 133.22, false},
    {"multiply", 138.32, 318.06, false},
    {"synchronise_coarse", 113.69, 428.97, false},
    {"filter_first", 334.79, 711.90, false},
    {"filter_second", 329.30, 712.59, false},
    {"synchronise_timing", 1341.90, 2387.11, false},
    {"extract", 58.68, 135.13, false},
    {"multiply_agc", 63.45, 157.39, false},
    {"synchronise_frame_first", 365.93, 848.09, false},
    {"synchronise_frame_second", 81.08, 197.93, false},
    {"descramble_symbols", 25.10, 65.94, true},
    {"synchronise_frequency", 54.28, 203.18, false},
    {"synchronise_phase", 253.84, 356.20, true},
    {"remove_headers", 47.44, 87.72, true},
    {"estimate", 32.43, 65.43, true},
    {"demodulate", 2123.07, 5742.44, true},
    {"deinterleave", 29.25, 47.58, true},
    {"decode_ldpc", 239.65, 1024.37, true},
    {"decode_bch", 6209.00, 8166.17, true},
    {"descramble_bits", 558.96, 621.83, true},
    {"send", 34.61, 75.59, false},
    {"generate", 16.90, 23.39, false},
    {"check_errors", 9.22, 20.47, true},
};

}  // namespace components
