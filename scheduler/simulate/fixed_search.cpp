#include "scheduler/simulate/fixed_search.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "scheduler/expect/component_times.hpp"
#include "scheduler/view/numbers.hpp"

namespace weir::simulation {
namespace {

constexpr double worth_keeping = 1.05;  // times the best: expected times differ from simulated ones
constexpr double enough = 1 - 1e-4;     // a smaller improvement than this is not searched for
constexpr long most_steps = 200'000;    // for one division: a tenth of a second
constexpr long most_steps_of_all = 10'000'000;
constexpr std::size_t many = 12;  // components: with more, only the first of them is tried as a host

using by_view = std::vector<double>;

// The time of one owner, or of the shared group, with each number of cores.
struct item {
  struct option {
    by_view powers;
    int cores = 0, width = 1;  // the cores that it uses: no more than make it faster
  };
  int component = -1;  // -1: the shared group
  int lower = 1;
  std::vector<option> options;  // by number of cores, from `lower` on

  const option& at(int cores) const {
    return options[std::min(static_cast<std::size_t>(cores - lower), options.size() - 1)];
  }
};

class fixed_division_search {
 public:
  fixed_division_search(const std::vector<system_view>& views, const std::vector<double>& weights, double norm)
      : views_(views), weights_(weights), norm_(norm), cores_(views[0].cores.size()), n_(views[0].components.size()) {
    times_.resize(n_);
    for (std::size_t i = 0; i < n_; ++i)
      for (const system_view& v : views) times_[i].emplace_back(v.components[i]);
    for (std::size_t i = 0; i < n_; ++i)
      for (component_times& t : times_[i]) unit_ = std::max(unit_, t.seconds(1, 1));
    if (!(unit_ > 0)) unit_ = 1;
    for (std::size_t i = 0; i < n_; ++i) alone_.push_back(owner(i, nullptr));
    for (std::size_t i = 0; i < n_; ++i)
      if (!is_outside(bounds(i))) order_.push_back(i);
    std::stable_sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) {
      const bool a_must = bounds(a).min_cores > 1, b_must = bounds(b).min_cores > 1;
      return a_must != b_must ? a_must : total(one_core(a)) > total(one_core(b));
    });
  }

  std::vector<fixed_choice> best(std::size_t most) {
    const std::size_t count = order_.size();
    for (std::size_t owners = count; owners + 1 > 0; --owners) {
      if (owners < count && bounds(order_[owners]).min_cores > 1) break;
      if (owners == count) {
        divide(owners, -1);
        continue;
      }
      if (count - owners > 1) divide(owners, -1);
      for (std::size_t k = 0; k < (count <= many ? owners : std::min<std::size_t>(owners, 1)); ++k)
        divide(owners, static_cast<int>(order_[k]));
    }
    std::stable_sort(found_.begin(), found_.end(),
                     [](const fixed_choice& a, const fixed_choice& b) { return a.seconds < b.seconds; });
    if (found_.size() > most) found_.resize(most);
    return std::move(found_);
  }

 private:
  const component_view& bounds(std::size_t i) const { return views_[0].components[i]; }
  // Seconds to the power of the norm, so that several items can be added. They are in units of the longest time on one
  // core, else the powers could overflow or vanish.
  double powered(double seconds) const { return std::pow(seconds / unit_, norm_); }
  double total(const by_view& powers) const {
    double sum = 0;
    for (std::size_t v = 0; v < powers.size(); ++v) sum += weights_[v] * std::pow(powers[v], 1 / norm_);
    return sum * unit_;
  }
  by_view one_core(std::size_t i) {
    by_view result;
    for (component_times& t : times_[i]) result.push_back(powered(t.seconds(1, 1)));
    return result;
  }

  // A component with cores of its own. `group` holds, for each view, the seconds of the shared group that it hosts, or
  // is null.
  item owner(std::size_t i, const by_view* group) {
    const component_view& c = bounds(i);
    item result;
    result.component = static_cast<int>(i);
    result.lower = c.min_cores;
    const int upper = std::max(c.min_cores, std::min({cores_, c.max_cores, c.sequential ? c.max_width : cores_}));
    double least = infinite_seconds;
    for (int cores = c.min_cores; cores <= upper; ++cores) {
      item::option best = result.options.empty() ? item::option{} : result.options.back();
      for (int width = 1; width <= std::min(cores, c.max_width); ++width) {
        by_view powers;
        for (std::size_t v = 0; v < views_.size(); ++v)
          powers.push_back(powered(group ? times_[i][v].seconds_hosting(cores, width, (*group)[v])
                                         : times_[i][v].seconds(cores, width)));
        if (const double all = total(powers); all < least || best.powers.empty())
          best = {powers, cores, width}, least = all;
      }
      result.options.push_back(std::move(best));
    }
    return result;
  }

  // The shared group of these components on cores of its own.
  item group(const std::vector<std::size_t>& members) {
    item result;
    int lanes = 0;
    for (std::size_t m : members) lanes = std::min(cores_, lanes + std::min(cores_, shared_lanes(bounds(m))));
    for (int cores = 1; cores <= lanes; ++cores) {
      item::option o{by_view(views_.size(), 0), cores, 1};
      for (std::size_t v = 0; v < views_.size(); ++v) {
        double sum = 0, slowest = 0;
        for (std::size_t m : members) {
          sum += times_[m][v].seconds(1, 1);
          slowest = std::max(slowest, times_[m][v].at_most_lanes());
        }
        o.powers[v] = powered(std::max(sum / cores, slowest));
      }
      result.options.push_back(std::move(o));
    }
    return result;
  }

