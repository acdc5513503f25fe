#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtime/network/filter_program.hpp"
#include "tests/runtime/language/labels.hpp"
#include "tests/support/gives_all_back.hpp"

// Helpers for tests of filters.
namespace weir::testing {

using detail::filter_outcome;

inline detail::filter_program program_of(const filter_network& f) {
  return detail::filter_program(std::make_shared<const detail::filter_spec>(detail::filter_spec_of(f)));
}

// The result for a record.
struct filtered {
  filter_outcome outcome{};
  std::vector<record> out;  // in order; the record itself if the outcome is not `done`
};

inline filtered through(const detail::filter_program& f, record r) {
  detail::record_body* body = std::move(r).release();
  std::vector<detail::record_body*> before;
  filtered result{f.run(body, before), {}};
  for (detail::record_body* one : before) result.out.push_back(record::adopt(one));
  if (body) result.out.push_back(record::adopt(body));
  return result;
}

// The filter's results, printed; or the reason why there are none.
inline std::string text(const filtered& f) {
  switch (f.outcome) {
    case filter_outcome::no_match:
      return "no match";
    case filter_outcome::no_guard_true:
      return "no guard true";
    case filter_outcome::division_by_zero:
      return "division by zero";
    case filter_outcome::done:
      break;
  }
  std::string all;
  for (const record& r : f.out) all += (all.empty() ? "" : " ") + to_string(r);
  return all;
}
inline std::string text(const filter_network& f, record r) { return text(through(program_of(f), std::move(r))); }

class a_filter : public gives_all_back {};

}  // namespace weir::testing
