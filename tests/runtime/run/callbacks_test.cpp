#include <spdlog/details/null_mutex.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/spdlog.h>

#include <atomic>
#include <functional>
#include <memory>
#include <optional>

#include "tests/runtime/engine/a_stream.hpp"

namespace weir {
namespace {

using namespace testing;

// The user's callbacks may call the runtime, except for calls that wait for the run that called them.

class a_callback : public gives_all_back {};

struct call {
  std::string name;
  std::function<void(execution&)> make;
};

void run_another() {
  execution other = start(counting("f") >> counting("g"), on("core:2 pu:1"));
  for (int i = 0; i < 20; ++i) other.send(n = i);
  other.close();
  int count = 0;
  for (const record& r : other) count += r[n] >= 2;
  EXPECT_EQ(count, 20);
}

void send_if_open(execution& run) {
  try {
    run.send(n = 1000);
  } catch (const send_error&) {  // closed or stopped by then
  } catch (const run_error&) {
  } catch (const std::logic_error&) {  // full: it would wait for itself
  }
}

std::vector<call> every_call() {
  return {{"report", [](execution& run) { (void)run.report(); }},
          {"predict", [](execution& run) { (void)run.predict("a", 1, cores{1}); }},
          {"models", [](execution& run) { (void)run.models(); }},
          {"errors", [](execution& run) { (void)run.errors(); }},
          {"try_send",
           [](execution& run) {
             try {
               (void)run.try_send(n = 1000);
             } catch (const send_error&) {
             }
           }},
          {"send", send_if_open},
          {"close", [](execution& run) { run.close(); }},
          {"stop", [](execution& run) { run.stop(); }},
          {"wait", [](execution& run) { EXPECT_THROW(run.wait(), std::logic_error); }},
          {"iteration", [](execution& run) { EXPECT_THROW((void)run.begin(), std::logic_error); }},
          {"another run", [](execution&) { run_another(); }}};
}

// For callbacks on the reader's own thread as well, which may wait for the run.
std::vector<call> calls_also_by_the_reader() {
  std::vector<call> all = every_call();
  std::erase_if(all, [](const call& c) { return c.name == "wait" || c.name == "iteration"; });
  return all;
}

// A run on its own machine, whose callback makes the call a few times.
class calling_run {
 public:
  explicit calling_run(const call& c) : call_(c) {}

  void operator()() {
    execution* const run = run_.load();
    if (run && calls_.fetch_add(1) < 5) call_.make(*run);
  }
  void drive(const network& net, const options& how, bool forever_until_called = true) {
    execution run = start(net, how);
    run_.store(&run);
    try {
      for (int i = 0; i < 30 || (forever_until_called && calls_.load() == 0 && i < 2'000'000); ++i) run.send(n = i);
    } catch (const send_error&) {  // the callback closed or stopped it
    }
    run.close();
    try {
      for (const record& r : run) (void)r;
    } catch (const run_error&) {
    }
    run_.store(nullptr);
  }
  int calls() const { return calls_.load(); }