  void divide(std::size_t owners, int host);
  void climb();
  void descend(std::size_t k, int left, const by_view& so_far);

  const std::vector<system_view>& views_;
  const std::vector<double>& weights_;
  double norm_, unit_ = 0;
  int cores_;
  std::size_t n_;
  std::vector<std::vector<component_times>> times_;  // by component and view
  std::vector<item> alone_;                          // by component
  std::vector<std::size_t> order_;
  std::vector<fixed_choice> found_;

  std::vector<item> items_;  // of the division under search
  std::vector<int> minima_;  // the least cores of all items from k on
  std::vector<int> given_, best_given_;
  double best_ = infinite_seconds, least_ = infinite_seconds;
  long steps_left_ = 0, steps_of_all_left_ = most_steps_of_all;
};

// Searches the division where the first `owners` of the order own cores and the others share, on the core of `host` or
// on their own cores.
void fixed_division_search::divide(std::size_t owners, int host) {
  const std::vector<std::size_t> members(order_.begin() + static_cast<std::ptrdiff_t>(owners), order_.end());
  by_view sums(views_.size(), 0);
  for (std::size_t m : members)
    for (std::size_t v = 0; v < views_.size(); ++v) sums[v] += times_[m][v].seconds(1, 1);
  items_.clear();
  for (std::size_t k = 0; k < owners; ++k)
    items_.push_back(static_cast<int>(order_[k]) == host ? owner(order_[k], &sums) : alone_[order_[k]]);
  if (!members.empty() && host < 0) items_.push_back(group(members));
  minima_.assign(items_.size() + 1, 0);
  for (std::size_t k = items_.size(); k-- > 0;) minima_[k] = minima_[k + 1] + items_[k].lower;
  if (items_.empty() || minima_[0] > cores_) return;

  given_.assign(items_.size(), 0);
  best_given_.clear();
  best_ = least_ * worth_keeping;
  climb();
  steps_left_ = std::min(most_steps, steps_of_all_left_);
  const long before = steps_left_;
  descend(0, cores_, by_view(views_.size(), 0));
  steps_of_all_left_ -= before - steps_left_;
  if (best_given_.empty()) return;
  least_ = std::min(least_, best_);
  fixed_choice choice;
  choice.seconds = best_;
  choice.counts.components.resize(n_);
  choice.counts.host = host;
  for (std::size_t k = 0; k < items_.size(); ++k) {
    const item::option& o = items_[k].at(best_given_[k]);
    if (items_[k].component < 0)
      choice.counts.shared = o.cores;
    else
      choice.counts.components[static_cast<std::size_t>(items_[k].component)] = {o.cores, o.width};
  }
  found_.push_back(std::move(choice));
}

// Finds a good start: cores go, one jump at a time, where each of them helps most.
void fixed_division_search::climb() {
  int left = cores_ - minima_[0];
  for (std::size_t k = 0; k < items_.size(); ++k) given_[k] = items_[k].lower;
  // Always summed anew: with large powers a difference would lose all digits.
  const auto seconds = [&] {
    by_view sum(views_.size(), 0);
    for (std::size_t k = 0; k < items_.size(); ++k)
      for (std::size_t v = 0; v < sum.size(); ++v) sum[v] += items_[k].at(given_[k]).powers[v];
    return total(sum);
  };
  for (;;) {  // ends: each round but the last takes a remaining core, and NaN is no gain
    const double now = seconds();
    double best_gain = 0;
    std::size_t who = 0;
    int jump = 0;
    for (std::size_t k = 0; k < items_.size(); ++k) {
      int more = 1;
      while (more <= left && items_[k].at(given_[k] + more).cores == items_[k].at(given_[k]).cores) ++more;
      if (more > left) continue;
      given_[k] += more;
      const double gain = (now - seconds()) / more;
      given_[k] -= more;
      if (gain > best_gain) best_gain = gain, who = k, jump = more;
    }
    if (jump == 0) {
      if (now < best_) best_ = now, best_given_ = given_;
      return;
    }
    given_[who] += jump;
    left -= jump;
  }
}

void fixed_division_search::descend(std::size_t k, int left, const by_view& so_far) {
  const item& here = items_[k];
  const bool is_last = k + 1 == items_.size();
  const int most = left - minima_[k + 1];
  by_view bound;
  for (int cores = is_last ? most : here.lower; cores <= most && steps_left_ > 0; ++cores) {
    const item::option& o = here.at(cores);
    if (!is_last && o.cores < cores && cores > here.lower) continue;  // no better than with fewer cores
    --steps_left_;
    bound = so_far;
    for (std::size_t v = 0; v < bound.size(); ++v) bound[v] += o.powers[v];
    given_[k] = cores;
    if (is_last) {
      if (const double all = total(bound); all < best_) best_ = all, best_given_ = given_;
      continue;
    }
    const int rest = left - cores;
    by_view reached = bound;
    for (std::size_t m = k + 1; m < items_.size(); ++m) {
      const item::option& other = items_[m].at(rest - minima_[k + 1] + items_[m].lower);
      for (std::size_t v = 0; v < bound.size(); ++v) bound[v] += other.powers[v];
    }
    if (total(bound) < best_ * enough) descend(k + 1, rest, reached);
  }
}

}  // namespace

std::vector<fixed_choice> best_fixed_counts(const std::vector<system_view>& views, const std::vector<double>& weights,
                                            double norm, std::size_t most) {
  return fixed_division_search(views, weights, norm).best(most);
}

}  // namespace weir::simulation
