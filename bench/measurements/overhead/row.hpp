#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "bench/measurements/overhead/meter.hpp"

namespace weir::overhead {

// One implementation of the work of one configuration.
struct row {
  std::string group, config, impl;
  std::function<sample(std::int64_t records)> run;  // checks every answer; throws std::runtime_error for a wrong one
  double seconds = 0.05;                            // approximate duration of a run, from which its number of records
                                                    // follows
  std::int64_t records = 0;                         // not 0: this fixed number instead
  std::int64_t least_records = 1;                   // never fewer
  bool is_paced = true;                             // with a fixed number: something else sets its rate
  int rounds = 0;                                   // maximum number of runs; 0: as many as are asked for
  std::string name() const { return group + "/" + config + "/" + impl; }
};

// The groups, one file each; a group compares weir with its rivals.
std::vector<row> pipe_rows();
std::vector<row> first_rows();
std::vector<row> latency_rows();
std::vector<row> choice_rows();
std::vector<row> grain_rows();
std::vector<row> matmul_rows();
std::vector<row> data_parallel_rows();
std::vector<row> split_rows();
std::vector<row> sync_rows();
std::vector<row> star_rows();
std::vector<row> strings_rows();
std::vector<row> fan_out_rows();
std::vector<row> words_rows();
std::vector<row> serial_rows();
std::vector<row> two_runs_rows();
std::vector<row> monitor_rows();
std::vector<row> start_rows();
std::vector<row> idle_rows(int quiet_seconds);  // 0: without `quiet`

// A pseudo-random number for each index, the same in every run (the finaliser of MurmurHash3).
inline std::uint64_t scrambled(std::int64_t index) {
  auto x = static_cast<std::uint64_t>(index) + 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 33)) * 0xff51afd7ed558ccdu;
  x = (x ^ (x >> 33)) * 0xc4ceb9fe1a85ec53u;
  return x ^ (x >> 33);
}

}  // namespace weir::overhead
