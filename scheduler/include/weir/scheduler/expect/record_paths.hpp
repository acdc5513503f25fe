#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <weir/scheduler/expect/random_time.hpp>
#include <weir/scheduler/view/system_view.hpp>

namespace [[gnu::visibility("default")]] weir {

// How a record passes through a network: the seconds from its entry until all its results have left. A value; const
// calls may run concurrently.
//
// They follow from sojourns S and delays D. S are the seconds that each component holds a record (of several copies:
// the first), D the seconds from the first copy's end until the last one's. With a sum over the links l of i let
//
//   L(i) = repeats_i S_i + sum of x_l L(to),   B(i) = max(repeats_i D_i, sum of x_l B(to)).
//
// The record takes L + B of the input. Copies follow each other through the components at the pace of the slowest, and
// only the first one's way counts as a whole. The weight of a link is x_l.
//
// n_i is the number of copies of a record that reach a component, if any does. While the links of i carry no more
// copies than reached it, they exclude each other (a choice, a filter), and x_l is the link's probability. If they
// carry more, copies travel side by side and a join waits for the slowest. Then the slowest links get their weight
// first: at most min(1, n_i records_l) each, and 1 in total. For full fan-outs that is the maximum. If a link carries
// part of the records, it is the largest mean of the maximum that these parts allow.
//
// Without copies, L is the sum of V_i S_i on a chain, and on fan-outs the longest path of V_i S_i.
class record_paths {
 public:
  // Makes the paths from the counts of a run: view.links and visits. A component that no link leads to, an initialiser,
  // is a part of the input. repeats_i is the number of visits of i for each record that reaches it (bursts). Where
  // links lead back, to a component that is not later in network order, the components in between are a loop. A record
  // passes them as a chain, and repeats_i is the number of visits of i for each record that enters the loop.
  explicit record_paths(const system_view& view);

  // Makes the paths from a model. `records` of each link are for one invocation of `from`; for the network's input, for
  // one record that enters. Links back are followed, and repeats_i is 1. Copies on one link follow one another, each
  // through all that comes, so n_i is 1 and L(to) counts once for each.
  record_paths(std::size_t components, const std::vector<link>& links);

  // The seconds of a record from its entry to its end. Infinite when a sojourn on its way is infinite, and when copies
  // in a loop multiply without end. REQUIRES: one of each for every component, and no delay above 0 where a link leads
  // back.
  double seconds(const std::vector<double>& sojourn, const std::vector<double>& delay) const;
  // The same from S + D, the seconds that each component takes for all copies of a record, if S is its n-th part.
  double seconds(const std::vector<double>& of_all_copies) const;

  // The moments of the same seconds when the sojourns are random and independent. The mean equals seconds() of the
  // means. Where links exclude each other, the choice is random too. After each round of a loop
  // a record goes round once more with the same probability. REQUIRES: not made from a model whose links lead back.
  random_time moments(const std::vector<random_time>& sojourn, const std::vector<double>& delay) const;

  // The n_i by component.
  const std::vector<double>& copies() const { return copies_; }
  // Whether they come together, because they are made by the component before it, by component.
  const std::vector<bool>& in_batches() const { return in_batches_; }
  // For each component: the seconds between two copies of a record as they come from the slowest component before it.
  std::vector<double> pace_before(const std::vector<double>& pace) const;

  // The sharpness at which only the slowest branch counts.
  static constexpr double slowest_only = std::numeric_limits<double>::infinity();

  // The derivative of seconds(of_all_copies). Where copies travel side by side only the slowest counts. With a
  // finite `sharpness`, links and delays count by that power of their seconds, so nearly slowest ones count too.
  // REQUIRES: no link leads back.
  std::vector<double> weights(const std::vector<double>& of_all_copies, double sharpness) const;

  // Whether no copies travel side by side or follow each other through several components. Then weights() are the same
  // for all sojourns.
  bool is_additive() const { return additive_; }

  // Whether copies travel side by side.
  bool has_forks() const { return forks_; }

  // For each component: the components at which other copies of a record can be while one is there. Two such components
  // are on different paths from a fork, and neither leads to the other.
  std::vector<std::vector<std::size_t>> side_by_side() const;

 private:
  struct branch {
    std::size_t to = 0;  // the number of components: the output
    double part = 0;     // min(1, copies for each record that reached the node)
    double copies = 1;   // max(1, the same number), where each goes all the way by itself
  };
  // The components that records go round.
  struct span_of_loop {
    std::size_t first = 0, last = 0;
  };
  struct node {
    double repeats = 0;
    double rounds = 0;  // of the loop that it is the first component of
    std::optional<span_of_loop> loop;
    bool forks = false;  // the parts of its branches sum to more than 1: copies travel side by side
    std::vector<branch> branches;
  };

  void add(const link& l, double part, double copies);
  bool is_inner(const link& l) const;  // within a loop
  void find_forks();

  // L and B from every component on; the network's input is last.
  using values = std::vector<double>;
  struct rest {
    values first, behind, all;  // all: their sum, by which links are slowest
  };
  rest remaining(std::span<const double> sojourn, std::span<const double> delay) const;
  void update(std::span<const double> sojourn, std::span<const double> delay, rest& left) const;
  bool settle_loops(std::span<const double> sojourn, std::span<const double> delay, rest& left) const;
  bool solve_loops(std::span<const double> sojourn, rest& left) const;
  double rest_of_path(const node& from, const rest& left, values rest::*of) const;
  // The parts S and D of the seconds for all copies.
  std::pair<values, values> split(const std::vector<double>& of_all_copies) const;

  template <typename Visit>  // visit(branch, x_l), for each x_l above 0
  void for_each_branch(const node& from, const values& left, double sharpness, Visit visit) const;
  // The x_l of all branches. REQUIRES: from.forks.
  values parts(const node& from, const values& left, double sharpness) const;

  std::vector<node> nodes_;  // the components, then the network's input
  std::vector<double> copies_;
  std::vector<bool> in_batches_;
  bool forks_ = false;  // some node forks
  bool additive_ = true;
  bool loops_ = false;  // some link leads back
};

}  // namespace weir
