#pragma once

#include <concepts>
#include <cstddef>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <weir/scheduler/view/allotment.hpp>
#include <weir/scheduler/view/objective.hpp>
#include <weir/scheduler/view/system_view.hpp>

namespace [[gnu::visibility("default")]] weir {

struct expectation;

// A rule's assessment of an allotment. Plain data. Times are in seconds per record that enters the network; NaN where a
// component that records reach was never observed.
struct assessment {
  double cost = 0;              // what the rule minimises; a move's gain is the ratio of two costs less one
  int critical = -1;            // the component that counts most in the cost; -1: the shared group
  int heaviest = -1;            // the member that the shared group's time is due to, as in expectation.hpp
  std::vector<double> seconds;  // by component, as in expectation.hpp
  double shared = 0;            // of the shared group as a whole
  double bottleneck = 0;        // the largest of all these
  int cores = 0;                // that it uses; 0: not counted, since the cost does not depend on them
  double p99 = 0;               // seconds from entry until all results have left; 0: not asked for
  double p99_demanded = std::numeric_limits<double>::infinity();  // seconds; infinite: nothing is demanded

  // The seconds of a component, or of the shared group for -1.
  double seconds_of(int who) const { return who < 0 ? shared : seconds[static_cast<std::size_t>(who)]; }
};

// The assessment of a rule that minimises the bottleneck.
assessment by_bottleneck(const expectation& expected);

// The interface of rules that say which component should have which cores. To write a rule of your own, derive from it
// and pass it as `options::policy`.
//
// decide() is a pure function of the view: no clock, no thread, no memory. So a rule runs unchanged in a live run,
// under virtual time and in a unit test. Policies are shared between threads, so these const functions must be safe to
// call concurrently.
class allocation_rule {
 public:
  virtual ~allocation_rule() = default;
  // The name of the rule in reports and in the reason of the first decision, such as "equal shares".
  virtual std::string name() const = 0;

  // Decides on an allotment for the view. The result satisfies check(). Throws std::invalid_argument, with a message of
  // one line, when the rule cannot apply to these components or cores. Examples are a share for a component that does
  // not exist, and more cores than there are.
  virtual allotment decide(const system_view& view) const = 0;

  // Assesses an allotment under a view. By default it is by_bottleneck of the expected times. An override starts from
  // these. It changes `cost`, and `critical` where another component than the slowest counts most.
  virtual assessment assess(const system_view& view, const allotment& given) const;

  // An assessment's cost in words, where it is no bottleneck: "84 ms to pass". Empty: it is the bottleneck.
  virtual std::string words(const assessment&) const { return {}; }

  // The objective that its costs stand for. By it the gains of its decisions are put into words, and a run says for how
  // much of its time the objective's demand was met. A rule that overrides assess() for latency or cores overrides it.
  virtual objective goal() const { return objective::throughput; }

  // True when the rule's answer changes as the models learn. The controller then asks again during the run.
  virtual bool adapts() const { return false; }

  // True when a rule that adapts should be asked only until every model is known. Its first answer after that stays.
  virtual bool decides_once() const { return false; }

  // Whether decide() or assess() look at component_view::recent, but for the last of them, of a component whose
  // `inputs` are not empty. If not, views that are made for the rule alone do without, which makes them a tenth as
  // large.
  virtual bool reads_invocations() const { return true; }

  // Whether no allotment can cost less than this one, however much the models of the view err. The controller then
  // stays with an allotment with which the run began. By default it is never known.
  virtual bool is_best(const system_view&, const allotment&) const { return false; }

  // A copy for one caller at a time, which keeps its results on a view for the next one. It gives the same answers,
  // sooner. Null, the default: there is nothing to keep.
  virtual std::unique_ptr<const allocation_rule> keeping() const { return nullptr; }
};

// Holds any rule by value: the type of `options::policy`. Cheap to copy; safe to share between threads.
class policy {
 public:
  // Takes any rule. Implicit, so that a rule can be assigned to `options::policy`.
  template <std::derived_from<allocation_rule> Rule>
  policy(Rule rule) : rule_(std::make_shared<const Rule>(std::move(rule))) {}

  // As those of the rule.
  std::string name() const { return rule_->name(); }
  objective goal() const { return rule_->goal(); }
  bool adapts() const { return rule_->adapts(); }
  bool decides_once() const { return rule_->decides_once(); }
  bool reads_invocations() const { return rule_->reads_invocations(); }
  allotment decide(const system_view& view) const { return rule_->decide(view); }
  assessment assess(const system_view& view, const allotment& given) const { return rule_->assess(view, given); }
  std::string words(const assessment& of) const { return rule_->words(of); }
  bool is_best(const system_view& view, const allotment& given) const { return rule_->is_best(view, given); }

  // The rule's copy for one caller at a time, or the rule itself where it keeps nothing.
  policy keeping() const {
    policy copy = *this;
    if (std::shared_ptr<const allocation_rule> own = rule_->keeping()) copy.rule_ = std::move(own);
    return copy;
  }

 private:
  std::shared_ptr<const allocation_rule> rule_;
};

}  // namespace weir
