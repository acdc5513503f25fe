#pragma once

#include <limits>
#include <vector>

#include "scheduler/view/system_view.hpp"

namespace weir {

// How a record passes through the network: the seconds from its entry until all that it causes has left, given the
// seconds that each component holds a record (its sojourn S). Built from view.links and the visits; a value.
//
// A link to a component that is not later in network order is a way back. Without those, L(i), the seconds from i on,
// is
//   L(i) = repeats_i S_i + sum over the links of i of x_l m_l L(to),
// repeats_i being the visits of i for each record that reaches it on a forward link (loops and bursts), m_l = max(1,
// records_l) the copies that follow one another on link l for each record that reached i, and x_l its part of the way
// on. While the links of i carry no more records than reached it, they exclude each other (a choice, a filter) and x_l
// is their probability. When they carry more, copies travel side by side and a join waits for the slowest: the
// probability, which is 1 in all, goes to the slowest links first, to each min(1, records_l) at most. For full fan-outs
// that is the maximum; where a link carries part of the records it is the largest mean of the maximum that these parts
// allow.
//
// On a chain L is the sum of V_i S_i, and on fan-outs the longest path of V_i S_i.
class passage {
 public:
  explicit passage(const system_view& view);

  // REQUIRES: a sojourn for every component. Infinite when one that records pass is.
  double seconds(const std::vector<double>& sojourn) const;

  // A sharpness with which the slowest alone counts.
  static constexpr double slowest_only = std::numeric_limits<double>::infinity();

  // How fast seconds() grows with each sojourn. Where copies travel side by side only the slowest counts; with a finite
  // `sharpness` links count by the sharpness-th power of what they take, so that what is nearly as slow counts too.
  std::vector<double> weights(const std::vector<double>& sojourn, double sharpness) const;

  // Whether no copies travel side by side, so that weights() are the same for all sojourns.
  bool is_additive() const { return additive_; }

 private:
  struct branch {
    std::size_t to = 0;  // the number of components: the output
    double part = 0;     // min(1, records for each that reached the beginning)
    double copies = 1;   // max(1, the same)
  };
  struct node {
    double repeats = 0;
    double spare = 0;  // parts of its branches beyond 1
    std::vector<branch> branches;
  };

  // What is left of the way from every component; the network's input is the last.
  std::vector<double> remaining(const std::vector<double>& sojourn) const;

  // Of the branches where copies travel side by side; empty where each has its own part.
  std::vector<double> parts(const node& from, const std::vector<double>& remaining, double sharpness) const;

  std::vector<node> nodes_;  // the components, then the network's input
  bool additive_ = true;
};

}  // namespace weir
