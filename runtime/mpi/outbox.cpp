#include "runtime/mpi/outbox.hpp"

#include <memory>
#include <span>
#include <utility>

namespace weir::detail::mpi {
namespace {

// As many as are in flight at a time to a few ranks.
constexpr std::size_t most_spare = 16;

void append(std::vector<std::byte>& to, const void* data, std::size_t size) {
  const auto* const first = static_cast<const std::byte*>(data);
  to.insert(to.end(), first, first + size);
}

void append_sizes(std::vector<std::byte>& to, const std::vector<remote::blob>& blobs) {
  for (const remote::blob& b : blobs) {
    const std::uint64_t size = b.bytes.size();
    append(to, &size, sizeof size);
  }
}

}  // namespace

outbox::outbox(int ranks, int self)
    : waiting_(static_cast<std::size_t>(ranks)),
      is_lost_(static_cast<std::size_t>(ranks)),
      count_(static_cast<std::size_t>(ranks)) {
  is_lost_[static_cast<std::size_t>(self)] = true;
}

batch& outbox::room_for(int to, std::size_t bytes, std::size_t blobs) {
  auto& batches = waiting_[static_cast<std::size_t>(to)];
  if (batches.empty() || batches.back().frames.size() + bytes > batch_bytes ||
      batches.back().blobs.size() + blobs > batch_blobs) {
    batch made;
    if (!spare_.empty()) {
      made.frames = std::move(spare_.back());
      spare_.pop_back();
    }
    made.frames.reserve(batch_bytes);
    made.frames.resize(sizeof(batch_head));
    made.blobs.reserve(blobs);
    batches.push_back(std::move(made));
    count_[static_cast<std::size_t>(to)].store(batches.size(), std::memory_order_relaxed);
  }
  batches.back().blobs.reserve(batches.back().blobs.size() + blobs);
  ++batches.back().count;
  return batches.back();
}

void outbox::put(int to, remote::message m) {
  frame f{frame_kind::message, m.kind, m.blobs.size(), m.blobs.size() * sizeof(std::uint64_t) + m.head.size()};
  const bool is_large = sizeof(batch_head) + sizeof f + f.body > batch_bytes;
  if (is_large) {  // the body becomes a blob before the others
    f.what = frame_kind::large_message;
    const auto body = std::make_shared<std::vector<std::byte>>();
    if (m.blobs.empty()) {
      *body = std::move(m.head);
    } else {
      body->reserve(f.body);
      append_sizes(*body, m.blobs);
      append(*body, m.head.data(), m.head.size());
    }
    m.blobs.insert(m.blobs.begin(), remote::blob{std::span(*body), body});
  }
  bool notify = false;
  {
    const lock_guard lock(mutex_);
    if (is_shut_ || is_lost_[static_cast<std::size_t>(to)]) return;
    batch& into = room_for(to, sizeof f + (is_large ? 0 : f.body), m.blobs.size());
    append(into.frames, &f, sizeof f);  // there is room: from here on nothing throws
    if (!is_large) {
      append_sizes(into.frames, m.blobs);
      append(into.frames, m.head.data(), m.head.size());
    }
    for (remote::blob& b : m.blobs) into.blobs.push_back(std::move(b));
    is_new_ = true;
    notify = is_asleep_;
  }
  if (notify) arrived_.notify_one();
}

void outbox::tell_locked(frame_kind what, int about) {
  const frame f{what, static_cast<std::uint32_t>(about), 0, 0};
  for (int to = 0; to < static_cast<int>(waiting_.size()); ++to)
    if (!is_lost_[static_cast<std::size_t>(to)]) append(room_for(to, sizeof f, 0).frames, &f, sizeof f);
  is_new_ = true;
  arrived_.notify_one();
}

void outbox::tell(frame_kind what, int about) {
  const lock_guard lock(mutex_);
  tell_locked(what, about);
}

void outbox::unshut() {
  const lock_guard lock(mutex_);
  is_shut_ = false;
}

void outbox::shut() {
  const lock_guard lock(mutex_);
  is_shut_ = true;
  tell_locked(frame_kind::closed, 0);
}

void outbox::wake() {
  const lock_guard lock(mutex_);
  is_new_ = true;
  arrived_.notify_one();
}

batch outbox::take(int to) {
  const lock_guard lock(mutex_);
  auto& batches = waiting_[static_cast<std::size_t>(to)];
  batch oldest = std::move(batches.front());
  batches.pop_front();
  count_[static_cast<std::size_t>(to)].store(batches.size(), std::memory_order_relaxed);
  return oldest;
}

std::deque<batch> outbox::lose(int to) {
  std::deque<batch> dropped;  // destroyed without the lock: what blobs keep has destructors of the user's
  const lock_guard lock(mutex_);
  is_lost_[static_cast<std::size_t>(to)] = true;
  dropped.swap(waiting_[static_cast<std::size_t>(to)]);
  count_[static_cast<std::size_t>(to)].store(0, std::memory_order_relaxed);
  return dropped;
}

void outbox::reuse(std::vector<std::byte> frames) {
  if (frames.capacity() < batch_bytes) return;  // of a sign of life
  frames.clear();
  const lock_guard lock(mutex_);
  if (spare_.size() < most_spare) spare_.push_back(std::move(frames));
}

void outbox::sleep(std::chrono::microseconds at_most) {
  const auto until = threads::clock::now() + at_most;
  unique_lock lock(mutex_);
  is_asleep_ = true;
  while (!is_new_)
    if (!arrived_.wait_until(lock, until)) break;
  is_asleep_ = is_new_ = false;
}

}  // namespace weir::detail::mpi
