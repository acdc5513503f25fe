#include "runtime/machine/core_division.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace weir::detail {
namespace {

double throughput_on(const core_gain& gain, int cores) {
  const auto above = std::find_if(gain.begin(), gain.end(), [&](const auto& at) { return at.first >= cores; });
  if (above == gain.end()) return gain.back().second;
  const auto below = above == gain.begin() ? std::pair(0, 0.0) : *(above - 1);
  const double part = static_cast<double>(cores - below.first) / (above->first - below.first);
  return below.second + part * (above->second - below.second);
}

// Gives out core after core, each to the process whose throughput grows by the largest factor. If every process gains
// less from each further core, no other division has a larger product of throughputs.
class division {
 public:
  explicit division(const std::vector<core_claim>& claims) : claims_(claims), given_(claims.size()) {
    for (const core_claim& c : claims) {
      free_ = free_ | c.cores;
      says_gain_ = says_gain_ && !c.gain.empty();
      for (const int core : c.cores) ++asked_by_[core];
    }
  }

  std::vector<core_set> made() {
    give_each_one();
    for (std::size_t next = best(); next < claims_.size(); next = best())
      give(next, rarest(claims_[next].cores & free_));
    put_together();
    return given_;
  }

 private:
  // Processes with the least choice go first.
  void give_each_one() {
    std::vector<std::size_t> order(claims_.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return claims_[a].cores.size() < claims_[b].cores.size(); });
    for (const std::size_t i : order) {
      const core_set open = claims_[i].cores & free_;
      give(i, open.empty() ? least_used(claims_[i].cores) : rarest(open));
    }
  }
  void give(std::size_t to, int core) {
    given_[to] = given_[to] | core_set{core};
    free_ = free_ - core_set{core};
  }

  // The process that the next core goes to; the number of processes: no core is left that one asks for.
  std::size_t best() const {
    std::size_t found = claims_.size();
    double most = 0;
    for (std::size_t i = 0; i < claims_.size(); ++i) {
      if (given_[i].size() >= claims_[i].most || !claims_[i].cores.intersects(free_)) continue;
      const double gain = growth(i);
      const bool is_better =
          found == claims_.size() || gain > most || (gain == most && given_[i].size() < given_[found].size());
      if (is_better) found = i, most = gain;
    }
    return found;
  }
  double growth(std::size_t i) const {
    const int has = given_[i].size();
    if (!says_gain_) return 1.0 / has;
    const double now = throughput_on(claims_[i].gain, has), then = throughput_on(claims_[i].gain, has + 1);
    return now > 0 && then > now ? std::log(then / now) : 0;
  }

  // The core that the fewest processes ask for, so that others keep their choice.
  int rarest(const core_set& among) const {
    return *std::min_element(among.begin(), among.end(),
                             [&](int a, int b) { return asked_by_.at(a) < asked_by_.at(b); });
  }
  int least_used(const core_set& among) const {
    std::map<int, int> users;
    for (const core_set& has : given_)
      for (const int core : has) ++users[core];
    return *std::min_element(among.begin(), among.end(), [&](int a, int b) { return users[a] < users[b]; });
  }

  // Deals the cores of processes that may use the same ones out anew, in order. With more processes than cores there is
  // nothing to put together.
  void put_together() {
    std::map<core_set, std::vector<std::size_t>> alike;
    for (std::size_t i = 0; i < claims_.size(); ++i) alike[claims_[i].cores].push_back(i);
    for (const auto& [cores, members] : alike) {
      core_set all;
      int sum = 0;
      for (const std::size_t i : members) all = all | given_[i], sum += given_[i].size();
      if (all.size() != sum) continue;
      int first = 0;
      for (const std::size_t i : members) {
        const int count = given_[i].size();
        given_[i] = all.part(first, count);
        first += count;
      }
    }
  }

  const std::vector<core_claim>& claims_;
  std::vector<core_set> given_;
  core_set free_;
  std::map<int, int> asked_by_;  // by core: processes that may use it
  bool says_gain_ = true;
};

}  // namespace

std::vector<core_set> divide_cores(const std::vector<core_claim>& claims) { return division(claims).made(); }

}  // namespace weir::detail
