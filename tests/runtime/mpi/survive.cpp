// Ranks that send each other messages of all sizes until one of them dies or is stopped, at a moment that follows from
// the seed. The others must hear that this one is lost, and end. Status 0: they did, in time.
//
//     mpirun --enable-recovery -n 3 survive kill|stop|pause SEED FILE
//
// kill: SIGKILL. stop: SIGSTOP, and SIGKILL when the others have ended. pause: SIGSTOP, and SIGCONT when the others
// have ended; it must then find itself alone, and end. FILE: the victim writes the time into it.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

#include <weir/mpi/session.hpp>
#include "runtime/mpi/session_access.hpp"
#include "tests/runtime/mpi/death.hpp"
#include "tests/runtime/mpi/rank_program.hpp"

using namespace weir;
using namespace weir::detail;
using namespace weir::detail::mpi;

int main(int argc, char** argv) try {
  if (argc < 4) return 6;
  const std::string how = argv[1];
  const std::uint64_t seed = std::strtoull(argv[2], nullptr, 10);
  const shared_time died(argv[3]);
  int status = 0;
  {
    weir::mpi::session ranks;
    remote::transport& t = *transport_of_session();
    const int self = t.rank();
    std::mt19937_64 random(seed);
    const int victim = static_cast<int>(random() % static_cast<unsigned>(t.size()));
    const auto moment = std::chrono::microseconds(random() % 700'000);

    std::vector<std::atomic<std::int64_t>> credit(
        static_cast<std::size_t>(t.size()));  // messages that may be under way
    for (auto& c : credit) c = 64;
    std::atomic<int> gone{0};
    std::vector<std::string> whys(static_cast<std::size_t>(t.size()));
    std::atomic<double> heard{0};
    gathering listener(
        [&](int from, std::uint32_t kind, std::span<const std::byte>, const gathering::blobs&) {
          if (kind == 1) {
            credit[static_cast<std::size_t>(from)] += 8;
          } else if (kind & 2) {
            t.send(from, {1, {}, {}});
          }
        },
        [&](int rank, const std::string& why) {
          whys[static_cast<std::size_t>(rank)] = why;
          if (rank == victim) heard = now();
          gone += 1;
          gone.notify_all();
        });
    t.open(listener);
    std::thread death;
    if (self == victim)
      death = std::thread([&] {
        std::this_thread::sleep_for(moment);
        *died = now();
        die(how);
      });
    std::vector<std::thread> senders;
    for (int to = 0; to < t.size(); ++to)
      if (to != self)
        senders.emplace_back([&, to, own = std::mt19937_64(seed + static_cast<unsigned>(to))]() mutable {
          auto& left = credit[static_cast<std::size_t>(to)];
          for (std::uint64_t n = 0; gone == 0; ++n) {
            if (left <= 0) {
              std::this_thread::yield();
              continue;
            }
            --left;
            remote::message m{n % 8 == 0 ? 2u : 0u, std::vector<std::byte>(own() % 20 ? 100 : 100'000), {}};
            if (own() % 10 == 0) {
              const auto blob = std::make_shared<std::vector<std::byte>>(own() % 5'000'000);
              m.blobs.push_back({*blob, blob});
              m.kind |= gathering::has_blobs;
            }
            t.send(to, std::move(m));
          }
        });
    const int expected = self == victim ? t.size() - 1 : 1;
    for (int n = gone; n < expected; n = gone) gone.wait(n);
    for (auto& s : senders) s.join();
    if (death.joinable()) death.join();
    t.close();
    if (self != victim) {
      const double after = heard - *died;
      std::printf("rank %d: lost %d after %.2f s: %s\n", self, victim, after,
                  whys[static_cast<std::size_t>(victim)].c_str());
      if (!(after < in_time) || ranks.lost().front() != victim) status = 1;
    }
  }
  std::printf("end %d\n", status);
  return status;
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 3;
}
