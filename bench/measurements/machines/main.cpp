// Networks of boxes that sleep, on ranks with emulated cores: predictions and simulations from the links as measured at
// the start, and the results of the run.
//
//     mpirun -n 4 --bind-to none machines_accuracy [REPETITIONS [PART OF A NAME]]

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <weir/weir.hpp>

#include <weir/mpi/session.hpp>
#include <weir/mpi/start.hpp>
#include <weir/scheduler/policies/adaptive.hpp>
#include "bench/support/quantile.hpp"
#include "scheduler/simulate/placed_scenario.hpp"
#include "scheduler/simulate/simulated_run.hpp"

// A large value that records share until they go to another rank.
struct shared_values {
  std::shared_ptr<std::vector<double>> all;
};

template <>
struct weir::codec<shared_values> {
  static void write(wire_writer& to, const shared_values& v) {
    to.put(v.all->size());
    to.block(v.all->data(), v.all->size());
  }
  static shared_values read(wire_reader& from) {
    shared_values v{std::make_shared<std::vector<double>>(from.get<std::size_t>())};
    from.block(v.all->data(), v.all->size());
    return v;
  }
};

namespace {

using namespace weir;
using namespace std::chrono_literals;

using clock = std::chrono::steady_clock;

constexpr field<shared_values> values{"values"};
constexpr tag key{"key"};

constexpr std::size_t streams = 32;  // records in a stream, and on their way over a cut: less than a trial has

double since(clock::time_point t) { return std::chrono::duration<double>(clock::now() - t).count(); }

// A stage of a chain. Plain data.
struct stage {
  std::string name;
  std::chrono::milliseconds sleeps;
  int machine = 0;     // or everywhere
  bool reads = false;  // the large field of a record, which then goes where the stage is and no further
};

// A chain on ranks of a number of emulated cores. More records than credit lets stages run ahead.
struct trial {
  std::string name;
  std::vector<stage> stages;
  int cores = 2;
  std::size_t doubles = 16;  // in the large field
  int least_ranks = 2;
  int records = 600;
};

const std::vector<trial>& trials() {
  static const std::vector<trial> all{
      {"a chain over two ranks", {{"a", 4ms}, {"b", 6ms, 1}, {"c", 2ms}}},
      {"the slow stage on the other rank", {{"a", 1ms}, {"b", 8ms, 1}, {"c", 1ms}}},
      {"there and back twice", {{"a", 2ms, 1}, {"b", 2ms}, {"c", 4ms, 1}}},
      {"two placed parts in a row", {{"a", 4ms, 1}, {"b", 5ms, 2}}, 2, 16, 3},
      {"a key over all ranks", {{"work", 8ms, everywhere}, {"store", 1ms}}},
      {"a chain behind a key", {{"work", 6ms, everywhere}, {"check", 2ms, everywhere}, {"store", 1ms}}, 4},
      {"8 MB a record", {{"a", 1ms}, {"b", 1ms, 1, true}}, 2, 1'000'000, 2, 500},
      {"32 MB a record", {{"a", 1ms}, {"b", 1ms, 1, true}}, 2, 4'000'000, 2, 150},
  };
  return all;
}

network box_of(const stage& s) {
  if (s.reads)
    return box(s.name, takes(values, key), gives(key),
               [sleeps = s.sleeps](const shared_values&, std::int64_t k) {
                 std::this_thread::sleep_for(sleeps);
                 return k;
               })
        .sequential();
  return box(s.name, takes(key), gives(key),
             [sleeps = s.sleeps](std::int64_t k) {
               std::this_thread::sleep_for(sleeps);
               return k;
             })
      .sequential();
}

// Consecutive stages on one machine become one placed part; consecutive stages on all machines become one split.
network network_of(const trial& t) {
  std::vector<network> parts;
  for (std::size_t i = 0; i < t.stages.size();) {
    network part = box_of(t.stages[i]);
    const int on = t.stages[i].machine;
    for (++i; i < t.stages.size() && t.stages[i].machine == on; ++i) part = part >> box_of(t.stages[i]);
    parts.push_back(on == everywhere ? at(split(part, key), key) : on == 0 ? part : at(part, on));
  }
  network all = parts.front();
  for (std::size_t i = 1; i < parts.size(); ++i) all = all >> parts[i];
  return all;
}

// How long a sleep takes in truth.
double slept(std::chrono::milliseconds asked) {
  const int times = std::max(5, static_cast<int>(200ms / asked));
  const auto from = clock::now();
  for (int i = 0; i < times; ++i) std::this_thread::sleep_for(asked);
  return since(from) / times;
}

cluster cluster_of(const std::vector<rank_report>& ranks, int cores) {
  cluster machines;
  machines.window_records = streams;
  machines.cores.assign(ranks.size(), cores);
  for (const rank_report& r : ranks)
    if (r.rank > 0) machines.pairs.push_back({0, r.rank, {r.latency, r.record_seconds, r.bytes_per_second}});
  return machines;
}

simulation::placed_scenario scenario_of(const trial& t, const cluster& machines) {
  simulation::placed_scenario s;
  s.machines = machines;
  s.network.records = 3000;
  s.network.move_cost = 1e-4;
  for (const stage& one : t.stages) {
    simulation::simulated_component c;
    c.name = one.name;
    c.cost = [seconds = slept(one.sleeps)](double, int) { return seconds; };
    c.sequential = true;
    c.max_width = t.cores;
    c.capacity = streams;
    s.network.components.push_back(std::move(c));
    s.at.push_back(one.machine);
  }
  s.bytes.assign(t.stages.size() + 1, sizeof(std::int64_t));
  for (std::size_t i = 0; i < t.stages.size(); ++i)
    if (t.stages[i].reads) s.bytes[i] += 8.0 * static_cast<double>(t.doubles);
  return s;
}

struct measured {
  double rate = 0, latency = 0;
};

// At rank 0; the others serve, and get nothing. One record at a time first, then as many as can enter.
std::vector<rank_report> run_once(const trial& t, measured& got) {
  options o;
  o.capacity = streams;
  o.machine = machine::synthetic("core:" + std::to_string(t.cores) + " pu:1");
  const shared_values large{std::make_shared<std::vector<double>>(t.doubles, 1.0)};
  {
    auto [run, report] = mpi::start(network_of(t), o);
    if (run) {
      std::vector<double> latencies;
      execution::iterator results;
      for (int i = 0; i < 12; ++i) {
        const auto from = clock::now();
        run->send(values = large, key = i);
        if (i == 0)
          results = run->begin();
        else
          ++results;
        latencies.push_back(since(from));
      }
      run->close();
      got.latency = program::quantile(latencies, 0.5);
    }
  }
  mpi::started all = mpi::start(network_of(t), o);
  std::optional<execution>& run = all.run;
  if (!run) return {};
  std::thread sender([&] {
    for (int i = 0; i < t.records; ++i) run->send(values = large, key = i);
    run->close();
  });
  std::vector<double> times;
  const auto from = clock::now();
  for (const record& r : *run) {
    static_cast<void>(r);
    times.push_back(since(from));
  }
  sender.join();
  // Without the start, in which cores move, and the end, in which the network runs dry.
  const std::size_t first = times.size() * 3 / 10, last = times.size() * 9 / 10;
  got.rate = static_cast<double>(last - first) / (times[last] - times[first]);
  return run->report().ranks;
}

}  // namespace

