#include "scheduler/placement.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace weir {
namespace {

// The index in `cores` at which `held` lies as one run of neighbours, or -1.
int position_of(const core_set& held, const core_set& cores) {
  if (held.empty() || held.size() > cores.size()) return -1;
  const auto first = std::lower_bound(cores.begin(), cores.end(), held[0]);
  if (cores.end() - first < held.size() || !std::equal(held.begin(), held.end(), first)) return -1;
  return static_cast<int>(first - cores.begin());
}

// Deals runs of cores from left to right.
class dealer {
 public:
  dealer(const core_set& cores, int needed) : cores_(cores), needed_(needed) {}

  // `count` cores: those held so far when they lie ahead and everything after them finds room, else the next ones.
  core_set next(int count, const core_set& held) {
    const int kept = held.size() == count ? position_of(held, cores_) : -1;
    if (kept > position_ && kept + needed_ <= cores_.size()) position_ = kept;
    const auto first = cores_.begin() + position_;
    position_ += count;
    needed_ -= count;
    return core_set(std::vector<int>(first, first + count));
  }

 private:
  const core_set& cores_;
  int needed_;  // by all that is still to come
  int position_ = 0;
};

}  // namespace

allotment place(const core_counts& counts, const system_view& view) {
  const std::size_t n = counts.components.size();
  allotment before = view.current;
  before.components.resize(n);
  const int owned = std::accumulate(counts.components.begin(), counts.components.end(), 0,
                                    [](int sum, const core_counts::entry& e) { return sum + e.cores; });
  // Dispatch and filters have a core that nobody owns before they take time of an owner's.
  const bool is_asked_for = view.needs_shared && counts.shared == 0 && counts.host < 0;
  const int shared = is_asked_for && owned < view.cores.size() ? 1 : counts.shared;
  dealer deal(view.cores, owned + shared);
  allotment result;
  result.components.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    const auto [cores, width] = counts.components[i];
    if (cores > 0) result.components[i] = {deal.next(cores, before.components[i].cores), width};
  }
  if (shared > 0)
    result.shared = deal.next(shared, before.shared);
  else if (const int host = is_asked_for ? largest_owner(counts) : counts.host; host >= 0)
    result.shared = {result.components[static_cast<std::size_t>(host)].cores[0]};
  return result;
}

int largest_owner(const core_counts& counts) {
  int largest = -1, most = 0;
  for (std::size_t i = 0; i < counts.components.size(); ++i)
    if (counts.components[i].cores > most) most = counts.components[i].cores, largest = static_cast<int>(i);
  return largest;
}

void require_minima(const system_view& view) {
  long long total = 0;
  std::string who;
  for (const component_view& c : view.components) {
    if (c.min_cores < 2) continue;
    total += c.min_cores;
    who += (who.empty() ? "\"" : ", \"") + c.name + "\" " + std::to_string(c.min_cores);
  }
  if (total > view.cores.size())
    throw std::invalid_argument("components ask for " + std::to_string(total) + " cores at least (" + who +
                                ") and there are " + std::to_string(view.cores.size()));
}

}  // namespace weir
