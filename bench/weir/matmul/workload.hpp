#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "runtime/network/network.hpp"
#include "runtime/record/record.hpp"

namespace weir::command {

// A network to measure: the input for record number `index`, and the check of its result. One input gives one result. A
// value; every function may be called by one thread at a time.
struct workload {
  network net;
  std::vector<std::string> components;  // in order of the stream
  std::string predictor;                // what x is: "N"
  std::function<record(std::int64_t size, std::int64_t index)> input;
  std::function<std::int64_t(const record& result)> index_of;

  // Whether the result for this input is right; empty if there is nothing to check.
  std::function<bool(const record& result, std::int64_t size, std::int64_t index)> is_right;
  std::function<std::size_t(std::int64_t size)> result_bytes;  // about how much memory a result holds
  std::string checked_how;                                     // "Freivalds' check, ..."
  bool mixes_order = false;                                    // results need not come in the order of the records
};

}  // namespace weir::command
