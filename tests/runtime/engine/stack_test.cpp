#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <stdexcept>
#include <thread>

#include "runtime/machine/machine_state.hpp"
#include "runtime/run/run_state.hpp"
#include "runtime/threads/stack_room.hpp"
#include "tests/runtime/engine/a_stream.hpp"
#include "tests/support/sanitizers.hpp"

// Boxes that take much of a thread's stack. Whatever each takes up to half of it, the runtime calls none where too
// little is left.
namespace weir {
namespace {

using namespace testing;

constexpr std::size_t megabyte = std::size_t{1} << 20;

// While it exists, new threads have a stack of this size: the size that `ulimit -s` sets for a program.
class new_threads_have {
 public:
  explicit new_threads_have(std::size_t bytes) {
    pthread_getattr_default_np(&before_);
    pthread_attr_t now;
    pthread_getattr_default_np(&now);
    pthread_attr_setstacksize(&now, bytes);
    pthread_setattr_default_np(&now);
    pthread_attr_destroy(&now);
  }
  ~new_threads_have() {
    pthread_setattr_default_np(&before_);
    pthread_attr_destroy(&before_);
  }
  new_threads_have(const new_threads_have&) = delete;

 private:
  pthread_attr_t before_;
};

std::size_t size_of_this_stack() {
  pthread_attr_t mine;
  void* from = nullptr;
  std::size_t bytes = 0;
  pthread_getattr_np(pthread_self(), &mine);
  pthread_attr_getstack(&mine, &from, &bytes);
  pthread_attr_destroy(&mine);
  return bytes;
}

// Runs it on a thread with a stack of this size, and no larger one that a thread before has left.
void on_stack_of(std::size_t bytes, const std::function<void()>& what) {
  void* const stack =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK | MAP_NORESERVE, -1, 0);
  ASSERT_NE(stack, MAP_FAILED);
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstack(&small, stack, bytes);
  pthread_t thread;
  const auto run = [](void* f) -> void* {
    (*static_cast<const std::function<void()>*>(f))();
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&thread, &small, run, const_cast<std::function<void()>*>(&what)), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&small);
  ::munmap(stack, bytes);
}

// Writes to that many bytes of the stack, and calls the function above them.
template <std::size_t Bytes, class Inside>
[[gnu::noinline]] void below(const Inside& inside) {
  std::array<volatile char, Bytes> taken;
  for (std::size_t i = 0; i < Bytes; i += 4096) taken[i] = 1;
  inside();
  taken[0] = taken[Bytes / 2];
}

// Each box adds 1, and emits with that many bytes on the stack.
template <std::size_t Bytes>
network emitting_chain(int boxes) {
  const auto step = [](std::int64_t v, emitter& emit) { below<Bytes>([&] { emit(n = v + 1); }); };
  network all = box("e1", takes(n), gives(n), step);
  for (int i = 2; i <= boxes; ++i) all = all >> box("e" + std::to_string(i), takes(n), gives(n), step);
  return all;
}

void expect_all_in_order(execution& run, std::int64_t records, std::int64_t added) {
  const auto got = all_of(run);
  ASSERT_EQ(got.size(), static_cast<std::size_t>(records));
  for (std::int64_t i = 0; i < records; ++i) ASSERT_EQ(got[static_cast<std::size_t>(i)][n], i + added);
}

class a_stack : public gives_all_back {};

TEST_F(a_stack, of_two_megabytes_is_enough_for_forty_boxes_that_emit_with_64_kB_on_it_each) {
  const new_threads_have two_megabytes(2 * megabyte);
  for (const char* cores : {"core:1 pu:1", "core:4 pu:1"}) {
    constexpr int boxes = 40;
    constexpr std::int64_t records = 300;
    execution run = start(emitting_chain<64 * 1024>(boxes), on(cores));
    for (std::int64_t i = 0; i < records; ++i) run.send(n = i);
    run.close();
    expect_all_in_order(run, records, boxes);
  }
}

TEST_F(a_stack, is_enough_for_one_record_and_boxes_that_take_nearly_half_of_it_each) {
  const new_threads_have two_megabytes(2 * megabyte);
  constexpr int boxes = 10;
  execution run = start(emitting_chain<megabyte - 128 * 1024>(boxes), on("core:2 pu:1"));
  run.send(n = 0);
  run.close();
  expect_all_in_order(run, 1, boxes);
}

