#include "bench/measurements/flow_accuracy/random_network.hpp"

#include <algorithm>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>

namespace weir::flow_accuracy {
namespace {

constexpr std::size_t most_streams = 4;  // into a component, and out of it

class drawing {
 public:
  drawing(std::size_t components, std::uint64_t seed) : wanted_(components), generator_(seed) { add_component({}); }

  // Grows until exactly the components remain that are needed to join all ends. A step that needs more is skipped and
  // another one is drawn; one component behind an end always fits.
  random_network finished() && {
    while (outs_.size() + joins_for(ends().size()) < wanted_) {
      if (below(2) == 0) {
        fan_out();
      } else {
        fan_in();
      }
    }
    while (ends().size() > 1) add_component(some_of(ends(), most_streams));
    return std::move(network_);
  }

 private:
  std::size_t below(std::size_t bound) { return generator_() % bound; }
  double uniform(double from, double to) {
    return from + (to - from) * static_cast<double>(generator_() >> 11) * 0x1p-53;
  }

  // The number of components needed to join `ends` components without a stream out into one.
  static std::size_t joins_for(std::size_t ends) { return (ends + most_streams - 3) / (most_streams - 1); }

  std::vector<std::size_t> with_outs_below(std::size_t bound) const {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < outs_.size(); ++i)
      if (outs_[i] < bound) found.push_back(i);
    return found;
  }
  std::vector<std::size_t> ends() const { return with_outs_below(1); }

  std::vector<std::size_t> some_of(std::vector<std::size_t> all, std::size_t number) {
    for (std::size_t i = 0; i < std::min(number, all.size()); ++i) std::swap(all[i], all[i + below(all.size() - i)]);
    all.resize(std::min(number, all.size()));
    return all;
  }

  // Whether enough components remain to join all ends after adding `components` and having `ends_then` ends.
  bool fits(std::size_t components, std::size_t ends_then) const {
    return outs_.size() + components + joins_for(ends_then) <= wanted_;
  }

  void fan_out() {
    const std::size_t parent = some_of(ends(), 1).front();
    const std::size_t children = 1 + below(most_streams);
    if (!fits(children, ends().size() + children - 1)) return;
    for (std::size_t i = 0; i < children; ++i) add_component({parent});
  }

  void fan_in() {
    const std::vector<std::size_t> parents = some_of(with_outs_below(most_streams), 1 + below(most_streams));
    const auto closed = std::count_if(parents.begin(), parents.end(), [this](std::size_t i) { return outs_[i] == 0; });
    if (fits(1, ends().size() + 1 - static_cast<std::size_t>(closed))) add_component(parents);
  }

  void add_component(const std::vector<std::size_t>& parents) {
    for (const std::size_t parent : parents) {
      network_.streams.push_back({parent, outs_.size(), 1 + static_cast<int>(below(64))});
      ++outs_[parent];
    }
    outs_.push_back(0);
    network_.components.push_back({uniform(18e-6, 22e-6)});
  }

  std::size_t wanted_;
  std::mt19937_64 generator_;
  std::vector<std::size_t> outs_;  // streams out of each component
  random_network network_;
};

}  // namespace

random_network draw_network(std::size_t components, std::uint64_t seed) {
  if (components < 2) {
    throw std::invalid_argument("draw_network: a source and a sink are 2 components, and this is " +
                                std::to_string(components));
  }
  return drawing(components, seed).finished();
}

std::vector<random_network> draw_networks(std::uint64_t seed) {
  constexpr std::size_t number = 40, smallest = 3, largest = 82;
  std::vector<random_network> all;
  for (std::size_t i = 0; i < number; ++i) {
    const std::size_t components = smallest + (largest - smallest) * i / (number - 1);
    // An odd multiplier keeps the seeds of different i distinct, modulo 2^64.
    all.push_back(draw_network(components, seed + 0x9e3779b97f4a7c15u * (i + 1)));
  }
  return all;
}

}  // namespace weir::flow_accuracy
