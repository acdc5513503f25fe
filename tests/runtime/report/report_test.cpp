#include "runtime/report/report.hpp"

#include <atomic>
#include <cmath>
#include <map>
#include <mutex>
#include <optional>
#include <sstream>
#include <stdexcept>

#include "model/named/estimators.hpp"
#include "runtime/run/run_state.hpp"
#include "tests/runtime/language/labels.hpp"
#include "tests/runtime/language/random_grants.hpp"
#include "tests/support/gives_all_back.hpp"
#include "tests/support/json.hpp"
#include "tests/support/sanitizers.hpp"
#include "tests/support/work.hpp"

namespace weir {
namespace {

using namespace testing;
using nlohmann::json;

options four_cores() {
  options o;
  o.machine = machine::synthetic("core:4 pu:1");
  return o;
}

// Work of v units of about a microsecond.
std::int64_t work(std::int64_t v) {
  spend(1000 * v);
  return v;
}

const component_report& of(const run_report& r, const std::string& name) {
  for (const component_report& c : r.components)
    if (c.name == name) return c;
  throw std::out_of_range("no component " + name);
}

// For 0 .. count-1: "even" drops odd numbers, "twice" doubles, and every tenth of the rest fails in "fails".
network counted() {
  return box("work", takes(n), gives(n), [](std::int64_t v) { return work(v % 8); }) >>
         box("count", takes(k), gives(k), plus_one) >>
         box("even", takes(k), gives(k), [](std::int64_t v) { return v % 2 ? std::nullopt : std::optional(v); }) >>
         box("twice", takes(k), gives(k),
             [](std::int64_t v, emitter& emit) {
               emit(k = v);
               emit(k = v);
             }) >>
         box("fails", takes(k), gives(k),
             [](std::int64_t v) {
               if (v % 20 == 0) throw std::runtime_error("a multiple of 20");
               return v;
             }) >>
         box("count", takes(k), gives(k), plus_one);
}

class a_report : public gives_all_back {};

TEST_F(a_report, counts_every_record_and_every_invocation_once_the_run_is_drained) {
  for (const std::size_t capacity : {1u, 0u}) {
    options o = four_cores();
    o.on_error = on_error::collect;
    o.capacity = capacity;
    execution run = start(counted(), o);
    for (int i = 0; i < 1000; ++i) run.send(n = i, k = i);
    run.close();
    EXPECT_EQ(all_of(run).size(), 900u);
    const run_report r = run.report();
    EXPECT_EQ(r.sent, 1000u);
    EXPECT_EQ(r.results, 900u);
    EXPECT_EQ(r.failed, 100u);
    EXPECT_EQ(r.dropped, 0u);
    EXPECT_EQ(of(r, "work").invocations, 1000u);
    EXPECT_EQ(of(r, "even").invocations, 1000u);
    EXPECT_EQ(of(r, "twice").invocations, 500u);
    EXPECT_EQ(of(r, "fails").invocations, 1000u);
    EXPECT_EQ(of(r, "fails").failures, 100u);
    EXPECT_EQ(of(r, "count").invocations, 1900u) << "at both of its places";
    EXPECT_EQ(of(r, "count").failures, 0u);
    EXPECT_EQ(r.components.size(), 5u);
    ASSERT_FALSE(r.streams.empty());
    EXPECT_EQ(r.streams.front().from, "input");
    EXPECT_EQ(r.streams.back().to, "output");
    EXPECT_EQ(r.streams.front().records, 1000u);
    EXPECT_EQ(r.streams.back().records, 900u);
    for (std::size_t i = 0; capacity && i + 1 < r.streams.size(); ++i) EXPECT_LE(r.streams[i].peak, capacity);
    for (const stream_report& each : r.streams) {
      EXPECT_GE(each.occupancy, 0);
      EXPECT_LE(each.occupancy, static_cast<double>(each.peak));
      EXPECT_GE(each.blocked_seconds, 0);
      EXPECT_LE(each.blocked_seconds, r.seconds) << each.from << " -> " << each.to;
    }
    EXPECT_EQ(r.failures.size(), 100u);
  }
}

TEST_F(a_report, never_counts_more_than_was_sent_while_it_runs) {
  options o = four_cores();
  o.on_error = on_error::collect;
  execution run = start(counted(), o);
  std::atomic<bool> over{false};
  std::thread watcher([&] {
    while (!over) {
      const run_report r = run.report();
      EXPECT_LE(of(r, "work").invocations, r.sent + 0u);
      EXPECT_LE(r.results + r.failed + r.dropped, 2 * r.sent);
      EXPECT_FALSE(r.brief().empty());
    }
  });
  for (int i = 0; i < 3000; ++i) run.send(n = i, k = i);
  run.close();
  run.wait();
  over = true;
  watcher.join();
}

TEST_F(a_report, stands_still_once_the_run_has_ended) {
  execution run = start(box("f", takes(n), gives(n), plus_one), four_cores());
  run.send(n = 1);
  run.close();
  run.wait();
  const double first = run.report().seconds;
  std::this_thread::sleep_for(std::chrono::milliseconds(5));  // time passes, but not the report's
  EXPECT_EQ(run.report().seconds, first);
  EXPECT_GT(first, 0);
}

TEST_F(a_report, prints_brief_full_and_as_json_that_agree_with_it) {
  options o = four_cores();
  o.on_error = on_error::collect;
  execution run = start(counted(), o);
  for (int i = 0; i < 200; ++i) run.send(n = i, k = i);
  run.close();
  run.wait();
  const run_report r = run.report();
  for (const char* name : {"work", "count", "even", "twice", "fails"}) {
    EXPECT_NE(r.brief().find(name), std::string::npos);
    EXPECT_NE(r.full().find(name), std::string::npos);
  }
  EXPECT_LT(r.brief().size(), r.full().size());
  EXPECT_NE(r.full().find("a multiple of 20"), std::string::npos);
  std::ostringstream text;
  text << r;
  EXPECT_EQ(text.str(), r.full());

  const json j = parsed(r.json());
  EXPECT_EQ(j.at("sent"), 200);
  EXPECT_EQ(j.at("results"), 180);
  EXPECT_EQ(j.at("failed"), 20);
  EXPECT_EQ(j.at("dropped"), 0);
  EXPECT_EQ(j.at("components").size(), 5u);
  EXPECT_EQ(j.at("components").at(0).at("name"), "work");
  EXPECT_EQ(j.at("components").at(0).at("invocations"), 200);
  EXPECT_EQ(j.at("failures").size(), 20u);
  EXPECT_EQ(j.at("failures").at(0).at("entity"), "fails");
  EXPECT_EQ(j.at("failures").at(0).at("path"), ":S5");
  EXPECT_EQ(j.at("streams").back().at("to"), "output");
  EXPECT_FALSE(j.at("decisions").empty());
  EXPECT_TRUE(j.at("decisions").at(0).at("from").is_null());
}

TEST_F(a_report, is_json_also_where_a_record_holds_text_in_no_encoding) {
  options o = four_cores();
  o.on_error = on_error::collect;
  execution run = start(
      box("f", takes(s), gives(n), [](const std::string& v) -> std::int64_t { throw std::runtime_error("bad: " + v); }),
      o);
  run.send(s = std::string("\xff\xfe\"\n\0", 5));
  run.close();
  run.wait();
  EXPECT_NO_THROW(EXPECT_EQ(parsed(run.report().json()).at("failed"), 1));
}

TEST_F(a_report, of_a_run_without_any_record_is_a_report) {
  execution run = start(box("f", takes(n), gives(n), plus_one), four_cores());
  EXPECT_NO_THROW(parsed(run.report().json()));
  EXPECT_FALSE(run.report().full().empty());
  EXPECT_TRUE(std::isnan(of(run.report(), "f").mean_seconds));
}

TEST_F(a_report, keeps_every_decision_with_its_reason) {
  options o = four_cores();
  o.policy = random_shares(3);
  detail::run_state run(counted(), o);
  ASSERT_EQ(run.report().decisions.size(), 1u) << "the initial one";
  {
    const grant_changer changer(run, o.machine, 20, 5);
    EXPECT_TRUE(eventually([&] { return changer.is_done(); }));
  }
  const run_report r = run.report();
  ASSERT_GT(r.decisions.size(), 10u);
  EXPECT_TRUE(r.decisions.front().from.components.empty());
  for (std::size_t i = 0; i < r.decisions.size(); ++i) {
    EXPECT_FALSE(r.decisions[i].why.empty());
    EXPECT_EQ(check(r.decisions[i].to, o.machine.state()->cores()->all()), "");
    if (i == 0) continue;
    EXPECT_EQ(r.decisions[i].from, r.decisions[i - 1].to) << "decision " << i << " starts where the one before led";
    EXPECT_GE(r.decisions[i].time, r.decisions[i - 1].time);
  }
}

TEST_F(a_report, names_policy_and_machine) {
  options o = four_cores();
  o.policy = fixed_shares{{"f", 3}};
  execution run = start(box("f", takes(n), gives(n), plus_one) >> box("g", takes(n), gives(n), plus_one), o);
  const run_report r = run.report();
  EXPECT_EQ(r.policy, "fixed shares");
  EXPECT_NE(r.machine.find("4 cores"), std::string::npos) << r.machine;
  EXPECT_EQ(of(r, "f").cores, 3);
  EXPECT_EQ(of(r, "f").place, "own cores {0-2}, 1 lane");
  EXPECT_EQ(of(r, "g").cores, 0);
  EXPECT_EQ(of(r, "g").place, "shared group {3}");
}

TEST_F(a_report, says_where_the_shared_group_is_a_guest) {
  options o = four_cores();
  o.policy = fixed_shares{{"f", 4}};
  execution run = start(box("f", takes(n), gives(n), plus_one) >> box("g", takes(n), gives(n), plus_one), o);
  EXPECT_EQ(of(run.report(), "g").place, "shared group {0} on a core of f");
}

// ---- observations ----

struct seen {
  std::mutex mutex;
  std::map<std::string, std::vector<observation>> by_component;
};
void collect_into(seen& all, options& o) {
  o.on_observation = [&all](std::string_view component, const observation& what) {
    const std::lock_guard lock(all.mutex);
    all.by_component[std::string(component)].push_back(what);
  };
}

void expect_every_invocation_once(const std::vector<observation>& all, int count) {
  ASSERT_EQ(all.size(), static_cast<std::size_t>(count));
  std::map<double, int> by_x;
  for (const observation& o : all) {
    ++by_x[o.x];
    EXPECT_GE(o.start, 0);
    EXPECT_GT(o.seconds, 0);
    EXPECT_GE(o.cores, 1);
    EXPECT_GE(o.width, 1);
  }
  EXPECT_EQ(by_x.size(), static_cast<std::size_t>(count)) << "each input has its own x";
}

TEST_F(a_report, gives_every_invocation_of_an_owner_to_on_observation_exactly_once) {
  constexpr int count = sanitized ? 5000 : 20000;  // more than a worker keeps for itself
  for (const int lanes : {1, 3}) {
    seen all;
    options o = four_cores();
    o.policy = fixed_shares{{"f", 3, lanes}};
    collect_into(all, o);
    execution run = start(box("f", takes(n), gives(n), [](std::int64_t v) { return v; })
                              .predicted_by([](std::int64_t v) { return static_cast<double>(v); }, degree{1}),
                          o);
    for (int i = 0; i < count; ++i) run.send(n = i);
    run.close();
    run.wait();
    EXPECT_EQ(of(run.report(), "f").observations, static_cast<std::uint64_t>(count));
    const std::lock_guard lock(all.mutex);
    expect_every_invocation_once(all.by_component["f"], count);
    for (const observation& each : all.by_component["f"]) EXPECT_EQ(each.cores, 3 / lanes);
  }
}

TEST_F(a_report, gives_the_last_observations_also_to_who_asks_nothing) {
  seen all;
  {
    options o = four_cores();
    o.policy = fixed_shares{{"f", 3}};
    collect_into(all, o);
    execution run = start(box("f", takes(n), gives(n), plus_one)
                              .predicted_by([](std::int64_t v) { return static_cast<double>(v); }, degree{1}),
                          o);
    for (int i = 0; i < 500; ++i) run.send(n = i);
    run.close();
    run.wait();
  }
  expect_every_invocation_once(all.by_component["f"], 500);
}

TEST_F(a_report, gives_no_observation_for_an_invocation_that_threw) {
  seen all;
  options o = four_cores();
  o.on_error = on_error::collect;
  o.policy = fixed_shares{{"f", 1}};
  collect_into(all, o);
  execution run = start(box("f", takes(n), gives(n),
                            [](std::int64_t v) {
                              if (v % 2) throw std::runtime_error("odd");
                              return v;
                            }),
                        o);
  for (int i = 0; i < 100; ++i) run.send(n = i);
  run.close();
  run.wait();
  EXPECT_EQ(of(run.report(), "f").observations, 50u);
}

TEST_F(a_report, counts_a_record_as_sent_before_any_box_has_it) {
  const execution* itself = nullptr;
  std::atomic<int> early{0};
  execution run = start(box("look", takes(n), gives(n), [&](std::int64_t v) {
    early += itself->report().sent <= static_cast<std::uint64_t>(v);
    return v;
  }));
  itself = &run;
  for (int i = 0; i < 500; ++i) {
    run.send(n = i);
    ASSERT_EQ((*run.begin())[n], i);  // so the network is idle, and the next send wakes a thread
  }
  EXPECT_EQ(early, 0);
}

TEST_F(a_report, observes_the_box_and_not_what_runs_inside_its_emit) {
  const network net = box("f", takes(n), gives(k),
                          [](std::int64_t, emitter& emit) {
                            for (std::int64_t i = 0; i < 200; ++i) emit(k = i);
                          }) >>
                      box("slow", takes(k), gives(k), [](std::int64_t v) {
                        work(100);
                        return v;
                      });
  double own_part = 1;  // f's own time over the slow ones' time. On a busy host it includes other work that ran instead
                        // of f
  for (int attempt = 0; attempt < 10 && own_part > 0.5; ++attempt) {
    seen all;
    options o;
    o.machine = machine::synthetic("core:2 pu:1");
    o.policy = fixed_shares{{"f", 1}};
    o.capacity = 1;
    collect_into(all, o);
    execution run = start(net, o);
    run.send(n = 1);
    run.close();
    EXPECT_EQ(all_of(run).size(), 200u);
    const double slow = of(run.report(), "slow").total_seconds;
    ASSERT_EQ(all.by_component["f"].size(), 1u);
    own_part = all.by_component["f"][0].seconds / slow;
  }
  EXPECT_LT(own_part, 0.5) << "the 200 slow invocations that it was held back by are not its own time";
}

// ---- models ----

TEST_F(a_report, predicts_what_a_model_does_that_was_shown_the_same) {
  seen all;
  options o = four_cores();
  o.estimator = "extended-amdahl-online";
  o.policy = fixed_shares{{"f", 1}};
  collect_into(all, o);
  execution run = start(box("f", takes(n), gives(n), work)
                            .predicted_by([](std::int64_t v) { return static_cast<double>(v); }, degree{1}),
                        o);
  constexpr int count = 60;  // so few that a learner shows each one to its model
  for (int i = 0; i < count; ++i) run.send(n = 50 + i % 50);
  run.close();
  run.wait();
  ASSERT_EQ(all.by_component["f"].size(), static_cast<std::size_t>(count));
  const auto shown = make_estimator(o.estimator, degree{1});
  for (const observation& one : all.by_component["f"]) shown->observe(one);
  for (const int cores_given : {1, 3})
    for (const double x : {50.0, 75.0, 100.0}) {
      const prediction said = run.predict("f", x, cores{cores_given}), expected = shown->predict(x, cores_given);
      EXPECT_EQ(said.mean, expected.mean);
      EXPECT_EQ(said.confidence, expected.confidence);
      EXPECT_GT(said.confidence, 0);
    }
}

TEST_F(a_report, predicts_only_for_components_that_exist) {
  execution run = start(counted(), four_cores());
  try {
    run.predict("multiply", 1, cores{1});
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "predict: no component is named 'multiply'; there are work, count, even, twice, fails");
  }
}

network modelled() {
  return box("f", takes(n), gives(n), work)
      .predicted_by([](std::int64_t v) { return static_cast<double>(v); }, degree{2});
}

std::map<std::string, saved_model> learnt(const std::string& estimator = "weir") {
  options o = four_cores();
  o.estimator = estimator;
  o.policy = fixed_shares{{"f", 1}};
  execution run = start(modelled(), o);
  for (int i = 0; i < 300; ++i) run.send(n = 1 + i % 60);
  run.close();
  run.wait();
  return run.models();
}

TEST_F(a_report, s_models_survive_being_written_and_read_exactly) {
  for (const std::string& estimator : estimator_names()) {
    SCOPED_TRACE(estimator);
    const auto models = learnt(estimator);
    ASSERT_EQ(models.size(), 1u);
    EXPECT_EQ(models.at("f").degree, 2);
    const auto again = read_models(write_models(models));
    ASSERT_EQ(again.size(), 1u);
    EXPECT_EQ(again.at("f").estimator, models.at("f").estimator);
    EXPECT_EQ(again.at("f").degree, models.at("f").degree);
    EXPECT_EQ(again.at("f").state, models.at("f").state) << "every number, to the last bit";
  }
  EXPECT_TRUE(read_models(write_models({})).empty());
}

TEST_F(a_report, s_models_predict_in_the_next_run_what_they_did_in_the_last) {
  const auto models = learnt();
  options o = four_cores();
  o.prior_models = read_models(write_models(models));
  execution one = start(modelled(), o), other = start(modelled(), o);
  const prediction p = one.predict("f", 40, cores{1});
  EXPECT_GT(p.mean, 0) << "before the first record";
  EXPECT_EQ(p.mean, other.predict("f", 40, cores{1}).mean);
  EXPECT_EQ(one.models().at("f").state, models.at("f").state);
}

TEST_F(a_report, s_models_are_refused_where_they_do_not_fit) {
  options o = four_cores();
  o.prior_models = learnt();
  const auto refused = [&](const network& net) {
    try {
      start(net, o);
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
    return std::string("nothing was refused");
  };
  const network other_degree =
      box("f", takes(n), gives(n), work).predicted_by([](std::int64_t v) { return double(v); }, degree{3});
  EXPECT_NE(refused(other_degree).find("has degree 2, expected was"), std::string::npos) << refused(other_degree);
  o.prior_models.at("f").state.pop_back();
  EXPECT_NE(refused(modelled()), "nothing was refused") << "a state that is too short";
  o.prior_models = learnt();
  o.prior_models.at("f").estimator = "oracle";
  EXPECT_NE(refused(modelled()).find("oracle"), std::string::npos);
  o.prior_models = learnt();
  o.prior_models["g"] = o.prior_models.at("f");
  EXPECT_EQ(refused(modelled()), "options.prior_models: no component is named 'g'");
}

TEST_F(a_report, s_models_as_damaged_text_are_refused_in_words) {
  const std::string good = write_models(learnt());
  const auto refused = [](const std::string& text) {
    try {
      read_models(text);
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
    return std::string("nothing was refused");
  };
  for (std::size_t cut = 0; cut + 2 < good.size(); cut += 1 + good.size() / 200)
    EXPECT_EQ(refused(good.substr(0, cut)).rfind("saved models: ", 0), 0u) << "cut after " << cut << " characters";
  EXPECT_NE(refused("[]").find("'weir_models'"), std::string::npos);
  EXPECT_NE(refused("{}").find("'weir_models'"), std::string::npos);
  EXPECT_EQ(refused(R"({"weir_models": 2, "components": {}})"),
            "saved models: format version 2, this weir reads version 1");
  for (const char* number : {"1e300", "1.5", "4294967297", "18446744073709551615", "-9223372036854775808"})
    EXPECT_EQ(refused(std::string(R"({"weir_models": )") + number + R"(, "components": {}})"),
              "saved models: 'weir_models' is " + parsed(number).dump() + ", expected was a whole number");
  for (const char* bad :
       {R"({"weir_models": "1", "components": {}})", R"({"weir_models": 1})",
        R"({"weir_models": 1, "components": {"f": {}}})", R"({"weir_models": 1, "components": {"f": 3}})",
        R"({"weir_models": 1, "components": {"f": {"estimator": 5, "degree": 1, "state": []}}})",
        R"({"weir_models": 1, "components": {"f": {"estimator": "weir", "degree": "x", "state": []}}})",
        R"({"weir_models": 1, "components": {"f": {"estimator": "weir", "degree": 1, "state": [1, "x"]}}})"})
    EXPECT_EQ(refused(bad).rfind("saved models: ", 0), 0u) << bad << "\n" << refused(bad);
}

// ---- rules that fail ----

struct failing_rule : allocation_rule {
  std::string name() const override { return "failing"; }
  allotment decide(const system_view& view) const override {
    if (!view.current.components.empty()) throw std::runtime_error("this rule answers once");
    return equal_shares{}.decide(view);
  }
  bool adapts() const override { return true; }
};

TEST_F(a_report, of_a_rule_that_fails_while_the_network_runs_reaches_the_caller_and_ends_nothing_else) {
  options o = four_cores();
  o.policy = failing_rule{};
  execution run = start(box("f", takes(n), gives(n), work), o);
  try {
    for (int i = 0; i < 2000; ++i) run.send(n = 20);
    run.close();
    all_of(run);
    run.wait();
  } catch (const run_error&) {  // the run continues unchanged, or the caller gets the error
  }
  EXPECT_NE(run.report().full().find("this rule answers once"), std::string::npos) << run.report().full();
}

}  // namespace
}  // namespace weir
