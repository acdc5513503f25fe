#include "runtime/run/messenger.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "runtime/machine/platform.hpp"
#include "runtime/streams/run_life.hpp"

namespace weir::detail {
namespace {

// A run of which nothing is called: the messages are hangs alone.
class idle_run final : public run_owner {
  void stop() noexcept override {}
  void end_soon() noexcept override {}
  bool finish_more() noexcept override { return false; }
  void drained() noexcept override {}
  void wind_down() override {}
  void complete_fusion() noexcept override {}
  void request_layout() noexcept override {}
  void observe(worker&, const observation&) noexcept override {}
  bool help() override { return false; }
  void note(const std::string&) override {}
};

// The messenger calls functions of the user one at a time, also where another thread tells and its own thread has new
// messages.
TEST(a_messenger, calls_one_function_at_a_time_wherever_it_is_told_to) {
  const auto here = local_platform();
  idle_run run;
  run_life life(*here, run);
  const messenger::observation_listener no_observations;
  threads::atomic<int> calls{0}, inside{0};
  bool were_alone = true;  // under the messenger's order of calls
  messenger* all = nullptr;
  const messenger::hang_listener listens = [&](const hang&) {
    were_alone = inside.fetch_add(1) == 0 && were_alone;
    if (calls.fetch_add(1) == 0) {
      all->put(hang{});
      EXPECT_TRUE(all->start());
      for (int turn = 0; turn < 10'000 && calls.load() == 1; ++turn) std::this_thread::yield();
      EXPECT_EQ(calls.load(), 1) << "the second call began during the first";
    }
    inside.fetch_sub(1);
  };
  messenger messages(life, run, no_observations, listens, *here);
  all = &messages;
  messages.put(hang{});
  messages.tell_here();
  messages.finish();
  EXPECT_EQ(calls.load(), 2);
  EXPECT_TRUE(were_alone);
}

// Without a thread of its own, tell_all() waits for another thread that tells: all that was put in before has been
// heard.
TEST(a_messenger, returns_from_telling_all_after_the_last_call) {
  const auto here = local_platform();
  idle_run run;
  run_life life(*here, run);
  const messenger::observation_listener no_observations;
  threads::atomic<bool> is_inside{false}, has_returned{false};
  const messenger::hang_listener listens = [&](const hang&) {
    is_inside.store(true);
    for (int turn = 0; turn < 10'000 && !has_returned.load(); ++turn) std::this_thread::yield();
    EXPECT_FALSE(has_returned.load()) << "it was said that all is told during the call";
  };
  messenger messages(life, run, no_observations, listens, *here);
  messages.put(hang{});
  std::thread other([&] { messages.tell_here(); });
  while (!is_inside.load()) std::this_thread::yield();
  messages.tell_all();
  has_returned.store(true);
  other.join();
}

}  // namespace
}  // namespace weir::detail
