#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include <weir/network/network.hpp>
#include <weir/record/record.hpp>

namespace weir::program {

// A network to measure, with its inputs and the expected results: one result per record. A value; the functions may be
// called by one thread at a time.
struct workload {
  network net;
  std::vector<std::string> components;  // in order of the stream
  std::size_t records = 0;
  std::function<record(std::size_t index)> input;
  std::function<std::size_t(const record& result)> index_of;
  bool in_order = false;  // results must arrive in the order of the records

  // Whether a result is right, and about how much memory it holds; empty if there is nothing to check.
  std::function<bool(const record& result, std::size_t index)> is_right{};
  std::function<std::size_t(std::size_t index)> result_bytes{};
  std::string checked_how{};  // "Freivalds' check, ..."

  // When each record is to be sent, in seconds from the start, whatever the objective; latencies count from there.
  // Empty: as the objective says.
  std::vector<double> due{};

  // The same network closed, for throughput. A source of its own calls sent(index) and makes that record, until sent is
  // false. Its sink calls result(record). Each calls from one thread at a time. For records so short that threads which
  // send and read outside, and wake for each, would cost a good part of them. Empty: such threads send and read.
  std::function<network(std::function<bool(std::size_t index)> sent, std::function<void(record)> result)> closed{};
};

}  // namespace weir::program
