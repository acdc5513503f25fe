#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "runtime/run/checked_rule.hpp"
#include "runtime/run/run_state.hpp"
#include "tests/runtime/language/labels.hpp"
#include "tests/runtime/support/virtual_time.hpp"
#include "tests/support/gives_all_back.hpp"

// A rule of the user's that answers wrongly or throws: a run does not begin with it, or goes on as it is.
namespace weir {
namespace {

using namespace testing;

// Divides equally, and changes its answers as it is told.
struct told_rule : allocation_rule {
  using division = std::function<void(const system_view&, allotment&)>;
  using opinion = std::function<void(assessment&)>;

  explicit told_rule(division d) : divides(std::move(d)) {}
  explicit told_rule(opinion a) : assesses(std::move(a)) {}
  std::string name() const override { return "told"; }
  allotment decide(const system_view& view) const override {
    allotment to = equal_shares{}.decide(view);
    if (divides) divides(view, to);
    return to;
  }
  assessment assess(const system_view& view, const allotment& given) const override {
    assessment said = allocation_rule::assess(view, given);
    if (assesses) assesses(said);
    return said;
  }
  bool adapts() const override { return true; }

  division divides;
  opinion assesses;
};

class a_wrong_rule : public gives_all_back {
 protected:
  static options four_cores(told_rule rule) {
    options o;
    o.machine = machine::synthetic("core:4 pu:1");
    o.policy = std::move(rule);
    return o;
  }
  static auto adding(const char* name) {
    return box(name, takes(n), gives(n), [](std::int64_t k) { return k + 1; });
  }
  static network two_boxes() { return adding("f") >> adding("g"); }
  // Starts a run under a rule that divides so, and returns the words of the refusal.
  static std::string refused(told_rule::division divides, const network& net = two_boxes()) {
    try {
      start(net, four_cores(told_rule(std::move(divides))));
    } catch (const std::invalid_argument& e) {
      return e.what();
    }
    return "nothing";
  }
  // Runs 1000 invocations of 0.1 ms under the rule, and expects the result of each. Returns the note of the rule.
  static std::string note_of(told_rule rule) {
    const auto time = std::make_shared<virtual_time>("core:1 pu:1");
    options o = on(time);
    o.policy = std::move(rule);
    detail::run_state run(box("f", takes(n), gives(n),
                              [time](std::int64_t k) {
                                time->advance(100e-6);
                                return k + 1;
                              }),
                          o);
    EXPECT_EQ(results_of_1000(run), 1000);
    return note_in(run.report());
  }
  // Sends 1000 records, ends the run, and returns how many had the result that adding one gives.
  static int results_of_1000(detail::run_state& run) {
    record out;
    int right = 0;
    for (std::int64_t k = 0; k < 1000; ++k) {
      run.send(record(n = k));
      right += run.next(out) && out[n] == k + 1;
    }
    run.close();
    run.wait();
    return right;
  }
  static std::string note_in(const run_report& r) {
    for (const std::string& note : r.notes)
      if (note.starts_with("the allotment stays as it is")) return note;
    return "no note";
  }
};

TEST_F(a_wrong_rule, starts_no_run) {
  EXPECT_EQ(refused([](auto&, allotment& to) { to = {}; }),
            "decide() of policy told gave 0 shares, expected 2, one for each component");
  EXPECT_EQ(refused([](auto&, allotment& to) { to.components.resize(50); }),
            "decide() of policy told gave 50 shares, expected 2, one for each component");
  EXPECT_EQ(refused([](auto&, allotment& to) { to.components[0].width = -5; }),
            "decide() of policy told gave an allotment in which component 0 has -5 lanes");
  EXPECT_EQ(refused([](auto&, allotment& to) {
              to.components = {{{}, 0, false}, {core_set{1}, 1, false}};
              to.shared = {0};
            }),
            "nothing")
      << "the lanes of a member mean nothing";
  EXPECT_EQ(refused([](auto&, allotment& to) { to.components[1].cores = to.components[0].cores; }),
            "decide() of policy told gave an allotment in which core 0 belongs to components 0 and 1");
  EXPECT_EQ(
      refused([](auto&, allotment& to) {
        to.components[0] = {{}, 1, true};
      }),
      "decide() of policy told gave an allotment in which f runs outside the cores, and its box is not .blocking()");
  EXPECT_EQ(refused(
                [](auto&, allotment& to) {
                  to.components = {{core_set{0}, 1, false}, {core_set{3}, 1, false}};
                },
                adding("f") >> adding("g").blocking(1)),
            "decide() of policy told gave an allotment in which g does not run outside the cores, and its box is "
            ".blocking()");
  const auto keeps_no_core = [](auto&, allotment& to) {
    to.components = {{core_set{0, 1}, 1, false}, {core_set{2, 3}, 1, false}};
    to.shared = {};
  };
  EXPECT_EQ(refused(keeps_no_core), "nothing");
  EXPECT_EQ(
      refused(keeps_no_core,
              adding("f") | box("h", takes(n, k), gives(n), [](std::int64_t v, std::int64_t) { return v; })),
      "decide() of policy told gave an allotment in which the shared group, which runs dispatch, filters or merges, "
      "has no core");
}

TEST_F(a_wrong_rule, leaves_a_run_as_it_is) {
  const auto note_of_assessing = [](told_rule::opinion assesses) { return note_of(told_rule(std::move(assesses))); };
  const std::string stays = "the allotment stays as it is, policy told has none: ";
  EXPECT_EQ(note_of_assessing([](assessment& a) { a.seconds.clear(); }),
            stays + "assess() of policy told gave the seconds of 0 components, expected 1");
  EXPECT_EQ(note_of_assessing([](assessment& a) { a.critical = 77; }),
            stays + "assess() of policy told named component 77, expected -1 to 0");
  EXPECT_EQ(note_of_assessing([](assessment& a) { a.heaviest = -2; }),
            stays + "assess() of policy told named component -2, expected -1 to 0");
  const auto divides_wrongly_later = [](const system_view& view, allotment& to) {
    if (!view.current.components.empty()) to = {};
  };
  EXPECT_EQ(note_of(told_rule(told_rule::division(divides_wrongly_later))),
            stays + "decide() of policy told gave 0 shares, expected 1, one for each component");
}

// Whatever it is asked throws, once the run has begun.
struct failing_later : adaptive {
  std::string name() const override { return asked(), "failing"; }
  objective goal() const override { return asked(), objective::throughput; }
  bool adapts() const override { return asked(), true; }
  bool decides_once() const override { return asked(), false; }
  bool reads_invocations() const override { return asked(), true; }
  std::string words(const assessment& of) const override { return asked(), adaptive::words(of); }
  allotment decide(const system_view& view) const override { return asked(), adaptive::decide(view); }
  assessment assess(const system_view& view, const allotment& given) const override {
    return asked(), adaptive::assess(view, given);
  }
  bool is_best(const system_view&, const allotment&) const override { return asked(), false; }

