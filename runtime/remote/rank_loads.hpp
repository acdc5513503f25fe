#pragma once

#include <cstddef>
#include <vector>

namespace weir::detail::remote {

// How busy each rank is with the branches of one split, as their home sees it. It knows the records that it sent and
// the times at which all their effects were over. Predicts where one more would be over first. Pure; not thread-safe.
//
// A rank with fewer records than cores works on each with one core, and with more it uses all cores. So the
// core-seconds that one record took follow from the two counts, however long records wait.
class rank_loads {
 public:
  explicit rank_loads(std::vector<int> cores) {
    for (const int n : cores) ranks_.push_back({static_cast<double>(n < 1 ? 1 : n)});
  }

  // A record went to a rank; all that one caused is over. Seconds on a clock that does not go back.
  void begins(int rank, double now);
  void ends(int rank, double now);

  // A branch runs at a rank from now on, or no longer.
  void gets_branch(int rank) { ++at(rank).branches; }
  void loses_branch(int rank) { --at(rank).branches; }

  // No more branches go there.
  void is_lost(int rank) { at(rank).is_lost = true; }

  // Seconds until `more` records would be over there as well. On a rank that was not measured yet, a record takes as
  // long as elsewhere.
  double expected(int rank, std::size_t more) const;

  // Where a new branch is to run: where its first record is over first, if each branch that is there sends one more.
  int least() const;

  // The rank to which a branch with records under way should move, or -1. It moves to a rank where these would be over
  // in less than two thirds of the time that its present rank needs for all records there. A smaller gain does not
  // count, since its records wait during the move and measurements vary.
  int better_than(int rank, std::size_t under_way) const;

 private:
  struct one {
    double cores;
    std::size_t under_way = 0, branches = 0;
    double core_seconds = 0, records = 0;  // measured; older ones count less
    double since = 0;
    bool is_lost = false;
  };
  one& at(int rank) { return ranks_[static_cast<std::size_t>(rank)]; }
  void pass(one& r, double now);
  double per_record(const one& r) const;

  std::vector<one> ranks_;
};

}  // namespace weir::detail::remote
