#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include <weir/threads/primitives.hpp>
#include "runtime/engine/entity.hpp"
#include "runtime/placed/call_book.hpp"
#include "runtime/placed/home_runs.hpp"
#include "runtime/record/per_shape.hpp"
#include "runtime/remote/rank_message.hpp"
#include "runtime/streams/channel.hpp"

namespace weir::detail {

// The stream in front of a part that other ranks run: sends each record as a call. Its room is the credit of these
// ranks, so a call without credit waits as before a full stream.
class call_sender final : public channel {
 public:
  // of: the entity that the records come to.
  call_sender(entity& of, call_book& book, home_runs& here);

  std::size_t push(record_body* const* records, std::size_t count) override;
  // False while any rank that refused a record is out of credit: later records must not overtake it, whichever rank
  // they go to.
  bool has_room() const override;

  // Lets the initialisers of the part begin, on a record without labels. Before anything else is sent.
  void start(owned_body nothing);
  // Lets the part's instance in a scope finish, as a call whose context is `kept`. Throws std::bad_alloc.
  void finish(scope& in, owned_body kept, std::size_t outer);
  // By the listener's thread: sends the calls of a lost rank to others, or lets the last thread that sends do so.
  void lose(int rank);
  // By the region: it has taken results, which may leave room for records that run here.
  void results_taken() {
    if (here_.any()) space.notify();
  }

  // Calls that left for other ranks; of those, how many the home ran after a loss.
  std::uint64_t called() const { return called_.load(std::memory_order_relaxed); }
  std::uint64_t taken_back() const { return taken_back_.load(std::memory_order_relaxed); }

 private:
  std::optional<int> rank_for(const record_body& r);
  bool may_join(const record_body& r, int rank);
  bool begin_sending();
  void end_sending();
  std::size_t send(record_body* const* records, std::size_t count);
  std::size_t send_to(int rank, record_body* const* records, std::size_t count);
  void give_back(call_link::far& to, std::size_t records);
  std::size_t pack(remote::rank_message_writer& into, int rank, record_body* r, call_link::far& to);
  void resend_all() noexcept;
  bool resend(std::uint64_t number);  // false: not, since another rank was lost

  entity& of_;
  call_link& link_;
  call_book& book_;
  home_runs& here_;
  per_shape<remote::packing> packings_;
  threads::atomic<std::uint64_t> called_{0}, taken_back_{0};  // relaxed: numbers only
};

}  // namespace weir::detail
