#include <functional>
#include <system_error>

#include "runtime/machine/kept_threads.hpp"
#include "tests/schedules/program_parts.hpp"

// Threads that stay between runs: each function runs once, whatever ends, starts or times out meanwhile.
namespace weir::testing {
namespace {

using detail::kept_threads;

// The program's machine. At the end its threads are let go; the explorer waits for their ends.
struct keeping {
  explicit keeping(const setting& s) : all(on(s)) {
    all.machine = scheduled_machine(cores_of_a_machine(s.cores), true);
  }

  // Has one thread run a function. Nothing where a fault keeps it from starting.
  void run_one(const std::function<void()>& body) const try {
    kept_threads::start(all.machine.state()->platform(), body).join();
  } catch (const std::system_error&) {
    if (!a_fault_comes()) throw;
  }
  void run_some(int count) const {
    int done = 0;
    for (int i = 0; i < count; ++i) run_one([&] { ++done; });
    require(done == count, "a function did not run once");
  }
  void run_network(std::int64_t records) const {
    require_equal(sent_and_read(named("f") >> named("g"), records, all), up_to(records), "results");
  }

  struct at_the_end {
    ~at_the_end() { kept_threads::end_idle(); }
  } last;
  options all;
};

void functions_one_after_the_other(const setting& s) { keeping(s).run_some(3); }

void functions_of_two_threads(const setting& s) {
  const keeping on_threads(s);
  const joined other([&] { on_threads.run_some(2); });
  on_threads.run_some(2);
}

// The thread gives up waiting just when it is given another function.
void function_for_a_thread_that_is_about_to_end(const setting& s) {
  const keeping on_threads(s);
  for (int i = 0; i < 3; ++i) {
    on_threads.run_some(1);
    sleep_for(kept_threads::kept_for);
  }
}

void ends_of_idle_threads_meanwhile(const setting& s) {
  const keeping on_threads(s);
  const joined other([] {
    for (int i = 0; i < 2; ++i) kept_threads::end_idle();
  });
  on_threads.run_some(3);
}

void runs_one_after_the_other(const setting& s) {
  const keeping on_threads(s);
  for (std::int64_t i = 1; i <= 3; ++i) on_threads.run_network(i);
}

void runs_of_two_threads(const setting& s) {
  const keeping on_threads(s);
  const joined other([&] { on_threads.run_network(2); });
  for (int i = 0; i < 2; ++i) on_threads.run_network(1);
}

// The controller's thread gives up waiting, too.
void run_on_a_machine_that_is_about_to_rest(const setting& s) {
  const keeping on_threads(s);
  for (int i = 0; i < 2; ++i) {
    on_threads.run_network(2);
    sleep_for(kept_threads::kept_for);
  }
  on_threads.run_network(1);
}

}  // namespace

std::vector<kind> programs_of_kept_threads() {
  return {
      {"functions_one_after_the_other", functions_one_after_the_other, {{1}}},
      {"functions_of_two_threads", functions_of_two_threads, {{1}}},
      {"function_for_a_thread_that_is_about_to_end", function_for_a_thread_that_is_about_to_end, {{1}}, 30},
      {"ends_of_idle_threads_meanwhile", ends_of_idle_threads_meanwhile, {{1}}},
      {"runs_one_after_the_other", runs_one_after_the_other, {{1}, {2}}},
      {"runs_of_two_threads", runs_of_two_threads, {{1}, {2}}, 30},
      {"run_on_a_machine_that_is_about_to_rest", run_on_a_machine_that_is_about_to_rest, {{1}, {2}}, 30},
  };
}

}  // namespace weir::testing
