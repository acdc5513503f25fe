#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <weir/threads/primitives.hpp>
#include "runtime/engine/entity.hpp"
#include "runtime/placed/hosted_exit_entity.hpp"
#include "runtime/placed/hosted_home.hpp"
#include "runtime/placed/hosted_homes.hpp"
#include "runtime/placed/source_place.hpp"
#include "runtime/remote/session.hpp"
#include "runtime/streams/scope.hpp"

namespace weir::detail {

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

  // The number of records that left this part, less the number that came through the region; exact once no worker runs.
  std::int64_t away() const;

  std::vector<source_place> sources;  // of the part
  void make_scopes();                 // once the network's own scope is there, before anything comes
  const hosted_exit_entity& exit() const { return exit_; }
  hosted_homes& homes() { return homes_; }
  const hosted_homes& homes() const { return homes_; }

 private:
  class scopes;

  void receive(int from, remote::topic what, remote::rank_message&& p) override;
  void receive_on_route(int from, remote::topic what, remote::rank_message&& p);
  void lost(int rank) override;
  void call(hosted_home& from, remote::rank_message&& p, bool on_route);
  void take_credit(hosted_home& of, int from, const remote::rank_message& p);
  void start(hosted_home& from, std::uint64_t call);
  void fail_unread(hosted_home& from, const remote::rank_message& p, const remote::item& i, owned_body ended);
  record_body* with_handle(record_body* arrived, const hosted_home& from, std::uint64_t call);
  scopes& all_scopes() const;
  scope& scope_for(const hosted_home& from, std::uint64_t number);
  void end_scope(const hosted_home& from, std::uint64_t number);

  remote::session& ranks_;
  const std::uint32_t number_;  // of the cut
  const remote::cut& cut_;
  level& inside_;
  const std::size_t state_index_;
  hosted_exit_entity& exit_;
  std::map<const shape*, std::pair<const shape*, std::vector<int>>> with_handles_;  // the communicator's alone

  hosted_homes homes_;
  threads::atomic<std::uint64_t> arrived_{0};  // relaxed: a number only
};

}  // namespace weir::detail
