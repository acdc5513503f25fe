#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <weir/threads/primitives.hpp>
#include "runtime/remote/transport.hpp"
#include "runtime/threads/locks.hpp"

namespace weir::detail::mpi {

class outbox;

// Delivers incoming messages and losses to the listener, in the order of arrival, one call at a time. The caller
// delivers quick messages itself while no others are pending. A thread of this object, started at first need, delivers
// the rest. So codecs, large allocations and destructors of the program's values do not delay signs of life.
//
// Used by the communicator's thread, or by the thread that stands in for it.
class deliveries {
 public:
  // Memory that is not written before something is read into it.
  struct bytes {
    explicit bytes(std::size_t n = 0) : data(std::make_unique_for_overwrite<std::byte[]>(n)), size(n) {}
    explicit bytes(std::span<const std::byte> copied) : bytes(copied.size()) {
      std::copy(copied.begin(), copied.end(), data.get());
    }
    std::span<std::byte> all() const { return {data.get(), size}; }
    std::unique_ptr<std::byte[]> data;
    std::size_t size;
  };
  using places = std::vector<std::span<std::byte>>;
  static std::span<const std::byte> head_of(const bytes& body, std::size_t at) { return body.all().subspan(at); }

  explicit deliveries(outbox& sleeper) : sleeper_(sleeper) {}
  ~deliveries() { end(); }
  deliveries(const deliveries&) = delete;

  // As in peer_listener. The head of the second begins at `head_at` of the body; its blobs have come before.
  void received(remote::peer_listener& to, int from, std::uint32_t kind, std::span<const std::byte> head);
  void received(remote::peer_listener& to, int from, std::uint32_t kind, bytes&& body, std::size_t head_at);
  void lost(remote::peer_listener& to, int rank, std::string why);

  // Where the blobs of a message go; nothing: answers() will have it. The head must stay where it is until then.
  std::optional<places> place(remote::peer_listener& to, int from, std::uint32_t kind, std::uint64_t message,
                              std::span<const std::byte> head, std::vector<std::size_t> sizes);
  struct answer {
    int from;
    std::uint64_t message;
    places where;
  };
  bool has_answers() const { return has_answers_.load(std::memory_order_relaxed); }
  std::vector<answer> answers();  // since the last call

  // Releases what may be the last holder of a value of that many bytes. `to`: null where there is no listener.
  void let_go(remote::peer_listener* to, std::shared_ptr<const void> value, std::size_t size);

  // Whether the listener was told all, and will be told nothing until the next call of these.
  bool is_idle() const { return waiting_.load(std::memory_order_acquire) == 0; }
  void wait_until_idle();
  // Tells what waits, and ends the thread. Idempotent.
  void end();

 private:
  struct event {
    enum { message, placing, loss, value } what;
    remote::peer_listener* to;
    int from;
    std::uint32_t kind = 0;
    std::uint64_t number = 0;
    bytes body{};
    std::size_t head_at = 0;
    std::span<const std::byte> head{};
    std::vector<std::size_t> sizes{};
    std::string why{};
    std::shared_ptr<const void> holds{};
  };
  bool tells_here(const remote::peer_listener& to, std::size_t size) const { return is_idle() && to.is_quick(size); }
  void put(event e);
  void tell(event& e) noexcept;
  void tell_next(unique_lock<mutex<lock_place::deliveries>>& lock) noexcept WEIR_NOT_ANALYSED;
  void work() noexcept;

  outbox& sleeper_;
  WEIR_LOCK(deliveries) mutex_;
  condition arrived_, told_;
  std::deque<event> events_ WEIR_GUARDED_BY(mutex_);
  std::vector<answer> answers_ WEIR_GUARDED_BY(mutex_);
  bool ends_ WEIR_GUARDED_BY(mutex_) = false;
  // Events that are not told. release and acquire: who then tells sees what the thread did.
  threads::atomic<std::size_t> waiting_{0};
  threads::atomic<bool> has_answers_{false};  // relaxed: a hint to look
  threads::thread thread_;
};

}  // namespace weir::detail::mpi
