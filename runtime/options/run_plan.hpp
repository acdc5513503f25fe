#pragma once

#include <cstddef>
#include <string>

#include <weir/options/options.hpp>
#include "runtime/engine/run_environment.hpp"

namespace weir::detail {

// How many records may wait in one place. Plain data.
struct record_bound {
  std::size_t records = 0;
  bool is_automatic = true;  // the user named no number
};

// The options of a run whose 0 stands for something, resolved. Plain data.
struct run_plan {
  record_bound streams;  // of each; automatic: as many as its reader needs, up to `records`
  record_bound results;  // automatic: without bound while no thread reads, or only the sending one
  run_settings settings;
  bool shares_cores = true;  // with other processes
  std::string note;          // on something in the environment that is not understood; empty: none
};

// rank: of this process, if several run the network.
run_plan plan_of(const options& o, int rank = 0);

}  // namespace weir::detail
