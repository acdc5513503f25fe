#include "scheduler/divide/marginal_gain.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>

#include "scheduler/view/numbers.hpp"

namespace weir {
namespace {

// The least relative gain that is more than rounding of equal numbers.
constexpr double least_gain = 1e-12;

// How much ways count before they are the slowest. A way that takes nine tenths of the slowest counts 0.4 of it; one
// that takes half counts next to nothing.
constexpr double sharpness = 8;

// How many sojourns are considered before anything is given, for all components together: a millisecond's worth.
constexpr int looks = 4096;

// From this window on, steps are found from the edges of a hull and not one by one.
constexpr int many = 16;

// How often the weights are updated while a division grows.
constexpr int renewals = 64;

// The most exchanges. Each is a pass over all components, and after a few the rest saves next to nothing.
constexpr int exchanges = 64;

// The most steps of a dynamic program: a quarter of a millisecond's worth.
constexpr long long table = 1 << 18;

class growing_division {
 public:
  growing_division(const record_paths& paths, const std::vector<core_bounds>& bounds, int cores,
                   const std::function<double(int, int)>& sojourn)
      : paths_(paths), bounds_(bounds), left_(cores), ask_(sojourn), size_(static_cast<int>(bounds.size())) {
    window_ = std::max(4, looks / std::max(1, size_));
    hulls_.resize(bounds.size());
    far_ = 8 * cores / std::max(1, size_);
    for (int i = 0; i < size_; ++i) {
      given_.push_back(at(bounds_, i).lower);
      left_ -= given_.back();
      now_.push_back(ask_(i, given_.back()));
    }
  }

  gained result() {
    serve();
    if (!fits_ && paths_.is_additive() && solve(paths_.weights(now_, record_paths::slowest_only))) {
      // The result is exact.
    } else if (!fits_ || !paths_.is_additive()) {
      if (!paths_.is_additive()) search();
      exchange_all();
    }
    gained made{given_, 0};
    const std::vector<double> weights = paths_.weights(now_, record_paths::slowest_only);
    const bool served = fits_ && paths_.is_additive();  // and no change since
    for (int i = 0; i < size_; ++i)
      if (const step s = served ? at(steps_, i) : next(i, at(bounds_, i).upper); s.to > 0)
        made.next = std::max(made.next, at(weights, i) * s.slope);
    return made;
  }

 private:
  // Ends of the edges that begin at `first` and at the numbers of cores after it.
  struct hull {
    int first = 0;
    std::vector<int> ends;
  };
  struct corner {
    double seconds;
    int cores;
  };
  struct step {
    double slope = 0;  // seconds of sojourn per core
    int to = 0;        // cores; 0: no number is better
  };

  template <typename T>
  static T& at(std::vector<T>& all, int i) {
    return all[static_cast<std::size_t>(i)];
  }
  template <typename T>
  static const T& at(const std::vector<T>& all, int i) {
    return all[static_cast<std::size_t>(i)];
  }

  // The steepest step down from a component's present cores, with at most `most` cores more.
  step next(int i, int most) {
    const int from = at(given_, i), last = std::min(at(bounds_, i).upper, from + std::min(most, at(bounds_, i).upper));
    const double now = at(now_, i);
    step best;
    const auto look = [&](int to) {
      const double slope = (now - ask_(i, to)) / (to - from);
      if (slope * (to - from) > least_gain * now && slope > best.slope) best = {slope, to};
    };
    const int near = std::min(last, from + window_);
    const bool is_limited = near < std::min(at(bounds_, i).upper, from + window_);
    if (const int to = is_limited || window_ < many ? 0 : edge(i, from); to > 0) look(to);
    if (best.to == 0)
      for (int to = from + 1; to <= near; ++to) look(to);
    const int far = std::min(last, from + far_);
    for (int to = 8; to <= far; to *= 2)
      if (to > near) look(to);
    return best;
  }

  // Where the edge of the lower hull ends that begins at `from`, by all numbers of cores within the window at least; 0
  // where there is none. The edges of many starts are found together, from right to left, so that each takes O(1).
  int edge(int i, int from) {
    hull& h = at(hulls_, i);
    const int upper = at(bounds_, i).upper;
    if (from < h.first || from >= h.first + static_cast<int>(h.ends.size())) {
      const int half = window_ / 2, last = from + std::min(upper - from, window_ + half);
      h.first = from;
      h.ends.assign(to_index(std::min(last, last < upper ? from + half : upper) - from + 1), 0);
      corners_.clear();
      for (int c = last; c >= from; --c) {
        const double now = ask_(i, c);
        if (!(now < std::numeric_limits<double>::infinity())) continue;
        const auto slope = [&](const corner& to) { return (now - to.seconds) / (to.cores - c); };
        while (corners_.size() > 1 && slope(corners_.back()) < slope(corners_[corners_.size() - 2]))
          corners_.pop_back();
        if (const std::size_t k = to_index(c - from); k < h.ends.size() && !corners_.empty())
          h.ends[k] = corners_.back().cores;
        corners_.push_back({now, c});
      }
    }
    return h.ends[to_index(from - h.first)];
  }

