// A real device: the crossing point between cores and the device, what slots overlap, and where records run as the run
// learns it, against every fixed placement. Numbers are the medians of runs in turns.

#include <fmt/format.h>
#include <sched.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include <weir/weir.hpp>
#include "bench/measurements/real_devices/device_run.hpp"
#include "bench/measurements/real_devices/measured_costs.hpp"
#include "bench/measurements/real_devices/opened_device.hpp"
#include "bench/measurements/real_devices/placement_plan.hpp"
#include "bench/measurements/real_devices/workload.hpp"
#include "bench/support/host.hpp"
#include "bench/support/number_range.hpp"
#include "bench/support/quantile.hpp"

namespace {

using json = nlohmann::ordered_json;

struct settings {
  std::string name, json_file;
  std::vector<int> cpus;
  double seconds = 100;
  int repeat = 3, slots = 2, thresholds = 5, slower = 4;
  std::uint64_t seed = 1;
};

double median(const std::vector<double>& values) { return weir::program::quantile(values, 0.5); }
json number(double value) { return std::isfinite(value) ? json(value) : json(); }

std::vector<int> drawn(const std::vector<int>& sides, std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<int> all;
  for (std::size_t i = 0; i < count; ++i) all.push_back(sides[random() % sides.size()]);
  return all;
}

class measurement {
 public:
  explicit measurement(settings s)
      : set_(std::move(s)), cores_(spared_cores(set_.cpus)), device_(open_device(set_.name, set_.cpus)) {
    fmt::print("# {} ({}), {} cores of {}\n", device_.name, device_.interface, cores_, weir::program::processor_name());
  }

  void run() {
    json found{{"device", device_.name},
               {"interface", device_.interface},
               {"processor", weir::program::processor_name()},
               {"cores", cores_},
               {"slots", set_.slots},
               {"repeat", set_.repeat}};
    for (const workload& w : {blur_workload(), product_workload()}) found["workloads"].push_back(measure(w));
    found["chain"] = chain();
    found["device_errors"] = errors_;
    fmt::print("\nErrors of the device, whose records ran on cores: {}.\n", errors_);
    if (set_.json_file.empty()) return;
    std::ofstream file(set_.json_file);
    file << found.dump(2) << '\n';
    if (!file.flush()) throw std::runtime_error("cannot write " + set_.json_file);
  }

 private:
  // The number of cores that the device leaves to the runs. weir looks at them before the device is opened, whose
  // threads are of this process.
  static int spared_cores(const std::vector<int>& cpus) {
    cpu_set_t mine;
    if (!cpus.empty() && sched_getaffinity(0, sizeof mine, &mine) == 0) {
      for (const int cpu : cpus)
        if (cpu >= 0 && cpu < CPU_SETSIZE) CPU_CLR(cpu, &mine);
      if (CPU_COUNT(&mine) == 0 || sched_setaffinity(0, sizeof mine, &mine) != 0)
        throw std::runtime_error("--cpus leaves no processing unit to the cores");
    }
    return weir::machine::local().size();
  }

  template <class Outcome>
  const Outcome& counted(const Outcome& of) {
    errors_ += of.errors;
    return of;
  }

  weir::device slots(int count) const { return weir::device("device", count, set_.cpus); }

  json measure(const workload& w) {
    const double share = set_.seconds / 2;
    const measured_costs costs(w, *device_.queue(), share * 0.1);
    json found{{"name", w.name}};
    fmt::print("\n## {}: milliseconds by side\n\n| side | one core | device, with copies |\n|---|---|---|\n", w.name);
    for (const auto& p : costs.points()) {
      found["costs"].push_back({{"side", p.side}, {"core_seconds", p.on_cores}, {"device_seconds", p.on_device}});
      fmt::print("| {} | {:.3f} | {:.3f} |\n", p.side, 1e3 * p.on_cores, 1e3 * p.on_device);
    }
    const std::vector<int> sides = inputs_of(w, costs, share * 0.35);
    for (const int side : sides) w.prepare(side);
    found["crossing"] = number(costs.crossing());
    found["sides"] = sides;
    fmt::print("\nCrossing point: side {:.0f}. Inputs of the runs: sides {} to {}.\n", costs.crossing(), sides.front(),
               sides.back());
    found["overlap"] = overlap(w, sides.back(), costs, share * 0.1);
    found["batches"] = batches(w, share * 0.08);
    found["cases"] = {placements(w, sides, costs, 1, share * 0.35),
                      placements(w, sides, costs, set_.slower, share * 0.35)};
    return found;
  }

  static constexpr double least_records = 60;  // of a run: fewer are all spent on learning
  static double phases_factor(int slower) { return 1 + (slower - 1) / 3.0; }

