#include <future>
#include <thread>

#include "runtime/threads/thread_identity.hpp"
#include "tests/runtime/engine/a_stream.hpp"
#include "tests/runtime/support/sender_thread.hpp"
#include "tests/support/sanitizers.hpp"

namespace weir {
namespace {

using namespace testing;

// Which threads read results and which send decides whether results are bounded. Threads come, go and change roles.

class a_reader : public gives_all_back {};

std::size_t bound_of_results(const execution& run) { return run.report().streams.back().capacity; }

// Sends until the network accepts nothing more, although everything had time to move.
std::int64_t fill(execution& run) {
  std::int64_t sent = 0;
  for (int refused = 0; refused < 2000;)
    if (run.try_send(n = 0)) {
      ++sent;
      refused = 0;
    } else {
      ++refused;
      std::this_thread::yield();
    }
  return sent;
}

TEST_F(a_reader, that_begins_to_send_wakes_who_is_held_up_by_the_results_it_does_not_read) {
  for (const policy& p : {policy(equal_shares{}), policy(adaptive{objective::throughput})}) {
    options how = on("core:2 pu:1", 4);
    how.policy = p;
    execution run = start(counting("a") >> counting("b"), how);
    std::promise<void> reads, full;
    std::int64_t sent = 0;
    std::thread other([&] {
      run.send(n = 0);
      reads.get_future().wait();
      sent = 1 + fill(run);
      full.set_value();
      for (int i = 0; i < 100; ++i) run.send(n = 0), ++sent;  // waits for free places
    });
    auto result = run.begin();  // results are bounded from here on
    reads.set_value();
    full.get_future().wait();
    for (int i = 0; i < 50; ++i) run.send(n = 0);
    other.join();
    run.close();
    std::int64_t count = 0;
    for (; result != run.end(); ++result) ++count;
    EXPECT_EQ(count, sent + 50);
  }
}

TEST_F(a_reader, is_no_sender_although_an_early_sender_had_the_id_of_its_thread) {
  bool same = false;
  for (int attempt = 0; attempt < 100 && !same; ++attempt) {
    execution run = start(counting("a"), on("core:1 pu:1"));
    std::thread::id early;
    std::thread sender([&] {
      run.send(n = 1);
      run.send(n = 2);
      early = std::this_thread::get_id();
    });
    sender.join();
    std::size_t bound = 0;
    std::thread reader([&] {
      same = std::this_thread::get_id() == early;
      auto result = run.begin();
      bound = bound_of_results(run);
    });
    reader.join();
    EXPECT_GT(bound, 0u) << "results are bounded for a reader of its own";
  }
  EXPECT_TRUE(same) << "the system never gave the id out again: nothing was tested";
}

TEST_F(a_reader, that_goes_on_with_what_another_has_left_may_send_before_it_has_read_that) {
  execution run = start(counting("a"), on("core:2 pu:1", 4));
  for (int i = 0; i < 4; ++i) run.send(n = i);
  EXPECT_TRUE(eventually([&] { return run.report().results == 4; }));
  std::thread([&] { (void)run.begin(); }).join();
  std::size_t count = 0;
  std::thread second([&] {
    auto result = run.begin();
    for (int i = 0; i < 200; ++i) run.send(n = i);
    run.close();
    for (; result != run.end(); ++result) ++count;
  });
  second.join();
  EXPECT_EQ(count, 203u);
}

TEST_F(a_reader, has_all_results_however_limits_change_when_the_input_is_closed) {
  // The controller changes limits at any moment, also between the last record and the close.
  for (int i = 0; i < (slow ? 300 : 2000); ++i) {
    options how = on("core:2 pu:1");
    how.policy = i % 2 ? policy(adaptive{objective::latency}) : policy(adaptive{objective::throughput});
    execution run = start(counting("a"), how);
    for (int k = 0; k < 5; ++k) run.send(n = k);
    run.close();
    ASSERT_EQ(all_of(run).size(), 5u) << "run " << i;
  }
}

TEST(a_list_of_threads, forgets_those_that_have_ended) {
  detail::thread_list threads;
  threads.add_this();
  for (int i = 0; i < 300; ++i) std::thread([&] { threads.add_this(); }).join();
  EXPECT_LT(threads.size(), 100u);
  EXPECT_TRUE(threads.contains(detail::thread_identity::mine()));
}

TEST_F(a_stream, whose_capacity_grows_wakes_the_writers_that_it_held_up) {
  // The automatic capacity follows the cost of a record: first high because of a gate, then low.
  gate first;
  std::atomic<int> passed{0};
  execution run = start(box("slow", takes(n), gives(n),
                            [&](std::int64_t v) {
                              if (passed++ == 0) first.pass();
                              return v;
                            }) >>
                            counting("b"),
                        on("core:2 pu:1"));
  sender_thread sender(run, 5000);
  ASSERT_TRUE(first.wait_for_arrivals(1));
  first.open();
  std::int64_t next = 0;
  for (const record& r : run) EXPECT_EQ(r[n], 1 + next++);
  EXPECT_EQ(next, 5000);
  sender.join();
}

}  // namespace
}  // namespace weir
