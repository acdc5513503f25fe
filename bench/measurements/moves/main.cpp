// The cost of moving cores: the time from the rule's decision to the first invocation on the new cores, and until
// oneTBB's worker helps there. For comparison, it measures the latter for oneTBB alone. One component is moved back and
// forth between one core and two, by a rule that changes its decision with the clock. An invocation is a parallel loop
// of about 20 us per core.

#include <fmt/format.h>
#include <sched.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <weir/weir.hpp>

#include "bench/support/host.hpp"
#include "bench/support/number_range.hpp"
#include "bench/support/quantile.hpp"

namespace {

using clock_type = std::chrono::steady_clock;
using json = nlohmann::ordered_json;

double now() { return std::chrono::duration<double>(clock_type::now().time_since_epoch()).count(); }

constexpr double grain = 20e-6;  // seconds of a core's part of an invocation: longer than short boxes, but still little

void spin(double seconds) {
  for (const double until = now() + seconds; now() < until;) {
  }
}

// Runs a loop with one part per core of the arena and returns how many threads took part.
int loop_on_all_cores() {
  const int cores = tbb::this_task_arena::max_concurrency();
  std::atomic<std::uint64_t> slots{0};
  tbb::parallel_for(
      0, cores,
      [&](int) {
        slots.fetch_or(std::uint64_t{1} << (tbb::this_task_arena::current_thread_index() & 63));
        spin(grain);
      },
      tbb::simple_partitioner());
  return __builtin_popcountll(slots.load());
}

// The moment when other cores than those in force were first chosen, by the time of the view.
using choices = std::map<double, double>;

// Alternates between allotments.
class alternating final : public weir::allocation_rule {
 public:
  alternating(double period, std::vector<weir::allotment> turns, choices& made)
      : period_(period), turns_(std::move(turns)), made_(made) {}
  std::string name() const override { return "alternating"; }
  weir::allotment decide(const weir::system_view& view) const override {
    const weir::allotment& chosen = turns_[static_cast<std::size_t>(view.time / period_) % turns_.size()];
    if (!(chosen == view.current)) made_.try_emplace(view.time, now());
    return chosen;
  }
  weir::assessment assess(const weir::system_view& view, const weir::allotment& given) const override {
    weir::assessment said = weir::allocation_rule::assess(view, given);
    said.cost = given == decide(view) ? 1 : 2;
    said.critical = 0;
    return said;
  }
  bool adapts() const override { return true; }

