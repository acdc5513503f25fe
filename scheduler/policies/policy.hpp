#pragma once

#include <concepts>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "scheduler/view/allotment.hpp"
#include "scheduler/view/system_view.hpp"

namespace [[gnu::visibility("default")]] weir {

// A rule that says who should have which cores. decide() is a pure function of the view: no clock, no thread, no
// memory, so that a rule runs unchanged in a live run, under virtual time and in a unit test.
class allocation_rule {
 public:
  virtual ~allocation_rule() = default;
  virtual std::string name() const = 0;

  // Throws std::invalid_argument in one line when the rule cannot apply to these components or cores at all (a share
  // for a component that does not exist, more cores than there are). The result satisfies check().
  virtual allotment decide(const system_view& view) const = 0;

  // What the rule wants to be small: two allotments compare by it, and the gain of a move is the ratio of the two, less
  // one. The expected seconds of the bottleneck per network input (expectation.hpp) unless a rule says otherwise. NaN
  // where a component that records reach was never observed.
  virtual double cost(const system_view& view, const allotment& given) const;

  // The component that counts most in the cost, or -1 for the shared group: whose records tell how well an allotment is
  // known.
  virtual int critical(const system_view& view, const allotment& given) const;

  // True when the rule's answer changes as the models learn: the controller then asks again while the run goes on.
  virtual bool adapts() const { return false; }

  // True when a rule that adapts is to be asked only until every model is known: its first answer after that stays.
  virtual bool settles() const { return false; }
};

// Holds any rule by value: what `options::policy` is. Cheap to copy; safe to share between threads.
class policy {
 public:
  template <std::derived_from<allocation_rule> Rule>
  policy(Rule rule) : rule_(std::make_shared<const Rule>(std::move(rule))) {}

  std::string name() const { return rule_->name(); }
  bool adapts() const { return rule_->adapts(); }
  bool settles() const { return rule_->settles(); }
  allotment decide(const system_view& view) const { return rule_->decide(view); }
  double cost(const system_view& view, const allotment& given) const { return rule_->cost(view, given); }
  int critical(const system_view& view, const allotment& given) const { return rule_->critical(view, given); }

 private:
  std::shared_ptr<const allocation_rule> rule_;
};

}  // namespace weir
