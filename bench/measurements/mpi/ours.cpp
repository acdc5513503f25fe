#include "bench/measurements/mpi/ours.hpp"

#include <time.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace ours {
namespace {

using weir::detail::remote::message;
using bytes_of = std::span<const std::byte>;

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

using blob_memory = std::shared_ptr<std::vector<std::byte>>;

// Receives parts into the same memory again and again.
class listener : public weir::detail::remote::peer_listener {
 public:
  listener(blob_memory parts, std::function<void(bytes_of)> received)
      : memory_(std::move(parts)), received_(std::move(received)) {}
  explicit listener(std::function<void(bytes_of)> received) : listener(nullptr, std::move(received)) {}
  bool is_quick(std::size_t) const override { return true; }
  std::vector<std::span<std::byte>> place(int, std::uint32_t, bytes_of, std::span<const std::size_t>) override {
    return {*memory_};
  }
  void received(int, std::uint32_t, bytes_of head) override { received_(head); }
  void lost(int rank, std::string why) override { throw std::runtime_error(std::to_string(rank) + " is lost: " + why); }

 private:
  const blob_memory memory_;  // null: no message has parts
  const std::function<void(bytes_of)> received_;
};

message message_of(std::size_t bytes, const blob_memory& blob) {
  message m;
  if (blob)
    m.blobs.push_back({*blob, blob});
  else
    m.head.resize(bytes);
  return m;
}

}  // namespace

double hop(transport& t, std::size_t bytes, bool as_blob, int times) {
  // The received bytes are sent back from where they lie, as plain MPI's are.
  const auto blob = as_blob ? std::make_shared<std::vector<std::byte>>(bytes, std::byte{1}) : nullptr;
  const int peer = 1 - t.rank();
  std::atomic<int> left{times + 1};  // the first is not counted: it waits for the other rank
  double begun = 0;
  listener l(blob, [&](bytes_of) {
    if (t.rank() == 1) {
      t.send(peer, message_of(bytes, blob));
      if (--left == 0) left.notify_one();
      return;
    }
    if (left == times + 1) begun = now();
    if (--left == 0)
      left.notify_one();
    else
      t.send(peer, message_of(bytes, blob));
  });
  t.open(l);
  if (t.rank() == 0) t.send(peer, message_of(bytes, blob));
  for (int n = left; n > 0; n = left) left.wait(n);
  const double ended = now();
  t.close();
  return (ended - begun) / times / 2;
}

double hop_between_threads(transport& t, std::size_t bytes, int times) {
  const int peer = 1 - t.rank();
  std::atomic<int> received{0};
  listener l([&](bytes_of) {
    ++received;
    received.notify_one();
  });
  t.open(l);
  auto next = [&, seen = 0]() mutable {
    received.wait(seen);
    ++seen;
  };
  double begun = 0;
  for (int i = 0; i <= times; ++i) {
    if (t.rank() == 0) t.send(peer, message_of(bytes, nullptr));
    next();
    if (t.rank() == 1) t.send(peer, message_of(bytes, nullptr));
    if (i == 0) begun = now();
  }
  const double ended = now();
  t.close();
  return (ended - begun) / times / 2;
}

double records(transport& t, std::uint64_t count) {
  constexpr std::uint64_t window = 16384, answered = 2048;
  std::atomic<std::uint64_t> known{0};  // that the other rank has, as far as is known here
  std::uint64_t sum = 0, received = 0;
  listener l([&](bytes_of head) {
    if (t.rank() == 0) {
      known += answered;
      known.notify_one();
      return;
    }
    std::uint64_t value = 0;
    std::memcpy(&value, head.data(), sizeof value);
    sum += value;
    if (++received % answered == 0) t.send(0, message_of(1, nullptr));
    if (received == count) {
      known = count;
      known.notify_one();
    }
  });
  t.open(l);
  const double begun = now();
  if (t.rank() == 0)
    for (std::uint64_t i = 0; i < count; ++i) {
      for (auto k = known.load(); i >= k + window; k = known.load()) known.wait(k);
      message m = message_of(64, nullptr);
      std::memcpy(m.head.data(), &i, sizeof i);
      t.send(1, std::move(m));
    }
  for (auto k = known.load(); k < count; k = known.load()) known.wait(k);
  const double ended = now();
  t.close();
  return ended - begun;
}

std::vector<double> first_after_rest(transport& t, double seconds, int times) {
  std::atomic<int> received{0};
  listener l([&](bytes_of) {
    if (t.rank() == 1) t.send(0, message_of(8, nullptr));
    ++received;
    received.notify_one();
  });
  t.open(l);
  std::vector<double> took;
  for (int i = 0; i < times; ++i) {
    if (t.rank() == 0) {
      std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
      const double begun = now();
      t.send(1, message_of(8, nullptr));
      received.wait(i);
      took.push_back(now() - begun);
    } else {
      received.wait(i);
    }
  }
  t.close();
  return took;
}

double idle(transport& t, double seconds) {
  listener l([](bytes_of) {});
  t.open(l);
  const auto cpu = [] {
    timespec used{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) * 1e-9;
  };
  const double before = cpu();
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  const double after = cpu();
  t.close();
  return (after - before) / seconds;
}

}  // namespace ours
