#include "runtime/mpi/link_probe.hpp"

#include <time.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <memory>

#include <weir/threads/primitives.hpp>
#include "runtime/mpi/process_timeout.hpp"
#include "runtime/mpi/tags.hpp"

namespace weir::detail::mpi {
namespace {

using clock = std::chrono::steady_clock;

// The first byte of each message of rank 0. The other rank answers each with an empty message; of a burst it answers
// the last. For `renew` it allocates new memory, as the fields of a record do, which costs more than the way there.
enum class kind : unsigned char { ping, in_burst, last_of_burst, renew, large, end };
constexpr kind the_end = kind::end;

constexpr int small_bytes = 64, large_bytes = 4 << 20;  // more than caches hold: records are
constexpr int least_pings = 5, most_pings = 50, bursts = 3, burst_length = 100, most_large = 4;
constexpr auto for_pings = std::chrono::microseconds(1000), for_large = std::chrono::microseconds(3000);
constexpr timespec between_polls{0, 50'000};

// In units of `patience`: how long a rank waits for its turn, and after how long rank 0 leaves the other ranks
// unmeasured. Each rank then has one or two units left for the message that it is waiting for.
constexpr int waits_for_turn = most_patiences - 2, measures_for = most_patiences - 4;
constexpr auto between_looks_at_process = std::chrono::milliseconds(100);  // a call to the system

double seconds(clock::duration d) { return std::chrono::duration<double>(d).count(); }

// The messages between rank 0 and another, at either of them.
class probe {
 public:
  probe(MPI_Comm on, const process_ids& processes, int other, clock::duration patience)
      : on_(on), processes_(processes), other_(other), patience_(patience), bytes_(new_bytes()) {}
  // MPI may still use the memory of a message that does not come: it is never freed.
  ~probe() {
    if (!is_broken_) return;
    auto* const kept = bytes_.release();
    static_cast<void>(kept);
  }
  probe(const probe&) = delete;

  remote::link_cost measure() {
    remote::link_cost cost;
    double best = std::numeric_limits<double>::infinity();
    const auto until = clock::now() + for_pings;
    for (int i = 0; i < most_pings && (i < least_pings || clock::now() < until); ++i)
      best = std::min(best, there_and_back(kind::ping, small_bytes, 1));
    if (is_broken_) return {};
    cost.latency = best / 2;
    double burst = std::numeric_limits<double>::infinity(), big = burst;
    for (int i = 0; i < bursts; ++i)
      burst = std::min(burst, there_and_back(kind::last_of_burst, small_bytes, burst_length));
    const auto until_large = clock::now() + for_large;
    for (int i = 0; i < most_large && (i < 1 || clock::now() < until_large); ++i) {
      send(kind::renew, 1);
      there_and_back(kind::ping, small_bytes, 1);
      big = std::min(big, there_and_back(kind::large, large_bytes, 1));
    }
    if (is_broken_) return {};
    // The time of one message more, without the way there and back.
    cost.record_seconds = std::max(0.0, burst - best) / burst_length;
    if (big > best) cost.bytes_per_second = large_bytes / (big - best);
    return cost;
  }

  // Lets the other go on, even if it did not answer; waits for nothing.
  void end() {
    MPI_Request r = MPI_REQUEST_NULL;
    if (MPI_Isend(&the_end, 1, MPI_BYTE, other_, probe_tag, on_, &r) == MPI_SUCCESS) MPI_Request_free(&r);
  }

  void answer_all() {
    bool is_first = true;
    for (kind what = kind::ping; !is_broken_ && what != kind::end; is_first = false) {
      receive(probe_tag, is_first);
      if (is_broken_) return;
      what = static_cast<kind>(bytes_[0]);
      if (what == kind::renew) bytes_ = new_bytes();
      if (what == kind::ping || what == kind::last_of_burst || what == kind::large) send(answer_tag, 0);
    }
  }

 private:
  using memory = std::unique_ptr<std::byte[]>;
  static memory new_bytes() { return std::make_unique_for_overwrite<std::byte[]>(large_bytes); }

  double there_and_back(kind what, int bytes, int messages) {
    const auto from = clock::now();
    for (int i = 1; i < messages; ++i) send(kind::in_burst, bytes);
    send(what, bytes);
    receive(answer_tag, false);
    return seconds(clock::now() - from);
  }

  void send(kind what, int bytes) {
    if (is_broken_) return;  // MPI may still read it
    bytes_[0] = static_cast<std::byte>(what);
    send(probe_tag, bytes);
  }

  void send(message_tag how, int bytes) {
    MPI_Request r = MPI_REQUEST_NULL;
    if (is_broken_ || MPI_Isend(bytes_.get(), bytes, MPI_BYTE, other_, how, on_, &r) != MPI_SUCCESS)
      is_broken_ = true;
    else
      wait(r, false);
  }

  void receive(message_tag how, bool may_sleep) {
    MPI_Request r = MPI_REQUEST_NULL;
    if (is_broken_ || MPI_Irecv(bytes_.get(), large_bytes, MPI_BYTE, other_, how, on_, &r) != MPI_SUCCESS)
      is_broken_ = true;
    else if (!wait(r, may_sleep) && r != MPI_REQUEST_NULL && MPI_Cancel(&r) == MPI_SUCCESS)
      MPI_Request_free(&r);
  }

  // False: it is broken.
  bool wait(MPI_Request& r, bool may_sleep) {
    process_timeout bound(may_sleep ? waits_for_turn * patience_ : patience_);
    auto looks_at = clock::now() + between_looks_at_process;
    for (int is_done = 0; !is_broken_;) {
      if (MPI_Test(&r, &is_done, MPI_STATUS_IGNORE) != MPI_SUCCESS || (!is_done && bound.is_over()) ||
          (!is_done && has_ended(looks_at)))
        is_broken_ = true;
      else if (is_done)
        return true;
      else if (may_sleep)
        nanosleep(&between_polls, nullptr);
      else
        threads::yield();
    }
    return false;
  }

  bool has_ended(clock::time_point& looks_at) const {
    const auto now = clock::now();
    if (now < looks_at) return false;
    looks_at = now + between_looks_at_process;
    return processes_.has_ended(other_);
  }

  const MPI_Comm on_;
  const process_ids& processes_;
  const int other_;
  const clock::duration patience_;
  memory bytes_;
  bool is_broken_ = false;
};

}  // namespace

std::vector<remote::link_cost> measure_links(MPI_Comm on, const process_ids& processes, clock::duration patience) {
  int rank = 0, size = 1;
  MPI_Comm_rank(on, &rank);
  MPI_Comm_size(on, &size);
  if (rank != 0) {
    probe(on, processes, 0, patience).answer_all();
    return {};
  }
  std::vector<remote::link_cost> all(1);
  const auto until = clock::now() + measures_for * patience;
  for (int other = 1; other < size; ++other) {
    probe one(on, processes, other, patience);
    all.push_back(clock::now() < until ? one.measure() : remote::link_cost{});
    one.end();
  }
  return all;
}

}  // namespace weir::detail::mpi
