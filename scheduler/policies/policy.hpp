#pragma once

#include <concepts>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "scheduler/view/allotment.hpp"
#include "scheduler/view/system_view.hpp"

namespace [[gnu::visibility("default")]] weir {

struct expectation;

// What a rule says of an allotment. Plain data; NaN where a component that records reach was never observed.
struct assessment {
  double cost = 0;              // what the rule wants to be small: the gain of a move is the ratio of two, less one
  int critical = -1;            // the component that counts most in it, -1: the shared group
  std::vector<double> seconds;  // of each component per network input, as in expectation.hpp
  double shared = 0;            // of the shared group as a whole
  double bottleneck = 0;        // the largest of all these

  // Of a component, or of the shared group.
  double seconds_of(int who) const { return who < 0 ? shared : seconds[static_cast<std::size_t>(who)]; }
};

// The assessment of a rule that wants the bottleneck to be small.
assessment by_bottleneck(const expectation& expected);

// A rule that says who should have which cores. decide() is a pure function of the view: no clock, no thread, no
// memory, so that a rule runs unchanged in a live run, under virtual time and in a unit test.
class allocation_rule {
 public:
  virtual ~allocation_rule() = default;
  virtual std::string name() const = 0;

  // Throws std::invalid_argument in one line when the rule cannot apply to these components or cores at all (a share
  // for a component that does not exist, more cores than there are). The result satisfies check().
  virtual allotment decide(const system_view& view) const = 0;

  // What the rule says of an allotment: by_bottleneck of the expected times unless it is overridden. An override starts
  // from these and changes `cost`, and `critical` where another component than the slowest counts most.
  virtual assessment assess(const system_view& view, const allotment& given) const;

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
  assessment assess(const system_view& view, const allotment& given) const { return rule_->assess(view, given); }

 private:
  std::shared_ptr<const allocation_rule> rule_;
};

}  // namespace weir