 private:
  double period_;
  std::vector<weir::allotment> turns_;
  choices& made_;
};

struct latencies {
  double first = NAN;        // of the first move of its kind: new arenas, threads, slots
  std::vector<double> warm;  // of all later ones
  void add(double seconds) {
    if (std::isnan(first))
      first = seconds;
    else
      warm.push_back(seconds);
  }
};

inline constexpr weir::tag n{"n"};

weir::allotment given(weir::core_set own, weir::core_set shared) { return {{{std::move(own), 1}}, std::move(shared)}; }

// Runs for `seconds`. Adds the times of moves by kind: "1 core -> 2 cores, first invocation" and so on.
void move_about(double seconds, double period, const std::vector<int>& between,
                std::map<std::string, latencies>& by_kind, int& left_out) {
  using weir::core_set;
  const int a = between[0], b = between[1];
  // Moves back to the core that it came from, and to the other core, in turn.
  const auto first = given(core_set{a}, core_set{b}), second = given(core_set{b}, core_set{a}),
             both = given(core_set{a, b}, core_set{a}), both_beside_second = given(core_set{a, b}, core_set{b});
  const std::vector<weir::allotment> turns{
      first, both, first, both, second, both_beside_second, second, both_beside_second};
  struct invocation {
    double start;
    int core;  // of the lane's own thread
    int cores, threads;
  };
  std::vector<invocation> seen;  // one lane: one at a time, in order
  const auto work = weir::box("work", weir::takes(n), weir::gives_none, [&](std::int64_t) {
                      const double start = now();
                      const int core = sched_getcpu();
                      seen.push_back({start, core, tbb::this_task_arena::max_concurrency(), loop_on_all_cores()});
                    }).width(1);
  choices made;
  weir::options o;
  o.policy = alternating(period, turns, made);
  o.capacity = 64;  // its queue does not run empty while the controller uses the sender's core
  std::vector<weir::decision> decisions;
  {
    auto run = weir::start(work, o);
    const double end = now() + seconds;
    for (std::int64_t i = 0; now() < end; ++i) run.send(n = i);
    run.close();
    run.wait();
    decisions = run.report().decisions;
  }
  const auto cores_of = [](int c) { return fmt::format("{} core{}", c, c == 1 ? "" : "s"); };
  const auto chosen_at = [&](std::size_t d) {  // NaN: not chosen by the rule, such as a move that was taken back
    const auto found = d < decisions.size() ? made.find(decisions[d].time) : made.end();
    return found == made.end() ? NAN : found->second;
  };
  for (std::size_t d = 1; d < decisions.size(); ++d) {
    const weir::decision& move = decisions[d];
    const int before = move.from.components[0].cores.size(), after = move.to.components[0].cores.size();
    const double since = chosen_at(d), until = chosen_at(d + 1);
    const bool is_last = d + 1 == decisions.size();
    if (std::isnan(since) || (std::isnan(until) && !is_last) || before == after) {  // its invocations cannot be
                                                                                    // identified
      ++left_out;
      continue;
    }
    const std::string kind = fmt::format("{} -> {}", cores_of(before), cores_of(after));
    bool is_first = true;
    int was_on = -1;
    for (const invocation& i : seen) {
      if (i.start < since || i.cores != after) {
        was_on = i.core;
        continue;
      }
      if (i.start >= until) break;  // this move has no invocation before the next one
      if (std::exchange(is_first, false)) {
        by_kind[kind + ", first invocation"].add(i.start - since);
        by_kind["all moves, first invocation"].add(i.start - since);
        by_kind[kind + (i.core == was_on ? ", by a thread that stays on its core" : ", by one that changes cores")].add(
            i.start - since);
      }
      if (after == 1) break;
      if (i.threads < after) continue;
      by_kind[kind + ", all cores at work"].add(i.start - since);
      break;
    }
  }
}

// The same thread leaves one arena, where a oneTBB worker helps, and enters another; the time until one helps there.
void leave_and_enter(double seconds, double period, std::map<std::string, latencies>& by_kind) {
  tbb::task_arena arenas[2]{tbb::task_arena(2, 1), tbb::task_arena(2, 1)};
  latencies& taken = by_kind["oneTBB alone: a worker follows into another arena"];
  bool second = false;
  for (const double end = now() + seconds; now() < end; second = !second) {
    const double entered = now();
    double helped = NAN;
    arenas[second].execute([&] {
      while (now() < entered + period) {
        const double start = now();
        if (loop_on_all_cores() > 1 && std::isnan(helped)) helped = start - entered;
      }
    });
    if (!std::isnan(helped)) taken.add(helped);
  }
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"What moving cores costs, to and fro between one core and two"};
  bool as_json = false;
  std::string out;
  double seconds = 5, period = 0.05;
  int repeats = 3;
  std::vector<int> between{0, 1};
  app.add_flag("--json", as_json, "machine-readable output");
  app.add_option("--out", out, "the JSON in a file, besides");
  app.add_option("--seconds", seconds, "of each run")
      ->check(weir::program::number_range(0.5, 3600))
      ->capture_default_str();
  app.add_option("--period", period, "seconds between two moves")
      ->check(weir::program::number_range(0.03, 10))
      ->capture_default_str();
  app.add_option("--repeat", repeats, "runs, interleaved with oneTBB alone")->check(CLI::Range(1, 1000));
  app.add_option("--cores", between, "between these two, as `weir topology` numbers them")
      ->delimiter(',')
      ->expected(2)
      ->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  try {
    const int cores = weir::machine::local().size();
    if (cores < 2) throw std::runtime_error("this takes two cores; there is one");
    if (between[0] == between[1] || std::min(between[0], between[1]) < 0 || std::max(between[0], between[1]) >= cores)
      throw std::runtime_error(
          fmt::format("--cores {},{}: not two different cores from 0 to {}", between[0], between[1], cores - 1));
    std::map<std::string, latencies> by_kind;
    int left_out = 0;
    for (int r = 0; r < repeats; ++r) {
      move_about(seconds, period, between, by_kind, left_out);
      leave_and_enter(seconds / 4, period, by_kind);
    }
    json rows = json::array();
    if (!as_json)
      fmt::print("{}, {}; {} runs of {} s; microseconds from the decision\n  {:<52} {:>6} {:>8} {:>8} {:>8}\n",
                 weir::program::processor_name(), weir::machine::local().summary(), repeats, seconds, "", "moves",
                 "median", "95 %", "first");
    for (const auto& [kind, taken] : by_kind) {
      const double median = weir::program::quantile(taken.warm, 0.5), late = weir::program::quantile(taken.warm, 0.95);
      rows.push_back({{"what", kind},
                      {"moves", taken.warm.size()},
                      {"median_us", median * 1e6},
                      {"p95_us", late * 1e6},
                      {"first_us", taken.first * 1e6}});
      if (!as_json)
        fmt::print("  {:<52} {:>6} {:>8.1f} {:>8.1f} {:>8.1f}\n", kind, taken.warm.size(), median * 1e6, late * 1e6,
                   taken.first * 1e6);
    }
    if (!as_json && left_out > 0)
      fmt::print("{} moves to as many cores elsewhere, or taken back, left out\n", left_out);
    const std::string text = json{
        {"machine", weir::machine::local().summary()},
        {"processor", weir::program::processor_name()},
        {"build", weir::program::build_type()},
        {"cores", between},
        {"left_out", left_out},
        {"rows", rows}}.dump(2);
    if (as_json) fmt::print("{}\n", text);
    if (!out.empty()) std::ofstream(out) << text;
  } catch (const std::exception& e) {
    fmt::print(stderr, "moves: {}\n", e.what());
    return 1;
  }
  return 0;
}