  // Inputs lie around the crossing point; without one around the middle of the measured sides. They are smaller where
  // the least number of records does not fit the time.
  std::vector<int> inputs_of(const workload& w, const measured_costs& costs, double seconds) const {
    const double first = costs.points().front().side, last = costs.points().back().side;
    double middle = std::isfinite(costs.crossing()) ? costs.crossing() : std::sqrt(first * last);
    for (;; middle *= 0.8) {
      const std::vector<int> sides = sides_around(middle, w.degree);
      const placement_plan plan(sides, set_.thresholds, costs, cores_, phases_factor(set_.slower));
      if (middle <= first || least_records * set_.repeat * plan.seconds <= seconds) return sides;
    }
  }

  // Inputs of one side, all on the device, by 1 to 3 slots.
  json overlap(const workload& w, int side, const measured_costs& costs, double seconds) {
    constexpr int most_slots = 3;
    const auto count =
        static_cast<std::size_t>(std::clamp(seconds / (set_.repeat * most_slots * costs.on_device(side)), 10.0, 1e5));
    std::vector<std::vector<double>> rates(most_slots);
    for (int i = 0; i < set_.repeat; ++i)
      for (int s = 0; s < most_slots; ++s)
        rates[s].push_back(
            counted(device_run(w, std::vector<int>(count, side), {"", true, 0.0}, device_, slots(s + 1), 1))
                .per_second);
    json rows = json::array();
    fmt::print("\n| slots, {} inputs of side {} | records a second | over one slot |\n|---|---|---|\n", count, side);
    for (int s = 0; s < most_slots; ++s) {
      const double rate = median(rates[s]), over_one = rate / median(rates[0]);
      rows.push_back({{"slots", s + 1}, {"side", side}, {"per_second", rate}, {"over_one", over_one}});
      fmt::print("| {} | {:.1f} | {:.2f} |\n", s + 1, rate, over_one);
    }
    return rows;
  }

  // Small inputs, all on the device, in batches of each size and of a learnt one.
  json batches(const workload& w, double seconds) {
    constexpr int side = 32, most = 64;
    constexpr std::size_t first = 2 * most;
    const std::vector<int> sizes{1, 4, 16, most, most};  // the last one is learnt
    w.prepare(side);
    const double one = counted(batch_run(w, side, first, 1, false, device_, slots(set_.slots))).per_second;
    const double ways = static_cast<double>(sizes.size()) * set_.repeat;
    const auto count = static_cast<std::size_t>(std::clamp(one * seconds / ways, static_cast<double>(first), 1e5));
    std::vector<std::vector<double>> rates(sizes.size());
    std::vector<batch_outcome> last(sizes.size());
    for (int i = 0; i < set_.repeat; ++i)
      for (std::size_t k = 0; k < sizes.size(); ++k) {
        const bool is_learnt = k + 1 == sizes.size();
        last[k] = counted(batch_run(w, side, count, sizes[k], is_learnt, device_, slots(set_.slots)));
        rates[k].push_back(last[k].per_second);
        if (last[k].sum != last[0].sum) throw std::runtime_error(w.name + ": batches do not give the same results");
      }
    json rows = json::array();
    fmt::print("\n| batch, {} inputs of side {} | records a second | over 1 | records an invocation |\n", count, side);
    fmt::print("|---|---|---|---|\n");
    for (std::size_t k = 0; k < sizes.size(); ++k) {
      const bool is_learnt = k + 1 == sizes.size();
      const double rate = median(rates[k]), over_one = rate / median(rates[0]);
      rows.push_back({{"most", sizes[k]},
                      {"learnt", is_learnt},
                      {"per_second", rate},
                      {"over_one", over_one},
                      {"together", last[k].together}});
      fmt::print("| {} | {:.1f} | {:.2f} | {:.1f} |\n", is_learnt ? "learnt" : fmt::format("{}", sizes[k]), rate,
                 over_one, last[k].together);
    }
    return {{"side", side}, {"records", count}, {"rows", rows}};
  }

  json placements(const workload& w, const std::vector<int>& sides, const measured_costs& costs, int slower,
                  double seconds) {
    const placement_plan plan(sides, set_.thresholds, costs, cores_, phases_factor(slower));
    const auto count = static_cast<std::size_t>(std::clamp(seconds / (set_.repeat * plan.seconds), least_records, 1e6));
    std::vector<way> ways = plan.ways;
    ways.push_back({"learnt", true, std::nullopt});
    const std::vector<int> inputs = drawn(sides, count, set_.seed);

    std::vector<std::vector<double>> rates(ways.size());
    std::vector<outcome> last(ways.size());
    for (int i = 0; i < set_.repeat; ++i)
      for (std::size_t k = 0; k < ways.size(); ++k) {
        last[k] = counted(device_run(w, inputs, ways[k], device_, slots(set_.slots), slower));
        rates[k].push_back(last[k].per_second);
        if (last[k].sum != last[0].sum) throw std::runtime_error(w.name + ": the ways do not give the same results");
      }
    json found = table(w, ways, rates, last, count, slower);
    found["left_out"] = plan.left_out;
    if (!plan.left_out.empty())
      fmt::print("Not run, since each is expected to take more than 4 times as long as the best: {}.\n",
                 fmt::join(plan.left_out, ", "));
    return found;
  }

