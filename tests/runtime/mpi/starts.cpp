// Two ranks that start runs one after the other, two at a time, from a box, and anew after a start that failed. Each
// start either runs to its end or is refused at the rank that makes it, and none waits for ever. The ranks name
// different silences, and keep to the longer. Status 0: all of it holds.
//
//     mpirun -n 2 starts
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <ratio>
#include <stdexcept>
#include <string>
#include <thread>

#include <weir/mpi.hpp>
#include <weir/weir.hpp>

using namespace weir;

namespace {

constexpr tag number{"number"};
constexpr int records = 50;

// With the long one a rank says something every two seconds.
constexpr std::chrono::milliseconds short_silence{300}, long_silence{10'000};

network adds(int what) {
  const std::string name = "add " + std::to_string(what);
  return at(box(name, takes(number), gives(number), [=](std::int64_t n) { return n + what; }), 1);
}

// A whole run; at rank 0 all its records come. `meanwhile` runs before the last record is sent, and after the run has
// begun at both ranks.
template <class F>
void run_with(const network& net, const F& meanwhile) {
  auto [run, report] = mpi::start(net);
  if (!run) return;
  int got = 0;
  for (int i = 0; i + 1 < records; ++i) run->send(number = i);
  meanwhile();
  run->send(number = records);
  run->close();
  for (const record& r : *run) got += static_cast<int>(r.contains(number));
  if (got != records) throw std::runtime_error(std::to_string(got) + " records came");
}
void run(const network& net) {
  run_with(net, [] {});
}

// The message that refuses a start; "" if it is accepted.
template <class Error>
std::string refusal(const network& net) {
  try {
    run(net);
  } catch (const Error& thrown) {
    return thrown.what();
  }
  return "";
}

void expect(bool holds, const std::string& what) {
  if (!holds) throw std::runtime_error("not so: " + what);
}
void expect_refused(const std::string& why, int rank) {
  expect(why.find("rank " + std::to_string(rank) + " runs a network already") != std::string::npos,
         "a second start is refused, but: " + why);
}

void test(int rank) {
  run(adds(1));
  run(adds(2));  // one after the other

  // Rank 0 hears nothing for longer than its own silence.
  run_with(adds(8), [] { std::this_thread::sleep_for(4 * short_silence); });

  // When two threads start at the same time, one is refused. On rank 1 both may start, one after the other, if the
  // first run is over early: then the second ends with the session. So rank 0 alone starts twice.
  std::atomic<bool> is_refused{false};
  run_with(adds(3), [&] {
    std::thread([&] {
      expect_refused(refusal<std::logic_error>(adds(3)), 0);
      is_refused = true;
    }).join();
  });
  expect(rank != 0 || is_refused, "the second start was made");

  // In a box, on the rank that runs it: the record ends by that error.
  const network nested = at(box("nested", takes(number), gives(number),
                                [](std::int64_t n) {
                                  expect_refused(refusal<std::logic_error>(adds(4)), 1);
                                  return n;
                                })
                                .serial(),
                            1);
  run(nested);

  // A start that fails at both ranks, then one that does not.
  const std::string why = refusal<type_error>(adds(10 + rank));
  expect(why.find("rank 0 and rank 1 run different networks") != std::string::npos, "the networks differ, but: " + why);
  run(adds(5));

  // The run of the last start is over, and its execution is still there.
  {
    auto [first, report] = mpi::start(adds(6));
    if (first) {
      first->close();
      first->wait();
      expect_refused(refusal<std::logic_error>(adds(6)), 0);
    }
  }
  run(adds(7));
}

}  // namespace

int main() {
  int status = 0;
  try {
    const char* const own = std::getenv("OMPI_COMM_WORLD_RANK");
    mpi::session ranks({.silence = own && *own == '0' ? short_silence : long_silence,
                        .begin_within = std::chrono::duration<double, std::ratio<60>>(1.5)});
    try {
      test(ranks.rank());
    } catch (const std::exception& thrown) {
      std::printf("rank %d: %s\n", ranks.rank(), thrown.what());
      status = 1;
    }
  } catch (const std::exception& thrown) {
    std::printf("%s\n", thrown.what());
    status = 1;
  }
  return status;
}
