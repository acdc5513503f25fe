#include "scheduler/expect/visits.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "scheduler/view/numbers.hpp"

namespace weir {
namespace {

[[noreturn]] void refuse_flows(const std::string& what) { throw std::invalid_argument("visits_of: " + what); }

void require_numbers(const char* what, const std::vector<double>& numbers) {
  for (std::size_t i = 0; i < numbers.size(); ++i)
    if (!(numbers[i] >= 0) || std::isinf(numbers[i]))
      refuse_flows(std::string(what) + " of component " + std::to_string(i) + " is " + in_digits(numbers[i]) +
                   "; it must be finite and 0 or more");
}

struct flows {
  std::vector<std::vector<std::pair<int, double>>> next;  // by component: where to, records per record taken
  std::vector<bool> reached;
};

flows flows_of(const std::vector<double>& source, const std::vector<double>& gain, const std::vector<route>& routing) {
  flows made;
  made.next.resize(source.size());
  for (const route& r : routing)
    if (const double records = gain[static_cast<std::size_t>(r.from)] * r.part; records > 0)
      made.next[static_cast<std::size_t>(r.from)].emplace_back(r.to, records);
  made.reached.resize(source.size());
  std::vector<std::size_t> open;
  const auto reach = [&](std::size_t i) {
    if (!made.reached[i]) open.push_back(i);
    made.reached[i] = true;
  };
  for (std::size_t i = 0; i < source.size(); ++i)
    if (source[i] > 0) reach(i);
  while (!open.empty()) {
    const std::size_t i = open.back();
    open.pop_back();
    for (const auto& [to, records] : made.next[i]) reach(static_cast<std::size_t>(to));
  }
  return made;
}

// One pass in topological order (Kahn); false when there is a loop.
bool pass_once(const flows& all, std::vector<double>& visits) {
  const std::size_t n = visits.size();
  std::vector<int> waiting(n, 0);
  for (std::size_t i = 0; i < n; ++i)
    if (all.reached[i])
      for (const auto& [to, records] : all.next[i]) ++waiting[static_cast<std::size_t>(to)];
  std::vector<std::size_t> ready;
  std::size_t done = 0;
  for (std::size_t i = 0; i < n; ++i)
    if (all.reached[i] && waiting[i] == 0) ready.push_back(i);
  while (!ready.empty()) {
    const std::size_t i = ready.back();
    ready.pop_back();
    ++done;
    for (const auto& [to, records] : all.next[i]) {
      const auto j = static_cast<std::size_t>(to);
      visits[j] += records * visits[i];
      if (--waiting[j] == 0) ready.push_back(j);
    }
  }
  return done == static_cast<std::size_t>(std::count(all.reached.begin(), all.reached.end(), true));
}

std::vector<double> solve(const flows& all, const std::vector<double>& source) {
  std::vector<Eigen::Index> row(source.size(), -1);
  std::vector<std::size_t> which;
  for (std::size_t i = 0; i < source.size(); ++i)
    if (all.reached[i]) row[i] = static_cast<Eigen::Index>(which.size()), which.push_back(i);
  const auto n = static_cast<Eigen::Index>(which.size());
  Eigen::MatrixXd balance = Eigen::MatrixXd::Identity(n, n);
  Eigen::VectorXd entering(n);
  for (std::size_t i : which) {
    entering[row[i]] = source[i];
    for (const auto& [to, records] : all.next[i]) balance(row[static_cast<std::size_t>(to)], row[i]) -= records;
  }
  const Eigen::VectorXd found = balance.partialPivLu().solve(entering);
  std::vector<double> visits(source.size(), 0.0);
  for (std::size_t i : which) visits[i] = found[row[i]];
  return visits;
}

}  // namespace

std::vector<double> visits_of(const std::vector<double>& source, const std::vector<double>& gain,
                              const std::vector<route>& routing) {
  const std::size_t n = source.size();
  if (gain.size() != n)
    refuse_flows(std::to_string(n) + " components have a source and " + std::to_string(gain.size()) + " a gain");
  require_numbers("the source", source);
  require_numbers("the gain", gain);
  const auto is_component = [&](int i) { return i >= 0 && static_cast<std::size_t>(i) < n; };
  for (const route& r : routing) {
    if (!is_component(r.from) || !is_component(r.to))
      refuse_flows("a route leads from " + std::to_string(r.from) + " to " + std::to_string(r.to) + " and there are " +
                   std::to_string(n) + " components");
    if (!(r.part >= 0) || std::isinf(r.part)) refuse_flows("a route has part " + in_digits(r.part));
  }
  const flows all = flows_of(source, gain, routing);
  std::vector<double> visits = source;
  if (pass_once(all, visits)) return visits;
  visits = solve(all, source);
  // For M >= 0 the inverse of I - M has no negative entry exactly when M's spectral radius is below 1. Every component
  // in question is reached, so a growing loop shows in the visits of the components that it feeds. More than 1e12
  // visits count as endless, too.
  std::string endless;
  for (std::size_t i = 0; i < n; ++i)
    if (all.reached[i] && !(visits[i] > 0 && visits[i] < 1e12))
      endless += (endless.empty() ? "" : ", ") + std::to_string(i);
  if (!endless.empty())
    refuse_flows("a loop returns as many records as it takes, or more: no finite number visits components " + endless);
  return visits;
}

}  // namespace weir
