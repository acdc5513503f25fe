#pragma once

#include <cstdint>
#include <vector>

#include <weir/threads/primitives.hpp>
#include "runtime/engine/entity.hpp"
#include "runtime/placed/call_book.hpp"
#include "runtime/placed/call_sender.hpp"
#include "runtime/placed/label_merger.hpp"
#include "runtime/placed/route_counts.hpp"
#include "runtime/placed/untaken_records.hpp"
#include "runtime/remote/session.hpp"

namespace weir::detail {

class order_exit_entity;

// Receives at the home of a part: results, errors, the ends of calls, positions and credit. Results enter the
// region of the call's entity in the context of their call.
class call_receiver final : public remote::link_end {
 public:
  // of: the entity through whose region results go. within: the ordered networks around the part.
  call_receiver(entity& of, call_book& book, call_sender& sender, std::vector<order_exit_entity*> within);

  // By the region, under its lock: it has taken some results.
  void taken();
  std::uint64_t returned() const { return returned_.load(std::memory_order_relaxed); }
  // REQUIRES: no message comes any more.
  void forget_subcalls() { subcalls_.clear(); }

 private:
  void receive(int from, remote::topic what, remote::rank_message&& p) override;
  void lost(int rank) override { sender_.lose(rank); }
  void give(int from, remote::rank_message&& p);
  void hold(int from, remote::rank_message&& p);
  void enter(const std::vector<record_body*>& records);
  void finish_call(int from, std::uint64_t subcall, std::uint64_t started);
  void release_results(int from, std::uint64_t call);
  void fail(int from, remote::rank_message&& p);
  void fail_unread(int from, const remote::rank_message& p, const remote::item& i);
  owned_body ended_record(int from, std::uint64_t call, std::uint64_t labels_of, owned_body r, std::string& path);
  void open_position(int from, std::uint64_t call, std::uint64_t position);
  record_body* with_kept(record_body* r, int from, std::uint64_t labels_of);
  bool tell_credit(int asking = -1);

  entity& of_;
  call_link& link_;
  call_book& book_;
  call_sender& sender_;
  const std::vector<order_exit_entity*> within_;
  label_merger merger_;    // of the listener's thread
  route_counts subcalls_;  // this and the next: under the book's mutex
  untaken_records untaken_;
  threads::atomic<std::uint64_t> returned_{0};  // relaxed: a number only
};

}  // namespace weir::detail
