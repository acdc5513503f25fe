// What a record costs: chains of short boxes in weir beside the same work in oneTBB and in a plain loop, interleaved in
// one process run. Every row carries the same records - 3 fields, 2 tags, the boxes add one to a tag - or, for the
// rivals, the same struct; every answer is checked.

#include <fmt/format.h>
#include <tbb/flow_graph.h>
#include <tbb/parallel_pipeline.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <weir/weir.hpp>

namespace {

inline constexpr weir::tag value{"value"}, number{"number"};
inline constexpr weir::field<std::int64_t> first{"first"};
inline constexpr weir::field<double> second{"second"};
inline constexpr weir::field<std::shared_ptr<const std::string>> third{"third"};

// What the rivals move: the same five values.
struct item {
  std::int64_t value = 0, number = 0;
  std::int64_t first = 0;
  double second = 0;
  std::shared_ptr<const std::string> third;
};

const auto text = std::make_shared<const std::string>("carried along");

struct checker {
  std::int64_t expected = 0, sum = 0;
  bool ordered = true;
  void see(std::int64_t v, std::int64_t n, int boxes) {
    if (n != expected++) ordered = false;
    sum += v - n - boxes;
  }
  void check(std::int64_t records, bool must_be_ordered, const std::string& who) const {
    if (expected != records || sum != 0 || (must_be_ordered && !ordered))
      throw std::runtime_error(who + " gave a wrong answer");
  }
};

using clock_type = std::chrono::steady_clock;

double seconds_since(clock_type::time_point start) {
  return std::chrono::duration<double>(clock_type::now() - start).count();
}

double run_weir(int boxes, std::int64_t records) {
  const auto add_one = [](std::int64_t v) { return v + 1; };
  weir::network net = weir::box("add 1", weir::takes(value), weir::gives(value), add_one);
  for (int i = 2; i <= boxes; ++i)
    net = net >> weir::box("add " + std::to_string(i), weir::takes(value), weir::gives(value), add_one);
  auto run = weir::start(net);
  const auto start = clock_type::now();
  std::thread sender([&] {
    for (std::int64_t i = 0; i < records; ++i) run.send(value = i, number = i, first = i, second = 0.5, third = text);
    run.close();
  });
  checker seen;
  for (const weir::record& r : run) seen.see(r[value], r[number], boxes);
  const double seconds = seconds_since(start);
  sender.join();
  seen.check(records, true, "weir");
  return static_cast<double>(records) / seconds;
}

double run_flow_graph(int boxes, std::int64_t records) {
  namespace flow = tbb::flow;
  flow::graph g;
  std::vector<std::unique_ptr<flow::function_node<item, item>>> nodes;
  for (int i = 0; i < boxes; ++i) {
    nodes.push_back(std::make_unique<flow::function_node<item, item>>(g, flow::serial, [](item x) {
      ++x.value;
      return x;
    }));
    if (i) flow::make_edge(*nodes[nodes.size() - 2], *nodes.back());
  }
  checker seen;
  flow::function_node<item, flow::continue_msg> last(g, flow::serial, [&](const item& x) {
    seen.see(x.value, x.number, boxes);
    return flow::continue_msg();
  });
  flow::limiter_node<item> limit(g, 64);  // as many in flight as in the published comparisons
  flow::make_edge(limit, *nodes.front());
  flow::make_edge(*nodes.back(), last);
  flow::make_edge(last, limit.decrementer());
  const auto start = clock_type::now();
  std::int64_t next = 0;
  flow::input_node<item> input(g, [&](tbb::flow_control& control) {
    if (next == records) {
      control.stop();
      return item{};
    }
    const std::int64_t i = next++;
    return item{i, i, i, 0.5, text};
  });
  flow::make_edge(input, limit);
  input.activate();
  g.wait_for_all();
  const double seconds = seconds_since(start);
  seen.check(records, false, "flow_graph");
  return static_cast<double>(records) / seconds;
}

double run_parallel_pipeline(int boxes, std::int64_t records) {
  checker seen;
  std::int64_t next = 0;
  tbb::filter<void, item> chain =
      tbb::make_filter<void, item>(tbb::filter_mode::serial_in_order, [&](tbb::flow_control& control) {
        if (next == records) {
          control.stop();
          return item{};
        }
        const std::int64_t i = next++;
        return item{i, i, i, 0.5, text};
      });
  for (int i = 0; i < boxes; ++i)
    chain = chain & tbb::make_filter<item, item>(tbb::filter_mode::parallel, [](item x) {
              ++x.value;
              return x;
            });
  const auto start = clock_type::now();
  tbb::parallel_pipeline(
      64, chain & tbb::make_filter<item, void>(tbb::filter_mode::serial_in_order,
                                               [&](const item& x) { seen.see(x.value, x.number, boxes); }));
  const double seconds = seconds_since(start);
  seen.check(records, true, "parallel_pipeline");
  return static_cast<double>(records) / seconds;
}

double median(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  return v.size() % 2 ? v[v.size() / 2] : 0.5 * (v[v.size() / 2 - 1] + v[v.size() / 2]);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"What a record costs in weir and elsewhere, interleaved"};
  bool as_json = false;
  int repeats = 7;
  std::int64_t records = 200000;
  std::vector<int> lengths{1, 4, 16, 64};
  app.add_flag("--json", as_json, "machine-readable output");
  app.add_option("--repeat", repeats, "interleaved repeats of each row")->check(CLI::Range(1, 1000));
  app.add_option("--records", records, "records a run")->check(CLI::Range(std::int64_t{1000}, std::int64_t{100000000}));
  app.add_option("--boxes", lengths, "chain lengths")->delimiter(',')->check(CLI::Range(1, 10000));
  CLI11_PARSE(app, argc, argv);
  try {
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    if (!as_json)
      fmt::print("records a second, median of {} interleaved runs of {} records [min .. max]; ratio paired\n", repeats,
                 records);
    for (const int k : lengths) {
      const std::vector<std::pair<std::string, std::function<double(int, std::int64_t)>>> rivals{
          {"weir", run_weir}, {"flow_graph", run_flow_graph}, {"parallel_pipeline", run_parallel_pipeline}};
      std::map<std::string, std::vector<double>> rates, ratios;
      for (int r = 0; r < repeats; ++r) {
        std::map<std::string, double> now;
        for (const auto& [name, work] : rivals) now[name] = work(k, records);
        for (const auto& [name, rate] : now) {
          rates[name].push_back(rate);
          ratios[name].push_back(rate / now["flow_graph"]);
        }
      }
      for (const auto& [name, work] : rivals) {
        const auto [low, high] = std::minmax_element(rates[name].begin(), rates[name].end());
        rows.push_back({{"group", "pipe"},
                        {"config", fmt::format("k={}", k)},
                        {"impl", name},
                        {"records_per_second", median(rates[name])},
                        {"min", *low},
                        {"max", *high},
                        {"ratio_to_flow_graph", median(ratios[name])}});
        if (!as_json)
          fmt::print("k={:<4} {:<18} {:>9.3f} M/s [{:.3f} .. {:.3f}]  {:>6.2f} x flow graph\n", k, name,
                     median(rates[name]) / 1e6, *low / 1e6, *high / 1e6, median(ratios[name]));
      }
    }
    if (as_json) fmt::print("{}\n", nlohmann::ordered_json{{"rows", rows}}.dump(2));
  } catch (const std::exception& e) {
    fmt::print(stderr, "overhead: {}\n", e.what());
    return 1;
  }
  return 0;
}
