#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "runtime/network/network.hpp"
#include "runtime/record/record.hpp"

namespace weir::command {

// A network to run under several policies, with its inputs and the expected results: one result per record, in any
// order. A value; the functions may be called by one thread at a time.
struct compared_workload {
  network net;
  std::vector<std::string> components;  // in order of the stream
  std::string work;                     // describes the records: "N = 340, 380, 420, 460 and half of it"
  std::size_t records = 0;
  std::function<record(std::size_t index)> input;
  std::function<std::size_t(const record& result)> index_of;

  // Whether a result is right, and about how much memory it holds; empty if there is nothing to check.
  std::function<bool(const record& result, std::size_t index)> is_right;
  std::function<std::size_t(std::size_t index)> result_bytes;
  std::string checked_how;

  // The same work written without weir: all of it in one shared arena of so many cores. Calls sent(index) as it takes
  // an input, until that is false, and result(record) with each result, each from one thread at a time. Empty for
  // emulated components: they sleep according to their grant, and there is none here.
  std::function<void(int cores, const std::function<bool(std::size_t index)>& sent,
                     const std::function<void(record)>& result)>
      free_for_all;

  // The same network closed, for throughput: a source of its own calls sent(index) and makes that record, until sent is
  // false, and its sink calls result(record), each from one thread at a time. For records so short that threads which
  // send and read outside, and wake for each, would cost a good part of them. Empty: such threads send and read.
  std::function<network(std::function<bool(std::size_t index)> sent, std::function<void(record)> result)> closed;

  // The fixed divisions of so many cores that are worth running, as for parse_policy, and a description of how they
  // were chosen. None if there would be too many.
  std::function<std::vector<std::string>(int cores)> fixed_divisions;
  std::string fixed_how;
};

// The amount of work.
struct workload_size {
  std::optional<std::size_t> records;  // in place of the workload's own number
  double scale = 1;                    // a factor for emulated seconds, or for the sizes of matrices
  std::uint64_t seed = 1;              // of the matrices
};

}  // namespace weir::command
