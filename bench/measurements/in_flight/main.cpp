// The peak memory of a diamond: each frame goes to two branches, whose results are joined. As a flow graph of oneTBB
// with and without limiter_node, and as networks of weir with several bounds. Every sum is checked; a wrong one ends
// the program with exit code 1.
//
// Each run is a process of its own, forked before anything has started a thread. Memory is its peak resident set
// (ru_maxrss), less that of a process that does nothing.

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <tbb/flow_graph.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include <weir/weir.hpp>

#include "bench/support/host.hpp"
#include "bench/support/quantile.hpp"

namespace weir::in_flight {
namespace {

using frame = std::vector<std::uint8_t>;

constexpr std::size_t frame_bytes = std::size_t{1} << 20;
constexpr int fast_passes = 1, slow_passes = 4;  // frames wait for the slow branch

frame frame_of(std::int64_t i) { return frame(frame_bytes, static_cast<std::uint8_t>(i)); }

std::int64_t sum_of(const frame& f, int passes) {
  std::int64_t sum = 0;
  for (int p = 0; p < passes; ++p) sum = std::accumulate(f.begin(), f.end(), sum);
  return sum;
}

std::int64_t expected(std::int64_t frames) {
  std::int64_t sum = 0;
  for (std::int64_t i = 0; i < frames; ++i)
    sum += (fast_passes + slow_passes) * static_cast<std::int64_t>(frame_bytes) * static_cast<std::uint8_t>(i);
  return sum;
}

// limit 0: without a limiter.
std::int64_t by_flow_graph(std::int64_t frames, std::size_t limit) {
  using namespace tbb::flow;
  using shared = std::shared_ptr<const frame>;
  graph g;
  std::int64_t made = 0, sum = 0;
  input_node<shared> make(g, [&](tbb::flow_control& control) -> shared {
    if (made == frames) {
      control.stop();
      return nullptr;
    }
    return std::make_shared<const frame>(frame_of(made++));
  });
  limiter_node<shared> bound(g, limit ? limit : static_cast<std::size_t>(frames) + 1);
  broadcast_node<shared> both(g);
  function_node<shared, std::int64_t> fast(g, serial, [](const shared& f) { return sum_of(*f, fast_passes); });
  function_node<shared, std::int64_t> slow(g, serial, [](const shared& f) { return sum_of(*f, slow_passes); });
  join_node<std::tuple<std::int64_t, std::int64_t>> join(g);
  function_node<std::tuple<std::int64_t, std::int64_t>, continue_msg> add(
      g, serial, [&](const std::tuple<std::int64_t, std::int64_t>& sums) {
        sum += std::get<0>(sums) + std::get<1>(sums);
        return continue_msg();
      });
  make_edge(make, bound);
  make_edge(bound, both);
  make_edge(both, fast);
  make_edge(both, slow);
  make_edge(fast, input_port<0>(join));
  make_edge(slow, input_port<1>(join));
  make_edge(join, add);
  make_edge(add, bound.decrementer());
  make.activate();
  g.wait_for_all();
  return sum;
}

inline constexpr field<frame> image{"image"}, left{"left"}, right{"right"};
inline constexpr tag first{"first"}, second{"second"};

// is_sent: one thread sends all frames and reads afterwards; else an initialiser makes them.
std::int64_t by_weir(std::int64_t frames, const options& how, bool is_sent = false) {
  const network make = source("make", gives(image), [frames](emitter& emit) {
    for (std::int64_t i = 0; i < frames; ++i) emit(image = frame_of(i));
  });
  const network both = filter(takes(image)).emit(left = image).emit(right = image);
  const network fast =
      box("fast", takes(left), gives(first), [](const frame& f) { return sum_of(f, fast_passes); }).serial();
  const network slow =
      box("slow", takes(right), gives(second), [](const frame& f) { return sum_of(f, slow_passes); }).serial();
  const network join = star(sync({pattern{first}, pattern{second}}), pattern{first, second});
  const network diamond = both >> (fast | slow) >> join;
  execution run = start(is_sent ? diamond : make >> diamond, how);
  for (std::int64_t i = 0; is_sent && i < frames; ++i) run.send(image = frame_of(i));
  run.close();
  std::int64_t sum = 0;
  for (const record& r : run) sum += r[first] + r[second];
  return sum;
}

struct way {
  std::string name;
  std::function<std::int64_t(std::int64_t frames)> sum;
};

std::vector<way> ways() {
  options few, bytes, short_streams, shorter_streams;
  few.max_in_flight = 8;
  bytes.max_bytes_in_flight = 8 * frame_bytes;
  bytes.record_bytes = [](const record& r) {
    return static_cast<std::uint64_t>(r.contains(image) ? r[image].size() : 0);
  };
  short_streams.capacity = 4;
  shorter_streams.capacity = 1;
  return {{"nothing", [](std::int64_t frames) { return expected(frames); }},
          {"flow graph, no limiter", [](std::int64_t frames) { return by_flow_graph(frames, 0); }},
          {"flow graph, limiter 8", [](std::int64_t frames) { return by_flow_graph(frames, 8); }},
          {"weir", [](std::int64_t frames) { return by_weir(frames, {}); }},
          {"weir, sent", [](std::int64_t frames) { return by_weir(frames, {}, true); }},
          {"weir, sent, max_in_flight 8", [=](std::int64_t frames) { return by_weir(frames, few, true); }},
          {"weir, capacity 4", [=](std::int64_t frames) { return by_weir(frames, short_streams); }},
          {"weir, capacity 1", [=](std::int64_t frames) { return by_weir(frames, shorter_streams); }},
          {"weir, max_in_flight 8", [=](std::int64_t frames) { return by_weir(frames, few); }},
          {"weir, max_bytes_in_flight 8 MB", [=](std::int64_t frames) { return by_weir(frames, bytes); }}};
}

struct outcome {
  double megabytes, seconds;
};

// In a process of its own. Throws if its sum is wrong.
outcome measure(const way& w, std::int64_t frames) {
  const auto began = std::chrono::steady_clock::now();
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("cannot fork");
  if (child == 0) {
    int code = 1;
    try {
      code = w.sum(frames) == expected(frames) ? 0 : 2;
    } catch (const std::exception& e) {
      fmt::print(stderr, "{}: {}\n", w.name, e.what());
    }
    _exit(code);
  }
  int status = 0;
  rusage used{};
  if (wait4(child, &status, 0, &used) < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
    throw std::runtime_error(w.name + (WIFEXITED(status) && WEXITSTATUS(status) == 2 ? ": wrong sum" : ": failed"));
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  return {static_cast<double>(used.ru_maxrss) * 1024 / 1e6, took.count()};
}

std::string spread(const std::vector<double>& of, double less) {
  return fmt::format("{:.1f} [{:.1f} .. {:.1f}]", command::quantile(of, 0.5) - less, command::quantile(of, 0) - less,
                     command::quantile(of, 1) - less);
}

int run(int repeats, std::int64_t frames) {
  fmt::print("{}, {} build, {} frames of {} bytes, {} repeats\n", command::processor_name(), command::build_type(),
             frames, frame_bytes, repeats);
  const std::vector<way> all = ways();
  std::vector<std::vector<double>> megabytes(all.size()), milliseconds(all.size());
  for (int i = 0; i < repeats; ++i)
    for (std::size_t w = 0; w < all.size(); ++w) {
      const outcome one = measure(all[w], frames);
      megabytes[w].push_back(one.megabytes), milliseconds[w].push_back(1e3 * one.seconds);
    }
  const double nothing = command::quantile(megabytes[0], 0.5);
  fmt::print("{:<32}  {:>26}  {:>26}\n", "", "peak MB", "milliseconds");
  for (std::size_t w = 1; w < all.size(); ++w)
    fmt::print("{:<32}  {:>26}  {:>26}\n", all[w].name, spread(megabytes[w], nothing), spread(milliseconds[w], 0));
  return 0;
}

}  // namespace
}  // namespace weir::in_flight

int main(int argc, char** argv) {
  CLI::App app("Peak memory of a diamond of large frames, beside a flow graph of oneTBB", "in_flight");
  int repeats = 5;
  std::int64_t frames = 300;
  app.add_option("--repeat", repeats, "runs of each, interleaved")->check(CLI::Range(1, 1000));
  app.add_option("--frames", frames, "frames of 1 MB")->check(CLI::Range(std::int64_t{1}, std::int64_t{1000000}));
  CLI11_PARSE(app, argc, argv);
  try {
    return weir::in_flight::run(repeats, frames);
  } catch (const std::exception& e) {
    fmt::print(stderr, "in_flight: {}\n", e.what());
    return 1;
  }
}
