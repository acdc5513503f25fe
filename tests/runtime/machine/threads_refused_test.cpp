#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <functional>
#include <limits>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

#include "runtime/machine/machine_state.hpp"
#include "tests/runtime/language/labels.hpp"
#include "tests/runtime/support/test_platform.hpp"
#include "tests/support/gives_all_back.hpp"

// The system gives no threads, or fewer than wanted. A run starts and continues with those that exist, or its caller
// gets an error that says so. Everything it had is given back.
namespace weir {
namespace {

using namespace testing;

// A synthetic machine of four cores that starts a given number of threads: number 0 is the controller's.
class refusing final : public test_platform {
 public:
  std::thread start_thread(std::function<void()> body) override {
    const int number = asked.fetch_add(1);
    if (number >= first.load() && number < end.load()) {
      if (lacks_memory) throw std::bad_alloc();
      throw std::system_error(EAGAIN, std::generic_category());
    }
    return std::thread(std::move(body));
  }

  void refuse(int from, int to) {
    asked.store(0);
    first.store(from);
    end.store(to);
  }
  std::atomic<int> asked{0}, first{0}, end{0};
  bool lacks_memory = false;
};

constexpr int all = std::numeric_limits<int>::max();

class a_refused_thread : public gives_all_back {
 protected:
  options here() const {
    options o;
    o.machine = its_machine;
    o.policy = fixed_shares{{"adding", 3, 3}};
    o.capacity = 1;
    return o;
  }
  const std::shared_ptr<refusing> system = std::make_shared<refusing>();
  const machine its_machine{std::make_shared<detail::machine_state>(system)};
};

network adding() { return box("adding", takes(n), gives(n), plus_one).sequential(); }

std::string met(const std::function<void()>& f) {
  try {
    f();
  } catch (const run_error& e) {
    EXPECT_EQ(e.details().kind, failure_kind::no_thread);
    return e.what();
  }
  return "nothing was thrown";
}

TEST_F(a_refused_thread, of_the_controller_is_an_error_of_start_and_leaves_the_machine_as_it_was) {
  system->refuse(0, all);
  const std::string why = met([&] { start(adding(), here()); });
  EXPECT_EQ(why.find("the controller: no thread could be started to run it: "), 0u) << why;
  system->lacks_memory = true;
  EXPECT_THROW(start(adding(), here()), std::bad_alloc);
  system->refuse(0, 0);
  execution run = start(adding(), here());
  run.send(n = 1);
  run.close();
  EXPECT_EQ(all_of(run).size(), 1u) << "there may be a thread later";
}

TEST_F(a_refused_thread, of_the_first_worker_is_met_while_iterating) {
  for (const bool lacks_memory : {false, true}) {
    system->lacks_memory = lacks_memory;
    system->refuse(1, all);
    execution run = start(adding(), here());
    EXPECT_EQ(met([&] {
                for (int i = 0; i < 10; ++i) run.send(n = i);
              }),
              "adding: no thread could be started to run it");
    EXPECT_EQ(met([&] { all_of(run); }), "adding: no thread could be started to run it");
    EXPECT_EQ(run.report().dropped + run.report().results, run.report().sent);
  }
}

TEST_F(a_refused_thread, that_an_initialiser_needs_is_met_while_iterating) {
  system->refuse(1, all);
  const network net = source("source", gives(n), [](emitter& emit) { emit(n = 1); }) | adding();
  options o = here();
  o.policy = fixed_shares{{"source", 1}, {"adding", 1}};
  execution run = start(net, o);
  EXPECT_EQ(met([&] { all_of(run); }), "source: no thread could be started to run it");
}

TEST_F(a_refused_thread, of_a_later_worker_leaves_its_work_to_the_others_and_is_noted) {
  for (const int first : {2, 3}) {
    system->refuse(first, all);
    const network waiting = box("adding", takes(n), gives(n), [&](std::int64_t v) {
                              EXPECT_TRUE(v >= first - 1 || eventually([&] { return system->asked.load() > first; }));
                              return v + 1;
                            }).sequential();
    execution run = start(waiting, here());
    for (int i = 0; i < 200; ++i) run.send(n = i);
    run.close();
    EXPECT_EQ(all_of(run).size(), 200u);
    const run_report r = run.report();
    EXPECT_EQ(r.failed + r.dropped, 0u);
    EXPECT_TRUE(std::any_of(r.notes.begin(), r.notes.end(),
                            [](auto& note) { return note.find("a thread could not be started: ") == 0; }));
  }
}

// The only thread waits in a box for work that another thread should do: the box must not wait for ever.
TEST_F(a_refused_thread, without_which_a_box_would_wait_for_ever_ends_the_run) {
  const network net = box("emits", takes(n), gives(n),
                          [&](std::int64_t v, emitter& emit) {
                            for (int i = 0; i < 100; ++i) emit(n = v);
                          }) >>
                      box("behind", takes(n), gives(n), plus_one);
  options o = here();
  o.policy = fixed_shares{{"emits", 1}, {"behind", 1}};
  system->refuse(2, all);
  execution run = start(net, o);
  run.send(n = 1);
  EXPECT_NE(met([&] {
              run.close();
              all_of(run);
            }).find("no thread could be started to run it"),
            std::string::npos);
}

TEST_F(a_refused_thread, of_one_run_is_nothing_to_another_on_the_same_machine) {
  options o = here();
  o.policy = fixed_shares{{"adding", 1}};
  execution first = start(adding(), o);
  for (int i = 0; i < 10; ++i) first.send(n = i);
  ASSERT_TRUE(eventually([&] { return first.report().results == 10; }));
  system->refuse(0, all);
  {
    execution second = start(adding(), o);
    EXPECT_NE(met([&] {
                for (int i = 0; i < 10; ++i) second.send(n = i);
                second.close();
                all_of(second);
              }),
              "nothing was thrown");
  }
  for (int i = 0; i < 10; ++i) first.send(n = i);
  first.close();
  EXPECT_EQ(all_of(first).size(), 20u);
}

}  // namespace
}  // namespace weir
