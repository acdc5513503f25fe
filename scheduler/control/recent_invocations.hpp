#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <weir/model/estimator.hpp>
#include <weir/model/observation.hpp>
#include <weir/scheduler/view/system_view.hpp>
#include "scheduler/control/steady_inputs.hpp"

namespace weir {

// The last invocations of a component, with the x that its model makes of them. Where the model takes several
// predictors their values are kept, since that x changes. Not thread-safe. Allocates as it fills.
class recent_invocations {
 public:
  static constexpr std::size_t window = 256;  // number of invocations kept
  struct kept {
    invocation_sample sample;
    double seconds;
  };

  explicit recent_invocations(bool of_several) : of_several_(of_several) {}

  // Allocates what the next add() may need; that add() then throws nothing. Throws std::bad_alloc, having changed
  // nothing.
  void make_room() {
    if (all_.size() == all_.capacity() && all_.size() < window) all_.reserve(next_capacity(all_.size(), window));
    if (of_several_ && values_.size() == values_.capacity() && values_.size() < window)
      values_.reserve(all_.capacity());
  }
  // REQUIRES: make_room() before it.
  void add(const observation& given, const kept& one) {
    if (all_.size() < window) all_.emplace_back();
    all_[next_] = one;
    if (of_several_) {
      if (values_.size() < window) values_.emplace_back();
      values& raw = values_[next_];
      raw.x = static_cast<float>(given.x);
      std::transform(given.further.begin(), given.further.end(), raw.further.begin(),
                     [](double v) { return static_cast<float>(v); });
    }
    next_ = (next_ + 1) % window;
  }

  std::size_t size() const { return all_.size(); }
  const kept& latest(std::size_t back) const { return all_[place(back)]; }  // 0: the last
  const kept& oldest(std::size_t i) const { return latest(size() - 1 - i); }
  // As it was made, with the time that was learnt.
  observation observation_of(std::size_t back) const {
    const invocation_sample& s = latest(back).sample;
    observation o;
    o.x = of_several_ ? values_[place(back)].x : s.x;
    if (of_several_) std::ranges::copy(values_[place(back)].further, o.further.begin());
    o.cores = s.cores;
    o.seconds = s.seconds;
    return o;
  }

  // Gives all the x of the model, where that takes the predictors otherwise than before. True where it does.
  bool renew_x(const estimator& model) {
    if (!of_several_ || model.x_changes() == x_changes_) return false;
    x_changes_ = model.x_changes();
    for (std::size_t back = 0; back < size(); ++back) all_[place(back)].sample.x = model.x_of(observation_of(back));
    return true;
  }

 private:
  struct values {  // as precise as models take them
    float x = 1;
    std::array<float, most_predictors - 1> further{};
  };
  std::size_t place(std::size_t back) const { return (next_ + window - 1 - back) % window; }

  bool of_several_;
  std::vector<kept> all_;       // a ring buffer once it has its full size
  std::vector<values> values_;  // of these, where there are several predictors
  std::size_t next_ = 0;        // the place of the next in it
  std::uint64_t x_changes_ = 0;
};

}  // namespace weir
