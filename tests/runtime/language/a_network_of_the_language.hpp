#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "tests/runtime/support/ways_of_running.hpp"
#include "tests/support/gives_all_back.hpp"
#include "tests/support/sanitizers.hpp"

namespace weir::testing::language {

class a_network_of_the_language : public gives_all_back {
 protected:
  void SetUp() override {
    gives_all_back::SetUp();
    watch_ = std::thread([this] { watch(); });
  }
  void TearDown() override {
    {
      const std::lock_guard lock(mutex_);
      done_ = true;
    }
    changed_.notify_all();
    watch_.join();
    gives_all_back::TearDown();
  }

  // The network of this seed gives the results of the rules, in each of some ways of running.
  void expect_what_the_rules_say(std::uint64_t seed, language_statistics& statistics, std::size_t ways) {
    expect_what_the_rules_say(language_maker(seed).draw(statistics), seed, ways_for(seed, ways));
  }
  void expect_what_the_rules_say(const specimen& s, std::uint64_t seed, const std::vector<way>& ways) {
    for (const way& w : ways) {
      const std::string about =
          "seed " + std::to_string(seed) + ", " + w.text() + "\n" + weir::to_string(s.net) + "\n" + to_string(*s.what);
      now_running(about);
      const std::string wrong = difference(s, run_in_a_way(s, w));
      ASSERT_EQ(wrong, "") << about;
    }
    now_running("");
  }

 private:
  void now_running(const std::string& what) {
    const std::lock_guard lock(mutex_);
    running_ = what;
    ++runs_;
    changed_.notify_all();
  }

  // Reports which run hangs, which the fixture above cannot.
  void watch() {
    std::unique_lock lock(mutex_);
    while (!done_) {
      const int before = runs_;
      if (changed_.wait_for(lock, std::chrono::seconds(30), [&] { return done_ || runs_ != before; })) continue;
      if (running_.empty()) continue;
      std::fprintf(stderr, "hangs: %s\n", running_.c_str());
      std::fflush(nullptr);
      std::_Exit(3);
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::string running_;
  int runs_ = 0;
  bool done_ = false;
  std::thread watch_;
};

}  // namespace weir::testing::language
