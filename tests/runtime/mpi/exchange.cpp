// A rank that sends messages of all sizes to all others, in several openings of its transport, and checks that theirs
// arrive unchanged and in their order. Status 0: they do.
//
//     mpirun -n 3 exchange [messages] [seed]
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

#include <weir/mpi/session.hpp>
#include "runtime/mpi/session_access.hpp"
#include "tests/runtime/mpi/rank_program.hpp"

using namespace weir;
using namespace weir::detail;
using namespace weir::detail::mpi;

namespace {

[[noreturn]] void fail(int rank, const std::string& what) {
  std::fprintf(stderr, "rank %d: %s\n", rank, what.c_str());
  std::_Exit(2);
}

// A message follows from its number among those of a sender to one rank in an opening.
remote::message message_of(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto size = [&](std::size_t small, std::size_t large, unsigned one_in) {
    return static_cast<std::size_t>(random() % (random() % one_in ? small : large));
  };
  remote::message m;
  m.kind = static_cast<std::uint32_t>(random() % 1000);
  m.head = bytes_of(seed, size(200, 200'000, 50));
  const std::size_t blobs = random() % 10 ? 0 : random() % 100 ? random() % 4 : 100;
  for (std::size_t i = 0; i < blobs; ++i) {
    const auto bytes = std::make_shared<std::vector<std::byte>>(
        bytes_of(seed + i, blobs == 100 ? 1000 : size(100'000, 3'000'000, 30)));
    m.blobs.push_back({*bytes, bytes});
  }
  if (blobs) m.kind |= gathering::has_blobs;
  return m;
}

std::uint64_t seed_of(std::uint64_t seed, int opening, int from, int to, std::uint64_t number) {
  return (((seed * 100 + static_cast<unsigned>(opening)) * 100 + static_cast<unsigned>(from)) * 100 +
          static_cast<unsigned>(to)) *
             1'000'000 +
         number;
}

}  // namespace

int main(int argc, char** argv) try {
  const std::uint64_t count = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 500;
  const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  weir::mpi::session ranks;
  remote::transport& t = *transport_of_session();
  const int self = t.rank();
  for (int opening = 0; opening < 4; ++opening) {
    // An opening that is closed while the others still send: late messages are dropped, and disturb no later opening.
    const bool in_full = opening != 2;
    std::vector<std::uint64_t> next(static_cast<std::size_t>(t.size()));
    std::atomic<std::uint64_t> received{0};
    gathering listener(
        [&](int from, std::uint32_t kind, std::span<const std::byte> head, const gathering::blobs& blobs) {
          const auto expected = message_of(seed_of(seed, opening, from, self, next[static_cast<std::size_t>(from)]++));
          const auto at = " in message " + std::to_string(received.load()) + " of opening " + std::to_string(opening);
          if (kind != expected.kind) fail(self, "wrong kind" + at);
          if (!std::equal(head.begin(), head.end(), expected.head.begin(), expected.head.end()))
            fail(self, "wrong head" + at);
          if (blobs.size() != expected.blobs.size()) fail(self, "wrong number of blobs" + at);
          for (std::size_t i = 0; i < blobs.size(); ++i)
            if (!std::equal(blobs[i].begin(), blobs[i].end(), expected.blobs[i].bytes.begin(),
                            expected.blobs[i].bytes.end()))
              fail(self, "wrong blob" + at);
          received.fetch_add(1);
          received.notify_all();
        },
        [&](int rank, const std::string& why) { fail(self, "lost " + std::to_string(rank) + ": " + why); });
    t.open(listener);
    std::vector<std::thread> senders;
    for (int to = 0; to < t.size(); ++to)
      if (to != self)
        senders.emplace_back([&, to] {
          for (std::uint64_t n = 0; n < count; ++n) t.send(to, message_of(seed_of(seed, opening, self, to, n)));
        });
    for (auto& s : senders) s.join();
    const std::uint64_t all = in_full ? count * static_cast<std::uint64_t>(t.size() - 1) : 0;
    for (auto r = received.load(); r < all; r = received.load()) received.wait(r);
    t.close();
    t.close();
    if (in_full && received.load() != all) fail(self, "too many messages");
  }
  return 0;
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 3;
}
