#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/runtime/language/labels.hpp"
#include "tests/runtime/support/sender_thread.hpp"
#include "tests/support/busy.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/gives_all_back.hpp"

// The state that a box keeps on each thread that runs it.
namespace weir::each_lane_test {
namespace {

using namespace testing;

class a_lane : public gives_all_back {};

// An engine that knows its thread, and whether two use it at the same time.
struct counted {
  std::mutex mutex;
  std::set<std::thread::id> makers;
  std::atomic<int> made{0}, alive{0}, wrong{0};
};
class engine {
 public:
  explicit engine(counted& all) : all_(all) {
    ++all.made;
    ++all.alive;
    const std::lock_guard lock(all.mutex);
    all.makers.insert(owner_);
  }
  ~engine() {
    if (std::this_thread::get_id() != owner_) ++all_.wrong;
    --all_.alive;
  }
  engine(const engine&) = delete;
  std::int64_t twice(std::int64_t i) {
    if (std::this_thread::get_id() != owner_ || in_use_.exchange(true)) ++all_.wrong;
    busy(std::chrono::microseconds(20));
    in_use_ = false;
    return 2 * i;
  }

 private:
  counted& all_;
  const std::thread::id owner_ = std::this_thread::get_id();
  std::atomic<bool> in_use_{false};
};

// It is made, used and destroyed on its thread, by one invocation at a time, and not again for each record.
TEST_F(a_lane, keeps_what_is_made_on_it) {
  for (const char* cores : {"core:1 pu:1", "core:2 pu:1", "core:16 pu:1"}) {
    counted all;
    {
      options o;
      o.machine = machine::synthetic(cores);
      execution run =
          start(box("twice", takes(n), gives(n), [](engine& e, std::int64_t i) { return e.twice(i); }).each_lane([&] {
            return engine(all);
          }),
                o);
      for (std::int64_t i = 0; i < 500; ++i) run.send(n = i);
      run.close();
      std::int64_t expected = 0;
      for (const record& r : run) EXPECT_EQ(r[n], 2 * expected++);
      EXPECT_EQ(expected, 500);
    }
    EXPECT_EQ(all.wrong, 0);
    EXPECT_EQ(all.alive, 0);
    EXPECT_EQ(all.made.load(), static_cast<int>(all.makers.size()));
    EXPECT_LT(all.made.load(), 100);
  }
}

// With a grant and an emitter; where it emits to its own input, an invocation within another one has its own.
TEST_F(a_lane, is_not_shared_by_invocations_within_each_other) {
  counted all;
  {
    options o;
    o.machine = machine::synthetic("core:1 pu:1");
    o.capacity = 1;
    const network down = feedback(box("down", takes(n), gives(n),
                                      [](engine& e, const grant&, std::int64_t i, emitter& emit) {
                                        e.twice(i);
                                        emit(n = i - 1);
                                        if (i == 20) emit(n = i - 2);
                                      })
                                      .each_lane([&] { return engine(all); }),
                                  pattern{n}.where(n > 0));
    execution run = start(down, o);
    for (std::int64_t i = 0; i < 50; ++i) run.send(n = std::int64_t{20});
    run.close();
    EXPECT_EQ(all_of(run).size(), 100u);
  }
  EXPECT_EQ(all.wrong, 0);
  EXPECT_EQ(all.alive, 0);
}

// A maker that throws ends the record as the box would, and the next record tries again.
TEST_F(a_lane, that_cannot_be_made_fails_the_record) {
  std::atomic<int> tries{0};
  options o;
  o.machine = machine::synthetic("core:1 pu:1");
  o.on_error = on_error::collect;
  execution run = start(box("add", takes(n), gives(n), [](int& by, std::int64_t i) { return i + by; }).each_lane([&] {
    if (++tries <= 2) throw std::runtime_error("no data for 'eng'");
    return 7;
  }),
                        o);
  for (std::int64_t i = 0; i < 5; ++i) run.send(n = i);
  run.close();
  std::int64_t expected = 9;
  for (const record& r : run) EXPECT_EQ(r[n], expected++);
  ASSERT_EQ(run.errors().size(), 2u);
  EXPECT_EQ(to_string(run.errors()[0]), "add: the function of each_lane() threw \"no data for 'eng'\"; record {<n>=0}");
  EXPECT_EQ(tries, 3);
}

// pthread_exit in the function that makes it, and in the box that has it, fails a record; the thread serves the next.
TEST_F(a_lane, whose_box_ends_its_thread_fails_the_record) {
  int made = 0;
  options o;
  o.machine = machine::synthetic("core:1 pu:1");
  o.on_error = on_error::collect;
  execution run = start(box("add", takes(n), gives(n),
                            [](int& by, std::int64_t i) {
                              if (i == 2) pthread_exit(nullptr);
                              return i + by;
                            })
                            .each_lane([&] {
                              if (++made == 1) pthread_exit(nullptr);
                              return 7;
                            }),
                        o);
  for (std::int64_t i = 0; i < 5; ++i) run.send(n = i);
  run.close();
  std::vector<std::int64_t> results;
  for (const record& r : run) results.push_back(r[n]);
  EXPECT_EQ(results, (std::vector<std::int64_t>{8, 10, 11}));
  ASSERT_EQ(run.errors().size(), 2u);
  EXPECT_EQ(run.errors()[0].cause.find("the function of each_lane() called pthread_exit"), 0u) << run.errors()[0].cause;
  EXPECT_EQ(run.errors()[1].cause.find("the box called pthread_exit"), 0u) << run.errors()[1].cause;
}

// On the threads of a box that waits, too.
TEST_F(a_lane, may_be_outside_the_cores) {
  counted all;
  {
    options o;
    o.machine = machine::synthetic("core:2 pu:1");
    execution run = start(box("twice", takes(n), gives(n), [](engine& e, std::int64_t i) { return e.twice(i); })
                              .each_lane([&] { return engine(all); })
                              .blocking(3),
                          o);
    for (std::int64_t i = 0; i < 100; ++i) run.send(n = i);
    run.close();
    EXPECT_EQ(all_of(run).size(), 100u);
  }
  EXPECT_EQ(all.wrong, 0);
  EXPECT_EQ(all.alive, 0);
  EXPECT_LE(all.made, 3);
}

// A thread on which the value cannot be made is left out: others do its records, each value on its own thread.
class lanes_that_cannot_be_made : public gives_all_back {
 protected:
  // Only the first thread that tries gets a value.
  engine make() {
    if (tries++ > 0) throw std::runtime_error("no licence");
    return engine(all);
  }
  void wait_for_others() {  // in an invocation: until another thread has tried, which it does as records wait
    EXPECT_TRUE(eventually([&] { return tries > 1; }));
  }
  void expect_all_done(const network& net, int results_each) {
    options o;
    o.machine = machine::synthetic("core:2 pu:1");
    o.policy = fixed_shares{{"twice", 2, 2}};
    o.on_error = on_error::collect;
    constexpr std::int64_t count = 300;
    {
      execution run = start(net, o);
      sender_thread sender(run, count);
      std::int64_t results = 0;
      for (const record& r : run) EXPECT_EQ(r[n], 2 * (results++ / results_each));
      sender.join();
      EXPECT_EQ(results, count * results_each);
      EXPECT_TRUE(run.errors().empty()) << to_string(run.errors()[0]);
      const std::vector<std::string> notes = run.report().notes;
      EXPECT_EQ(std::count(notes.begin(), notes.end(),
                           "twice: a value of each_lane() could not be made on a thread: the function threw \"no "
                           "licence\""),
                1);
      // A thread that runs an invocation for another one was bound by weir.
      EXPECT_TRUE(std::none_of(notes.begin(), notes.end(),
                               [](const std::string& s) { return s.find("left its thread") != std::string::npos; }));
    }
    EXPECT_EQ(all.made, 1);
    EXPECT_EQ(all.wrong, 0) << "a value is used on its own thread";
    EXPECT_EQ(all.alive, 0);
    EXPECT_LT(tries, 40) << "it is tried again after longer and longer pauses";
  }
  counted all;
  std::atomic<int> tries{0};
};

TEST_F(lanes_that_cannot_be_made, leave_their_records_to_others) {
  expect_all_done(box("twice", takes(n), gives(n),
                      [this](engine& e, std::int64_t i) {
                        wait_for_others();
                        return e.twice(i);
                      })
                      .each_lane([this] { return make(); }),
                  1);
}

// Also while cores move: the lease of the thread that waits may be dropped before another one runs its invocation.
TEST_F(lanes_that_cannot_be_made, leave_their_records_to_others_while_cores_move) {
  for (int run_number = 0; run_number < 20; ++run_number) {
    std::atomic<int> calls{0};
    const network short_box =
        box("short", takes(n), gives(n), [](std::int64_t&, std::int64_t v) { return v; }).each_lane([&calls] {
          if (calls++ > 0) throw std::runtime_error("only one");
          return std::int64_t{0};
        });
    options o;
    o.machine = machine::synthetic("4");
    execution run = start(short_box, o);
    sender_thread sender(run, 500);
    std::int64_t results = 0;
    for (const record& r : run) EXPECT_EQ(r[n], results++);
    sender.join();
    EXPECT_EQ(results, 500);
  }
}

TEST_F(lanes_that_cannot_be_made, leave_their_emissions_to_others) {
  constexpr int each = 70;  // more than a batch
  expect_all_done(box("twice", takes(n), gives(n),
                      [this](engine& e, std::int64_t i, emitter& emit) {
                        wait_for_others();
                        const std::int64_t twice = e.twice(i);
                        for (int k = 0; k < each; ++k) emit(n = twice);
                      })
                      .each_lane([this] { return make(); }),
                  each);
}

TEST_F(lanes_that_cannot_be_made, may_be_outside_the_cores) {
  options o;
  o.machine = machine::synthetic("core:2 pu:1");
  {
    execution run = start(box("twice", takes(n), gives(n),
                              [this](engine& e, std::int64_t i) {
                                wait_for_others();
                                return e.twice(i);
                              })
                              .each_lane([this] { return make(); })
                              .blocking(8),
                          o);
    sender_thread sender(run, 300);
    std::int64_t results = 0;
    for (const record& r : run) EXPECT_EQ(r[n], 2 * results++);
    sender.join();
    EXPECT_EQ(results, 300);
  }
  EXPECT_EQ(all.wrong, 0);
}

// An exception of the box on a thread of another lane is the failure of its record.
TEST_F(lanes_that_cannot_be_made, fail_records_as_others_do) {
  options o;
  o.machine = machine::synthetic("core:2 pu:1");
  o.policy = fixed_shares{{"picky", 2, 2}};
  o.on_error = on_error::collect;
  execution run = start(box("picky", takes(n), gives(n),
                            [this](engine& e, std::int64_t i) {
                              wait_for_others();
                              if (i % 3 == 0) throw std::runtime_error("not this one");
                              return e.twice(i);
                            })
                            .each_lane([this] { return make(); }),
                        o);
  sender_thread sender(run, 300);
  std::int64_t results = 0;
  for ([[maybe_unused]] const record& r : run) ++results;
  sender.join();
  EXPECT_EQ(results, 200);
  ASSERT_EQ(run.errors().size(), 100u);
  for (const failure& f : run.errors()) EXPECT_EQ(f.cause, "the box threw \"not this one\"");
}

}  // namespace
}  // namespace weir::each_lane_test
