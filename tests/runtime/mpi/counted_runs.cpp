// Runs one after another on all ranks, each of which is stopped, or ended by an error, at a moment that follows from
// its number. In each the counts of the report add up. Status 0: so it was.
//
//     mpirun -n 3 counted_runs RUNS
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <stdexcept>
#include <thread>

#include <weir/mpi.hpp>
#include <weir/weir.hpp>

using namespace weir;

namespace {

constexpr tag number{"number"}, key{"key"};

network net(std::int64_t fails_at) {
  const auto work = [fails_at](const char* name) {
    return box(name, takes(number), gives(number), [fails_at](std::int64_t v) {
      if (v % 16 == 0) std::this_thread::sleep_for(std::chrono::microseconds(200));
      if (v == fails_at) throw std::runtime_error("a fault");
      return v;
    });
  };
  return at(work("a"), 1) >> at(work("b"), 2) >> at(split(work("c"), key), key);
}

bool adds_up(unsigned run_number) {
  std::mt19937_64 random(run_number);
  const auto up_to = [&](std::int64_t most) { return std::uniform_int_distribution<std::int64_t>(0, most)(random); };
  const std::int64_t records = up_to(2000), stops_at = up_to(records), fails_at = up_to(3) ? -1 : up_to(records);
  auto [run, report] = mpi::start(net(fails_at), {.on_error = run_number % 2 ? on_error::stop : on_error::collect});
  if (!run) return true;
  std::uint64_t sent = 0, read = 0;
  execution& mine = *run;
  std::thread sender([&] {
    try {
      for (std::int64_t i = 0; i < records; ++i) {
        if (i == stops_at && run_number % 3) mine.stop();
        mine.send(number = i, key = i % 5);
        ++sent;
      }
      mine.close();
    } catch (const run_error&) {
    }
  });
  try {
    for (const record& r : mine) read += static_cast<std::uint64_t>(r.contains(number));
  } catch (const run_error&) {
  }
  sender.join();
  const run_report r = mine.report();
  const bool holds = r.sent == sent && r.results == read && r.away == 0 && sent == r.results + r.failed + r.dropped;
  if (!holds)
    std::printf(
        "run %u: sent %llu = results %llu + failed %llu + dropped %llu + away %lld? %llu were sent, %llu read\n",
        run_number, static_cast<unsigned long long>(r.sent), static_cast<unsigned long long>(r.results),
        static_cast<unsigned long long>(r.failed), static_cast<unsigned long long>(r.dropped),
        static_cast<long long>(r.away), static_cast<unsigned long long>(sent), static_cast<unsigned long long>(read));
  return holds;
}

}  // namespace

int main(int argc, char** argv) try {
  const mpi::session ranks;
  const unsigned runs = argc > 1 ? static_cast<unsigned>(std::atoi(argv[1])) : 20;
  bool all = true;
  for (unsigned i = 0; i < runs; ++i) try {
      all &= adds_up(i);
    } catch (const run_error&) {  // another rank than 0, of a run that ended by an error
    }
  return all ? 0 : 1;
} catch (const std::exception& e) {
  std::printf("error: %s\n", e.what());
  return 1;
}
