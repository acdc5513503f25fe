#include <algorithm>
#include <atomic>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "tests/runtime/language/programs/everywhere.hpp"
#include "tests/support/work.hpp"

// Programs that are stopped while they unfold, programs in two concurrent runs, programs with many senders, and
// programs with a box that throws.
namespace weir::interrupted_test {
namespace {

using testing::a_program;
using testing::scrambled;

constexpr tag n{"n"}, k{"k"}, id{"id"}, total{"total"}, price{"price"}, sum{"sum"};
constexpr field<std::string> a{"a"}, b{"b"};

// Every record becomes two in each stage or round, without end unless n reaches 0.
network doubling() {
  return box("doubling", takes(n), gives(n, k), [](std::int64_t value, emitter& emit) {
    testing::spend(static_cast<std::int64_t>(scrambled(value) % 4) * 500);
    emit(n = value - 1, k = 0);
    emit(n = value - 1, k = 1);
  });
}
network pairs() { return star(sync({a}, {b}), pattern{a, b}); }
network totals() {
  const network add = box("add", takes(total, price), gives(sum) | gives(total),
                          [](std::int64_t so_far, std::int64_t next, emitter& emit) {
                            emit(sum = so_far + next);
                            emit(total = so_far + next);
                          });
  return star(sync({price}, {total}) >> (bypass() | add), pattern{sum});
}

// The run is stopped long before its work is done; fields, cells, stages and threads are all given back.
TEST_F(a_program, stopped_in_full_flight_gives_all_back) {
  const network unfolding[] = {star(split(doubling(), k), pattern{n}.where(n == 0)),
                               ordered(star(split(doubling(), k), pattern{n}.where(n == 0))),
                               feedback(doubling(), pattern{n}.where(n > 0)),
                               split(feedback(split(doubling(), k), pattern{n}.where(n > 0)), id)};
  for (const network& net : unfolding)
    for (const bool read_some : {false, true})
      everywhere([&](const options& o) {
        execution run = start(net, o);
        for (std::int64_t i = 0; i < 5; ++i) run.try_send(n = 40, k = 0, id = i);  // 2^40 records each
        if (read_some) {
          run.try_send(n = 1, k = 0, id = 9);
          std::this_thread::sleep_for(std::chrono::milliseconds(2));
        }
        run.stop();
      });
}

TEST_F(a_program, destroyed_while_cells_hold_records_gives_all_back) {
  everywhere([&](const options& o) {
    execution run = start(ordered(split(pairs(), k)), o);
    for (std::int64_t i = 0; i < 200; ++i)
      run.try_send(a = "a text that is longer than any buffer within it " + std::to_string(i), k = i % 7);
    run.try_send(b = "b", k = 3);
  });
}

// A network is a value: two runs of it share nothing, and two uses of it in one network have separate cells.
TEST_F(a_program, that_runs_twice_at_once_or_stands_twice_in_a_network_has_its_own_cells) {
  const network chain = totals();
  const network again = filter(takes(sum)).emit(price = sum);
  const network begin = box("begin", takes(n), gives(total) | gives(price), [](std::int64_t count, emitter& emit) {
    emit(total = 0);
    for (std::int64_t i = 1; i <= count; ++i) emit(price = i);
  });
  const network zero = source("zero", gives(total), [] { return 0; });
  const network twice = begin >> ordered(chain) >> again >> (zero | bypass()) >> chain;
  everywhere([&](const options& o) {
    execution one = start(twice, o), other = start(twice, o);
    one.send(n = 30);
    other.send(n = 60);
    one.close();
    other.close();
    const auto largest = [](execution& run) {
      std::int64_t most = 0;
      for (const record& r : run) most = std::max(most, r[sum]);
      return most;
    };
    EXPECT_EQ(largest(other), 60 * 61 * 62 / 6) << "the sum of the sums of 1 to 60";
    EXPECT_EQ(largest(one), 30 * 31 * 32 / 6);
  });
}

// Several threads send and the results are read meanwhile. Nothing is lost, and in an ordered network a sender's k-th
// record leaves before its k+1-th.
TEST_F(a_program, that_many_threads_feed_keeps_the_order_of_each) {
  const network slow = box("slow", takes(n), gives(n), [](std::int64_t value) {
    testing::spend(static_cast<std::int64_t>(scrambled(value) % 8) * 1000);
    return value - 1;
  });
  const network net = ordered(split(star(slow, pattern{n}.where(n <= 0)), k));
  constexpr std::int64_t senders = 4, each = 60;
  everywhere([&](const options& o) {
    execution run = start(net, o);
    std::vector<std::thread> threads;
    std::atomic<int> left{senders};
    for (std::int64_t s = 0; s < senders; ++s)
      threads.emplace_back([&, s] {
        for (std::int64_t i = 0; i < each; ++i)
          run.send(n = static_cast<std::int64_t>(scrambled(i) % 5), k = std::int64_t(scrambled(7 * i + s) % 3),
                   id = s * each + i);
        if (--left == 0) run.close();
      });
    std::vector<std::int64_t> next(senders);
    for (const record& r : run) {
      const auto sender = static_cast<std::size_t>(r[id] / each);
      EXPECT_EQ(r[id] % each, next[sender]++);
    }
    for (std::thread& t : threads) t.join();
    EXPECT_EQ(next, std::vector<std::int64_t>(senders, each));
  });
}

// A record that fails fails alone: in a star, in a split, in a feedback, and in an ordered network, whose other records
// do not wait for it.
TEST_F(a_program, in_which_a_box_throws_loses_that_record_alone) {
  const network down = box("down", takes(n), gives(n), [](std::int64_t value) {
    if (value == 3) throw std::runtime_error("three");
    return value - 1;
  });
  const pattern at_most_zero = pattern{n}.where(n <= 0), above_zero = pattern{n}.where(n > 0);
  const network nets[] = {star(down, at_most_zero), ordered(star(down, at_most_zero)),
                          ordered(split(star(down, at_most_zero), k)), ordered(feedback(down, above_zero)),
                          star(ordered(split(down, k)), at_most_zero)};
  for (const network& net : nets)
    everywhere([&](options o) {
      o.on_error = on_error::collect;
      execution run = start(net, o);
      for (std::int64_t i = 0; i < 60; ++i) run.send(n = i % 6 == 5 ? 7 : i % 3, k = i % 4, id = i);
      run.close();
      std::int64_t came = 0;
      for (const record& r : run) {
        EXPECT_LE(r[n], 0) << r;
        EXPECT_NE(r[id] % 6, 5) << r;
        ++came;
      }
      EXPECT_EQ(came, 50) << to_string(net);
      EXPECT_EQ(run.errors().size(), 10u) << to_string(net);
      for (const failure& f : run.errors()) EXPECT_EQ(f.entity, "down") << to_string(f);
    });
}

}  // namespace
}  // namespace weir::interrupted_test