int main(int argc, char** argv) try {
  const int repetitions = argc > 1 ? std::atoi(argv[1]) : 5;
  const std::string only = argc > 2 ? argv[2] : "";
  mpi::session session;
  const bool is_first = session.rank() == 0;
  if (is_first)
    fmt::print("{} ranks\n{:<34} {:>9} {:>9} {:>9} {:>9} {:>7} | {:>9} {:>9} {:>7}\n", session.size(), "", "predicted",
               "simulated", "live", "spread", "error", "latency", "live", "error");
  bool shows_links = true;
  for (const trial& t : trials()) {
    if (session.size() < t.least_ranks || t.name.find(only) == std::string::npos) continue;
    std::vector<double> rates, latencies;
    std::vector<rank_report> ranks;
    for (int k = 0; k < repetitions; ++k) {
      measured got;
      ranks = run_once(t, got);
      rates.push_back(got.rate), latencies.push_back(got.latency);
    }
    if (!is_first) continue;
    const simulation::placed_scenario s = scenario_of(t, cluster_of(ranks, t.cores));
    s.validate();
    const network_prediction p = predict_on_machines(simulation::model_of(s)).predicted;
    const double simulated =
        simulation::run(simulation::spread_over_machines(s), 1, {adaptive{objective::throughput}}).throughput;
    const double rate = program::quantile(rates, 0.5), latency = program::quantile(latencies, 0.5);
    const auto [least, most] = std::minmax_element(rates.begin(), rates.end());
    fmt::print("{:<34} {:>9.4g} {:>9.4g} {:>9.4g} {:>8.1f}% {:>6.1f}% | {:>6.1f} ms {:>6.1f} ms {:>6.1f}%\n", t.name,
               p.throughput, simulated, rate, 100 * (*most - *least) / rate, 100 * (p.throughput / rate - 1),
               1e3 * p.latency, 1e3 * latency, 100 * (p.latency / latency - 1));
    for (const rank_report& r : ranks)
      if (r.rank > 0 && shows_links)
        fmt::print("  rank {}: {:.2f} us away, {:.3f} us a record, {:.2f} GB/s\n", r.rank, 1e6 * r.latency,
                   1e6 * r.record_seconds, r.bytes_per_second / 1e9);
    shows_links = false;
    std::fflush(stdout);
  }
  return 0;
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 1;
}
