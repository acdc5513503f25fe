#include <map>

#include "tests/runtime/language/programs/everywhere.hpp"
#include "tests/support/work.hpp"

// Powers of two, factorials and Fibonacci numbers: filters, choice, synchrocells, star and feedback.
namespace weir::counting_test {
namespace {

using testing::a_program;
using testing::scrambled;

constexpr tag n{"n"}, of{"of"}, power{"power"}, factor{"factor"}, part{"part"}, low{"low"}, high{"high"};
constexpr field<std::uint64_t> product{"product"};

std::int64_t fibonacci_number(std::int64_t i) {
  std::int64_t low_one = 0, high_one = 1;
  for (; i > 0; --i) high_one += std::exchange(low_one, high_one);
  return low_one;
}

// Coordination alone: no box is needed to double a tag n times.
TEST_F(a_program, power_of_two_by_doubling) {
  const network doubled = filter(takes(n, power)).emit(n = n - 1, power = 2 * power);
  const network net = filter(takes(n)).emit(n, power = 1) >> ordered(star(doubled, pattern{n, power}.where(n == 0))) >>
                      filter(takes(n)).emit();
  everywhere([&](const options& o) {
    execution run = start(net, o);
    std::vector<std::int64_t> inputs;
    for (std::int64_t i = 0; i < 120; ++i) inputs.push_back(static_cast<std::int64_t>(scrambled(i) % 62));
    for (const std::int64_t i : inputs) run.send(n = i, of = i);
    run.close();
    std::size_t at = 0;
    for (const record& r : run) {
      ASSERT_LT(at, inputs.size());
      EXPECT_EQ(to_string(r), "{<of>=" + std::to_string(inputs[at]) +
                                  ", <power>=" + std::to_string(std::int64_t{1} << inputs[at]) + "}");
      ++at;
    }
    EXPECT_EQ(at, inputs.size());
  });
}

// A record that becomes two in each of n stages becomes 2^n records.
TEST_F(a_program, power_of_two_by_counting_records) {
  const network net = star(filter(takes(n)).emit(n = n - 1).emit(n = n - 1), pattern{n}.where(n == 0));
  everywhere([&](const options& o) {
    execution run = start(net, o);
    for (std::int64_t i = 0; i <= 10; ++i) run.send(n = i, of = i);
    run.close();
    std::map<std::int64_t, std::int64_t> counts;
    for (const record& r : run) {
      EXPECT_EQ(r[n], 0);
      ++counts[r[of]];
    }
    ASSERT_EQ(counts.size(), 11u);
    for (const auto& [i, count] : counts) EXPECT_EQ(count, std::int64_t{1} << i) << "2^" << i;
  });
}

// The two halves of a step, counting down and multiplying; the time of a multiplication depends on the number.
network halves_of_a_step() {
  const network fork = filter(takes(n, product)).emit(n).emit(product, factor = n);
  const network count_down = filter(takes(n)).emit(n = n - 1);
  const network multiply =
      box("multiply", takes(product, factor), gives(product), [](std::uint64_t so_far, std::int64_t by) {
        testing::spend(static_cast<std::int64_t>(scrambled(by) % 8) * 2000);
        return so_far * static_cast<std::uint64_t>(by);
      });
  return fork >> (count_down | multiply);
}

void expect_factorials(const network& net, const options& o, bool in_order) {
  execution run = start(net, o);
  const std::int64_t count = testing::slow ? 15 : 30;
  const auto input = [](std::int64_t i) { return static_cast<std::int64_t>(scrambled(i) % 21); };
  for (std::int64_t i = 0; i < count; ++i) run.send(n = input(i), of = i, product = 1u);
  run.close();
  std::map<std::int64_t, int> seen;
  std::int64_t at = 0;
  for (const record& r : run) {
    const std::int64_t i = r[of];
    if (in_order) {
      EXPECT_EQ(i, at++);
    }
    EXPECT_EQ(++seen[i], 1) << "input " << i;
    std::uint64_t expected = 1;
    for (std::int64_t f = 2; f <= input(i); ++f) expected *= static_cast<std::uint64_t>(f);
    EXPECT_EQ(r[product], expected) << input(i) << "!, input " << i;
  }
  EXPECT_EQ(seen.size(), static_cast<std::size_t>(count));
  EXPECT_EQ(run.report().held, 0u) << "no synchrocell keeps anything";
}

// One instance of the loop per input, so that its cells belong to that input alone.
TEST_F(a_program, factorial_in_a_star_for_each_input) {
  const network loop = star(halves_of_a_step() >> sync({n}, {product}), pattern{n, product}.where(n <= 1));
  everywhere([&](const options& o) {
    expect_factorials(split(loop, of), o, false);
    expect_factorials(ordered(split(loop, of)), o, true);
  });
}

// One loop for all inputs. Each of its stages pairs the k-th count with the k-th product. They belong together, since
// each branch of a choice keeps the order of its own records.
TEST_F(a_program, factorial_in_a_star_for_all_inputs) {
  const network pairs = star(sync({n}, {product}), pattern{n, product});
  const network loop = star(halves_of_a_step() >> pairs, pattern{n, product}.where(n <= 1));
  everywhere([&](const options& o) { expect_factorials(loop, o, false); });
}

// fib(n) = fib(n-1) + fib(n-2) literally: the number of ones that leave is the result.
TEST_F(a_program, fibonacci_by_feedback_and_summing) {
  const network in_pieces = filter(takes(n)).when(n <= 1).emit(part = n).otherwise().emit(n = n - 1).emit(n = n - 2);
  const network in_pieces_by_a_box =
      box("in_pieces", takes(n), gives(n) | gives(part), [](std::int64_t value, emitter& emit) {
        if (value <= 1) return emit(part = value);
        emit(n = value - 1);
        emit(n = value - 2);
      });
  for (const network& step : {in_pieces, in_pieces_by_a_box})
    everywhere([&](const options& o) {
      execution run = start(feedback(step, pattern{n}), o);
      const std::int64_t most = testing::slow ? 9 : 13;
      for (std::int64_t i = 0; i <= most; ++i) run.send(n = i, of = i);
      run.close();
      std::map<std::int64_t, std::int64_t> sums, counts;
      for (const record& r : run) sums[r[of]] += r[part], ++counts[r[of]];
      ASSERT_EQ(sums.size(), static_cast<std::size_t>(most + 1));
      for (std::int64_t i = 0; i <= most; ++i) {
        EXPECT_EQ(sums[i], fibonacci_number(i)) << i;
        EXPECT_EQ(counts[i], fibonacci_number(i + 1)) << i;
      }
    });
}

// The loop of a sequential program: a record with the last two numbers makes n rounds.
TEST_F(a_program, fibonacci_by_feedback_with_a_guard) {
  const network next = filter(takes(n, low, high)).emit(n = n - 1, low = high, high = low + high);
  const network begin = filter(takes(n)).emit(n = n + 1, low = 1, high = 0);  // one more round, so that all enter the
                                                                              // loop
  const network net = begin >> feedback(next, pattern{n}.where(n > 0));
  everywhere([&](const options& o) {
    execution run = start(net, o);
    for (std::int64_t i = 0; i <= 90; ++i) run.send(n = i, of = i);
    run.close();
    std::map<std::int64_t, std::int64_t> got;
    for (const record& r : run) got[r[of]] = r[low];
    ASSERT_EQ(got.size(), 91u);
    for (const auto& [i, value] : got) EXPECT_EQ(value, fibonacci_number(i)) << i;
  });
}

}  // namespace
}  // namespace weir::counting_test
