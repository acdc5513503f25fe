#include <atomic>
#include <functional>
#include <memory>
#include <thread>

#include "runtime/machine/machine_state.hpp"
#include "tests/runtime/language/labels.hpp"
#include "tests/runtime/support/test_platform.hpp"
#include "tests/support/gives_all_back.hpp"

// The system starts threads late, as a loaded one does.
namespace weir {
namespace {

using namespace testing;

// A synthetic machine of 4096 cores. The controller's thread and the first worker run; all other threads wait for
// release().
class delaying final : public test_platform {
 public:
  delaying() : test_platform("package:64 core:64 pu:1") {}

  std::thread start_thread(std::function<void()> body) override {
    const bool waits = started.fetch_add(1) >= 2;
    return std::thread([this, waits, body = std::move(body)] {
      if (waits) released_.wait(false);
      body();
    });
  }

  void release() {
    released_.store(true);
    released_.notify_all();
  }

  std::atomic<int> started{0};

 private:
  std::atomic<bool> released_{false};
};

class a_late_thread : public gives_all_back {
 protected:
  void TearDown() override {
    system->release();
    gives_all_back::TearDown();
  }

  const std::shared_ptr<delaying> system = std::make_shared<delaying>();
  const machine its_machine{std::make_shared<detail::machine_state>(system)};
};

// Each activation of the thread that runs would start one more: its region is still listed for those on their way.
TEST_F(a_late_thread, is_not_started_again_for_work_that_it_will_take) {
  constexpr int records = 100;
  options o;
  o.machine = its_machine;
  o.policy = fixed_shares{{"f", 4000, 4000}};
  o.capacity = records;
  std::atomic<bool> may_begin{false};
  execution run = start(box("f", takes(n), gives(n),
                            [&](std::int64_t v) {
                              may_begin.wait(false);
                              return v + 1;
                            }),
                        o);
  for (int i = 0; i < records; ++i) run.send(n = i);
  may_begin.store(true);
  may_begin.notify_all();
  int results = 0;
  for (auto r = run.begin(); ++results < records;) ++r;
  EXPECT_LE(system->started.load(), 1 + records) << "the controller, and a thread for each record that was listed";
  system->release();
  run.close();
  run.wait();
}

}  // namespace
}  // namespace weir
