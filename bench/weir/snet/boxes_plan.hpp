#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <weir/record/label.hpp>
#include "runtime/snet/source_text.hpp"

namespace weir::program {

// The content of a file of boxes, once its keys, types and ranges are checked; the text of the network has not been
// read. Plain data. Places are those of the file.

// `a`, `<t>` or `<#k>`.
struct planned_label {
  label_kind kind = label_kind::field;
  std::string name{};
  detail::snet::offset place = 0;
};

// A piece of an argument; an argument is its pieces, joined.
struct argument_piece {
  enum form { text, value, in, out, cores, cpus, lane, scratch };
  form what = text;
  std::string words{};    // text; in, out: what the file's name ends with
  planned_label label{};  // value, in, out
  detail::snet::offset place = 0;
};
using planned_argument = std::vector<argument_piece>;

struct planned_predictor {
  enum form { value, file_size, length, kind };
  form what = value;
  planned_label label{};
  int degree = 1;
};

// The part of a resource that an invocation needs: `fixed`, and with `by` its number times `times` more. Or a learnt
// amount.
struct planned_need {
  std::string of;
  detail::snet::offset place = 0;  // of the name
  bool is_learnt = false;
  std::int64_t fixed = 0;
  std::optional<planned_predictor> by{};
  double times = 1;
};

struct planned_cores {
  int least = 1, most = 1;
};

struct planned_box {
  enum form { command, worker, of_library };
  std::string name;
  detail::snet::offset place = 0;  // of the name
  form what = command;
  std::vector<planned_argument> arguments{};  // command, worker: the program first
  std::string library{};                      // a path
  detail::snet::offset from = 0;              // of the key that says which form it is
  bool isolated = false;                      // library

  std::optional<planned_label> input{}, output{}, lines{};  // command
  std::vector<int> succeeds_with{};                         // command; none: 0
  bool restarts_for_cores = false;                          // worker, as the next ones
  std::optional<int> batched{};                             // records of a call
  std::string device{};                                     // where it has a second implementation; empty: nowhere
  std::vector<planned_argument> device_arguments{};         // of the workers there

  std::optional<std::chrono::nanoseconds> within{};
  std::optional<std::uint64_t> memory{};  // bytes
  int retries = 0;

  std::vector<planned_predictor> predictors{};
  std::vector<planned_need> needs{};
  std::optional<int> priority{};
  std::optional<planned_label> first_by{};
  std::optional<int> width{};
  std::optional<int> blocking{};
  std::optional<planned_cores> cores{};
};

struct boxes_plan {
  std::map<std::string, const value_type*, std::less<>> fields{};
  std::map<std::string, std::int64_t, std::less<>> resources{};  // their totals
  std::map<std::string, int, std::less<>> devices{};             // their slots
  std::vector<planned_box> boxes{};
};

}  // namespace weir::program
