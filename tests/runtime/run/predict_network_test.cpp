#include <weir/run/predict_network.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>
#include <weir/weir.hpp>

#include <weir/model/named/estimators.hpp>
#include "runtime/run/run_state.hpp"
#include "tests/runtime/language/labels.hpp"
#include "tests/runtime/support/virtual_time.hpp"

// Predictions for a network that is only an expression, from models that were learnt elsewhere.
namespace weir {
namespace {

using namespace testing;

network passing(const std::string& name) {
  return box(name, takes(n), gives(n), [](std::int64_t v) { return v; });
}

// A model that has seen invocations of `seconds`, on any number of cores.
saved_model lasting(double seconds) {
  auto model = make_estimator("weir", degree{0});
  for (int i = 0; i < 40; ++i) model->observe({.x = 1, .cores = 1 + i % 2, .seconds = seconds, .cpu_seconds = seconds});
  return {"weir", 0, model->state()};
}

std::string said(const network_model& of, const std::string& part) {
  for (const std::string& one : of.assumed)
    if (one.find(part) != std::string::npos) return one;
  return "";
}

// A chain is as fast as its slowest component, on an allotment as on shares by name.
TEST(predict_network, a_chain_on_an_allotment_and_on_shares) {
  const network net = passing("a") >> passing("b");
  const std::map<std::string, saved_model> models{{"a", lasting(.1)}, {"b", lasting(.2)}};
  const network_prediction p = predict_network(net, models, allotment{{{{0}, 1}, {{1}, 1}}, {}});
  EXPECT_NEAR(p.throughput, 5, .05);
  EXPECT_EQ(p.bottleneck, "component b");
  EXPECT_NEAR(p.latency, .3, .003);
  EXPECT_NEAR(p.components[0].utilisation, .5, .01);
  const network_prediction wide =
      predict_network(net, models, fixed_shares{{"b", 3, 3}}, machine::synthetic("core:4 pu:1"));
  EXPECT_NEAR(wide.throughput, 10, .1);
  EXPECT_EQ(wide.bottleneck, "component a");
}

// Branches of a choice get equal parts and loops are passed once; the prediction lists both as assumed.
TEST(predict_network, what_nobody_counted_is_assumed_and_said) {
  const network_model m =
      model_of(passing("a") >> (passing("b") | passing("c")) >> feedback(passing("d"), pattern{n}.where(n > 100)),
               {{"a", lasting(1)}, {"b", lasting(1)}, {"c", lasting(1)}, {"d", lasting(1)}});
  EXPECT_EQ(flow_of(m).visits, (std::vector<double>{1, .5, .5, 1}));
  EXPECT_NE(said(m, "get equal parts"), "");
  EXPECT_NE(said(m, "once through the body of the feedback"), "");
  EXPECT_NE(said(m, "in the middle of what each model has seen"), "");
}

// The counts of a run replace these assumptions.
TEST(predict_network, a_report_says_where_records_go) {
  const network net = passing("a") >> (passing("b") | passing("c"));
  const std::map<std::string, saved_model> models{{"a", lasting(1)}, {"b", lasting(1)}, {"c", lasting(1)}};
  run_report seen;
  for (const auto& [name, visits] : {std::pair{"a", 1.0}, {"b", .25}, {"c", 1.5}}) {
    seen.components.emplace_back();
    seen.components.back().name = name;
    seen.components.back().visits = visits;
  }
  seen.links = {{"input", "a", 1}, {"a", "b", .25}, {"a", "c", .75}};
  const network_model m = model_of(net, models, seen);
  const std::vector<double> visits = flow_of(m).visits;
  EXPECT_NEAR(visits[1], .25, 1e-9);
  EXPECT_NEAR(visits[2], 1.5, 1e-9) << "twice for each that comes: it goes round";
  EXPECT_EQ(said(m, "equal parts"), "");
  seen.components.pop_back();
  EXPECT_THROW(model_of(net, models, seen), std::invalid_argument);
}

// A run's models, report and final allotment give the run's own predictions of its network.
TEST(predict_network, agrees_with_what_a_run_expects_of_itself) {
  const auto time = std::make_shared<virtual_time>("core:4 pu:1");
  const auto taking = [&](const std::string& name, double seconds) {
    return box(name, takes(n), gives(n), [time, seconds](std::int64_t v) {
      time->advance(seconds);
      return v;
    });
  };
  const network twice = filter(takes(n)).emit(n).emit(n);
  const network net = taking("a", .1) >> twice >> taking("b", .2) >> taking("c", .05);
  detail::run_state run(net, on(time));
  for (int i = 0; i < 60; ++i) run.send(record(n = i));
  run.close();
  run.wait();
  run.step();
  const run_report seen = run.report();
  const network_prediction p = predict_network(net, run.models(), seen.decisions.back().to, seen);
  EXPECT_NEAR(p.throughput, seen.network.predicted_throughput, .01 * p.throughput);
  EXPECT_NEAR(p.components[1].visits, 2, 1e-6);
}

// The box behind a synchrocell waits for both of its streams.
TEST(predict_network, a_synchrocell_joins) {
  static const tag p("p_left"), q("p_right");
  const network left = box("left", takes(p), gives(p), [](std::int64_t v) { return v; });
  const network right = box("right", takes(q), gives(q), [](std::int64_t v) { return v; });
  const network fork = filter(takes(n)).emit(p = n).emit(q = n);
  const network both = box("both", takes(p, q), gives(n), [](std::int64_t a, std::int64_t b) { return a + b; });
  const network_model m = model_of(fork >> (left | right) >> sync(pattern{p}, pattern{q}) >> both,
                                   {{"left", lasting(1)}, {"right", lasting(2)}, {"both", lasting(1)}});
  EXPECT_EQ(flow_of(m).visits, (std::vector<double>{1, 1, 1}));
  EXPECT_TRUE(m.components[2].joins);
  const mapping apart{{{{0}, 1}, {{1}, 1}, {{2}, 1}}};
  EXPECT_NEAR(predict_flow(m, apart, 3).latency, 3, .03);
}

// A report of a run in which blur ran on one core of its own and on two slots: 10 records a second and 2 x 20.
run_report report_of_a_run_with_a_device() {
  run_report seen;
  for (const char* const name : {"blur", "save"}) {
    component_report& c = seen.components.emplace_back();
    c.name = name;
    c.cores = c.width = 1;
    c.visits = std::string(name) == "blur" ? .2 : 1;  // of a box with a device: those on cores
    c.observed_visits = 1;
  }
  seen.links = {{"input", "blur", 1}, {"blur", "save", 1}};
  device_report& d = seen.devices.emplace_back();
  d.device = "gpu0", d.component = "blur", d.slots = 2;
  d.inputs = {{1, .1, .05, .05}, {2, .1, .05, .05}};
  return seen;
}

// A box that ran on a device does so in the prediction: cores and slots together carry the predicted rate.
TEST(predict_network, has_the_devices_of_the_report) {
  const network blur = box("blur", takes(n), gives(n), plus_one).on(device{"gpu0", 2}, plus_one);
  const std::map<std::string, saved_model> models{{"blur", lasting(.1)}, {"save", lasting(.001)}};
  const allotment one_core_each{{{{0}, 1}, {{1}, 1}}, {}};
  const network_prediction p =
      predict_network(blur >> passing("save"), models, one_core_each, report_of_a_run_with_a_device());
  EXPECT_NEAR(p.throughput, 50, .1);
  ASSERT_EQ(p.components.size(), 3u);
  EXPECT_NEAR(p.components[0].rate, 10, .1);
  EXPECT_NEAR(p.components[1].visits, 1, 1e-9) << "what ran on the device goes on as well";
  EXPECT_NEAR(p.components[2].rate, 40, .1);
  const network_prediction alone = predict_network(passing("blur") >> passing("save"), models, one_core_each);
  EXPECT_NEAR(alone.throughput, 10, .1);
}

// Invariant: a record on the device takes as long as its batch there, which has a size of its own.
TEST(predict_network, has_the_batches_on_devices_of_the_report) {
  const auto many = [](std::span<const std::int64_t> all) { return std::vector<std::int64_t>(all.begin(), all.end()); };
  const network blur = box("blur", takes(n), gives(n), many).batched(16).on(device{"gpu0", 2}, many);
  const std::map<std::string, saved_model> models{{"blur", lasting(.1)}, {"save", lasting(.001)}};
  run_report seen = report_of_a_run_with_a_device();
  seen.components[0].records_together = 7;  // of both sides
  seen.devices[0].size_on_device = 16;
  const allotment one_core_each{{{{0}, 1}, {{1}, 1}}, {}};
  const network_prediction alone = predict_network(blur >> passing("save"), models, one_core_each, seen, {.rate = .1});
  EXPECT_NEAR(alone.latency, .1 + .001, .005) << "on cores, in an invocation of its own";
  EXPECT_NEAR(alone.throughput, 50, .1);
  const network_prediction busy = predict_network(blur >> passing("save"), models, one_core_each, seen, {.rate = 45});
  EXPECT_GT(busy.components[2].sojourn, 16 * .05);
}

// A division that the box fixes is the predicted one.
TEST(predict_network, keeps_the_division_between_cores_and_device_that_a_box_fixes) {
  const network blur = box("blur", takes(n), gives(n), plus_one).on(device{"gpu0", 2}, plus_one).device_from(2);
  const std::map<std::string, saved_model> models{{"blur", lasting(.1)}, {"save", lasting(.001)}};
  const network_prediction p = predict_network(blur >> passing("save"), models, allotment{{{{0}, 1}, {{1}, 1}}, {}},
                                               report_of_a_run_with_a_device());
  EXPECT_NEAR(p.throughput, 20, .1) << "one half stays on the core";
}

// A constant need of a resource with a total bounds the invocations at a time.
TEST(predict_network, keeps_to_the_resources_that_boxes_need) {
  const network solve = box("solve", takes(n), gives(n), plus_one).needs(resource("licence", 2), 1);
  const network_prediction p = predict_network(solve, {{"solve", lasting(.1)}}, fixed_shares{{"solve", 4, 4}},
                                               machine::synthetic("core:4 pu:1"));
  EXPECT_NEAR(p.throughput, 20, .1);
}

// Invariant: a record in a batch takes as long as the batch, though its part of the core's time is that of one.
TEST(predict_network, has_the_batches_of_the_report_in_the_latency) {
  const network several = box("several", takes(n), gives(n), [](std::span<const std::int64_t> all) {
                            return std::vector<std::int64_t>(all.begin(), all.end());
                          }).batched(8);
  const std::map<std::string, saved_model> models{{"several", lasting(.1)}};
  run_report seen;
  component_report& c = seen.components.emplace_back();
  c.name = "several";
  c.cores = c.width = 1;
  c.visits = c.observed_visits = 1;
  c.most_together = 8;
  c.records_together = 5;
  const allotment one_core{{{{0}, 1}}, {}};
  const network_prediction p = predict_network(several, models, one_core, seen);
  EXPECT_NEAR(p.throughput, 10, .1);
  EXPECT_NEAR(p.latency, .5, .01);
  EXPECT_NE(
      std::find(p.notes.begin(), p.notes.end(),
                "an invocation of several for fewer records takes as long as one for 5, so latencies are upper bounds"),
      p.notes.end());
  const network_prediction alone = predict_network(several, models, one_core);
  EXPECT_NEAR(alone.latency, .1, .01);
  EXPECT_NE(std::find(alone.notes.begin(), alone.notes.end(),
                      "each invocation of several takes one record: its models do not tell how many"),
            alone.notes.end());
}

TEST(predict_network, says_what_is_missing) {
  const network net = passing("a") >> passing("b");
  const auto message = [&](const std::map<std::string, saved_model>& models) {
    try {
      model_of(net, models);
    } catch (const std::invalid_argument& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  EXPECT_EQ(message({{"a", lasting(1)}}), "predict_network: there is no model of 'b'; there are a");
  EXPECT_NE(message({{"a", lasting(1)}, {"b", {"weir", 0, {1, 2}}}}).find("the model of 'b'"), std::string::npos);
  const saved_model blank{"weir", 0, make_estimator("weir", degree{0})->state()};
  EXPECT_NE(message({{"a", lasting(1)}, {"b", blank}}).find("has seen nothing"), std::string::npos);
  EXPECT_THROW(predict_network(net, {{"a", lasting(1)}, {"b", lasting(1)}}, allotment{{{{0}, 1}}, {}}),
               std::invalid_argument);
}

TEST(predict_network, a_box_that_waits_outside_the_cores_takes_as_many_at_once_as_it_may) {
  const network net = passing("compute") >> box("ask", takes(n), gives(n), plus_one).blocking(4);
  const std::map<std::string, saved_model> models{{"compute", lasting(.001)}, {"ask", lasting(.02)}};
  const network_prediction p =
      predict_network(net, models, fixed_shares{{"compute", 2, 2}}, machine::synthetic("core:2 pu:1"));
  EXPECT_NEAR(p.throughput, 4 / .02, 1) << "the two cores would do 2000 a second";
}

}  // namespace
}  // namespace weir
