// A run on four ranks, with a route over ranks 1 and 2 and branches on all that move by load. One rank dies or is
// stopped, at a moment of the run that follows from the seed. Without rank 3 the run goes on, and gives all, each
// branch in its order. Any other ends it everywhere, with an error that names that rank. Status 0: so it was, in time.
//
//     mpirun --enable-recovery -n 4 survive_run kill|stop|never SEED FILE
//
// never: none dies, and more is sent.
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <weir/mpi.hpp>
#include <weir/weir.hpp>

#include "tests/runtime/mpi/death.hpp"

using namespace weir;
using namespace weir::detail::mpi;

namespace {

constexpr tag number{"number"}, key{"key"};
constexpr field<std::vector<double>> values{"values"};

constexpr std::int64_t keys = 16, after_death = 200;
constexpr double ends_in = in_time + 2;  // seconds: hears of it, and has ended

// The values of a record follow from its number; some records are large.
std::vector<double> values_of(std::int64_t n) {
  return std::vector<double>(n % 50 == 0 ? 20'000 : 3, static_cast<double>(n));
}

void work_for(std::chrono::microseconds t) {
  for (const auto until = std::chrono::steady_clock::now() + t; std::chrono::steady_clock::now() < until;) {
  }
}

// Each record makes two.
network net() {
  const auto twice = box("twice", takes(number, values), gives(number, values),
                         [](std::int64_t n, const std::vector<double>& v, emitter& emit) {
                           emit(number = 2 * n, values = v);
                           emit(number = 2 * n + 1, values = v);
                         });
  const auto check = box(
      "check", takes(number, values), gives(number, values),
      [](std::int64_t n, std::vector<double>&& v) { return std::tuple(v == values_of(n / 2) ? n : -1, std::move(v)); });
  const auto sum = box("sum", takes(number, values), gives(number), [](std::int64_t n, const std::vector<double>& v) {
    work_for(std::chrono::microseconds(n % keys == 0 ? 200 : 20));
    return v == values_of(n / 2) ? n : -1;
  });
  return at(twice, 1) >> at(check, 2) >> at(split(sum, key), key);
}

// The fault in all that came; nothing: all is there, each branch in its order.
std::string wrong_with(const std::map<std::int64_t, std::vector<std::int64_t>>& got, std::int64_t sent) {
  std::map<std::int64_t, std::vector<std::int64_t>> all;
  for (std::int64_t i = 0; i < 2 * sent; ++i) all[i / 2 % keys].push_back(i);
  for (const auto& [k, numbers] : all) {
    const auto at = got.find(k);
    if (at == got.end() || at->second.size() != numbers.size())
      return "branch " + std::to_string(k) + " has " + std::to_string(at == got.end() ? 0 : at->second.size()) +
             " of " + std::to_string(numbers.size());
    if (at->second != numbers) return "branch " + std::to_string(k) + " is not in order";
  }
  return "";
}

// At rank 0. Returns the fault, or nothing.
std::string send_and_read(execution& run, const shared_time& died, std::int64_t at_least, std::int64_t left) {
  std::int64_t sent = 0;
  std::thread sender([&] {
    try {
      for (; sent < at_least || left > 0; ++sent) {
        if (*died > 0) --left;
        run.send(number = sent, key = sent % keys, values = values_of(sent));
      }
      run.close();
    } catch (const run_error&) {  // the reader receives the error
    }
  });
  std::map<std::int64_t, std::vector<std::int64_t>> got;
  try {
    for (const record& r : run) got[r[key]].push_back(r[number]);
  } catch (...) {
    sender.join();
    throw;
  }
  sender.join();
  return wrong_with(got, sent);
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 4) return 6;
  const std::string how = argv[1];
  std::mt19937_64 random(std::strtoull(argv[2], nullptr, 10));
  const shared_time died(argv[3]), begun((std::string(argv[3]) + ".begun").c_str());
  std::string wrong, error;
  double ended = 0;
  bool dies = true, is_victim = false, goes_on = false;
  int victim = 0;
  {
    weir::mpi::session ranks;
    victim = static_cast<int>(random() % static_cast<unsigned>(ranks.size()));
    dies = how != "never";
    is_victim = dies && ranks.rank() == victim;
    goes_on = !dies || victim == 3;
    std::atomic<bool> is_over{false};
    std::thread death;
    if (is_victim)
      death = std::thread([&, moment = std::chrono::microseconds(random() % 700'000)] {
        while (*begun == 0 && !is_over) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        std::this_thread::sleep_for(moment);
        if (is_over) return;
        *died = now();
        die(how);
      });
    try {
      options o;
      o.spread_keys = true;
      o.on_failure = on_failure::reassign;
      auto [run, report] = weir::mpi::start(net(), o);
      if (run) {
        *begun = now();
        wrong = dies ? send_and_read(*run, died, 2000, after_death) : send_and_read(*run, died, 20'000, 0);
      }
    } catch (const run_error& e) {
      error = e.what();
    }
    ended = now();
    is_over = true;
    if (death.joinable()) death.join();
  }
  if (dies && *died == 0) {
    wrong = "rank " + std::to_string(victim) + " was lost before it died; ";
  } else if (!is_victim) {
    if (goes_on != error.empty()) wrong += goes_on ? "it did not go on; " : "there is no error; ";
    if (!goes_on && error.find("rank " + std::to_string(victim)) == std::string::npos)
      wrong += "another rank is named; ";
    if (!goes_on && ended - *died > ends_in) wrong += "it took too long; ";
    std::printf("lost %d, ended %.2f s later: %s\n", victim, ended - *died, error.c_str());
  } else if (error.empty()) {
    wrong = "it did not find that it was alone";
  }
  if (!wrong.empty()) std::printf("wrong: %s\n", wrong.c_str());
  std::printf("end %d\n", wrong.empty() ? 0 : 1);
  return wrong.empty() ? 0 : 1;
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 3;
}