  json table(const workload& w, const std::vector<way>& ways, const std::vector<std::vector<double>>& rates,
             const std::vector<outcome>& last, std::size_t count, int slower) const {
    double best = 0;
    for (std::size_t k = 0; k + 1 < ways.size(); ++k) best = std::max(best, median(rates[k]));
    json rows = json::array();
    fmt::print("\n| {}, {} | records a second | of the best fixed | on the device |\n|---|---|---|---|\n", w.name,
               slower == 1 ? "steady" : fmt::format("the device {} times slower in the second third", slower));
    for (std::size_t k = 0; k < ways.size(); ++k) {
      const double rate = median(rates[k]);
      rows.push_back({{"way", ways[k].name},
                      {"per_second", rate},
                      {"least", *std::min_element(rates[k].begin(), rates[k].end())},
                      {"most", *std::max_element(rates[k].begin(), rates[k].end())},
                      {"over_best_fixed", rate / best},
                      {"on_device", last[k].on_device}});
      fmt::print("| {} | {:.1f} | {:.3f} | {:.2f} |\n", ways[k].name, rate, rate / best, last[k].on_device);
    }
    fmt::print("\n{} records a run. Learnt crossing point: side {:.0f}.\n", count, last.back().crossing);
    return {{"slower", slower}, {"records", count}, {"learnt_crossing", number(last.back().crossing)}, {"rows", rows}};
  }

  json chain() {
    constexpr int side = 512, first = 20;
    const double rate = counted(chain_run(side, first, true, device_, slots(set_.slots))).per_second;
    const int count = std::clamp(static_cast<int>(rate * set_.seconds * 0.05 / (2 * set_.repeat)), first, 100'000);
    std::vector<double> stays, copied;
    chain_outcome kept, moved;
    for (int i = 0; i < set_.repeat; ++i) {
      kept = counted(chain_run(side, count, true, device_, slots(set_.slots)));
      moved = counted(chain_run(side, count, false, device_, slots(set_.slots)));
      stays.push_back(kept.per_second);
      copied.push_back(moved.per_second);
    }
    fmt::print("\n| two blurs of {} images of side {} | records a second | copies a record |\n|---|---|---|\n", count,
               side);
    fmt::print("| the value stays on the device | {:.1f} | {:.0f} |\n", median(stays), kept.copies);
    fmt::print("| it is copied between | {:.1f} | {:.0f} |\n", median(copied), moved.copies);
    return {{"side", side},
            {"records", count},
            {"stays_per_second", median(stays)},
            {"stays_copies", kept.copies},
            {"copied_per_second", median(copied)},
            {"copied_copies", moved.copies}};
  }

  const settings set_;
  const int cores_;
  const opened_device device_;
  std::uint64_t errors_ = 0;  // of the device, in all runs
};

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Cores and a real device: crossing point, slots, placements"};
  settings set;
  app.add_option("--name", set.name, "Part of the device's name (OpenCL)");
  app.add_option("--cpus", set.cpus, "Processing units of a device that is this computer's processor")->delimiter(',');
  app.add_option("--seconds", set.seconds, "For all of it, about")->capture_default_str()->check(CLI::Range(1.0, 1e4));
  app.add_option("--repeat", set.repeat, "Runs of each way, in turns")->capture_default_str()->check(CLI::Range(1, 99));
  app.add_option("--slots", set.slots, "Of the device")->capture_default_str()->check(CLI::Range(1, 64));
  app.add_option("--thresholds", set.thresholds, "Of the search")->capture_default_str()->check(CLI::Range(1, 64));
  app.add_option("--slower", set.slower, "The device's factor in the second phase")
      ->capture_default_str()
      ->check(CLI::Range(2, 99));
  app.add_option("--seed", set.seed, "Of the inputs")->transform(weir::program::whole_range())->capture_default_str();
  app.add_option("--json", set.json_file, "Write the numbers to this file");
  CLI11_PARSE(app, argc, argv);
  std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);  // so a run that is cut short has shown its tables
  try {
    measurement(set).run();
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
