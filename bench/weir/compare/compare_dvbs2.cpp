#include "bench/weir/compare/compare_workloads.hpp"

#include <fmt/format.h>

#include <span>

#include <weir/network/box.hpp>
#include <weir/network/combinators.hpp>
#include <weir/record/label.hpp>
#include "components/dvbs2_tasks.hpp"
#include "components/emulated.hpp"

namespace weir::program {
namespace {

constexpr tag frame{"frame"};
constexpr double longest_with_a_state = 1341.9;  // microseconds, of a task
constexpr double slower = 50;                    // than in truth: sleeps are as exact as a tenth of a millisecond

network box_of(const components::dvbs2_task& t, double scale) {
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
  network chain = box_of(components::dvbs2_tasks[0], size.scale);
  for (const components::dvbs2_task& t : std::span(components::dvbs2_tasks).subspan(1))
    chain = chain >> box_of(t, size.scale);
  compared_workload w{{chain, {}, size.records.value_or(300), {}, {}},
                      fmt::format("{:g} times the published time; at best {:.4g} records a second", slower * size.scale,
                                  1e6 / (slower * size.scale * longest_with_a_state))};
  for (const components::dvbs2_task& t : components::dvbs2_tasks) w.components.push_back(t.name);
  w.max_width = 1;
  w.input = [](std::size_t i) { return record(frame = static_cast<std::int64_t>(i)); };
  w.index_of = [](const record& result) { return static_cast<std::size_t>(result[frame]); };
  return w;
}

}  // namespace weir::program
