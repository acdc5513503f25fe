#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>

#include <weir/report/report.hpp>
#include "runtime/run/run_state.hpp"
#include "runtime/statistics/traffic.hpp"
#include "scheduler/expect/queueing.hpp"
#include "tests/runtime/language/labels.hpp"
#include "tests/runtime/support/virtual_time.hpp"
#include "tests/support/gives_all_back.hpp"
#include "tests/support/json.hpp"

// The network's own numbers: counts on the record path, and the models' predictions in comparison. The boxes determine
// the time, and the test determines when the counts are read.
namespace weir {
namespace {

using namespace testing;
using visits_by_name = std::map<std::string, double>;
using links_by_name = std::map<std::pair<std::string, std::string>, double>;

// ---- arrivals ----

TEST(traffic, the_arrival_rate_is_known_from_the_second_look_on_and_follows_a_change_within_seconds) {
  const detail::unfolded none;
  detail::traffic t(none);
  t.update(5, 0);
  EXPECT_EQ(t.arrival_rate(), 0);
  t.update(6, 10);
  EXPECT_DOUBLE_EQ(t.arrival_rate(), 10);
  t.update(6, 10);  // no time has passed: nothing to learn
  EXPECT_DOUBLE_EQ(t.arrival_rate(), 10);
  t.update(7, 40);
  EXPECT_DOUBLE_EQ(t.arrival_rate(), 10 * std::exp(-1) + 30 * (1 - std::exp(-1)));
  for (int i = 1; i <= 20; ++i) t.update(7 + i, 40 + 30 * static_cast<std::uint64_t>(i));
  EXPECT_NEAR(t.arrival_rate(), 30, 1e-6);
  for (int i = 1; i <= 20; ++i) t.update(27 + i, 640);
  EXPECT_NEAR(t.arrival_rate(), 0, 1e-6) << "nothing comes any more";
  EXPECT_EQ(t.entered(640), 640u);
}

// ---- visits and links: counts of several places agree to a hundredth, since older ones weigh less ----

class network_report_test : public gives_all_back {
 protected:
  const std::shared_ptr<virtual_time> time = std::make_shared<virtual_time>("core:4 pu:1");

  // A box that takes `seconds`.
  network lasting(const std::string& name, double seconds) {
    return box(name, takes(n), gives(n), [this, seconds](std::int64_t v) {
      time->advance(seconds);
      return v;
    });
  }