 private:
  const call& call_;
  std::atomic<execution*> run_{nullptr};
  std::atomic<int> calls_{0};
};

// Drives a run for each call; its callback made the call.
void expect_called(const std::vector<call>& all, const std::function<void(calling_run&)>& drive) {
  for (const call& c : all) {
    SCOPED_TRACE(c.name);
    calling_run it(c);
    drive(it);
    EXPECT_GT(it.calls(), 0);
  }
}

network pair() { return counting("a") >> counting("b"); }

TEST_F(a_callback, on_observation_may_call_whatever_does_not_wait_for_its_run) {
  expect_called(every_call(), [&](calling_run& it) {
    options how = on("core:2 pu:1");
    how.policy = fixed_shares{{"a", 1}};
    how.on_observation = [&](std::string_view, const observation&) { it(); };
    it.drive(pair(), how);
  });
}

TEST_F(a_callback, on_hang_may_call_whatever_does_not_wait_for_its_run) {
  expect_called(every_call(), [&](calling_run& it) {
    gate hanging;
    options how = on("core:2 pu:1");
    how.watchdog.at_least = 1e-3;
    how.watchdog.unknown = 1e-3;
    how.watchdog.on_hang = [&](const hang&) {
      it();
      hanging.open();
    };
    it.drive(gated(hanging, "a"), how, false);
  });
}

TEST_F(a_callback, observe_may_call_whatever_does_not_wait_for_its_run) {
  expect_called(every_call(), [&](calling_run& it) {
    it.drive(observe(pair(), [&](const record&, std::string_view) { it(); }), on("core:2 pu:1"));
  });
}

TEST_F(a_callback, record_bytes_may_call_whatever_does_not_wait_for_its_run) {
  expect_called(calls_also_by_the_reader(), [&](calling_run& it) {
    options how = on("core:2 pu:1");
    how.record_bytes = [&](const record&) -> std::uint64_t {
      it();
      return 8;
    };
    it.drive(pair(), how);
  });
}

TEST_F(a_callback, a_predictor_may_call_whatever_does_not_wait_for_its_run) {
  expect_called(every_call(), [&](calling_run& it) {
    const network net = box("a", takes(n), gives(n), plus_one)
                            .predicted_by(
                                [&](std::int64_t) {
                                  it();
                                  return 1.0;
                                },
                                degree{1});
    it.drive(net, on("core:2 pu:1"));
  });
}

TEST_F(a_callback, a_destructor_of_a_value_may_call_whatever_does_not_wait_for_its_run) {
  struct value {
    std::shared_ptr<std::function<void()>> at_end;
    value(std::function<void()> f) : at_end(std::make_shared<std::function<void()>>(std::move(f))) {}
    value(const value&) = default;
    ~value() {
      if (at_end && at_end.use_count() == 1) (*at_end)();
    }
  };
  static constexpr field<value> v{"v"};
  expect_called(calls_also_by_the_reader(), [&](calling_run& it) {
    const network make =
        box("a", takes(n), gives(n, v), [&](std::int64_t i) { return std::tuple(i, value([&] { it(); })); });
    const network held = star(sync({v}, {v, k}), pattern{v, k});  // its records end with the run
    it.drive(make >> ordered(filter(takes(n)).when(n % 2 == 0).emit(n).otherwise()) >> held, on("core:2 pu:1"), false);
  });
}

class calling_sink final : public spdlog::sinks::base_sink<spdlog::details::null_mutex> {
 public:
  explicit calling_sink(std::function<void()> f) : call_(std::move(f)) {}

