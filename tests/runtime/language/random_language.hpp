#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "tests/runtime/language/label_flow.hpp"
#include "tests/runtime/language/language_statistics.hpp"
#include "tests/runtime/language/oracle.hpp"
#include "tests/runtime/language/realised.hpp"

// Random networks of the whole language, each with inputs and the results by the rules.
//
// Which results are comparable? The runtime may merge the branches of a plain choice, star, split or feedback in any
// order. So the order behind one is unknown, and everything that depends on order may come out differently each time.
// All else is determined. Boxes and serial composition keep order. Each branch, depth and value gets its records in the
// order of their arrival at the combinator, and `ordered` restores the order of arrival. Only synchrocells, some folds
// and the ends of branches depend on order. So:
//
// A synchrocell is drawn only where records arrive in a known order. Nothing before it in the chains around it leaves
// the order open (order_of), and all stars around it have bodies that keep order. It is never drawn in a feedback,
// whose body sees returning records among new ones.
//
// One exception is a join. A record is split into two that carry its number, a tag that no other record has. They may
// change order on any way, and meet in a cell of their own (split by number), which takes either first. It is drawn
// only if no number occurs twice: nothing before it makes two records of one, and it is not in a feedback.
//
// Another exception is a single state that goes down a star, as one record among inputs that keep their order. At each
// depth it meets the first input that it has not met, whether that comes before it or after.
//
// The record that completes a cell decides which input the merged record counts for. The first rule above determines
// which record that is. It does not for the single state, which is therefore drawn only if nothing around it is
// ordered.
//
// Folds whose state depends on the order of their input are drawn where synchrocells are. So is until(), since the
// order at the split decides which records meet in one branch. Other folds give only at the end, and may stand
// anywhere, even in a feedback: the records that reach them before they finish are determined.
//
// The states of a fold in a split finish in the order in which they were made, which is the order of arrival. If that
// is unknown, the fold is drawn only if nothing around it is ordered. Behind a fold outside of splits that ignores the
// order of its input, records arrive in a known order again.
//
// A fold's results have the labels it names, and so no number. In a loop it must therefore take and give the counters
// of all loops around it.
//
// Results of a network whose order is `sequence` are compared as a sequence. For `groups` they are compared as a
// sequence of groups. Each group is caused by one record that arrived where the inner order became unknown (a star's
// records of one input). Otherwise they are compared as a multiset.
namespace weir::testing::language {

// A drawn network, with its expected results and other known properties.
struct specimen {
  plan_ptr what;
  network net;
  std::vector<plain_record> inputs;
  std::vector<group> expected;  // in order; one group if no order is known
  std::size_t before_end = 0;   // of these results, those that do not need the end of all input
  order known_order{};
  std::int64_t failed = 0, held = 0, observed = 0;
  std::int64_t folded = 0, finished = 0, anew = 0, ended = 0;  // see oracle
  std::shared_ptr<std::atomic<std::int64_t>> seen{};           // counts the records that the network's observers see
};

// The results for a plan and inputs, by the rules. Throws too_much.
specimen account_of(const plan_ptr& p, const network& net, std::vector<plain_record> inputs);

class language_maker {
 public:
  explicit language_maker(std::uint64_t seed) : random_(seed) {}

  specimen draw(language_statistics& statistics);
  int up_to(int most) { return std::uniform_int_distribution<int>(0, most)(random_); }

 private:
  // Requirements of the next part.
  struct wish {
    int depth = 1;
    order wanted = order::none;  // the order that it must keep, at least
    bool state = true;           // records arrive in a known order, so synchrocells are allowed
    bool single = false;         // no record may become two
    bool unique = true;          // no two records have the same number
    bool loops = false;          // the output must fit the input again
    bool many = false;           // there is a split around, so a fold here has many states
    bool free = true;            // no combinator around depends on the input that caused a record
    int level = 1;               // of stars and feedbacks, for their counters
  };

  bool one_in(int n) { return up_to(n - 1) == 0; }
  std::string any(const std::vector<std::string>& of) {
    return of[static_cast<std::size_t>(up_to(static_cast<int>(of.size()) - 1))];
  }
  const label_set& any(const types& of);
  label_set some(const label_set& of, int most);
  std::int64_t small() { return up_to(30) - 10; }
  term number(const std::vector<std::string>& tags, int depth, bool may_divide);
  term condition(const std::vector<std::string>& tags, int depth, bool may_divide);

  plan_ptr chain(const types& in, const wish& w, int parts);
  plan_ptr part(const types& in, const wish& w);
  plan_ptr leaf(const types& in, const wish& w);
  plan_ptr a_box(const label_set& known, const wish& w);
  plan_ptr a_filter(const label_set& known, const wish& w);
  plan_ptr a_cell(const types& in, const wish& w);
  plan_ptr a_fold(const types& in, const wish& w);
  plan_ptr with_fold(const plan_ptr& p, const types& in, const wish& w);
  std::vector<plain_pattern> ends_of_branches(const std::vector<std::string>& tags);
  // The start of a star or a feedback: the tag that counts its rounds, the tag it is computed from, whether the body
  // folds, the network in front.
  struct loop_start {
    std::string counter, from;
    bool folds;
    plan_ptr entry;
  };
  std::optional<loop_start> start_of_loop(const types& in, const wish& w);  // nothing where no tag can be counted down
  static wish within_loop(const wish& w);
  plan_ptr entry_of_loop(const label_set& known, const std::string& from, const std::string& counter, bool folds);
  plan_ptr a_choice(const types& in, const wish& w);
  plan_ptr a_split(const types& in, const wish& w);
  plan_ptr a_star(const types& in, const wish& w);
  plan_ptr a_feedback(const types& in, const wish& w);
  plan_ptr pairs(const types& in, const wish& w);
  plan_ptr a_state(const types& in, const wish& w);
  plan_ptr a_join(const types& in, const wish& w);
  plan_ptr marks(const types& in, const wish& w);
  plan_ptr body_of_loop(const types& in, const wish& w, const std::string& counter, bool folds);
  plan_ptr with_source(const types& in, const wish& w);
  std::vector<plain_record> some_inputs(const network& net, const types& in);

  plan_ptr box_plan(box_kind kind, std::vector<std::string> labels, int width = 0);
  bool can_be(const plan_ptr& p);  // the runtime accepts it

  std::mt19937_64 random_;
  realiser realiser_;
  std::vector<plan_ptr> made_boxes_, made_folds_;
  int names_ = 0, refused_ = 0;
};

}  // namespace weir::testing::language
