#include <locale.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "runtime/machine/machine_state.hpp"
#include "runtime/machine/process_threads.hpp"
#include "runtime/machine/thread_state.hpp"
#include "tests/runtime/language/labels.hpp"
#include "tests/runtime/language/witness.hpp"
#include "tests/support/busy.hpp"
#include "tests/support/gives_all_back.hpp"

// State that a box leaves behind on the thread that called it is restored, and the report names the box.
namespace weir {
namespace {

using namespace testing;

void bind_to(const std::vector<int>& cpus) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int cpu : cpus) CPU_SET(static_cast<unsigned>(cpu), &set);
  sched_setaffinity(0, sizeof set, &set);
}

bool blocks(int signal) {
  sigset_t now;
  sigemptyset(&now);
  pthread_sigmask(SIG_SETMASK, nullptr, &now);
  return sigismember(&now, signal) == 1;
}

int noted(const execution& run, const std::string& words) {
  const auto notes = run.report().notes;
  return static_cast<int>(std::count_if(
      notes.begin(), notes.end(), [&](const std::string& note) { return note.find(words) != std::string::npos; }));
}

class state_of_a_thread : public gives_all_back {
 protected:
  void SetUp() override {
    gives_all_back::SetUp();
    if (machine::local().state()->binding_refused().load()) GTEST_SKIP() << "this system refuses to bind threads";
  }
};

TEST_F(state_of_a_thread, is_put_back_part_by_part) {
  std::thread([] {
    detail::thread_state state;
    state.remember();
    EXPECT_EQ(state.put_back(), 0u);

    const std::vector<int> all = affinity();
    bind_to({all.back()});
    const unsigned moved = all.size() > 1 ? detail::thread_state::cores : 0u;
    EXPECT_EQ(state.put_back(), moved);
    EXPECT_EQ(affinity(), all);

    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &one, nullptr);
    const locale_t other = newlocale(LC_ALL_MASK, "C", locale_t{});
    const locale_t before = uselocale(other);
    EXPECT_EQ(state.put_back(), unsigned{detail::thread_state::signals} | detail::thread_state::locale);
    EXPECT_FALSE(blocks(SIGUSR1));
    EXPECT_EQ(uselocale(locale_t{}), before);
    freelocale(other);

    const sched_param usual{};
    if (sched_setscheduler(0, SCHED_BATCH, &usual) == 0) {
      EXPECT_EQ(state.put_back(), unsigned{detail::thread_state::scheduling});
      EXPECT_EQ(sched_getscheduler(0), SCHED_OTHER);
    }
    EXPECT_EQ(state.put_back(), 0u);
  }).join();
}

TEST_F(state_of_a_thread, is_named_in_words) {
  using detail::thread_state;
  EXPECT_EQ(thread_state::in_words(thread_state::cores), "other cores");
  EXPECT_EQ(thread_state::in_words(thread_state::cores | thread_state::locale), "other cores and another locale");
  EXPECT_EQ(thread_state::in_words(thread_state::cores | thread_state::signals | thread_state::memory),
            "other cores, other blocked signals and another NUMA policy");
}

// The first invocations bind their thread to the first core, as libraries do. The later ones run where they are
// granted.
TEST_F(state_of_a_thread, that_a_box_binds_is_bound_anew_and_the_box_is_named) {
  const std::vector<int> all = affinity();
  if (all.size() < 2) GTEST_SKIP() << "one core is where it binds to";
  std::atomic<int> elsewhere{0};
  std::mutex mutex;
  std::set<std::vector<int>> seen;
  const network library = box("library", takes(n), gives(n), [&](const grant& g, std::int64_t v) {
    if (v < 20) bind_to({all.front()});
    busy(std::chrono::microseconds(500));
    if (v < 20) return v;
    if (affinity() != g.cpus()) ++elsewhere;
    const std::lock_guard lock(mutex);
    seen.insert(g.cpus());
    return v;
  });
  execution run = start(library, {.policy = fixed_shares{{"library", 2, 2}}});
  for (int i = 0; i < 400; ++i) run.send(n = i);
  run.close();
  EXPECT_EQ(all_of(run).size(), 400u);
  EXPECT_EQ(elsewhere, 0);
  EXPECT_EQ(noted(run, "box library has left its thread with other cores"), 1);
}

// A short box is not looked after each time.
TEST_F(state_of_a_thread, that_a_short_box_binds_is_bound_anew) {
  const std::vector<int> all = affinity();
  if (all.size() < 2) GTEST_SKIP() << "one core is where it binds to";
  std::atomic<bool> is_elsewhere{false};
  execution run = start(box("short", takes(n), gives_none,
                            [&](const grant& g, std::int64_t v) {
                              if (v == 0) bind_to({g.cpus().front() == all.front() ? all.back() : all.front()});
                              if (v > 0) is_elsewhere = affinity() != g.cpus();
                            }),
                        {.policy = fixed_shares{{"short", 1}}});
  for (int i = 0; i < 100; ++i) run.send(n = i);
  run.send(n = 0);
  for (int i = 1; i < 100 || is_elsewhere; ++i) run.send(n = i);
  run.close();
  run.wait();
  EXPECT_GE(noted(run, "has left its thread with other cores"), 1);  // with its name, without, or both
}