 private:
  void sink_it_(const spdlog::details::log_msg&) override { call_(); }
  void flush_() override {}
  std::function<void()> call_;
};

TEST_F(a_callback, a_sink_of_the_log_may_call_whatever_does_not_wait_for_its_run) {
  expect_called(every_call(), [&](calling_run& it) {
    const auto sink = std::make_shared<calling_sink>([&] { it(); });
    spdlog::drop("weir");
    spdlog::register_logger(std::make_shared<spdlog::logger>("weir", sink));
    gate hanging;
    options how = on("core:2 pu:1");
    how.watchdog.at_least = 1e-3;
    how.watchdog.unknown = 1e-3;
    how.watchdog.on_hang = [&](const hang&) { hanging.open(); };
    it.drive(gated(hanging, "a"), how, false);
    spdlog::drop("weir");
  });
}

TEST_F(a_callback, that_is_slow_holds_up_its_own_run_only) {
  const machine shared = machine::synthetic("core:2 pu:1");
  gate slow;
  options how;
  how.machine = shared;
  how.on_observation = [&](std::string_view, const observation&) { slow.pass(); };
  how.watchdog.at_least = 1e-3;
  how.watchdog.unknown = 1e-3;
  how.watchdog.on_hang = [&](const hang&) { slow.pass(); };
  execution waiting = start(counting("a"), how);
  ASSERT_TRUE(eventually([&] {
    waiting.send(n = 1);
    return slow.arrived() > 0;
  }));
  {
    options other;
    other.machine = shared;
    execution run = start(pair(), other);
    for (int i = 0; i < 1000; ++i) run.send(n = i);
    run.close();
    int count = 0;
    for (const record& r : run) count += r[n] >= 2;
    EXPECT_EQ(count, 1000);
    EXPECT_FALSE(run.report().full().empty());
  }
  EXPECT_FALSE(waiting.report().full().empty()) << "nor does a report wait for it";
  slow.open();
}

TEST_F(a_callback, that_is_slow_costs_its_run_time_and_not_memory) {
  gate slow;
  std::atomic<int> told{0};
  options how = on("core:2 pu:1", 16);
  how.results_capacity = 16;
  how.policy = fixed_shares{{"a", 1}};
  how.on_observation = [&](std::string_view, const observation&) {
    slow.pass();
    ++told;
  };
  execution run = start(counting("a"), how);
  std::atomic<std::int64_t> sent{0};
  std::thread sender([&] {
    for (int i = 0; i < 30'000; ++i) {
      run.send(n = i);
      ++sent;
    }
    run.close();
  });
  std::atomic<int> got{0};
  std::thread reader([&] {
    for (const record& r : run) got += r[n] > 0;
  });
  // The records that the callback has not seen yet wait somewhere: 4096 with it, a batch or two with each worker.
  EXPECT_FALSE(eventually([&] { return sent.load() == 30'000; }, std::chrono::milliseconds(300)));
  EXPECT_LT(sent.load(), 4096 + 3 * 1024 + 100);
  slow.open();
  sender.join();
  reader.join();
  EXPECT_EQ(got.load(), 30'000);
  EXPECT_EQ(told.load(), 30'000) << "none is lost";
}

TEST_F(a_callback, that_throws_is_named_in_the_report) {
  options how = on("core:1 pu:1");
  how.on_observation = [](std::string_view, const observation&) { throw std::runtime_error("no disk"); };
  execution run = start(counting("a"), how);
  for (int i = 0; i < 10; ++i) run.send(n = i);
  run.close();
  run.wait();
  const auto notes = run.report().notes;
  EXPECT_EQ(std::count(notes.begin(), notes.end(), "options.on_observation threw \"no disk\""), 1);
}

TEST_F(a_callback, has_heard_everything_when_iteration_ends_and_when_wait_returns) {
  for (const bool waits : {true, false}) {
    int seen = 0;
    options how = on("core:2 pu:1");
    how.policy = fixed_shares{{"a", 1}};
    how.on_observation = [&](std::string_view, const observation&) { ++seen; };
    execution run = start(counting("a"), how);
    for (int i = 0; i < 3000; ++i) run.send(n = i);
    run.close();
    if (waits)
      run.wait();
    else
      for (const record& r : run) (void)r;
    EXPECT_EQ(seen, 3000);
  }
}

TEST_F(a_callback, refuses_to_wait_for_a_run_that_the_same_observer_watches) {
  // One call at a time: the run's own call would wait for this one.
  std::atomic<int> refused{0};
  std::optional<network> watched;
  watched = observe(counting("f"), [&](const record& r, std::string_view) {
    if (r[n] != 1) return;
    execution inner = start(*watched, on("core:1 pu:1"));
    inner.send(n = 5);
    inner.close();
    try {
      inner.wait();
    } catch (const std::logic_error&) {
      ++refused;
    }
  });
  execution run = start(*watched, on("core:1 pu:1"));
  run.send(n = 0);
  run.close();
  run.wait();
  EXPECT_EQ(refused.load(), 1);
}

}  // namespace
}  // namespace weir
