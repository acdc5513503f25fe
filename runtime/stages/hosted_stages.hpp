#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "runtime/engine/stage.hpp"
#include "runtime/record/per_shape.hpp"
#include "runtime/remote/session.hpp"
#include "runtime/remote/window.hpp"
#include "runtime/streams/channel.hpp"
#include "runtime/streams/order.hpp"
#include "runtime/streams/scope.hpp"
#include "runtime/threads/locks.hpp"
#include "runtime/threads/primitives.hpp"

namespace weir::detail {

class call_stage;
class hosted_exit_stage;
class order_exit_stage;

// An initialiser, or a part on another rank with initialisers in it, and the ordered networks it is in, from the
// outermost on.
struct source_place {
  stage* what;
  std::vector<order_exit_stage*> within;

  // Lets it begin, on a record without labels. Throws std::bad_alloc.
  void start(owned_body nothing) const;
};

// The entry of a part of the network that this rank runs for others: its homes. A call comes as a record with a
// position of its own around all others, so the last record that it causes here tells when it is over. It comes through
// the region's unbounded inlet, which the homes' credits bound.
class hosted_entry_stage final : public stage, public remote::link_end {
 public:
  hosted_entry_stage(run_environment& run, std::string path, remote::session& ranks, std::size_t number, level& inside,
                     std::size_t state_index, hosted_exit_stage& exit);
  ~hosted_entry_stage();
  std::string name() const override { return "input"; }
  stage* step(record_body*&, context&) override { return next; }
  stage* step_all(std::span<record_body*>&, context&) noexcept override { return next; }
  bool is_always_head() const override { return true; }
  bool is_input() const override { return true; }
  void make_region(std::size_t capacity) override;
  std::uint64_t sent_to(const stage&, std::uint64_t) const override { return came_.load(std::memory_order_relaxed); }
  flow_count passed_to(const stage&) const override;

  std::vector<source_place> sources;  // of the part
  void make_scopes();                 // once the network's own scope is there, before anything comes

 private:
  friend class hosted_exit_stage;
  class scopes;
  class home;
  class listener;
  class over_calls;
  class over_finishing;

  void came(int from, remote::topic what, remote::parcel&& p) override;
  void lost(int rank) override;
  void call(home& from, remote::parcel&& p);
  void start(home& from, std::uint64_t call);
  void finish(home& from, std::uint64_t call, std::uint64_t in);
  void finished_one(home& from, std::uint64_t call) noexcept;
  void took_calls();
  record_body* with_handle(record_body* came, home& from, std::uint64_t call);
  void post_settled(home& to, std::uint64_t call, std::uint64_t labels_of, std::uint8_t what) noexcept;
  bool take_failure(home& from, const failure& f, const record_body& r, std::uint64_t call) noexcept;
  bool has_credit() const;  // of every home that refused some
  home& home_for(int rank, std::uint32_t number);
  scope& scope_for(const home& from, std::uint64_t number);
  void end_scope(const home& from, std::uint64_t number);

  remote::session& ranks_;
  const std::uint32_t number_;  // of the cut
  const remote::cut& cut_;
  level& inside_;
  const std::size_t state_index_;
  hosted_exit_stage& exit_;
  std::map<const shape*, std::pair<const shape*, std::vector<int>>> with_handles_;  // the communicator's alone

  mutable WEIR_LOCK(calls) mutex_;
  std::map<std::pair<int, std::uint32_t>, std::unique_ptr<home>> homes_;  // by rank, and their number there
  std::deque<std::pair<home*, std::size_t>> bytes_waiting_;  // of calls in the region's inlet
  std::uint64_t calls_taken_ = 0;
  threads::atomic<std::uint64_t> came_{0};  // relaxed: a number only
};

// Where what calls cause leaves the part, to go to its home. The stream is the home's credit.
class hosted_exit_stage final : public stage {
 public:
  hosted_exit_stage(run_environment& run, std::string path, remote::session& ranks, std::size_t number);
  ~hosted_exit_stage();
  std::string name() const override { return "output"; }
  stage* step(record_body*&, context&) override { return nullptr; }  // never fused: records leave through inlet()
  channel& inlet() override { return gives_; }
  bool is_always_head() const override { return true; }
  std::vector<stage*> successors() const override { return {}; }

  hosted_entry_stage* entry = nullptr;

 private:
  friend class hosted_entry_stage;
  using home = hosted_entry_stage::home;
  class gives final : public channel {
   public:
    explicit gives(hosted_exit_stage& of) : of_(of) {}
    std::size_t push(record_body* const* records, std::size_t count) override { return of_.give(records, count); }
    bool has_room() const override;

   private:
    hosted_exit_stage& of_;
  };

  std::size_t give(record_body* const* records, std::size_t count);
  std::size_t give_some(home& to, record_body* const* records, std::size_t count);
  bool pack(remote::parcel_writer& into, home& to, record_body& r, bool shares_with_next);

  remote::session& ranks_;
  const std::uint32_t number_;  // of the cut
  gives gives_{*this};
  per_shape<remote::packing> packings_;
};

}  // namespace weir::detail
