#include "bench/rivals/hill_climbing.hpp"

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <stdexcept>
#include <utility>
#include <vector>

#include "bench/rivals/core_dealing.hpp"
#include "bench/rivals/measured_load.hpp"
#include "bench/rivals/one_core_move.hpp"

namespace weir::rivals {
namespace {

struct refusal {
  one_core_move move;
  std::uint64_t until = 0;  // invocations of the receiver
};

std::uint64_t invocations_of(const system_view& view, int component) {
  if (component >= 0) return view.components[static_cast<std::size_t>(component)].invocations;
  std::uint64_t most = 0;
  for (const component_view& c : view.components) most = std::max(most, c.invocations);
  return most;
}

// Whether every component that records reach was measured on the allotment in force.
bool is_settled(const system_view& view) {
  return std::all_of(view.components.begin(), view.components.end(),
                     [](const component_view& c) { return c.visits <= 0 || c.invocations_since_move > 0; });
}

}  // namespace

struct hill_climbing::memory {
  std::mutex mutex;
  bool pending = false;  // the last move was proposed and neither kept nor refused yet
  one_core_move move;
  allotment before, proposed;
  double proposed_at = 0;      // view.time
  double seconds_before = -1;  // measured bottleneck before it
  std::vector<refusal> refused;
};

hill_climbing::hill_climbing(int forget_after) : forget_after_(forget_after), memory_(std::make_shared<memory>()) {
  if (forget_after < 0)
    throw std::invalid_argument("hill_climbing: forget_after is " + std::to_string(forget_after) +
                                "; it must be 0 or more");
}

allotment hill_climbing::decide(const system_view& view) const {
  const core_counts counts = present_counts(view);
  const allotment stay = place(counts, view);
  const std::vector<double> load = measured_load(view);
  memory& m = *memory_;
  const std::lock_guard lock(m.mutex);
  if (stay != view.current || !is_settled(view) || !all_measured(load)) return stay;
  const double now = linear_bottleneck(load, view.current);

  const auto refuse = [&] {
    m.pending = false;
    m.refused.push_back({m.move, invocations_of(view, m.move.receiver) + static_cast<std::uint64_t>(forget_after_)});
  };
  if (m.pending && view.current == m.proposed) {
    if (now > m.seconds_before) return m.before;
    m.pending = false;
    m.refused.clear();
  } else if (m.pending && view.current == m.before && view.in_force_since > m.proposed_at) {
    refuse();  // it was tried and taken back, by this rule or by its caller
  } else if (m.pending && view.current != m.before) {
    m.pending = false;
  }

  std::erase_if(m.refused, [&](const refusal& r) { return invocations_of(view, r.move.receiver) >= r.until; });
  std::vector<one_core_move> refused;
  for (const refusal& r : m.refused) refused.push_back(r.move);
  const auto move = next_move(counts, view, load, refused);
  if (!move) return stay;
  m.pending = true;
  m.move = *move;
  m.before = view.current;
  m.proposed = place(after(*move, counts, view), view);
  m.proposed_at = view.time;
  m.seconds_before = now;
  return m.proposed;
}

assessment hill_climbing::assess(const system_view& view, const allotment& given) const {
  assessment result = allocation_rule::assess(view, given);
  memory& m = *memory_;
  const std::lock_guard lock(m.mutex);
  const bool was_before = m.pending && view.current == m.proposed && given == m.before;
  result.cost = was_before ? m.seconds_before : linear_bottleneck(measured_load(view), given);
  return result;
}

}  // namespace weir::rivals