TEST_F(state_of_a_thread, but_its_cores_is_put_back_and_noted) {
  std::atomic<int> blocked{0};
  execution run = start(box("masks", takes(n), gives(n), [&](std::int64_t v) {
    if (blocks(SIGUSR2)) ++blocked;
    busy(std::chrono::microseconds(500));
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, SIGUSR2);
    pthread_sigmask(SIG_BLOCK, &one, nullptr);
    return v;
  }));
  for (int i = 0; i < 100; ++i) run.send(n = i);
  run.close();
  EXPECT_EQ(all_of(run).size(), 100u);
  EXPECT_EQ(blocked, 0);
  EXPECT_EQ(noted(run, "box masks has left its thread with other blocked signals"), 1);
}

TEST_F(state_of_a_thread, is_not_noted_of_boxes_that_change_nothing) {
  execution run = start(box("plain", takes(n), gives(n),
                            [](const grant& g, std::int64_t v) {
                              g.bind_this_thread();
                              busy(std::chrono::microseconds(500));
                              return v;
                            }) >>
                        box("waits", takes(n), gives(n), [](std::int64_t v) { return v; }).blocking(2));
  for (int i = 0; i < 100; ++i) run.send(n = i);
  run.close();
  EXPECT_EQ(all_of(run).size(), 100u);
  EXPECT_EQ(noted(run, "has left its thread"), 0);
}

// Boxes outside the cores, and the threads that they start, are not where the thread that started the run is.
TEST_F(state_of_a_thread, of_blocking_boxes_is_not_that_of_the_thread_that_starts_the_run) {
  const std::vector<int> all = affinity();
  std::mutex mutex;
  std::set<std::vector<int>> seen;
  std::thread([&] {
    machine::local();
    bind_to({all.back()});
    execution run = start(box("waits", takes(n), gives(n), [&](std::int64_t v) {
                            const std::lock_guard lock(mutex);
                            seen.insert(affinity());
                            return v;
                          }).blocking(2));
    for (int i = 0; i < 10; ++i) run.send(n = i);
    run.close();
    EXPECT_EQ(all_of(run).size(), 10u);
  }).join();
  EXPECT_EQ(seen, std::set<std::vector<int>>{all});
}

// A process that a box starts within unbound() may run on all cores, and the box's thread afterwards on its grant
// alone.
TEST_F(state_of_a_thread, is_unbound_for_what_a_box_starts_elsewhere) {
  const std::vector<int> all = affinity();
  std::atomic<int> narrow{0}, wide{0}, not_bound{0};
  execution run = start(box("starts", takes(n), gives(n),
                            [&](const grant& g, std::int64_t v) {
                              const auto child = [] {
                                std::string cpus;
                                if (FILE* const out = popen("grep Cpus_allowed_list /proc/self/status", "r")) {
                                  std::array<char, 256> line{};
                                  if (std::fgets(line.data(), line.size(), out)) cpus = line.data();
                                  pclose(out);
                                }
                                return cpus;
                              };
                              const std::string here = child();
                              const std::string everywhere = g.unbound([&] { return child(); });
                              g.unbound([] {});  // returns nothing
                              try {
                                g.unbound([]() -> int { throw std::runtime_error("not this one"); });
                              } catch (const std::runtime_error&) {
                              }
                              narrow += here != everywhere;
                              g.unbound([&] { wide += affinity() == all; });
                              not_bound += affinity() != g.cpus();
                              return v;
                            }),
                        {.policy = fixed_shares{{"starts", 1}}});
  for (int i = 0; i < 3; ++i) run.send(n = i);
  run.close();
  EXPECT_EQ(all_of(run).size(), 3u);
  EXPECT_EQ(narrow, all.size() > 1 ? 3 : 0);
  EXPECT_EQ(wide, 3);
  EXPECT_EQ(not_bound, 0);
  EXPECT_EQ(grant(1, {}).unbound([] { return 7; }), 7);  // of a synthetic machine
}

// Else the time of the workers of short runs, which end with them, would be that of a box's own threads.
TEST(the_threads_of_a_process, that_are_of_weir_are_no_others_after_their_end_either) {
  detail::process_threads all(machine::local().state()->platform());
  const auto computed_by = [&](auto body) {
    all.sample();
    std::thread(body).join();
    all.sample();
    return all.by_ended();
  };
  constexpr auto span = std::chrono::milliseconds(50);
  EXPECT_GT(computed_by([&] {  // as long as that takes where other processes want the cores, too
              timespec used{};
              do ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
              while (used.tv_sec == 0 && used.tv_nsec < 50'000'000);
            }),
            .025)
      << "a thread of the program's";
  EXPECT_LT(computed_by([&] {
              const detail::own_thread mine;
              busy(span);
            }),
            .025);
  // Also one that was seen before.
  std::atomic<bool> may_end{false};
  std::thread early([&] {
    const detail::own_thread mine;
    busy(span);
    while (!may_end) std::this_thread::yield();
    busy(span);
  });
  std::this_thread::sleep_for(span);
  all.sample();
  may_end = true;
  early.join();
  all.sample();
  EXPECT_LT(all.by_ended(), .025);
}

}  // namespace
}  // namespace weir
