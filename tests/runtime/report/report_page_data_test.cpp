#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include <weir/model/named/estimators.hpp>
#include <weir/run/execution.hpp>
#include "runtime/report/cost_curves.hpp"
#include "tests/runtime/language/labels.hpp"
#include "tests/support/gives_all_back.hpp"
#include "tests/support/json.hpp"
#include "tests/support/work.hpp"

// The data of a report for programs that draw it: the graph, curves, history and decisions, whole or as an update.
namespace weir::report_page_data_test {
namespace {

using namespace testing;
using nlohmann::json;

class page_data : public gives_all_back {};

options four_cores() {
  options o;
  o.machine = machine::synthetic("core:4 pu:1");
  return o;
}

run_report after(const network& net, int records) {
  execution run = start(net, four_cores());
  for (int i = 0; i < records; ++i) run.send(n = i % 10);
  run.close();
  run.wait();
  return run.report();
}

network working(const std::string& name) {
  return box(name, takes(n), gives(n),
             [](std::int64_t v) {
               spend(20'000 + 2'000 * v);
               return v;
             })
      .predicted_by([](std::int64_t v) { return static_cast<double>(v); }, degree{1});
}

TEST_F(page_data, has_the_network_with_its_components_groups_and_ways_back) {
  const network net = (working("first") >> split(working("second"), n)).as("both") >>
                      feedback(box("third", takes(n), gives(n), plus_one), pattern{n}.where(n < 20));
  const json g = parsed(after(net, 5).json()).at("graph");
  EXPECT_EQ(g.at("left_out"), 0);
  std::vector<std::string> names;
  for (const json& node : g.at("nodes"))
    if (!node.at("component").is_null()) names.push_back(node.at("component"));
  EXPECT_EQ(names, (std::vector<std::string>{"first", "second", "third"}));
  EXPECT_EQ(g.at("nodes").front().at("kind"), "input");
  EXPECT_EQ(g.at("nodes").back().at("kind"), "output");
  ASSERT_EQ(g.at("groups").size(), 3u);
  EXPECT_EQ(g.at("groups").at(0).at("label"), "both");
  EXPECT_EQ(g.at("groups").at(1).at("kind"), "split");
  EXPECT_EQ(g.at("groups").at(1).at("group"), 0) << "the split lies in the named group";
  EXPECT_TRUE(g.at("groups").at(2).at("group").is_null());
  int back = 0;
  for (const json& e : g.at("edges")) back += e.at("back").get<bool>();
  EXPECT_EQ(back, 1);
}

TEST_F(page_data, of_a_network_too_large_to_be_drawn_has_its_size) {
  network many = box("f", takes(n), gives(n), plus_one);
  for (int i = 0; i < 2000; ++i) many = many >> box("f" + std::to_string(i), takes(n), gives(n), plus_one);
  const network_graph g = graph_of(many, 2000);
  EXPECT_EQ(g.left_out, 2001u);
  EXPECT_TRUE(g.nodes.empty());
  EXPECT_EQ(graph_of(many, 2001).nodes.size(), 2003u) << "and the input and the output";
}

TEST_F(page_data, has_curves_that_are_what_the_model_predicts) {
  const run_report r = after(working("f"), 400);
  const json c = parsed(r.json()).at("components").at(0).at("curves");
  ASSERT_FALSE(c.is_null());
  EXPECT_EQ(c.at("points").size(), r.components.at(0).recent.size());
  ASSERT_FALSE(c.at("over_x").empty());
  EXPECT_EQ(c.at("over_cores").at("cores"), (json{1, 2, 3, 4}));
  const auto model = estimator_of(r.components.at(0).learnt);
  for (const json& curve : c.at("over_x"))
    for (std::size_t i = 0; i < curve.at("x").size(); ++i) {
      const prediction p = model->predict(curve.at("x").at(i), curve.at("cores"));
      EXPECT_NEAR(curve.at("mean").at(i).get<double>(), p.mean, 1e-5 * p.mean);
      EXPECT_LE(curve.at("low").at(i), curve.at("mean").at(i));
      EXPECT_GE(curve.at("high").at(i), curve.at("mean").at(i));
    }
  EXPECT_GT(r.components.at(0).busy, 0);
  EXPECT_LE(r.components.at(0).busy, 1);
}

// For numbers of any size, down to those that have fewer digits than others.
TEST_F(page_data, has_curves_to_six_digits) {
  const double least = std::numeric_limits<double>::denorm_min(), largest = std::numeric_limits<double>::max();
  cost_curves all;
  all.over_cores.at = {1, 2, 3, 4, 5, 6};
  all.over_cores.mean = {1.25e-3, 1234567.5, 1e-320, least, largest, std::nan("")};
  const json mean = parsed(curves_json(all).dump()).at("over_cores").at("mean");
  EXPECT_EQ(mean.at(0), 1.25e-3);
  EXPECT_EQ(mean.at(1), 1234570.0);
  EXPECT_EQ(mean.at(2), 1e-320);
  EXPECT_EQ(mean.at(3), least);
  EXPECT_NEAR(mean.at(4).get<double>() / largest, 1, 1e-5);
  EXPECT_TRUE(mean.at(5).is_null());
}

TEST_F(page_data, of_nothing_seen_is_no_curve) {
  EXPECT_FALSE(curves_of(*make_estimator("weir", degree{1}), {}, 4));
  EXPECT_TRUE(parsed(after(working("f"), 0).json()).at("components").at(0).at("curves").is_null());
}

TEST_F(page_data, names_the_cores_of_owners_and_leaves_out_members_of_the_shared_group) {
  options o = four_cores();
  o.policy = fixed_shares{{"f", 3}};
  execution run = start(working("f") >> working("g"), o);
  const json to = parsed(run.report().json()).at("decisions").at(0).at("to");
  EXPECT_EQ(to.at("components").size(), 1u);
  EXPECT_EQ(to.at("components").at("f").at("cores"), 3);
  EXPECT_EQ(to.at("components").at("f").at("core_set").get<std::string>().size(), 3u) << "as in 0-2";
  EXPECT_EQ(to.at("shared"), 1);
  EXPECT_EQ(to.at("shared_core_set").get<std::string>().size(), 1u);
}

TEST_F(page_data, as_an_update_has_the_last_rows_the_largest_components_and_no_drawing) {
  run_report r;
  for (int i = 0; i < 500; ++i) {
    component_report c;
    c.name = "c" + std::to_string(i);
    c.total_seconds = i % 2 ? i : 0;
    r.components.push_back(c);
    r.names.push_back(c.name);
    r.history.push_back({.time = static_cast<double>(i), .followed = static_cast<std::uint64_t>(i)});
    decision& made = r.decisions.emplace_back();
    made.time = i;
    made.why = "because";
  }
  const std::string text = r.json(report_part::update);
  EXPECT_EQ(text.find('\n'), std::string::npos) << "one line, as server-sent events need it";
  const json j = parsed(text);
  EXPECT_FALSE(j.contains("graph"));
  EXPECT_EQ(j.at("components").size(), 200u);
  EXPECT_EQ(j.at("components_total"), 500);
  EXPECT_EQ(j.at("components").back().at("name"), "c499");
  EXPECT_EQ(j.at("components").front().at("name"), "c101");
  EXPECT_FALSE(j.at("components").front().contains("curves"));
  EXPECT_EQ(j.at("history").at("time").back(), 499);
  EXPECT_LT(j.at("history").at("time").size(), 20u);
  EXPECT_EQ(j.at("history").at("followed").back(), 499);
  EXPECT_EQ(j.at("decisions").back().at("time"), 499);
  EXPECT_EQ(j.at("decisions_total"), 500);
  EXPECT_EQ(parsed(r.json()).at("history").at("time").size(), 500u);
}

TEST_F(page_data, says_how_much_of_the_time_a_box_waited_for_room_behind_it) {
  options o = four_cores();
  o.capacity = 1;
  o.policy = fixed_shares{{"fast", 1}, {"slow", 1}};
  execution run = start(box("fast", takes(n), gives(n), plus_one) >> box("slow", takes(n), gives(n),
                                                                         [](std::int64_t v) {
                                                                           spend(2'000'000);
                                                                           return v;
                                                                         }),
                        o);
  for (int i = 0; i < 50; ++i) run.send(n = i);
  run.close();
  run.wait();
  const run_report r = run.report();
  EXPECT_GT(r.components.at(0).held_up, 0.3);
  EXPECT_EQ(r.components.at(1).held_up, 0);
}

}  // namespace
}  // namespace weir::report_page_data_test
