#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <weir/threads/primitives.hpp>
#include "runtime/remote/rank_loads.hpp"

namespace weir::detail {

// Which rank runs each branch of a part that a tag places, as its home decides: by the tag's value, or by load. The
// ranks behind a lost one take its branches over. The caller's lock guards it, except where any thread may call.
class branch_ranks {
 public:
  struct branch {
    int rank;
    std::optional<int> moves_to{};  // once none of its records is under way
    std::size_t under_way = 0;      // records
  };

  // cores: of each rank. can_move: branches have no state, and may leave their rank.
  branch_ranks(int home, std::vector<int> cores, bool by_load, bool can_move);

  bool are_by_load() const { return loads_.has_value(); }

  // Any thread may call these three.
  int by_value(std::int64_t value) const;  // the rank that the value of a tag denotes
  int substitute_of(int rank) const;       // the rank, or its substitute after a loss
  bool is_lost(int rank) const { return is_lost_[static_cast<std::size_t>(rank)].load(std::memory_order_acquire); }

  // No branch goes to the rank any more.
  void lose(int rank);

  // ---- by load ----

  // The rank of a branch that has its first record.
  int place_new();
  // A record enters the branch. is_alone: no other record is in it, so it may move now. Returns its rank.
  int place_again(branch& b, bool is_alone);
  // Where a record that reached the home's call goes; nothing: it waits until the branch has moved.
  std::optional<int> rank_for(branch& b);
  // Whether a record may share a message to the rank with those in front of it, which are not counted yet: so the
  // branch must not move.
  bool may_join(const branch& b, int rank) const;

  // begin: a record of the branch went to a rank. end: all that it caused is over there; returns whether others wait
  // for the branch to move, which it may now. `now`: seconds on a clock that does not go back.
  void begin(branch& b, int rank, double now);
  bool end(branch& b, int rank, double now);
  // The same of a record that the home runs itself, or whose rank was lost.
  void begin_at(int rank, double now) { loads_->begins(rank, now); }
  void end_at(int rank, double now) { loads_->ends(rank, now); }
  void remove(const branch& b) { loads_->loses_branch(b.rank); }

  // Any thread: whether records wait for a branch to move. Relaxed: space_available orders it.
  bool makes_wait() const { return makes_wait_.load(std::memory_order_relaxed); }
  void stop_waiting() { makes_wait_.store(false, std::memory_order_relaxed); }

 private:
  std::optional<int> better_for(const branch& b) const;
  void move(branch& b, int to);

  const int home_;
  const bool can_move_;
  std::vector<threads::atomic<bool>> is_lost_;  // by rank
  std::optional<remote::rank_loads> loads_;
  threads::atomic<bool> makes_wait_{false};
};

}  // namespace weir::detail