  void take(int i, int cores) {
    left_ -= cores - at(given_, i);
    at(given_, i) = cores;
    at(now_, i) = ask_(i, cores);
  }

  void serve() {
    for (int i = 0; i < size_; ++i) steps_.push_back(next(i, at(bounds_, i).upper));
    const int batch = paths_.is_additive() ? std::numeric_limits<int>::max() : std::max(1, left_ / renewals);
    for (bool moved = true; moved && left_ > 0;) {
      moved = false;
      const std::vector<double> weights = paths_.weights(now_, sharpness);
      std::priority_queue<std::pair<double, int>> best;
      const auto offer = [&](int i) {
        if (const double worth = at(weights, i) * at(steps_, i).slope; worth > 0) best.emplace(worth, -i);
      };
      for (int i = 0; i < size_; ++i) offer(i);
      for (int taken = 0; taken < batch && left_ > 0 && !best.empty();) {
        const int i = -best.top().second;
        best.pop();
        step& s = at(steps_, i);
        if (s.to - at(given_, i) > left_) {
          fits_ = false;
          s = next(i, left_);
        } else {
          taken += s.to - at(given_, i);
          moved = true;
          take(i, s.to);
          s = next(i, at(bounds_, i).upper);
        }
        offer(i);
      }
    }
  }

  // Finds the best division by these weights, by dynamic programming. False, changing nothing, where that takes too
  // long.
  bool solve(const std::vector<double>& weights) {
    struct choice {
      int cores;
      double cost;
    };
    std::vector<std::vector<choice>> choices(given_.size());
    int most = left_;
    for (int c : given_) most += c;
    long long work = 0;
    for (int i = 0; i < size_; ++i) {
      std::vector<choice>& some = at(choices, i);
      const auto [lower, upper] = at(bounds_, i);
      for (int c = lower; c <= std::min(upper, most); ++c)
        if (const double seconds = at(weights, i) * ask_(i, c);
            some.empty() || seconds < some.back().cost * (1 - least_gain))
          some.push_back({c, seconds});
      work += static_cast<long long>(some.size()) * most;
      if (work > table) return false;
    }
    std::vector<double> best(static_cast<std::size_t>(most + 1), 0.0);
    std::vector<std::vector<int>> chosen(given_.size());
    for (int i = 0; i < size_; ++i) {
      std::vector<double> with(best.size(), std::numeric_limits<double>::infinity());
      at(chosen, i).resize(best.size());
      for (const choice& one : at(choices, i))
        for (int all = one.cores; all <= most; ++all)
          if (const double cost = at(best, all - one.cores) + one.cost; cost < at(with, all))
            at(with, all) = cost, at(at(chosen, i), all) = one.cores;
      best = std::move(with);
    }
    for (int i = size_; i-- > 0;) {
      const int cores = at(at(chosen, i), most);
      take(i, cores);
      most -= cores;
    }
    return true;
  }

  // Where copies travel side by side, tries other starts: the best divisions by the weights of one already found.
  void search() {
    exchange_all();
    struct found {
      std::vector<int> given;
      std::vector<double> now;
      int left;
      double seconds;
    };
    found best{given_, now_, left_, paths_.seconds(now_)};
    for (double sharp : {1.0, 4.0, 16.0, 64.0}) {
      given_ = best.given;
      now_ = best.now;
      left_ = best.left;
      for (int round = 0; round < 4; ++round) {
        if (!solve(paths_.weights(now_, sharp))) break;
        exchange_all();
        if (const double seconds = paths_.seconds(now_); seconds < best.seconds) best = {given_, now_, left_, seconds};
      }
    }
    given_ = best.given;
    now_ = best.now;
    left_ = best.left;
  }

  void exchange_all() {
    for (int done = 0; done < exchanges && exchange(); ++done) {
    }
  }

  // The number of cores, at most `cores`, at which a component is fastest.
  int fastest(int i, int cores) const {
    int best = at(bounds_, i).lower;
    for (int c = best + 1; c <= cores; ++c)
      if (ask_(i, c) < ask_(i, best)) best = c;
    return best;
  }

