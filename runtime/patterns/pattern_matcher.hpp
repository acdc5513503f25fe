#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <weir/patterns/pattern.hpp>
#include "runtime/patterns/program.hpp"
#include "runtime/record/per_shape.hpp"

namespace weir::detail {

// Matches records against one pattern. Thread-safe; takes no lock for shapes that it has met before.
class pattern_matcher {
 public:
  explicit pattern_matcher(pattern p) : pattern_(std::move(p)) {}

  // Throws division_by_zero, with the pattern in `guarded`, when the guard divides by zero.
  bool matches(const record_body& r) const;

  // Whether records of this shape match when the guard holds.
  bool fits(const shape& s) const { return mismatch(pattern_.labels().labels(), s).empty(); }

  const pattern& of() const { return pattern_; }

 private:
  struct plan {
    bool fits;
    std::optional<program> guard;  // its variables are the record's slots
  };
  std::unique_ptr<plan> plan_for(const shape& s) const;

  const pattern pattern_;
  mutable per_shape<plan> plans_;
};

// Whether a record matches one of several patterns. Thread-safe.
class pattern_list_matcher {
 public:
  explicit pattern_list_matcher(const pattern_list& patterns) {
    for (const pattern& p : patterns.patterns()) matchers_.push_back(std::make_unique<pattern_matcher>(p));
  }
  bool matches(const record_body& r) const {  // may throw division_by_zero
    for (const auto& m : matchers_)
      if (m->matches(r)) return true;
    return false;
  }

 private:
  std::vector<std::unique_ptr<pattern_matcher>> matchers_;
};

}  // namespace weir::detail
