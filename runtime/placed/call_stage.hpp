#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "runtime/engine/stage.hpp"
#include "runtime/record/per_shape.hpp"
#include "runtime/remote/rank_loads.hpp"
#include "runtime/remote/session.hpp"
#include "runtime/remote/window.hpp"
#include "runtime/stages/fold_stages.hpp"
#include "runtime/streams/channel.hpp"
#include "runtime/threads/locks.hpp"
#include "runtime/threads/primitives.hpp"

namespace weir::detail {

class order_exit_stage;

// A part of the network that runs on another rank, as its home sees it. Each record that comes is a *call*: it is sent
// there, and its context is kept open here until that rank says that all it caused has left. What it causes comes back
// through this stage's region, in the context of its call. So order, scopes, folds and the end of the run need no other
// rules. Labels that the part does not ask for are kept here, too, and inherited by what comes back.
//
// Where the next part of the chain is on yet another rank, both may be one *route*: what the first gives goes straight
// there, as parts of the call, and what the last gives comes back here. The call is over when all its parts are: each
// that is over says how many went on from it. Labels that stayed here stay until then.
//
// With option spread_keys it also says which rank runs a branch, by what it knows of the load of each: see place().
//
// The stream in front is the credit for the other rank: a call without credit waits as before a full stream.
class call_stage final : public stage, public remote::link_end, public finishing {
 public:
  // state_index: of its state in a scope, if the part has one. within: the ordered networks around it.
  call_stage(run_environment& run, std::string path, remote::session& ranks, std::size_t number,
             std::size_t state_index, std::vector<order_exit_stage*> within);
  ~call_stage();
  std::string name() const override;
  stage* step(record_body*& r, context&) override;  // of a record that came back
  stage* step_all(std::span<record_body*>& batch, context& c) noexcept override {
    return any_here_.load(std::memory_order_relaxed) ? stage::step_all(batch, c) : next;
  }
  channel& inlet() override { return calls_; }
  bool is_always_head() const override { return true; }
  void make_region(std::size_t capacity) override;
  std::uint64_t sent_to(const stage& to, std::uint64_t arrived) const override;
  flow_count passed_to(const stage& to) const override;

  // The part here, where it may also run: for what a lost rank would have run. Before the run starts.
  void set_here(stage& here);

  // By the stage that sends records of a branch here or past this stage: the rank that runs the record's branch, or -1
  // if it lacks the tag. By load, a new branch gets its rank here, and one without a state and without another record
  // in it may get another. Throws std::bad_alloc.
  int place(const record_body& r);
  bool spreads() const { return loads_.has_value(); }
  // By the same: a record of a branch runs here, and all that one caused is over.
  void begins_here();
  void ends_here() noexcept;
  std::vector<stage*> successors() const override;

  // Lets the initialisers of the part begin, on a record without labels. Before anything else is sent.
  void start(owned_body nothing);

  // finishing
  std::int64_t place() const override { return static_cast<std::int64_t>(index); }
  bool finishes() const override { return cut_.finishes; }
  bool is_to_finish(scope& in) const override;
  std::uint64_t made_as(scope& in) const override;
  void finish(scope& in, order_slot* at, std::size_t outer) override;

  std::size_t waiting() const;  // calls under way
  std::vector<int> without_credit() const;  // ranks that records wait for here, until these have taken up more
  // Asks these whether they returned credit that did not come: that ends the run. Throws std::bad_alloc.
  void ask_for_credit();
  // Records that left for other ranks, less those that came back through the region; exact once no worker runs.
  std::int64_t away() const;
  // Drops what is kept for calls under way; false when there were none. REQUIRES: no worker runs, and the session is
  // closed.
  bool drop_all() noexcept;

 private:
  class far_scope;
  struct open_call {
    record_body* kept = nullptr;  // its context, and the labels that stayed
    bool is_done = true, is_released = true;
    // Of a part that may move: what was sent, until all that it causes came back; where to; and which it was.
    record_body* whole = nullptr;
    int rank = -1;
    far_scope* branch = nullptr;  // where branches are spread by load
    std::uint64_t turn = 0;
    std::size_t results = 0;  // that wait
    bool says_done = false, has_failed = false;
  };
  // Marks the calling thread as one that calls.
  class sending {
   public:
    explicit sending(call_stage& of);
    ~sending();
    sending(const sending&) = delete;
    bool may() const { return may_; }

   private:
    call_stage& of_;
    bool may_;
  };
  // Results that wait until their calls are over, in the order in which they came from one rank.
  struct waiting_result {
    std::uint64_t call;
    record_body* what;
  };
  // One rank where the part may run.
  struct far {
    explicit far(const remote::window_limits& l) : credit(l), owed(l) {}
    remote::sending_window credit;
    std::uint32_t gives = 0;   // the cut there that results come from
    remote::owed_credit owed;  // for results; under mutex_, as the next
    std::deque<waiting_result> results;
  };
  class calls final : public channel {
   public:
    explicit calls(call_stage& of) : of_(of) {}
    std::size_t push(record_body* const* records, std::size_t count) override { return of_.call(records, count); }
    bool has_room() const override;

   private:
    call_stage& of_;
  };
  struct merging {
    const shape* of = nullptr;
    std::vector<std::pair<int, int>> came, kept;  // slots: there, in the merged record
  };