  // One component takes cores that are left or that another gives: the choice that saves most. False when none saves
  // anything.
  bool exchange() {
    const double before = paths_.seconds(now_);
    const std::vector<double> weights = paths_.weights(now_, record_paths::slowest_only);
    const bool exact = paths_.has_forks() && size_ <= 32;  // else by the weights, which is exact on chains
    double best = before * (1 - 1e-9);
    int giver = -1, kept = 0, taker = -1, to = 0;
    std::vector<double> tried = now_;
    const auto latency = [&](int i, double one, int j, double other) {
      if (!exact)
        return before + at(weights, i) * (one - at(now_, i)) + (j < 0 ? 0 : at(weights, j) * (other - at(now_, j)));
      at(tried, i) = one;
      if (j >= 0) at(tried, j) = other;
      const double seconds = paths_.seconds(tried);
      at(tried, i) = at(now_, i);
      if (j >= 0) at(tried, j) = at(now_, j);
      return seconds;
    };
    // The cores that each would keep after giving k.
    const int reach = std::min(window_, most_given());
    std::vector<std::vector<int>> keeps(static_cast<std::size_t>(size_));
    for (int i = 0; i < size_; ++i)
      for (int k = 1; k <= reach && at(given_, i) - k >= at(bounds_, i).lower; ++k)
        at(keeps, i).push_back(fastest(i, at(given_, i) - k));
    std::vector<std::vector<int>> givers(static_cast<std::size_t>(reach));
    for (int k = 1; k <= reach; ++k) {
      std::vector<int>& some = at(givers, k - 1);
      for (int i = 0; i < size_; ++i)
        if (static_cast<int>(at(keeps, i).size()) >= k) some.push_back(i);
      // By the weights the cheapest giver is best for every taker but itself.
      const auto loss = [&](int i) { return at(weights, i) * (ask_(i, at(at(keeps, i), k - 1)) - at(now_, i)); };
      if (exact || some.size() <= 2) continue;
      std::partial_sort(some.begin(), some.begin() + 2, some.end(), [&](int a, int b) { return loss(a) < loss(b); });
      some.resize(2);
    }
    for (int j = 0; j < size_; ++j) {
      double least = at(now_, j);
      const int last = std::min(at(bounds_, j).upper, at(given_, j) + left_ + reach);
      for (int q = at(given_, j) + 1; q <= last; ++q) {
        const double then = ask_(j, q);
        if (!(then < least * (1 - least_gain))) continue;
        least = then;
        const int missing = q - at(given_, j) - left_;
        if (missing <= 0) {
          if (const double seconds = latency(j, then, -1, 0); seconds < best)
            best = seconds, giver = -1, taker = j, to = q;
          continue;
        }
        for (int i : at(givers, missing - 1)) {
          if (i == j) continue;
          const int keep = at(at(keeps, i), missing - 1);
          if (const double seconds = latency(j, then, i, ask_(i, keep)); seconds < best)
            best = seconds, giver = i, kept = keep, taker = j, to = q;
        }
      }
    }
    if (taker < 0) return false;
    const std::vector<int> given = given_;
    const std::vector<double> now = now_;
    const int left = left_;
    if (giver >= 0) take(giver, kept);
    take(taker, to);
    if (exact || paths_.is_additive() || paths_.seconds(now_) < before * (1 - 1e-9)) return true;
    given_ = given;
    now_ = now;
    left_ = left;
    return false;
  }

  int most_given() const {
    int most = 0;
    for (int i = 0; i < size_; ++i) most = std::max(most, at(given_, i) - at(bounds_, i).lower);
    return most;
  }

  const record_paths& paths_;
  const std::vector<core_bounds>& bounds_;
  int left_;
  const std::function<double(int, int)>& ask_;
  int size_;
  int window_;        // how far ahead every number of cores is considered
  int far_;           // how far powers of two are considered: 8 times an even part
  bool fits_ = true;  // every step of a hull fitted so far
  std::vector<int> given_;
  std::vector<double> now_;      // sojourns
  std::vector<hull> hulls_;      // by component
  std::vector<corner> corners_;  // scratch of edge()
  std::vector<step> steps_;      // each component's next one, while serving
};

}  // namespace

gained marginal_gain(const record_paths& paths, const std::vector<core_bounds>& bounds, int cores,
                     const std::function<double(int component, int cores)>& sojourn) {
  return growing_division(paths, bounds, cores, sojourn).result();
}

}  // namespace weir
