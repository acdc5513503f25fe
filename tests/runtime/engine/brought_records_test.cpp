#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <latch>
#include <string>
#include <thread>
#include <vector>

#include "tests/runtime/language/labels.hpp"
#include "tests/support/busy.hpp"
#include "tests/support/gives_all_back.hpp"

// The order in which a worker handles the records that it brought to the next boxes. There are two cores, one of which
// a box keeps, so one worker does everything under test.
namespace weir {
namespace {

using namespace testing;

class what_a_worker_brought : public gives_all_back {
 protected:
  static options on_two_cores() {
    options o;
    o.machine = machine::synthetic("core:2 pu:1");
    o.policy = fixed_shares{};
    return o;
  }

  // Takes {k}: occupies a worker until may_go.
  network keeper() {
    return box("keeper", takes(k), gives_none,
               [this](std::int64_t) {
                 is_kept.count_down();
                 may_go.wait();
               })
        .serial();
  }
  std::latch is_kept{1}, may_go{1};

  static network work() {
    return box("work", takes(n), gives(n), [](std::int64_t value) {
      busy(std::chrono::microseconds(100));
      return value;
    });
  }

  // A source emits into a stream that is full, until the box "other" has run for a record that is sent meanwhile, or
  // until most_emitted records. Returns the number of records emitted.
  static constexpr std::int64_t most_emitted = 50'000;
  std::int64_t emitted_until_other_has_run(const options& o, bool is_core_kept) {
    std::atomic<std::int64_t> emitted{0};
    std::atomic<bool> other_has_run{false};
    const network numbers = source("numbers", gives(n), [&](emitter& emit) {
      if (is_core_kept) is_kept.wait();
      while (emitted < most_emitted && !other_has_run) {
        emit(n = emitted.fetch_add(1));
        emitted.notify_one();
      }
      may_go.count_down();
    });
    const network last = box("last", takes(n), gives_none, [](std::int64_t) {}).serial();
    const network other = box("other", takes(t), gives_none, [&](std::int64_t) { other_has_run = true; });
    execution run = start((numbers | bypass()) >> (keeper() | work() >> last | other), o);
    if (is_core_kept) run.send(k = 1);
    for (std::int64_t so_far; (so_far = emitted.load()) < 500;) emitted.wait(so_far);
    run.send(t = 1);
    run.close();
    run.wait();
    return emitted;
  }
};

TEST_F(what_a_worker_brought, goes_before_what_waited_already) {
  std::latch is_in_first{1}, may_leave_first{1}, have_run{2};
  std::vector<std::string> order;  // of the remaining worker
  const network first = box("first", takes(n), gives(n), [&](std::int64_t value) {
                          is_in_first.count_down();
                          may_leave_first.wait();
                          return value;
                        }).serial();
  const network second = box("second", takes(n), gives_none, [&](std::int64_t) {
    order.push_back("second");
    have_run.count_down();
  });
  const network other = box("other", takes(t), gives_none, [&](std::int64_t) {
    order.push_back("other");
    have_run.count_down();
  });
  execution run = start(keeper() | first >> second | other, on_two_cores());
  run.send(n = 1);
  is_in_first.wait();
  run.send(k = 1);
  is_kept.wait();
  run.send(t = 1);
  may_leave_first.count_down();
  run.close();
  have_run.wait();
  may_go.count_down();
  run.wait();
  EXPECT_EQ(order, (std::vector<std::string>{"second", "other"}));
}

// Two boxes that bring a record to each other as long as nothing else has run.
TEST_F(what_a_worker_brought, does_not_keep_others_waiting_for_ever) {
  constexpr std::int64_t most = 100'000;
  std::atomic<std::int64_t> rounds{0};
  std::atomic<bool> other_has_run{false};
  std::latch are_over{2};
  const auto round = [&](std::int64_t left) {
    busy(std::chrono::microseconds(60));
    rounds.fetch_add(1);
    rounds.notify_one();
    return other_has_run ? 0 : left - 1;
  };
  const network loop =
      star(box("to", takes(n), gives(n), round).serial() >>
               box("fro", takes(n), gives(n), [&](std::int64_t left) { return left > 0 ? round(left) : left; }),
           pattern{n}.where(n <= 0)) >>
      box("end", takes(n), gives_none, [&](std::int64_t) { are_over.count_down(); });
  const network other = box("other", takes(t), gives_none, [&](std::int64_t) {
    other_has_run = true;
    are_over.count_down();
  });
  execution run = start(keeper() | loop | other, on_two_cores());
  run.send(k = 1);
  is_kept.wait();
  run.send(n = most);
  rounds.wait(0);
  run.send(t = 1);
  run.close();
  are_over.wait();
  EXPECT_LT(rounds, most);
  may_go.count_down();
  run.wait();
}

// A thread that waits for free places inside an emission runs the short boxes behind the ones that it runs meanwhile.
TEST_F(what_a_worker_brought, is_gone_on_with_from_inside_an_emission) {
  constexpr std::int64_t most = 20'000, enough = 100;
  std::atomic<std::thread::id> of_source;
  std::atomic<std::int64_t> in_source = 0;
  const network numbers = source("numbers", gives(n), [&](emitter& emit) {
    is_kept.wait();
    of_source = std::this_thread::get_id();
    for (std::int64_t i = 0; i < most && in_source < enough; ++i) emit(n = i);
    of_source = std::thread::id();
    may_go.count_down();
  });
  const network last = box("last", takes(n), gives_none, [&](std::int64_t) {
                         in_source += of_source.load() == std::this_thread::get_id();
                       }).serial();
  execution run = start((numbers | bypass()) >> (keeper() | work() >> last), on_two_cores());
  run.send(k = 1);
  run.close();
  run.wait();
  EXPECT_GE(in_source, enough);
}

// An initialiser may emit for as long as the run lasts, and others still get its core.
TEST_F(what_a_worker_brought, does_not_keep_others_waiting_while_a_source_emits) {
  EXPECT_LT(emitted_until_other_has_run(on_two_cores(), true), most_emitted);
}

TEST_F(what_a_worker_brought, does_not_keep_the_owner_of_its_core_waiting_while_a_source_emits) {
  options o;
  o.machine = machine::synthetic("core:1 pu:1");
  o.policy = fixed_shares{{"other", 1}};
  EXPECT_LT(emitted_until_other_has_run(o, false), most_emitted);
}

}  // namespace
}  // namespace weir
