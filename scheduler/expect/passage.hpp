#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "scheduler/expect/random_time.hpp"
#include "scheduler/view/system_view.hpp"

namespace [[gnu::visibility("default")]] weir {

// How a record passes through a network: the seconds from its entry until all its results have left. They follow from
// the sojourns S, the seconds that each component holds a record. A value; const calls may run concurrently.
//
// Let L(i) be the seconds from component i on. With a sum over the links l of i it is
//
//   L(i) = repeats_i S_i + sum of x_l m_l L(to).
//
// Here m_l = max(1, records_l) is the number of copies that follow one another on link l for each record that reached
// i. The weight of the link is x_l.
//
// While the links of i carry no more records than reached it, they exclude each other (a choice, a filter). Then x_l is
// the link's probability. If they carry more, copies travel side by side and a join waits for the slowest. Then the
// slowest links get their weight first: at most min(1, records_l) each, and 1 in total. For full fan-outs that is the
// maximum. If a link carries part of the records, it is the largest mean of the maximum that these parts allow.
//
// On a chain L is the sum of V_i S_i, and on fan-outs it is the longest path of V_i S_i.
class record_paths {
 public:
  // Makes the paths from the counts of a run: view.links and visits. Links back, to a component that is not later in
  // network order, are left out. Instead, repeats_i is the number of visits of i for each record that reaches it on the
  // other links (loops, bursts).
  explicit record_paths(const system_view& view);

  // Makes the paths from a model. `records` of each link are for one invocation of `from`; for the network's input, for
  // one record that enters. Links back are followed, and repeats_i is 1.
  record_paths(std::size_t components, const std::vector<link>& links);

  // The seconds of a record from its entry to its end. Infinite when a sojourn on its way is infinite, and when copies
  // in a loop multiply without end. REQUIRES: a sojourn for every component.
  double seconds(const std::vector<double>& sojourn) const;

  // The moments of those seconds where the sojourns are random and independent. The mean is seconds() of the means;
  // which way a record takes counts as chance. REQUIRES: no link leads back.
  random_time moments(const std::vector<random_time>& sojourn) const;

  // The sharpness at which only the slowest branch counts.
  static constexpr double slowest_only = std::numeric_limits<double>::infinity();

  // The derivative of seconds() by each sojourn. Where copies travel side by side only the slowest counts. With a
  // finite `sharpness`, links count by that power of their seconds, so nearly slowest ones count too. REQUIRES: no link
  // leads back.
  std::vector<double> weights(const std::vector<double>& sojourn, double sharpness) const;

  // Whether no copies travel side by side. Then weights() are the same for all sojourns.
  bool is_additive() const { return additive_; }

  // For each component: the components at which other copies of a record can be while one is there. Two such components
  // are on different paths from a fork, and neither leads to the other.
  std::vector<std::vector<std::size_t>> side_by_side() const;

 private:
  struct branch {
    std::size_t to = 0;  // the number of components: the output
    double part = 0;     // min(1, records for each record that reached the node)
    double copies = 1;   // max(1, the same number)
  };
  struct node {
    double repeats = 0;
    bool forks = false;  // the parts of its branches sum to more than 1: copies travel side by side
    std::vector<branch> branches;
  };

  void add(const link& l);
  void find_forks();

  // The remaining seconds from every component on; the network's input is last.
  std::vector<double> remaining(const std::vector<double>& sojourn) const;
  void update(const std::vector<double>& sojourn, std::vector<double>& left) const;
  bool settle_loops(const std::vector<double>& sojourn, std::vector<double>& left) const;
  bool solve_loops(const std::vector<double>& sojourn, std::vector<double>& left) const;
  double rest_of_path(const node& from, const std::vector<double>& left) const;

  template <typename Visit>  // visit(branch, x_l), for each x_l above 0
  void for_each_branch(const node& from, const std::vector<double>& left, double sharpness, Visit visit) const;
  // The x_l of all branches. REQUIRES: from.forks.
  std::vector<double> parts(const node& from, const std::vector<double>& left, double sharpness) const;

  std::vector<node> nodes_;  // the components, then the network's input
  bool additive_ = true;     // no node forks
  bool loops_ = false;       // some link leads back
};

}  // namespace weir