  int rank_for(const record_body& r);           // -1: it lacks the tag; -2: it waits until its branch has moved
  int alive(int rank) const;                    // the rank, or the one that runs its branches after it was lost
  far_scope& instance_in(scope& in, int rank);  // under mutex_; made for the rank if it is not there
  bool goes_with(const record_body& r, int rank);
  int better_for(const far_scope& branch) const;  // under mutex_, as the next two
  int rank_of_branch(far_scope& branch);          // as rank_for
  void move(far_scope& branch, int to);
  std::size_t call(record_body* const* records, std::size_t count);
  std::size_t call_some(int rank, record_body* const* records, std::size_t count);
  std::size_t pack(remote::parcel_writer& into, int rank, record_body* r, far& to);
  std::uint64_t open(record_body* kept, bool keeps_labels, int rank = -1, record_body* whole = nullptr,
                     scope* branch = nullptr);
  void take_back(std::uint64_t number);
  bool count_end(open_call& c);
  std::uint64_t scope_number(scope& in, int rank);
  void end_scope(const far_scope& state) noexcept;

  void came(int from, remote::topic what, remote::parcel&& p) override;
  void lost(int rank) override;
  void send_again() noexcept;
  void send_again(std::uint64_t call);
  void run_here(record_body* const* records, std::size_t count);
  std::size_t room_here() const;  // for how many records
  void keep_results(int from, remote::parcel&& p);
  void is_done(int from, std::uint64_t call);
  void part_is_done(int from, std::uint64_t part, std::uint64_t went_on);
  bool tell_credit(int asks = -1);
  void give(int from, remote::parcel&& p);
  void fail_here(int from, remote::parcel&& p);
  void fail_unread(int from, const remote::parcel& p, const remote::item& i);
  record_body* merged(record_body* came, const record_body* kept);
  void settle(int from, std::uint64_t number, bool done, bool released);
  void open_position(int from, std::uint64_t call, std::uint64_t number);
  void finished_some(std::uint64_t call, bool more);
  // Look up a number that another rank sent. Throw std::runtime_error if it does not exist.
  record_body* kept_of(int from, std::uint64_t number);
  open_call& call_at(std::uint64_t part);  // under mutex_
  far& far_at(int rank);
  void took_results();

  remote::session& ranks_;
  const std::uint32_t number_;  // of the cut
  std::uint32_t home_ = 0;      // of this stage among the homes of this rank
  const remote::cut& cut_;
  const std::size_t state_index_;
  const std::vector<order_exit_stage*> within_;
  std::vector<std::size_t> route_;  // cuts, from this one on
  const std::string route_path_;    // what the places of these are in
  calls calls_{*this};
  const bool moves_;  // a lost rank's calls go to others
  stage* here_ = nullptr;
  std::map<int, far> fars_;
  per_shape<remote::packing> packings_;
  std::map<std::pair<const shape*, const shape*>, merging> mergings_;  // the communicator's alone

  mutable WEIR_LOCK(calls) mutex_;
  std::vector<open_call> open_;  // by number, from 1 on
  std::vector<std::uint64_t> free_;
  std::size_t under_way_ = 0;
  std::uint64_t scopes_ = 0, turns_ = 0;
  int sending_ = 0;                           // threads that call
  std::unordered_set<record_body*> to_here_;  // in the region's inlet: to be run here
  bool finished_outermost_ = false;
  // Of calls that went on as several parts: by level, how many more went on than are over. The first is the call
  // itself.
  std::map<std::uint64_t, std::vector<std::int64_t>> divisions_;
  std::optional<remote::rank_loads> loads_;  // by them branches are spread
  struct ending {
    far_scope* of;
    std::size_t outer;
  };
  std::map<std::uint64_t, ending> endings_;  // calls of finish
  std::map<std::pair<int, std::uint64_t>, record_body*> positions_;  // that those opened: by rank, and its number
  std::vector<std::pair<far*, std::size_t>>
      bytes_waiting_;  // of results in the region's inlet, oldest at first_waiting_
  std::size_t first_waiting_ = 0;
  std::uint64_t results_taken_ = 0;

  std::vector<threads::atomic<bool>> is_lost_;  // by rank; written under mutex_
  threads::atomic<bool> any_here_{false}, sends_again_{false};
  threads::atomic<bool> waits_for_move_{false};  // relaxed, as sends_again_: space_available orders it
  // Relaxed: numbers only. The last: calls of a lost rank that this rank ran again itself.
  threads::atomic<std::uint64_t> called_{0}, returned_{0}, ran_here_{0}, taken_back_{0};
};

// The part's instance in one scope.
class call_stage::far_scope final : public entity_state {
 public:
  far_scope(call_stage& of, std::uint64_t n, int r) : number(n), rank(r), of_(of) {}
  ~far_scope() override { of_.end_scope(*this); }
  // What it remembers is there.
  bool forget(run_environment&, const entity&) override { return !of_.cut_.has_state; }

  const std::uint64_t number;
  int rank;
  bool has_begun = false;     // a record came to it since it finished
  int moves_to = -1;          // once none of its records is under way
  std::size_t under_way = 0;  // where branches are spread by load

 private:
  call_stage& of_;
};

}  // namespace weir::detail
