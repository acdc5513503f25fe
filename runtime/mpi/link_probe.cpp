#include "runtime/mpi/link_probe.hpp"

#include <time.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <memory>

#include "runtime/threads/primitives.hpp"

namespace weir::detail::mpi {
namespace {

using clock = std::chrono::steady_clock;

// What rank 0 sends. The other answers each with an empty message, after the last of a burst; but `renew` makes it take
// new memory, as the fields of a record do, which costs more than the way there.
enum tag : int { ping = 1, in_burst, last_of_burst, renew, large, end, answer };

constexpr int small_bytes = 64, large_bytes = 4 << 20;  // more than caches hold: records are
constexpr int least_pings = 5, most_pings = 50, bursts = 3, burst_length = 100, most_large = 4;
constexpr auto for_pings = std::chrono::microseconds(1000), for_large = std::chrono::microseconds(3000);
constexpr timespec pause{0, 50'000};

double seconds(clock::duration d) { return std::chrono::duration<double>(d).count(); }

class probe {
 public:
  probe(MPI_Comm on, clock::duration patience) : on_(on), patience_(patience), bytes_(new_bytes()) {}
  // MPI may still use the memory of a message that does not come: it is never freed.
  ~probe() {
    if (!is_broken_) return;
    auto* const kept = bytes_.release();
    static_cast<void>(kept);
  }
  probe(const probe&) = delete;

  remote::link_cost measure(int rank) {
    remote::link_cost cost;
    double best = std::numeric_limits<double>::infinity();
    const auto until = clock::now() + for_pings;
    for (int i = 0; i < most_pings && (i < least_pings || clock::now() < until); ++i)
      best = std::min(best, there_and_back(rank, ping, small_bytes, 1));
    if (is_broken_) return {};
    cost.latency = best / 2;
    double burst = std::numeric_limits<double>::infinity(), big = burst;
    for (int i = 0; i < bursts; ++i)
      burst = std::min(burst, there_and_back(rank, last_of_burst, small_bytes, burst_length));
    const auto until_large = clock::now() + for_large;
    for (int i = 0; i < most_large && (i < 1 || clock::now() < until_large); ++i) {
      send(rank, renew, 0);
      there_and_back(rank, ping, small_bytes, 1);
      big = std::min(big, there_and_back(rank, large, large_bytes, 1));
    }
    send(rank, end, 0);
    if (is_broken_) return {};
    // What a message more takes, without the way there and back.
    cost.record_seconds = std::max(0.0, burst - best) / burst_length;
    if (big > best) cost.bytes_per_second = large_bytes / (big - best);
    return cost;
  }

  void answer_all() {
    bool is_first = true;
    for (int what = ping; !is_broken_ && what != end; is_first = false) {
      what = receive(0, MPI_ANY_TAG, is_first);
      if (what == renew) bytes_ = new_bytes();
      if (what == ping || what == last_of_burst || what == large) send(0, answer, 0);
    }
  }

 private:
  using memory = std::unique_ptr<std::byte[]>;
  static memory new_bytes() { return std::make_unique_for_overwrite<std::byte[]>(large_bytes); }

  double there_and_back(int rank, tag what, int bytes, int messages) {
    const auto from = clock::now();
    for (int i = 1; i < messages; ++i) send(rank, in_burst, bytes);
    send(rank, what, bytes);
    receive(rank, answer, false);
    return seconds(clock::now() - from);
  }

  void send(int rank, tag what, int bytes) {
    if (is_broken_) return;
    MPI_Request r = MPI_REQUEST_NULL;
    if (MPI_Isend(bytes_.get(), bytes, MPI_BYTE, rank, what, on_, &r) != MPI_SUCCESS)
      is_broken_ = true;
    else
      wait(r, false);
  }

  // The tag of what came.
  int receive(int rank, int what, bool may_sleep) {
    MPI_Request r = MPI_REQUEST_NULL;
    if (is_broken_ || MPI_Irecv(bytes_.get(), large_bytes, MPI_BYTE, rank, what, on_, &r) != MPI_SUCCESS) {
      is_broken_ = true;
      return end;
    }
    return wait(r, may_sleep);
  }

  int wait(MPI_Request& r, bool may_sleep) {
    MPI_Status status{};
    const auto until = clock::now() + (may_sleep ? 10 * patience_ : patience_);
    for (int is_done = 0; !is_broken_;) {
      if (MPI_Test(&r, &is_done, &status) != MPI_SUCCESS || (!is_done && clock::now() > until))
        is_broken_ = true;
      else if (is_done)
        return status.MPI_TAG;
      else if (may_sleep)
        nanosleep(&pause, nullptr);
      else
        threads::yield();
    }
    return end;
  }

  const MPI_Comm on_;
  const clock::duration patience_;
  memory bytes_;
  bool is_broken_ = false;
};

}  // namespace

std::vector<remote::link_cost> measure_links(MPI_Comm on, clock::duration patience) {
  int rank = 0, size = 1;
  MPI_Comm_rank(on, &rank);
  MPI_Comm_size(on, &size);
  if (rank != 0) {
    probe(on, patience).answer_all();
    return {};
  }
  std::vector<remote::link_cost> all(1);
  for (int other = 1; other < size; ++other) all.push_back(probe(on, patience).measure(other));
  return all;
}

}  // namespace weir::detail::mpi
