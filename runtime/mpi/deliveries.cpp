#include "runtime/mpi/deliveries.hpp"

#include <pthread.h>

#include <exception>
#include <numeric>
#include <utility>

#include "runtime/mpi/outbox.hpp"

namespace weir::detail::mpi {

void deliveries::received(remote::peer_listener& to, int from, std::uint32_t kind, std::span<const std::byte> head) {
  if (tells_here(to, head.size())) return to.received(from, kind, head);
  put({.what = event::message, .to = &to, .from = from, .kind = kind, .body = bytes(head)});
}

void deliveries::received(remote::peer_listener& to, int from, std::uint32_t kind, bytes&& body, std::size_t head_at) {
  if (tells_here(to, body.size)) return to.received(from, kind, head_of(body, head_at));
  put({.what = event::message, .to = &to, .from = from, .kind = kind, .body = std::move(body), .head_at = head_at});
}

void deliveries::lost(remote::peer_listener& to, int rank, std::string why) {
  if (tells_here(to, 0)) return to.lost(rank, std::move(why));
  put({.what = event::loss, .to = &to, .from = rank, .why = std::move(why)});
}

std::optional<deliveries::places> deliveries::place(remote::peer_listener& to, int from, std::uint32_t kind,
                                                    std::uint64_t message, std::span<const std::byte> head,
                                                    std::vector<std::size_t> sizes) {
  if (tells_here(to, std::accumulate(sizes.begin(), sizes.end(), head.size())))
    return to.place(from, kind, head, sizes);
  put({.what = event::placing,
       .to = &to,
       .from = from,
       .kind = kind,
       .number = message,
       .head = head,
       .sizes = std::move(sizes)});
  return std::nullopt;
}

std::vector<deliveries::answer> deliveries::answers() {
  const lock_guard lock(mutex_);
  has_answers_.store(false, std::memory_order_relaxed);
  return std::exchange(answers_, {});
}

void deliveries::let_go(remote::peer_listener* to, std::shared_ptr<const void> value, std::size_t size) {
  if (value.use_count() > 1 || (to && tells_here(*to, size))) return;
  put({.what = event::value, .to = to, .from = 0, .holds = std::move(value)});
}

// Where the system gives no thread, the caller tells.
void deliveries::put(event e) {
  unique_lock lock(mutex_);
  events_.push_back(std::move(e));
  waiting_.fetch_add(1, std::memory_order_relaxed);  // behind what may throw: an event that is not there is not told
  if (thread_.joinable()) return arrived_.notify_one();
  try {
    thread_ = threads::thread([this] { work(); });
  } catch (const std::exception&) {
    while (!events_.empty()) tell_next(lock);
  }
}

void deliveries::tell(event& e) noexcept {
  switch (e.what) {
    case event::message:
      return e.to->received(e.from, e.kind, head_of(e.body, e.head_at));
    case event::loss:
      return e.to->lost(e.from, std::move(e.why));
    case event::value:
      return e.holds.reset();
    case event::placing: {
      answer made{e.from, e.number, e.to->place(e.from, e.kind, e.head, e.sizes)};
      const lock_guard lock(mutex_);
      answers_.push_back(std::move(made));
      has_answers_.store(true, std::memory_order_relaxed);
    }
  }
  sleeper_.wake();
}

void deliveries::tell_next(unique_lock<mutex<lock_place::deliveries>>& lock) noexcept {
  {
    event next = std::move(events_.front());
    events_.pop_front();
    lock.unlock();
    tell(next);
  }
  lock.lock();
  if (waiting_.fetch_sub(1, std::memory_order_release) == 1) told_.notify_all();
}

void deliveries::work() noexcept {
  pthread_setname_np(pthread_self(), "weir-mpi-tell");
  unique_lock lock(mutex_);
  for (;;) {
    while (events_.empty() && !ends_) arrived_.wait(lock);
    if (events_.empty()) return;
    tell_next(lock);
  }
}

void deliveries::wait_until_idle() {
  unique_lock lock(mutex_);
  while (!is_idle()) told_.wait(lock);
}

void deliveries::end() {
  {
    const lock_guard lock(mutex_);
    ends_ = true;
    arrived_.notify_one();
  }
  if (thread_.joinable()) thread_.join();
}

}  // namespace weir::detail::mpi
