#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "scheduler/view/system_view.hpp"

namespace [[gnu::visibility("default")]] weir {

// How a record passes through a network: the seconds from its entry until all that it causes has left, given the
// seconds that each component holds a record (its sojourn S). A value. L(i), the seconds from component i on, is
//   L(i) = repeats_i S_i + sum over the links of i of x_l m_l L(to),
// m_l = max(1, records_l) being the copies that follow one another on link l for each record that reached i, and x_l
// the part of the link in what comes next. While the links of i carry no more records than reached it, they exclude
// each other (a choice, a filter) and x_l is their probability. When they carry more, copies travel side by side and a
// join waits for the slowest: the probability, which is 1 in all, goes to the slowest links first, to each min(1,
// records_l) at most. For full fan-outs that is the maximum. Where a link carries part of the records it is the largest
// mean of the maximum that these parts allow.
//
// On a chain L is the sum of V_i S_i, and on fan-outs the longest path of V_i S_i.
class record_paths {
 public:
  // From what a run counted: view.links and visits. Links back, to a component that is not later in network order, are
  // left out. Instead repeats_i is the visits of i for each record that reaches it on the other links (loops, bursts).
  explicit record_paths(const system_view& view);

  // From a model: `records` of each link are for one invocation of `from`, of the network's input for one record that
  // enters. Links back are followed, and repeats_i is 1.
  record_paths(std::size_t components, const std::vector<link>& links);

  // REQUIRES: a sojourn for every component. Infinite when one that records pass is, and when copies in a loop become
  // more and more.
  double seconds(const std::vector<double>& sojourn) const;

  // A sharpness with which the slowest alone counts.
  static constexpr double slowest_only = std::numeric_limits<double>::infinity();

  // How fast seconds() grows with each sojourn. Where copies travel side by side only the slowest counts; with a finite
  // `sharpness` links count by the sharpness-th power of what they take, so that what is nearly as slow counts too.
  // REQUIRES: no link leads back.
  std::vector<double> weights(const std::vector<double>& sojourn, double sharpness) const;

  // Whether no copies travel side by side, so that weights() are the same for all sojourns.
  bool is_additive() const { return additive_; }

  // By component: those at which other copies of a record can be while one is there. Two are, if they are on different
  // paths from a fork and neither leads to the other.
  std::vector<std::vector<std::size_t>> side_by_side() const;

 private:
  struct branch {
    std::size_t to = 0;  // the number of components: the output
    double part = 0;     // min(1, records for each that reached the beginning)
    double copies = 1;   // max(1, the same)
  };
  struct node {
    double repeats = 0;
    bool forks = false;  // the parts of its branches are more than 1: copies travel side by side
    std::vector<branch> branches;
  };

  void add(const link& l);
  void find_forks();

  // What is left of the path from every component; the network's input is the last.
  std::vector<double> remaining(const std::vector<double>& sojourn) const;
  void update(const std::vector<double>& sojourn, std::vector<double>& left) const;
  bool settle_loops(const std::vector<double>& sojourn, std::vector<double>& left) const;
  bool solve_loops(const std::vector<double>& sojourn, std::vector<double>& left) const;
  double rest_of_path(const node& from, const std::vector<double>& left) const;

  template <typename Visit>  // (the branch, its part in what comes next), where that is more than 0
  void for_each_branch(const node& from, const std::vector<double>& left, double sharpness, Visit visit) const;
  // Of all branches. REQUIRES: from.forks.
  std::vector<double> parts(const node& from, const std::vector<double>& left, double sharpness) const;

  std::vector<node> nodes_;  // the components, then the network's input
  bool additive_ = true;     // nobody forks
  bool loops_ = false;       // a link leads back
};

}  // namespace weir