  void asked() const {
    if (*has_begun) throw std::runtime_error("not now");
  }
  std::shared_ptr<bool> has_begun = std::make_shared<bool>(false);
};

TEST_F(a_wrong_rule, whose_every_answer_throws_later_ends_no_run) {
  const auto time = std::make_shared<virtual_time>("core:1 pu:1");
  options o = on(time);
  const failing_later rule;
  o.policy = rule;
  detail::run_state run(box("f", takes(n), gives(n),
                            [time](std::int64_t k) {
                              time->advance(100e-6);
                              return k + 1;
                            }),
                        o);
  *rule.has_begun = true;
  const int results = results_of_1000(run);
  const run_report r = run.report();
  EXPECT_EQ(results, 1000);
  EXPECT_EQ(r.policy, "failing");
  EXPECT_EQ(note_in(r), "the allotment stays as it is, policy failing has none: not now");
}

TEST_F(a_wrong_rule, that_has_no_words_is_named_in_their_place) {
  const failing_later rule;
  const detail::checked_rule checked(rule);
  *rule.has_begun = true;
  EXPECT_EQ(checked.words({}), "words() of policy failing threw \"not now\"");
}

TEST_F(a_wrong_rule, may_throw_what_is_no_exception_of_the_standard) {
  EXPECT_EQ(note_of(told_rule(told_rule::opinion([](assessment&) { throw 42; }))),
            "the allotment stays as it is, policy told has none: it threw an int: 42");
  EXPECT_THROW(start(two_boxes(), four_cores(told_rule(told_rule::division([](auto&, auto&) { throw 42; })))), int);
}

}  // namespace
}  // namespace weir
