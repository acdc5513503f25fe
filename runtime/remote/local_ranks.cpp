#include "runtime/remote/local_ranks.hpp"

#include <deque>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>

#include <weir/threads/primitives.hpp>
#include "runtime/threads/locks.hpp"

namespace weir::detail::remote {

class local_ranks::one final : public transport {
 public:
  one(local_ranks& of, int rank) : of_(of), rank_(rank) {}
  int rank() const override { return rank_; }
  int size() const override { return static_cast<int>(of_.all_.size()); }

  void send(int to, message what) override {
    if (is_dead_.load()) return;
    of_.all_[static_cast<std::size_t>(to)]->take({rank_, std::move(what), {}});
  }
  void open(peer_listener& listener) override {
    {
      const lock_guard lock(mutex_);
      if (state_ != unopened)
        throw std::logic_error("local_ranks: rank " + std::to_string(rank_) + " was opened before");
      state_ = open_now;
    }
    thread_ = threads::thread([this, &listener] { run(listener); });
  }
  void close() override {
    {
      const lock_guard lock(mutex_);
      if (state_ == open_now) state_ = closed;
      if (state_ == unopened) state_ = closed;
      arrived_.notify_all();
    }
    if (thread_.joinable()) thread_.join();
  }

  void die() {
    is_dead_.store(true);
    const lock_guard lock(mutex_);
    come_.clear();
  }
  void notify_lost(int lost) { take({lost, {}, "its process was killed"}); }

 private:
  struct event {
    int from;
    message what;
    std::string lost;  // why the sender is lost; "": it sends the message
  };

  void take(event e) {
    const lock_guard lock(mutex_);
    if (state_ == closed || (is_dead_.load() && e.lost.empty())) return;
    come_.push_back(std::move(e));
    arrived_.notify_one();
  }

  void run(peer_listener& listener) {
    std::deque<event> some;
    for (;;) {
      {
        unique_lock lock(mutex_);
        arrived_.wait(lock, [&] { return !come_.empty() || state_ == closed; });
        if (state_ == closed) return;
        some.swap(come_);
      }
      for (event& next : some) {
        if (lost_.contains(next.from)) continue;  // it was under way when its sender was killed
        if (!next.lost.empty()) lost_.insert(next.from);
        deliver(listener, next);
      }
      some.clear();
    }
  }

  static void deliver(peer_listener& listener, event& next) {
    if (!next.lost.empty()) return listener.lost(next.from, std::move(next.lost));
    message& m = next.what;
    if (!m.blobs.empty()) {
      std::vector<std::size_t> sizes;
      for (const blob& b : m.blobs) sizes.push_back(b.bytes.size());
      const std::vector<std::span<std::byte>> places = listener.place(next.from, m.kind, m.head, sizes);
      for (std::size_t i = 0; i < places.size(); ++i)
        std::copy(m.blobs[i].bytes.begin(), m.blobs[i].bytes.end(), places[i].begin());
      m.blobs.clear();
    }
    listener.received(next.from, m.kind, m.head);
  }

  local_ranks& of_;
  const int rank_;
  threads::atomic<bool> is_dead_{false};
  WEIR_LOCK(local_events) mutex_;
  condition arrived_;
  enum { unopened, open_now, closed } state_ = unopened;
  std::deque<event> come_;  // before open() as well
  std::set<int> lost_;      // by its thread alone
  threads::thread thread_;
};

local_ranks::local_ranks(int size) {
  for (int r = 0; r < size; ++r) all_.push_back(std::make_unique<one>(*this, r));
}
local_ranks::~local_ranks() = default;

void local_ranks::end_killed(int r) {
  for (auto& other : all_)
    if (other->rank() != r) all_[static_cast<std::size_t>(r)]->notify_lost(other->rank());
}

transport& local_ranks::rank(int r) { return *all_[static_cast<std::size_t>(r)]; }

void local_ranks::kill(int r) {
  all_[static_cast<std::size_t>(r)]->die();
  for (auto& other : all_)
    if (other->rank() != r) other->notify_lost(r);
}

}  // namespace weir::detail::remote
