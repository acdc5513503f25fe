#include <algorithm>
#include <map>
#include <thread>
#include <vector>

#include "tests/runtime/language/programs/everywhere.hpp"

// State that travels as a record through a chain of synchrocells: running totals, and the sieve of Eratosthenes.
namespace weir::chain_test {
namespace {

using testing::a_program;
using testing::scrambled;

constexpr tag total{"total"}, value{"value"}, sum{"sum"}, day{"day"}, account{"account"};

// Joins the total with the next value, whose labels are inherited; the sum leaves and the new total goes on.
network totals(bool plain) {
  const network add = box("add", takes(total, value), gives(sum) | gives(total),
                          [](std::int64_t so_far, std::int64_t next, emitter& emit) {
                            emit(sum = so_far + next);
                            emit(total = so_far + next);
                          });
  const network link = bypass() | add;
  return star(sync({value}, {total}) >> (plain ? link : ordered(link)), pattern{sum});
}

// The chain in its ordered form gives the sums in the order of the values.
TEST_F(a_program, prefix_sums_in_order) {
  everywhere([&](const options& o) {
    execution run = start(ordered(totals(false)), o);
    run.send(total = 100);
    const std::int64_t values = testing::slow ? 50 : 300;
    for (std::int64_t i = 1; i <= values; ++i) run.send(value = i, day = i);
    run.close();
    std::int64_t expected = 100, at = 0;
    for (const record& r : run) {
      ++at;
      expected += at;
      ASSERT_EQ(to_string(r), "{<day>=" + std::to_string(at) + ", <sum>=" + std::to_string(expected) + "}");
    }
    EXPECT_EQ(at, values);
    EXPECT_EQ(run.report().held, 1u) << "the last total waits for a value that does not come";
  });
}

// A stage whose cell has joined its two records only passes others on, and is removed. The chain is as long as needed.
TEST_F(a_program, prefix_sums_of_a_long_chain_in_little_memory) {
  const std::int64_t values = testing::slow ? 1000 : 10000;
  everywhere([&](const options& o) {
    execution run = start(totals(true), o);
    std::thread sender([&] {
      run.send(total = 0);
      for (std::int64_t i = 1; i <= values; ++i) run.send(value = i);
      run.close();
    });
    std::int64_t count = 0, largest = 0;
    for (const record& r : run) ++count, largest = std::max(largest, r[sum]);
    sender.join();
    EXPECT_EQ(count, values);
    EXPECT_EQ(largest, values * (values + 1) / 2);
    const run_report report = run.report();
    EXPECT_GE(report.unfolded, static_cast<std::uint64_t>(values));
    EXPECT_GE(report.removed, static_cast<std::uint64_t>(values)) << "all that were unfolded but the last";
  });
}

// The values are added in their order, even if the sums leave in any order.
TEST_F(a_program, prefix_sums_in_a_plain_chain) {
  everywhere([&](const options& o) {
    execution run = start(totals(true), o);
    for (std::int64_t i = 1; i <= 300; ++i) {
      if (i == 50) run.send(total = 0);  // 49 values wait for it, one a stage
      run.send(value = i, day = i);
    }
    run.close();
    std::map<std::int64_t, std::int64_t> sums;
    for (const record& r : run) sums[r[day]] = r[sum];
    EXPECT_EQ(sums.size(), 300u);
    for (const auto& [i, each] : sums) EXPECT_EQ(each, i * (i + 1) / 2) << "day " << i;
  });
}

// One chain per account. A source opens the accounts, not the sender.
TEST_F(a_program, prefix_sums_of_many_accounts_that_a_source_opens) {
  const std::int64_t accounts = 7, values = testing::slow ? 200 : 1000;
  const network open = source("open", gives(total, account), [](emitter& emit) {
    for (std::int64_t i = 0; i < accounts; ++i) emit(total = 1000 * i, account = i);
  });
  const auto amount = [](std::int64_t i) { return static_cast<std::int64_t>(scrambled(i) % 200) - 100; };
  const auto owner = [](std::int64_t i) { return static_cast<std::int64_t>(scrambled(-i) % 7); };
  std::map<std::int64_t, std::int64_t> balances, expected;
  for (std::int64_t i = 0; i < accounts; ++i) balances[i] = 1000 * i;
  for (std::int64_t i = 0; i < values; ++i) expected[i] = balances[owner(i)] += amount(i);
  everywhere([&](const options& o) {
    execution run = start((open | bypass()) >> split(totals(true), account), o);
    for (std::int64_t i = 0; i < values; ++i) run.send(value = amount(i), day = i, account = owner(i));
    run.close();
    std::map<std::int64_t, std::int64_t> sums;
    for (const record& r : run) {
      EXPECT_EQ(r[account], owner(r[day]));
      EXPECT_TRUE(sums.emplace(r[day], r[sum]).second) << "day " << r[day] << " twice";
    }
    EXPECT_EQ(sums, expected);
    EXPECT_EQ(run.report().held, static_cast<std::uint64_t>(accounts)) << "the last total of each account";
  });
}

// Interleaved accounts, with the sums in the order of all values.
TEST_F(a_program, prefix_sums_of_many_accounts_in_order) {
  const std::int64_t values = testing::slow ? 100 : 400;
  everywhere([&](const options& o) {
    execution run = start(ordered(split(totals(false), account)), o);
    for (std::int64_t i = 0; i < 5; ++i) run.send(total = 0, account = i);
    for (std::int64_t i = 0; i < values; ++i) run.send(value = 1, day = i, account = i % 5);
    run.close();
    std::int64_t at = 0;
    for (const record& r : run) {
      EXPECT_EQ(r[day], at);
      EXPECT_EQ(r[sum], at / 5 + 1);
      ++at;
    }
    EXPECT_EQ(at, values);
  });
}

constexpr tag n{"n"}, sifter{"sifter"}, prime{"prime"}, left{"left"}, empty{"empty"}, last{"last"};

// One stage per prime, made when the prime is found. Stages are chains, where the stage's prime meets one number after
// the other.
network sieve() {
  const network sift = box("sift", takes(sifter, n), gives(prime) | gives(left) | gives(empty) | gives(sifter),
                           [](std::int64_t state, std::int64_t number, emitter& emit) {
                             if (state == 0) {
                               emit(prime = number);
                               emit(empty = 0);
                             } else if (number % state != 0) {
                               emit(left = number);
                             }
                             emit(sifter = state == 0 ? number : state);
                           });
  const network stage =
      ordered(star(sync({n}, {sifter}) >> ordered(bypass() | sift), pattern{prime} | pattern{left} | pattern{empty}));
  const network hand_on =
      ordered(filter(takes(left)).emit(n = left) | filter(takes(empty)).emit(sifter = empty) | bypass());
  return ordered(star(stage >> hand_on, pattern{prime}));
}

std::vector<std::int64_t> primes_up_to(std::int64_t limit) {
  std::vector<std::int64_t> primes;
  for (std::int64_t i = 2; i <= limit; ++i)
    if (std::none_of(primes.begin(), primes.end(), [i](std::int64_t p) { return i % p == 0; })) primes.push_back(i);
  return primes;
}

TEST_F(a_program, sieve_in_order) {
  const std::int64_t limit = testing::slow ? 40 : 120;
  everywhere([&](const options& o) {
    execution run = start(sieve(), o);
    run.send(sifter = 0);
    for (std::int64_t i = 2; i <= limit; ++i) run.send(n = i);
    run.close();
    std::vector<std::int64_t> got;
    for (const record& r : run) got.push_back(r[prime]);
    EXPECT_EQ(got, primes_up_to(limit));
  });
}

// Several interleaved sieves in one network, each with its numbers up to its own limit.
TEST_F(a_program, sieve_of_several_limits_interleaved) {
  const std::vector<std::int64_t> limits{30, 2, 47, 1, 12};
  everywhere([&](const options& o) {
    execution run = start(split(sieve(), last), o);
    for (const std::int64_t limit : limits) run.send(sifter = 0, last = limit);
    for (std::int64_t i = 2; i <= 47; ++i)
      for (const std::int64_t limit : limits)
        if (i <= limit) run.send(n = i, last = limit);
    run.close();
    std::map<std::int64_t, std::vector<std::int64_t>> got;
    for (const record& r : run) got[r[last]].push_back(r[prime]);
    for (const std::int64_t limit : limits) EXPECT_EQ(got[limit], primes_up_to(limit)) << "up to " << limit;
  });
}

}  // namespace
}  // namespace weir::chain_test
