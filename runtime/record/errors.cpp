#include <weir/record/errors.hpp>

#include "runtime/record/cut_text.hpp"

namespace weir {

std::string to_string(failure_kind kind) {
  switch (kind) {
    case failure_kind::no_match:
      return "no match";
    case failure_kind::tag_missing:
      return "tag missing";
    case failure_kind::no_guard_true:
      return "no guard true";
    case failure_kind::division_by_zero:
      return "division by zero";
    case failure_kind::box_threw:
      return "box threw";
    case failure_kind::undeclared_emit:
      return "undeclared emit";
    case failure_kind::too_deep:
      return "too deep";
    case failure_kind::too_many_held:
      return "too many held";
    case failure_kind::too_many_branches:
      return "too many branches";
    case failure_kind::not_accepted:
      return "not accepted";
    case failure_kind::closed:
      return "closed";
    case failure_kind::no_thread:
      return "no thread";
    case failure_kind::out_of_memory:
      return "out of memory";
    case failure_kind::not_sent:
      return "not sent";
    case failure_kind::rank_lost:
      return "rank lost";
    case failure_kind::timed_out:
      return "timed out";
    case failure_kind::needs_too_much:
      return "needs too much";
  }
  return "unknown";
}

std::string to_string(const failure& f) {
  std::string text = detail::visible_text(f.entity + (f.path.empty() ? "" : " at " + f.path), false) +
                     (f.rank == 0 ? "" : " on rank " + std::to_string(f.rank)) + ": " + f.cause;
  if (!f.record.empty()) text += "; record " + f.record;
  return text;
}

run_error::run_error(failure details) : std::runtime_error(to_string(details)), failure_(std::move(details)) {}

}  // namespace weir
