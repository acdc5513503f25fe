#pragma once

#include <memory>
#include <string>
#include <utility>

#include <weir/scheduler/policies/policy.hpp>

namespace weir::detail {

// A rule of the user's whose answers are checked: whatever the rule returns, decide() and assess() give what
// allocation_rule promises, or throw std::invalid_argument that says what the rule gave. words() says in place of words
// what the rule threw. Properties of the rule, such as its name, are those at construction: no later call of them
// throws. All else is the rule's. Immutable; any thread may use it.
class checked_rule final : public allocation_rule {
 public:
  explicit checked_rule(policy rule)  // throws what the rule's properties throw
      : rule_(std::move(rule)),
        name_(rule_.name()),
        goal_(rule_.goal()),
        adapts_(rule_.adapts()),
        decides_once_(rule_.decides_once()),
        reads_invocations_(rule_.reads_invocations()) {}

  std::string name() const override { return name_; }
  allotment decide(const system_view& view) const override;
  assessment assess(const system_view& view, const allotment& given) const override;
  std::string words(const assessment& of) const override;
  objective goal() const override { return goal_; }
  bool adapts() const override { return adapts_; }
  bool decides_once() const override { return decides_once_; }
  bool reads_invocations() const override { return reads_invocations_; }
  bool is_best(const system_view& view, const allotment& given) const override { return rule_.is_best(view, given); }
  std::unique_ptr<const allocation_rule> keeping() const override {
    return std::make_unique<const checked_rule>(rule_.keeping());
  }

 private:
  policy rule_;
  std::string name_;
  objective goal_;
  bool adapts_, decides_once_, reads_invocations_;
};

}  // namespace weir::detail
