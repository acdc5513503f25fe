#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <weir/threads/primitives.hpp>
#include "runtime/engine/entity.hpp"
#include "runtime/placed/untaken_records.hpp"
#include "runtime/record/per_shape.hpp"
#include "runtime/remote/session.hpp"
#include "runtime/remote/window.hpp"
#include "runtime/streams/channel.hpp"
#include "runtime/streams/order.hpp"
#include "runtime/streams/scope.hpp"
#include "runtime/threads/locks.hpp"

namespace weir::detail {

class call_entity;
class hosted_exit_entity;
class order_exit_entity;

// An initialiser, or a part on another rank with initialisers in it, and the ordered networks it is in, from the
// outermost on.
struct source_place {
  entity* what;
  std::vector<order_exit_entity*> within;

  // Lets it begin, on a record without labels. Throws std::bad_alloc.
  void start(owned_body nothing) const;
};

// The entry of a part of the network that this rank runs for others: its homes. A call comes as a record with a
// position of its own around all others, so the last record that it causes here tells when it is over. It comes through
// the region's unbounded inlet, which the homes' credits bound.
//
// On a route, records that leave go on to the next rank as subcalls (rank_message.hpp), and the home counts them.
class hosted_entry_entity final : public entity, public remote::link_end {
 public:
  hosted_entry_entity(run_environment& run, std::string path, remote::session& ranks, std::size_t number, level& inside,
                      std::size_t state_index, hosted_exit_entity& exit);
  ~hosted_entry_entity();
  std::string name() const override { return "input"; }
  entity* step(record_body*&, context&) override { return next; }
  entity* step_all(std::span<record_body*>&, context&) noexcept override { return next; }
  bool is_always_head() const override { return true; }
  bool is_input() const override { return true; }
  void make_region(std::size_t capacity) override;
  std::uint64_t sent_to(const entity&, std::uint64_t) const override {
    return arrived_.load(std::memory_order_relaxed);
  }
  flow_count passed_to(const entity&) const override;

  // Records that left this part, less those that came through the region; exact once no worker runs.
  std::int64_t away() const;

  std::vector<source_place> sources;  // of the part
  void make_scopes();                 // once the network's own scope is there, before anything comes
  const hosted_exit_entity& exit() const { return exit_; }
  std::vector<int> without_credit() const;  // ranks that records wait for here, until these have taken up more
  // Asks these whether they returned credit that did not come: that ends the run. Throws std::bad_alloc.
  void ask_for_credit();

 private:
  friend class hosted_exit_entity;
  class scopes;
  class home;
  // Is told when a call is over.
  class listener : public position_listener {
   public:
    explicit listener(home& of) : of_(of) {}
    bool takes(const failure& f, const record_body& r, order_slot& slot) noexcept override;
    home& of() const { return of_; }

   private:
    home& of_;
  };
  class over_calls final : public listener {
   public:
    using listener::listener;
    void is_over(order_slot& slot) noexcept override;
  };
  class over_finishing final : public listener {
   public:
    using listener::listener;
    void is_over(order_slot& slot) noexcept override;
    order_slot* another(order_slot& slot) override;
  };

  void receive(int from, remote::topic what, remote::rank_message&& p) override;
  void lost(int rank) override;
  void call(home& from, remote::rank_message&& p, bool on_route);
  void take_credit(home& of, int from, const remote::rank_message& p);
  void answer(home& to);
  void start(home& from, std::uint64_t call);
  void finish(home& from, std::uint64_t call, std::uint64_t in);
  void finished_one(home& from, std::uint64_t call) noexcept;
  void took_calls();
  void tell_credit(home& to, bool asked);  // under mutex_
  bool tell_credit();
  void fail_unread(home& from, const remote::rank_message& p, const remote::item& i, owned_body ended);
  record_body* with_handle(record_body* arrived, home& from, std::uint64_t call);
  void post_settled(home& to, std::uint64_t call, std::uint64_t second, std::uint8_t what) noexcept;
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
  hosted_exit_entity& exit_;
  std::map<const shape*, std::pair<const shape*, std::vector<int>>> with_handles_;  // the communicator's alone

  mutable WEIR_LOCK(calls) mutex_;
  std::map<std::pair<int, std::uint32_t>, std::unique_ptr<home>> homes_;  // by rank, and their number there
  untaken_records untaken_;                                               // calls in the region's inlet
  threads::atomic<std::uint64_t> arrived_{0};                             // relaxed: a number only
};

// One rank that calls.
class hosted_entry_entity::home {
 public:
  home(hosted_entry_entity& of, int rank, std::uint32_t number);
  ~home() { handles->close(); }

  class released_labels final : public remote::release_listener {
   public:
    explicit released_labels(home& of) : of_(&of) {}
    void released(std::uint64_t call) noexcept override;
    void close();

   private:
    WEIR_LOCK(handles) mutex_;
    home* of_;
  };

  hosted_entry_entity& entry;
  const int rank;
  const std::uint32_t number;     // of its entity there
  const int before, next;         // cuts on its route, or -1
  const int gives_to;             // the rank
  remote::sending_window credit;  // for what calls give
  remote::owed_credit owed;       // for calls; under the entry's lock, as the next
  struct ending {
    int left;         // instances that have not finished, and one for the call while it looks for them
    bool found_some;  // then the home asks again
  };
  std::map<std::uint64_t, ending> finishing;         // by call
  std::map<std::uint64_t, std::uint64_t> positions;  // of instances that finish: the call
  std::uint64_t opened = 0;                          // positions so far
  over_calls calls{*this};
  over_finishing finishings{*this};
  const std::shared_ptr<released_labels> handles;

  bool is_on_route() const { return before >= 0 || next >= 0; }
};

// Sends results of the part to its home, or to the next rank on its route. The stream in front is the credit for that.
class hosted_exit_entity final : public entity {
 public:
  hosted_exit_entity(run_environment& run, std::string path, remote::session& ranks, std::size_t number);
  ~hosted_exit_entity();
  std::string name() const override { return "output"; }
  entity* step(record_body*&, context&) override { return nullptr; }  // never fused: records leave through inlet()
  channel& inlet() override { return gives_; }
  bool is_always_head() const override { return true; }
  std::vector<entity*> successors() const override { return {}; }

  hosted_entry_entity* entry = nullptr;

 private:
  friend class hosted_entry_entity;
  using home = hosted_entry_entity::home;
  class gives final : public channel {
   public:
    explicit gives(hosted_exit_entity& of) : of_(of) {}
    std::size_t push(record_body* const* records, std::size_t count) override { return of_.give(records, count); }
    bool has_room() const override;

   private:
    hosted_exit_entity& of_;
  };

  std::size_t give(record_body* const* records, std::size_t count);
  std::size_t give_some(home& to, record_body* const* records, std::size_t count);
  bool pack(remote::rank_message_writer& into, home& to, record_body& r, bool shares_with_next);

  remote::session& ranks_;
  const std::uint32_t number_;  // of the cut
  gives gives_{*this};
  per_shape<remote::packing> packings_;
  threads::atomic<std::uint64_t> gave_{0};  // relaxed: a number only
};

}  // namespace weir::detail
