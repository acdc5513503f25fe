#include "bench/weir/compare/compare_dvbs2.hpp"

#include <fmt/format.h>

#include <span>

#include <weir/network/box.hpp>
#include <weir/network/combinators.hpp>
#include <weir/record/label.hpp>
#include "components/emulated.hpp"

namespace weir::program {
namespace {

constexpr tag frame{"frame"};
constexpr double longest_with_a_state = 1341.9;  // microseconds, of a task
constexpr double slower = 50;                    // than in truth: sleeps are as exact as a tenth of a millisecond

struct task {
  const char* name;
  double performance, efficiency;  // microseconds on a core of each kind
  bool is_stateless;
};

constexpr task tasks[] = {
    {"receive", 131.65, 133.22, false},
    {"multiply", 138.32, 318.06, false},
    {"synchronise_coarse", 113.69, 428.97, false},
    {"filter_first", 334.79, 711.90, false},
    {"filter_second", 329.30, 712.59, false},
    {"synchronise_timing", 1341.90, 2387.11, false},
    {"extract", 58.68, 135.13, false},
    {"multiply_agc", 63.45, 157.39, false},
    {"synchronise_frame_first", 365.93, 848.09, false},
    {"synchronise_frame_second", 81.08, 197.93, false},
    {"descramble_symbols", 25.10, 65.94, true},
    {"synchronise_frequency", 54.28, 203.18, false},
    {"synchronise_phase", 253.84, 356.20, true},
    {"remove_headers", 47.44, 87.72, true},
    {"estimate", 32.43, 65.43, true},
    {"demodulate", 2123.07, 5742.44, true},
    {"deinterleave", 29.25, 47.58, true},
    {"decode_ldpc", 239.65, 1024.37, true},
    {"decode_bch", 6209.00, 8166.17, true},
    {"descramble_bits", 558.96, 621.83, true},
    {"send", 34.61, 75.59, false},
    {"generate", 16.90, 23.39, false},
    {"check_errors", 9.22, 20.47, true},
};

network box_of(const task& t, double scale) {
  const auto on = [scale](double microseconds) { return components::truth{{1e-6 * slower * scale * microseconds}, 0}; };
  auto made = box(t.name, takes(frame), gives(frame),
                  [fast = on(t.performance), slow = on(t.efficiency)](const grant& given, std::int64_t which) {
                    components::emulate(given.kind() == 0 ? fast : slow, 1, 1);
                    return which;
                  })
                  .sequential();
  if (t.is_stateless) return made;
  return made.serial();
}

}  // namespace

compared_workload dvbs2_receiver(const workload_size& size) {
  network chain = box_of(tasks[0], size.scale);
  for (const task& t : std::span(tasks).subspan(1)) chain = chain >> box_of(t, size.scale);
  compared_workload w{{chain, {}, size.records.value_or(300), {}, {}},
                      fmt::format("{:g} times the published time; at best {:.4g} records a second", slower * size.scale,
                                  1e6 / (slower * size.scale * longest_with_a_state))};
  for (const task& t : tasks) w.components.push_back(t.name);
  w.input = [](std::size_t i) { return record(frame = static_cast<std::int64_t>(i)); };
  w.index_of = [](const record& result) { return static_cast<std::size_t>(result[frame]); };
  return w;
}

}  // namespace weir::program