// The first records that come so deep go on with a thread each. Later ones go through streams, where a box behind
// begins with a stack of its own.
TEST_F(a_stack, that_was_short_once_has_the_network_laid_out_anew) {
  const new_threads_have two_megabytes(2 * megabyte);
  constexpr int boxes = 10;
  auto run = detail::run_state(emitting_chain<megabyte - 128 * 1024>(boxes), on("core:2 pu:1"), nullptr);
  std::int64_t records = 0;
  const auto streams_used = [&] {
    const run_report r = run.report();
    return std::count_if(r.streams.begin(), r.streams.end(), [](const auto& s) { return s.peak > 0; });
  };
  for (; streams_used() < boxes / 2 && records < 100'000; ++records) run.send(record{n = records});
  EXPECT_GE(streams_used(), boxes / 2) << "streams that records waited in, after " << records << " records";
  run.close();
  run.wait();
}

// A value of each_lane() that was made on a new stack is gone with it, and others may still delegate to its thread. So
// that thread stays, though no more threads may wait for work, and makes another value.
TEST_F(a_stack, that_is_gone_leaves_its_thread_to_those_that_delegate_to_it) {
  const new_threads_have two_megabytes(2 * megabyte);
  const options o = on("core:2 pu:1");
  while (o.machine.state()->acquire_park_permit()) {
  }
  gate both_begun, goes_on;
  std::atomic<bool> are_small{true};
  const network deep = box("deep", takes(n), gives(n), [&](std::int64_t i, emitter& emit) {
    if (size_of_this_stack() > 2 * megabyte + 64 * 1024) are_small = false;
    if (i == 1) both_begun.open();
    EXPECT_TRUE(i == 0 ? both_begun.pass() : goes_on.pass());
    below<megabyte + 128 * 1024>([&] { emit(n = i); });
  });
  std::atomic<int> makes{0};
  const network adds =
      box("adds", takes(n), gives(n), [](int& by, std::int64_t i) { return i + by; }).each_lane([&makes] {
        if (++makes == 2) throw std::runtime_error("none on this thread");
        return 10;
      });
  execution run = start(deep >> adds, o);
  for (std::int64_t i = 0; i < 2; ++i) run.send(n = i);
  run.close();
  auto result = run.begin();
  EXPECT_EQ((*result)[n], 10);
  const int before = thread_count();
  for (int turn = 0; turn < 1'000 && thread_count() == before; ++turn) std::this_thread::yield();  // it may not end
  goes_on.open();
  ++result;
  EXPECT_EQ((*result)[n], 11);
  if (!are_small) GTEST_SKIP() << "the system gave a thread the larger stack of one that has ended";
  EXPECT_EQ(makes, 3);
}

TEST_F(a_stack, of_a_machine_without_threads_is_enough_for_deep_networks) {
  options o;
  o.machine = machine(std::make_shared<detail::machine_state>(detail::unthreaded_platform("core:2 pu:1")));
  o.capacity = 1;
  constexpr int boxes = 200;
  constexpr std::int64_t records = 20;
  on_stack_of(2 * megabyte, [&] {
    execution run = start(emitting_chain<64 * 1024>(boxes), o);
    for (std::int64_t i = 0; i < records; ++i) run.send(n = i);
    run.close();
    expect_all_in_order(run, records, boxes);
  });
}

// The runtime knows nothing of a stack that a box made, so no box runs inside another one there.
TEST_F(a_stack, of_a_fiber_is_left_to_the_box_that_made_it) {
  if (sanitized) GTEST_SKIP() << "sanitizers do not know makecontext()";
  struct fiber {
    ucontext_t outside, inside;
    std::function<void()> work;
    std::vector<char> stack = std::vector<char>(64 * 1024);
    void run() {
      getcontext(&inside);
      inside.uc_stack = {stack.data(), 0, stack.size()};
      inside.uc_link = &outside;
      const auto address = reinterpret_cast<std::uintptr_t>(this);
      makecontext(&inside, reinterpret_cast<void (*)()>(&begin), 2, static_cast<unsigned>(address >> 32),
                  static_cast<unsigned>(address));
      swapcontext(&outside, &inside);
    }
    static void begin(unsigned high, unsigned low) {
      reinterpret_cast<fiber*>(std::uintptr_t{high} << 32 | low)->work();
    }
  };
  const auto on_fiber = [](std::int64_t v, emitter& emit) {
    fiber f;
    f.work = [&] { emit(n = v + 1); };
    f.run();
  };
  execution run = start(box("fiber", takes(n), gives(n), on_fiber) >> emitting_chain<128 * 1024>(3), on("core:2 pu:1"));
  constexpr std::int64_t records = 50;
  for (std::int64_t i = 0; i < records; ++i) run.send(n = i);
  run.close();
  expect_all_in_order(run, records, 4);
}

// A box that may be run within a send is not run where the sender's stack is smaller than those of the run's threads.
TEST_F(a_stack, of_a_small_sender_is_left_to_the_sender) {
  options o = on("core:2 pu:1");
  o.inline_send = true;
  std::atomic<int> by_sender{0};
  on_stack_of(megabyte / 4, [&] {
    const auto sender = std::this_thread::get_id();
    execution run = start(box("f", takes(n), gives(n),
                              [&](std::int64_t v) {
                                by_sender += std::this_thread::get_id() == sender;
                                below<megabyte / 2>([] {});
                                return v + 1;
                              }),
                          o);
    for (std::int64_t i = 0; i < 200; ++i) {
      for (const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(150);
           std::chrono::steady_clock::now() < end;) {
      }
      run.send(n = i);
      EXPECT_EQ((*run.begin())[n], i + 1);
    }
    run.close();
    run.wait();
  });
  EXPECT_EQ(by_sender, 0);
}

TEST_F(a_stack, knows_its_upper_half) {
  on_stack_of(megabyte, [] {
    const auto room = detail::stack_room::of_this_thread();
    EXPECT_TRUE(room.has_more());
    below<megabyte * 3 / 4>([&] { EXPECT_FALSE(room.has_more()); });
    EXPECT_TRUE(detail::stack_room::has(megabyte / 2));
    EXPECT_FALSE(detail::stack_room::has(megabyte));
    EXPECT_FALSE(detail::stack_room().has_more()) << "nothing is known";
  });
}

}  // namespace
}  // namespace weir
