#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/engine/entity.hpp"
#include "runtime/entities/fold_entities.hpp"
#include "runtime/placed/call_book.hpp"
#include "runtime/placed/call_link.hpp"
#include "runtime/placed/call_receiver.hpp"
#include "runtime/placed/call_sender.hpp"
#include "runtime/placed/home_runs.hpp"
#include "runtime/remote/session.hpp"

namespace weir::detail {

class order_exit_entity;

// A part of the network that runs on another rank, as its home sees it. Each record that arrives is a *call*: it is
// sent there, and its context is kept open here until that rank says that all it caused has left. Results
// come back through this entity's region, in the context of its call. So order, scopes, folds and the end of the run
// need no other rules. Labels that the part does not ask for are kept here, too, and inherited by results.
//
// Where the next part of the chain is on yet another rank, both may form one *route*. Results of the first then go
// straight there, as subcalls, and results of the last return here. The call is over when all its subcalls are.
//
// With option spread_keys the home also decides which rank runs a branch, by the load of each.
class call_entity final : public entity, public finishing {
 public:
  // state_index: of its state in a scope, if the part has one. within: the ordered networks around it.
  call_entity(run_environment& run, std::string path, remote::session& ranks, std::size_t number,
              std::size_t state_index, std::vector<order_exit_entity*> within);
  std::string name() const override { return link_.name(); }
  entity* step(record_body*& r, context&) override { return here_.take(r) ? here_.body() : next; }
  entity* step_all(std::span<record_body*>& batch, context& c) noexcept override {
    return here_.any() ? entity::step_all(batch, c) : next;
  }
  channel& inlet() override { return sender_; }
  bool is_always_head() const override { return true; }
  void make_region(std::size_t capacity) override;
  std::vector<entity*> successors() const override;
  std::uint64_t sent_to(const entity& to, std::uint64_t arrived) const override;
  flow_count passed_to(const entity& to) const override;

  // The part here, where it may also run: for what a lost rank would have run. Before the run starts.
  void set_here(entity& here);

  // at_entity asks for the rank of a record's branch; nothing: the record lacks the tag. By load, a new branch gets its
  // rank here, and one without a state and without another record in it may get another. Throws std::bad_alloc.
  std::optional<int> place_branch(const record_body& r) { return book_.place(r); }
  bool spreads() const { return book_.branches.are_by_load(); }
  // at_entity reports that a record of a branch starts here, and that everything it caused has finished.
  void begins_here();
  void ends_here() noexcept;

  // Lets the initialisers of the part begin, on a record without labels. Before anything else is sent.
  void start(owned_body nothing) { sender_.start(std::move(nothing)); }

  // finishing
  std::int64_t place() const override { return static_cast<std::int64_t>(index); }
  bool finishes() const override { return link_.cut().finishes; }
  bool is_to_finish(scope& in) const override;
  std::uint64_t made_as(scope& in) const override;
  void finish(scope& in, order_slot* at, std::size_t outer) override;

  std::size_t waiting() const;  // calls under way
  // Ranks without credit for the records that wait here.
  std::vector<int> without_credit() const { return link_.without_credit(); }
  // Asks these whether they returned credit that did not arrive: that ends the run. Throws std::bad_alloc.
  void ask_for_credit();
  // Records that left for other ranks, less those that came back through the region; exact once no worker runs.
  std::int64_t away() const;
  // Drops all data of calls under way; false when there were none. REQUIRES: no worker runs, and the session is closed.
  bool drop_all() noexcept;

 private:
  call_link link_;
  call_book book_;
  home_runs here_;
  call_sender sender_;
  call_receiver receiver_;
  bool finished_outermost_ = false;  // under the book's mutex
};

}  // namespace weir::detail
