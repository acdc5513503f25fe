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

// A network to be run under several policies, with what goes in and what must come out: a record for each record, in
// any order. A value; the functions may be called by one thread at a time.
struct compared_workload {
  network net;
  std::vector<std::string> components;  // in order of the stream
  std::string work;                     // what the records are: "N = 340, 380, 420, 460 and half of it"
  std::size_t records = 0;
  std::vector<std::size_t> phases;  // the records with which another phase begins, the first phase left out
  std::function<record(std::size_t index)> input;
  std::function<std::size_t(const record& result)> index_of;

  // Whether a result is right, and about how much memory it holds; empty when there is nothing in it to be checked.
  std::function<bool(const record& result, std::size_t index)> is_right;
  std::function<std::size_t(std::size_t index)> result_bytes;
  std::string checked_how;

  // The same work as a user would write it without weir: all of it in one shared arena of so many cores. Calls
  // sent(index) as it takes an input and result(record) with each result, from one thread at a time. Empty where that
  // cannot be: emulated components sleep for what their grant says, and there is none.
  std::function<void(int cores, const std::function<void(std::size_t index)>& sent,
                     const std::function<void(record)>& result)>
      free_for_all;

  // The fixed divisions of so many cores worth running, as parse_policy takes them, and in words how they were chosen.
  // None when they would be too many.
  std::function<std::vector<std::string>(int cores)> fixed_divisions;
  std::string fixed_how;
};

// How much there is to do.
struct workload_size {
  std::optional<std::size_t> records;  // other than the workload's own number
  double scale = 1;                    // factor of emulated seconds, or of the sizes of matrices
  std::uint64_t seed = 1;              // of the matrices
};

}  // namespace weir::command
