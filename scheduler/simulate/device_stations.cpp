#include "scheduler/simulate/device_stations.hpp"

#include <algorithm>
#include <utility>

#include <weir/model/named/estimators.hpp>

namespace weir::simulation {

device_stations::device_stations(const scenario& of, const record_flow& flow, const std::string& estimator)
    : scenario_(of),
      flow_(flow),
      records_(of.components.size()),
      users_(of.devices.size()),
      next_user_(of.devices.size(), 0),
      waited_(of.components.size(), 0),
      busy_(of.components.size(), 0) {
  for (const simulated_device& d : of.devices) states_.emplace_back(d.slots);
  for (std::size_t i = 0; i < of.components.size(); ++i) {
    const simulated_component& c = of.components[i];
    rules_.emplace_back();
    if (!c.second) continue;
    device_state& state = states_[device_of(i)];
    rules_[i] = std::make_unique<device_rule>(
        state, c.second->from, [&] { return make_estimator(estimator, degree{c.degree}); }, to_index(c.most_in_batch));
    state.attach(*rules_[i]);
    users_[device_of(i)].push_back(i);
  }
}

bool device_stations::is_full(std::size_t component, int lanes) const {
  return records_[component].size() >= scenario_.most_waiting_at_device(component, lanes);
}

device_rule::planned_batch device_stations::plan(std::size_t component, std::size_t waiting, double now) {
  if (scenario_.components[component].most_in_batch == 1) return {1, device_side::either};
  return rules_[component]->plan(waiting, now);
}

void device_stations::add(std::size_t component, std::uint64_t ticket, std::vector<token> what, device_side planned,
                          double x, double now) {
  record& r = records_[component].emplace_back(flow_, component, ticket, std::move(what));
  r.x = x;
  r.since = now;
  r.planned = planned;
  if (planned != device_side::either) rules_[component]->end_plan(planned);
  rules_[component]->add(r, now);
}

std::size_t device_stations::next_box(std::size_t device) {
  const std::size_t chosen = users_[device][next_user_[device]];
  next_user_[device] = (next_user_[device] + 1) % users_[device].size();
  return chosen;
}

device_stations::record* device_stations::begin_on_cores(std::size_t component, double now) {
  auto* const r = static_cast<record*>(rules_[component]->next_on_cores(now));
  if (!r) return nullptr;
  rules_[component]->begin_on_cores(*r, now);
  waited_[component] += (now - r->since) * static_cast<double>(r->records);
  return r;
}

device_stations::record* device_stations::begin_on_device(std::size_t component, double now, bool is_lane_free) {
  device_state& state = states_[device_of(component)];
  if (!state.is_free()) return nullptr;
  auto* const r = static_cast<record*>(rules_[component]->next_on_device(now, is_lane_free));
  if (!r) return nullptr;
  r->slot = state.free_slot();
  state.begin(r->slot, *r);
  rules_[component]->begin_on_device(*r, now);
  waited_[component] += (now - r->since) * static_cast<double>(r->records);
  return r;
}

device_stations::record& device_stations::on_slot(std::size_t device, std::size_t slot) const {
  return static_cast<record&>(*states_[device].at(slot));
}

bool device_stations::end_on_device(record& r, double now) {
  device_rule& rule = *rules_[r.component];
  states_[device_of(r.component)].end(r.slot);
  busy_[r.component] += r.seconds;
  if (!r.will_throw) {
    rule.done_on_device(r, r.seconds);
    return true;
  }
  rule.failed_on_device(r, now);
  r.since = now;
  rule.add(r, now);
  return false;
}

void device_stations::erase(const record& r) {
  std::list<record>& all = records_[r.component];
  all.erase(std::find_if(all.begin(), all.end(), [&](const record& one) { return &one == &r; }));
}

bool device_stations::throws_in(const simulated_device& of, double from, double until) {
  return std::any_of(of.fails.begin(), of.fails.end(),
                     [&](const simulated_device::failure& f) { return from < f.until && until > f.from; });
}

}  // namespace weir::simulation