  // The report after the records n = 0, 1, .. and an update of the counts.
  run_report after(const network& net, int records, bool with_k = false) {
    detail::run_state run(net, on(time));
    for (int i = 0; i < records; ++i) {
      if (with_k)
        run.send(record(n = i, k = i % 4 == 3 ? 1 : 0));
      else
        run.send(record(n = i));
    }
    run.close();
    run.wait();
    run.step();
    return run.report();
  }
};

visits_by_name visits_of(const run_report& r) {
  visits_by_name all;
  for (const component_report& c : r.components) all[c.name] = c.visits;
  return all;
}

links_by_name links_of(const run_report& r) {
  links_by_name all;
  for (const link_report& l : r.links) all[{l.from, l.to}] += l.records;
  return all;
}

void expect_near(const visits_by_name& got, const visits_by_name& expected, double by = 1e-9) {
  ASSERT_EQ(got.size(), expected.size());
  for (const auto& [name, visits] : expected) EXPECT_NEAR(got.at(name), visits, by) << name;
}

void expect_near(const links_by_name& got, const links_by_name& expected, double by = 1e-9) {
  for (const auto& [ends, records] : got)
    EXPECT_TRUE(expected.count(ends)) << ends.first << " -> " << ends.second << ": " << records;
  for (const auto& [ends, records] : expected) {
    ASSERT_TRUE(got.count(ends)) << ends.first << " -> " << ends.second;
    EXPECT_NEAR(got.at(ends), records, by) << ends.first << " -> " << ends.second;
  }
}

// Cores for the boxes behind are divided by these numbers, perhaps before the first invocation is over.
TEST_F(network_report_test, records_of_a_long_invocation_are_counted_while_it_goes_on) {
  detail::run_state* running = nullptr;
  links_by_name meanwhile;
  const network net = box("parts", takes(n), gives(n),
                          [&](std::int64_t v, emitter& emit) {
                            for (int i = 0; i < 3; ++i) {
                              time->advance(1);
                              emit(n = v);
                            }
                            running->step();
                            meanwhile = links_of(running->report());
                          }) >>
                      lasting("part", .1);
  detail::run_state run(net, on(time));
  running = &run;
  run.send(record(n = 1));
  run.close();
  run.wait();
  EXPECT_NEAR((meanwhile[{"parts", "part"}]), 3, 1e-9);
}

TEST_F(network_report_test, each_box_of_a_chain_is_visited_once_by_every_record) {
  const run_report r = after(lasting("f", .1) >> lasting("g", .1) >> lasting("h", .1), 50);
  expect_near(visits_of(r), {{"f", 1}, {"g", 1}, {"h", 1}});
  expect_near(links_of(r), {{{"input", "f"}, 1}, {{"f", "g"}, 1}, {{"g", "h"}, 1}});
}

// The report distinguishes both ends of a link, also from a box with the name of an end of the network.
TEST_F(network_report_test, an_end_of_the_network_is_in_parentheses_where_a_component_has_its_name) {
  const run_report r = after(lasting("input", .1) >> lasting("output", .1), 50);
  expect_near(links_of(r), {{{"(input)", "input"}, 1}, {{"input", "output"}, 1}});
  EXPECT_TRUE(std::ranges::any_of(r.streams, [](const stream_report& s) { return s.from == "(input)"; })) << r.full();
  EXPECT_TRUE(std::ranges::any_of(r.streams, [](const stream_report& s) { return s.to == "(output)"; })) << r.full();
}

// A name that is a part of another's is a writer of its own.
TEST_F(network_report_test, all_writers_of_a_stream_are_named) {
  const network kept = box("parse", takes(n, k), gives(n), [](std::int64_t v, std::int64_t) { return v; });
  const network last = box("last", takes(n), gives(n), [](std::int64_t v) { return v; }).width(1);  // not fused
  const run_report r = after((lasting("parser", .1) | kept) >> last, 50, true);
  const auto before_last = [](const stream_report& s) { return s.to == "last"; };
  const auto found = std::ranges::find_if(r.streams, before_last);
  ASSERT_NE(found, r.streams.end()) << r.full();
  EXPECT_TRUE(found->from == "parser | parse" || found->from == "parse | parser") << found->from;
}

TEST_F(network_report_test, a_box_that_drops_or_multiplies_records_has_that_gain) {
  const network half =
      box("half", takes(n), gives(n), [](std::int64_t v) { return v % 2 ? std::nullopt : std::optional(v); });
  const network thrice = box("thrice", takes(n), gives(n), [](std::int64_t v, emitter& emit) {
    for (int i = 0; i < 3; ++i) emit(n = v);
  });
  const run_report r = after(half >> thrice >> lasting("last", .1), 100);
  expect_near(visits_of(r), {{"half", 1}, {"thrice", .5}, {"last", 1.5}}, .01);
  expect_near(links_of(r), {{{"input", "half"}, 1}, {{"half", "thrice"}, .5}, {{"thrice", "last"}, 1.5}}, .01);
}

TEST_F(network_report_test, a_filter_between_two_boxes_is_a_part_of_their_link) {
  const network twice = filter(takes(n)).emit(n).emit(n);
  const run_report r = after(lasting("first", .1) >> twice >> lasting("last", .1), 100);
  expect_near(visits_of(r), {{"first", 1}, {"last", 2}}, .01);
  expect_near(links_of(r), {{{"input", "first"}, 1}, {{"first", "last"}, 2}}, .01);
}

// One record in four fits the second branch better.
TEST_F(network_report_test, a_choice_is_visited_by_the_parts_that_go_each_way) {
  const network rare = box("rare", takes(n, t), gives(n), [](std::int64_t v, std::int64_t) { return v; });
  const network mark = filter(takes(n, k)).when(k == 1).emit(n, t = 0).otherwise().emit(n);
  const run_report r =
      after(lasting("first", .1) >> mark >> (lasting("usual", .1) | rare) >> lasting("last", .1), 400, true);
  expect_near(visits_of(r), {{"first", 1}, {"usual", .75}, {"rare", .25}, {"last", 1}}, .01);
  expect_near(links_of(r),
              {{{"input", "first"}, 1},
               {{"first", "usual"}, .75},
               {{"first", "rare"}, .25},
               {{"usual", "last"}, .75},
               {{"rare", "last"}, .25}},
              .01);
}

// Every record makes three rounds.
TEST_F(network_report_test, what_goes_round_counts_each_time_in_visits_and_once_in_links) {
  const network down = filter(takes(x)).emit(x = x - 1);
  const network begin = filter(takes(n)).emit(n, x = 3);
  const network loop = star(lasting("body", .1) >> down, pattern{x}.where(x == 0));
  const run_report r = after(lasting("before", .1) >> begin >> loop >> lasting("behind", .1), 100);
  expect_near(visits_of(r), {{"before", 1}, {"body", 3}, {"behind", 1}}, .01);
  expect_near(links_of(r), {{{"input", "before"}, 1}, {{"before", "body"}, 1}, {{"body", "behind"}, 1}}, .01);
}

TEST_F(network_report_test, what_an_initialiser_gives_enters_like_what_is_sent) {
  const network net = (source("source", gives(n),
                              [](emitter& emit) {
                                for (int i = 0; i < 30; ++i) emit(n = i);
                              }) |
                       bypass()) >>
                      lasting("f", .5);
  detail::run_state run(net, on(time));
  run.close();
  run.wait();
  run.step();
  const run_report r = run.report();
  EXPECT_NEAR(visits_of(r).at("f"), 1, 1e-9);
  EXPECT_NEAR(links_of(r).at({"source", "f"}), 1, 1e-9);
  EXPECT_NEAR(r.network.arrival_rate, 30 / 15.0, 1e-9);
}

// All records first take one way, then the other. After some thousands only the second counts, while the numbers of the
// whole run include both.
TEST_F(network_report_test, routing_that_changes_is_followed_and_the_whole_run_stays_known) {
  const network rare = box("rare", takes(n, t), gives(n), [](std::int64_t v, std::int64_t) { return v; });
  detail::run_state run(lasting("usual", .1) | rare, on(time));
  for (int i = 0; i < 10000; ++i) {
    if (i < 2000)
      run.send(record(n = i));
    else
      run.send(record(n = i, t = 0));
    if (i % 100 == 99) {
      record out;
      for (int j = 0; j < 100; ++j) ASSERT_TRUE(run.next(out));
      run.step();
    }
  }
  const run_report r = run.report();
  EXPECT_NEAR(visits_of(r).at("usual"), 0, .01);
  EXPECT_NEAR(visits_of(r).at("rare"), 1, .01);
  EXPECT_NEAR(r.components[0].observed_visits, .2, 1e-9);
  EXPECT_NEAR(r.components[1].observed_visits, .8, 1e-9);
  EXPECT_EQ(r.components[1].name, "rare");
}

// ---- throughput, latency, utilisation, queues ----

// Half a second on one core, at one record per second: an M/D/1 queue at load 1/2 waits for half the service time.
TEST_F(network_report_test, predictions_of_a_single_server_are_those_of_queueing_theory) {
  const auto one_core = std::make_shared<virtual_time>("core:1 pu:1");
  const network net = box("f", takes(n), gives(n), [&](std::int64_t v) {
    one_core->advance(.5);
    return v;
  });
  options o = on(one_core);
  o.policy = fixed_shares{{"f", 1}};
  detail::run_state run(net, o);
  for (int i = 0; i < 200; ++i) {
    run.send(record(n = i));
    record out;
    ASSERT_TRUE(run.next(out));
    one_core->advance(.5);
    run.step();
  }
  run.close();
  run.wait();
  const run_report r = run.report();
  EXPECT_NEAR(r.seconds, 200, 1e-9);
  EXPECT_NEAR(r.network.arrival_rate, 1, 1e-9);
  EXPECT_NEAR(r.network.predicted_throughput, 2, .02);
  EXPECT_NEAR(r.network.predicted_latency, .75, .02);
  EXPECT_EQ(r.network.followed, 200u);
  EXPECT_NEAR(r.network.latency_mean, .5, 1e-9) << "they came evenly, so that none waited";
  EXPECT_NEAR(r.network.latency_p50, .5, 1e-9);
  EXPECT_NEAR(r.network.latency_p99, .5, 1e-9);
  ASSERT_EQ(r.components.size(), 1u);
  EXPECT_NEAR(r.components[0].predicted_seconds, .5, .005);
  EXPECT_NEAR(r.components[0].predicted_utilisation, .5, .005);
  EXPECT_NEAR(r.components[0].utilisation, .5, 1e-9);
  EXPECT_NEAR(r.components[0].observed_visits, 1, 1e-9);
  ASSERT_EQ(r.streams.size(), 2u);
  EXPECT_EQ(r.streams[0].predicted, queue_capacity(.5, .05, 1, 64));
  EXPECT_GE(r.streams[0].capacity, r.streams[0].predicted) << "the stream has the places that the load asks for";
  EXPECT_EQ(r.streams[0].peak, 1u);
}

// Three records are sent together: the first stays for its own second, the others wait for those before them.
TEST_F(network_report_test, latency_counts_from_when_a_record_was_let_in_until_all_that_it_caused_has_left) {
  const run_report r = after(lasting("f", 1), 3);
  EXPECT_EQ(r.network.followed, 3u);
  EXPECT_NEAR(r.network.latency_mean, 2, 1e-9);
  const network twice = box("f", takes(n), gives(n), [](std::int64_t v, emitter& emit) {
    emit(n = v);
    emit(n = v);
  });
  EXPECT_NEAR(after(twice >> lasting("g", 1), 1).network.latency_mean, 2, 1e-9)
      << "until the second of the two has left";
}

TEST_F(network_report_test, before_the_first_record_nothing_is_known_and_nothing_is_wrong) {
  detail::run_state run(lasting("f", 1) >> lasting("g", 1), on(time));
  const run_report r = run.report();
  EXPECT_EQ(r.network.followed, 0u);
  EXPECT_TRUE(std::isnan(r.network.latency_mean));
  EXPECT_TRUE(std::isnan(r.components[0].observed_visits));
  for (const stream_report& s : r.streams) EXPECT_EQ(s.predicted, 0u);
  const auto j = parsed(r.json());
  EXPECT_TRUE(j.at("network").at("latency_mean").is_null());
  EXPECT_TRUE(j.at("components")[0].at("observed_visits").is_null());
}

// The first member of the group does less than the second: the report has its own part, and the second is the
// bottleneck.
TEST_F(network_report_test, tells_what_each_member_of_the_shared_group_does_and_who_limits_it) {
  options o = on(time);
  o.policy = fixed_shares{{"h", 2}};
  detail::run_state run(lasting("f", 0.1) >> lasting("g", 0.3) >> lasting("h", 0.15), o);
  for (int i = 0; i < 20; ++i) run.send(n = i);
  run.close();
  run.wait();
  run.step();
  const run_report r = run.report();
  const double rate = r.network.arrival_rate;
  ASSERT_EQ(r.components.size(), 3u);
  EXPECT_NEAR(r.network.predicted_group_utilisation, rate * 0.4 / 2, 0.01 * rate) << "on two cores";
  EXPECT_NEAR(r.components[0].predicted_utilisation, rate * 0.1 / 2, 0.01 * rate);
  EXPECT_NEAR(r.components[1].predicted_utilisation, rate * 0.3 / 2, 0.01 * rate);
  EXPECT_EQ(r.network.bottleneck, "g");
  EXPECT_TRUE(r.network.bottleneck_is_shared);
  EXPECT_NE(r.full().find("\nshared group busy "), std::string::npos) << r.full();
  EXPECT_NE(r.full().find("\nbottleneck by the models: shared group, most of it g\n"), std::string::npos) << r.full();
  const auto j = parsed(r.json()).at("network");
  EXPECT_EQ(j.at("bottleneck"), "g");
  EXPECT_EQ(j.at("bottleneck_is_shared"), true);
  EXPECT_EQ(j.at("predicted_group_utilisation"), r.network.predicted_group_utilisation);
}

TEST_F(network_report_test, as_text_has_a_row_of_predicted_and_observed_for_each_number_and_as_json_all_of_them) {
  const run_report r = after(lasting("f", 1) >> lasting("g", 2), 20);
  const std::string text = r.full();
  for (const char* row : {"\nthroughput ", "\nlatency ", "\nf busy ", "\nf visits ", "\ng busy ", "\ng visits ",
                          "\ninput -> f ", "\nf -> g "})
    EXPECT_NE(text.find(row), std::string::npos) << row << " is not in\n" << text;
  const auto j = parsed(r.json());
  EXPECT_EQ(j.at("network").at("followed"), r.network.followed);
  EXPECT_EQ(j.at("network").at("arrival_rate"), r.network.arrival_rate);
  EXPECT_EQ(j.at("network").at("predicted_throughput"), r.network.predicted_throughput);
  EXPECT_EQ(j.at("network").at("latency_p99"), r.network.latency_p99);
  EXPECT_EQ(j.at("components")[1].at("visits"), r.components[1].visits);
  EXPECT_EQ(j.at("components")[1].at("observed_visits"), r.components[1].observed_visits);
  EXPECT_EQ(j.at("components")[1].at("predicted_utilisation"), r.components[1].predicted_utilisation);
  EXPECT_EQ(j.at("links").size(), r.links.size());
  EXPECT_EQ(j.at("links")[0].at("from"), "input");
  EXPECT_EQ(j.at("streams")[1].at("predicted"), r.streams[1].predicted);
}

}  // namespace
}  // namespace weir
