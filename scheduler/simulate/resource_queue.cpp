#include "scheduler/simulate/resource_queue.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "scheduler/view/numbers.hpp"

namespace weir::simulation {

resource_queue::resource_queue(const scenario& of)
    : scenario_(of), uses_(of.resources.size()), waiting_(of.components.size(), 0), waited_(of.components.size(), 0) {
  for (std::size_t i = 0; i < of.components.size(); ++i) {
    seen_.emplace_back(of.components[i].needs.size());
    for (const int port : of.components[i].takes) {
      const std::size_t p = to_index(port);
      if (takers_.size() <= p) takers_.resize(p + 1), is_taken_.resize(p + 1);
      takers_[p].push_back(i);
    }
  }
}

std::vector<double> resource_queue::amounts_of(std::size_t component, double x) const {
  const simulated_component& c = scenario_.components[component];
  std::vector<double> amounts;
  for (const simulated_component::need& n : c.needs) {
    const simulated_resource& of = scenario_.resources[n.of];
    amounts.push_back(n.fixed + n.per_x * x);
    if (!(amounts.back() <= of.total))
      throw std::invalid_argument("component \"" + c.name + "\" needs " + in_digits(amounts.back()) + " of " + of.name +
                                  " at x = " + in_digits(x) + ", expected was 0 to its total of " +
                                  in_digits(of.total));
  }
  return amounts;
}

void resource_queue::ask(request r) {
  constexpr double window = 64;  // of the means, as in a run
  for (std::size_t n = 0; n < r.amounts.size(); ++n) {
    amount_seen& seen = seen_[r.component][n];
    const double mean = seen.mean;
    seen.mean = mean < 0 ? r.amounts[n] : mean + (r.amounts[n] - mean) / window;
    if (mean >= 0) seen.distance += (std::abs(r.amounts[n] - mean) - seen.distance) / window;
  }
  ++waiting_[r.component];
  requests_.push_back(std::move(r));
}

std::size_t resource_queue::next(std::size_t component) const {
  if (waiting_[component] == 0) return requests_.size();
  std::vector<double> reserved(uses_.size(), 0);
  for (std::size_t k = 0; k < requests_.size(); ++k) {
    const request& r = requests_[k];
    const std::vector<simulated_component::need>& needs = scenario_.components[r.component].needs;
    bool fits = true;
    for (std::size_t n = 0; n < needs.size(); ++n) {
      const std::size_t of = needs[n].of;
      const double free = scenario_.resources[of].total - uses_[of].in_use - reserved[of];
      constexpr double rounding = 1e-9;  // of the sums of amounts
      fits = fits && (r.amounts[n] == 0 || r.amounts[n] <= free + rounding * scenario_.resources[of].total);
    }
    if (fits && r.component == component) return k;
    if (!fits)
      for (std::size_t n = 0; n < needs.size(); ++n) reserved[needs[n].of] += r.amounts[n];
  }
  return requests_.size();
}

resource_queue::request resource_queue::begin(std::size_t component, double now) {
  const auto at = requests_.begin() + static_cast<std::ptrdiff_t>(next(component));
  request r = std::move(*at);
  requests_.erase(at);
  --waiting_[component];
  waited_[component] += now - r.since;
  for (std::size_t n = 0; n < r.amounts.size(); ++n) {
    use& of = uses_[scenario_.components[component].needs[n].of];
    of.in_use += r.amounts[n];
    of.peak = std::max(of.peak, of.in_use);
  }
  return r;
}

void resource_queue::end(const request& r) {
  for (std::size_t n = 0; n < r.amounts.size(); ++n)
    uses_[scenario_.components[r.component].needs[n].of].in_use -= r.amounts[n];
}

std::vector<std::size_t> resource_queue::components_waiting() const {
  std::vector<std::size_t> all;
  for (auto r = requests_.rbegin(); r != requests_.rend(); ++r) {
    std::erase(all, r->component);
    all.push_back(r->component);
  }
  return all;
}

resource_queue::bound resource_queue::most_at_a_time(std::size_t component) const {
  bound least;
  for (std::size_t n = 0; n < seen_[component].size(); ++n) {
    const simulated_resource& of = scenario_.resources[scenario_.components[component].needs[n].of];
    const double light = seen_[component][n].mean - seen_[component][n].distance;
    if (!(light > 0)) continue;
    const int most = as_int(std::floor(of.total / light), 1, unlimited);
    if (most < least.invocations) least = {most, of.name};
  }
  return least;
}

bool resource_queue::are_ports_free(std::size_t component) const {
  const std::vector<int>& takes = scenario_.components[component].takes;
  return std::none_of(takes.begin(), takes.end(), [&](int port) { return is_taken_[to_index(port)]; });
}

void resource_queue::take_ports(std::size_t component) {
  for (const int port : scenario_.components[component].takes) is_taken_[to_index(port)] = true;
}

// Components that take the same in turn.
std::vector<std::size_t> resource_queue::give_back_ports(std::size_t component) {
  std::vector<std::size_t> to_wake;
  for (const int port : scenario_.components[component].takes) {
    is_taken_[to_index(port)] = false;
    const std::vector<std::size_t>& all = takers_[to_index(port)];
    const auto self = static_cast<std::size_t>(std::find(all.begin(), all.end(), component) - all.begin());
    for (std::size_t k = 0; k < all.size(); ++k) to_wake.push_back(all[(self + all.size() - k) % all.size()]);
  }
  return to_wake;
}

resource_queue::bound usual_bound(const scenario& of, const simulated_component& c) {
  double mean_x = 0, records = 0;
  for (std::size_t j = 0; j < of.phase_starts.size(); ++j) {
    const std::vector<double> all = sampled(c.in(j).x, 64);
    const auto weight = static_cast<double>(of.records_in(j));
    mean_x += weight * std::accumulate(all.begin(), all.end(), 0.0) / static_cast<double>(all.size());
    records += weight;
  }
  mean_x /= records;
  resource_queue::bound least;
  for (const simulated_component::need& n : c.needs) {
    const double amount = n.fixed + n.per_x * mean_x;
    if (!(amount > 0)) continue;
    const int most = as_int(std::floor(of.resources[n.of].total / amount), 1, unlimited);
    if (most < least.invocations) least = {most, of.resources[n.of].name};
  }
  return least;
}

}  // namespace weir::simulation
