#pragma once

#include <memory>
#include <string>
#include <utility>

#include <weir/scheduler/policies/policy.hpp>

namespace weir::detail {

// A rule of the user's whose answers are checked: whatever the rule returns, decide() and assess() give what
// allocation_rule promises, or throw std::invalid_argument that says what the rule gave. All else is the rule's.
// Immutable; any thread may use it.
class checked_rule final : public allocation_rule {
 public:
  explicit checked_rule(policy rule) : rule_(std::move(rule)) {}

  std::string name() const override { return rule_.name(); }
  allotment decide(const system_view& view) const override;
  allotment sketch(const system_view& view) const override { return rule_.sketch(view); }
  assessment assess(const system_view& view, const allotment& given) const override;
  std::string words(const assessment& of) const override { return rule_.words(of); }
  objective goal() const override { return rule_.goal(); }
  bool adapts() const override { return rule_.adapts(); }
  bool decides_once() const override { return rule_.decides_once(); }
  bool reads_invocations() const override { return rule_.reads_invocations(); }
  bool is_best(const system_view& view, const allotment& given) const override { return rule_.is_best(view, given); }
  std::unique_ptr<const allocation_rule> keeping() const override {
    return std::make_unique<const checked_rule>(rule_.keeping());
  }

 private:
  policy rule_;
};

}  // namespace weir::detail
