// Records of 64 B and of 4 MB to a box at rank 1 and back, over any link between two ranks. Measures whether all come
// and are right, how many a second, how long one takes. Also a hop of weir's and one of plain MPI. Status 0: all is
// right.
//
//     mpi_over_link.sh mpirun build/release "--delay 10 --loss 1" [--seconds 5]
//
// With --cut a program mpi_link, whose number is in WEIR_LINK, is told to cut the link in the middle of the small
// records.
#include <fmt/format.h>
#include <mpi.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include <weir/mpi.hpp>
#include <weir/weir.hpp>

#include "bench/measurements/mpi/ours.hpp"
#include "bench/measurements/mpi/plain.hpp"
#include "bench/support/quantile.hpp"
#include "runtime/mpi/session_access.hpp"

namespace {

using namespace weir;
using words = std::vector<std::uint64_t>;

constexpr tag number{"number"};
constexpr field<words> content{"content"};
constexpr double heard_within = 3;  // seconds after a cut

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

words words_of(std::uint64_t seed, std::size_t count) {
  words made(count);
  for (auto& w : made) w = seed = seed * 6364136223846793005ull + 1442695040888963407ull;
  return made;
}

// Gives other words for the right ones, none for wrong ones.
network checked_at_1() {
  return at(box("check", takes(number, content), gives(number, content),
                [](std::int64_t n, const words& w) {
                  const auto seed = static_cast<std::uint64_t>(n);
                  return std::tuple(n, w == words_of(seed, w.size()) ? words_of(seed + 1, w.size()) : words{});
                }),
            1);
}

class records {
 public:
  records(execution& run, std::size_t bytes) : run_(run), words_(bytes / 8 - 1) {}  // 8 for the tag

  void send() { run_.send(number = sent_, content = words_of(static_cast<std::uint64_t>(sent_), words_)), ++sent_; }
  // False: no other comes. A record that comes twice counts as wrong, as an unexpected one does.
  bool read() {
    const auto r = run_.begin();
    if (r == run_.end()) return false;
    const std::int64_t n = (*r)[number];
    arrived_.resize(std::max(arrived_.size(), static_cast<std::size_t>(n) + 1));
    is_right_ &=
        !arrived_[static_cast<std::size_t>(n)] && (*r)[content] == words_of(static_cast<std::uint64_t>(n) + 1, words_);
    arrived_[static_cast<std::size_t>(n)] = true;
    return true;
  }
  bool all_right() const {
    return is_right_ && static_cast<std::int64_t>(arrived_.size()) == sent_ &&
           std::count(arrived_.begin(), arrived_.end(), true) == sent_;
  }
  std::int64_t sent() const { return sent_; }

 private:
  execution& run_;
  const std::size_t words_;
  std::int64_t sent_ = 0;
  std::vector<bool> arrived_;
  bool is_right_ = true;
};

struct plan {
  std::size_t bytes;
  double seconds, rest = 0;  // of sending, and of silence before that
  int singles;
  double cut_at = 0;  // 0: never
  int cut_ms = 0;
};

void cut_link(int ms) {
  const char* const link = std::getenv("WEIR_LINK");
  if (!link || sigqueue(std::atoi(link), SIGUSR1, {.sival_int = ms}) != 0)
    throw std::runtime_error("no link in WEIR_LINK");
}

// Whether all came and was right. Throws run_error.
bool stream(const plan& p) {
  auto [run, report] = weir::mpi::start(checked_at_1());
  if (!run) return true;
  records all(*run, p.bytes);
  std::vector<double> took;
  for (int i = 0; i < p.singles; ++i) {
    const double begun = now();
    all.send();
    all.read();
    took.push_back(now() - begun);
  }
  std::this_thread::sleep_for(std::chrono::duration<double>(p.rest));
  const double begun = now();
  std::exception_ptr failed;
  std::thread sender([&] {
    try {
      for (bool is_cut = p.cut_at == 0; now() < begun + p.seconds;) {
        if (!is_cut && now() > p.cut_at) cut_link(p.cut_ms), is_cut = true;
        all.send();
      }
      run->close();
    } catch (...) {
      failed = std::current_exception();
    }
  });
  std::exception_ptr unread;
  double longest = 0, last = begun;
  try {
    while (all.read()) longest = std::max(longest, now() - std::exchange(last, now()));
  } catch (...) {
    unread = std::current_exception();
  }
  sender.join();
  if (unread) std::rethrow_exception(unread);
  if (failed) std::rethrow_exception(failed);
  const double rate = static_cast<double>(all.sent() - p.singles) / (now() - begun);
  const auto ms = [&](double q) { return program::quantile(took, q) * 1e3; };
  fmt::print(
      "{} records of {} B {}: {:.4g}/s, {:.4g} MB/s each way; one takes {:.2f} ms ({:.2f} to {:.2f}); longest pause "
      "{:.0f} ms\n",
      all.sent(), p.bytes, all.all_right() ? "right" : "WRONG", rate, rate * static_cast<double>(p.bytes) / 1e6,
      ms(0.5), ms(0), ms(1), longest * 1e3);
  return all.all_right();
}

}  // namespace

int main(int argc, char** argv) try {
  double seconds = 5, rest = 0;
  int hops = 20, cut_ms = -1, silence = 2000;
  CLI::App app{"Records over a link"};
  app.add_option("--seconds", seconds, "Of each stream");
  app.add_option("--rest", rest, "Seconds of silence before each");
  app.add_option("--hops", hops);
  app.add_option("--cut", cut_ms, "Milliseconds; 0: for ever");
  app.add_option("--silence", silence, "Milliseconds without a sign of life, after which a rank is lost");
  CLI11_PARSE(app, argc, argv);
  int provided = 0, rank = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const double plain_hop = plain::hop(64, hops);
  double cut_at = now() + rest + seconds / 2;  // the clock of both, which are on one machine
  MPI_Bcast(&cut_at, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  bool is_right = true;
  {
    weir::mpi::session ranks({.silence = std::chrono::milliseconds(silence)});
    auto& transport = *detail::mpi::transport_of_session();
    const double hop = ours::hop(transport, 64, false, hops);
    const double between_threads = ours::hop_between_threads(transport, 64, hops);
    if (rank == 0)
      fmt::print("a hop: MPI {:.4g} ms, weir {:.4g} ms, from thread to thread {:.4g} ms\n", plain_hop * 1e3, hop * 1e3,
                 between_threads * 1e3);
    try {
      is_right = stream({64, seconds, rest, hops, cut_ms < 0 ? 0 : cut_at, cut_ms});
      is_right &= cut_ms != 0;
      if (cut_ms < 0) is_right &= stream({4 << 20, seconds, rest, 3});
    } catch (const run_error& e) {
      const double after = now() - cut_at;
      fmt::print("rank {} ended{}: {}\n", rank, cut_ms < 0 ? "" : fmt::format(" {:.2f} s after the cut", after),
                 e.what());
      is_right = cut_ms == 0 && after < heard_within;
    }
  }
  fmt::print("end {}\n", is_right ? 0 : 1);
  if (is_right && cut_ms != 0) MPI_Finalize();  // not after a loss
  return is_right ? 0 : 1;
} catch (const std::exception& e) {
  fmt::print(stderr, "{}\n", e.what());
  return 2;
}
