#include <algorithm>
#include <string>
#include <vector>

#include <weir/weir.hpp>

#include "tests/support/gives_all_back.hpp"
#include "tests/support/sanitizers.hpp"

// Worked cases of the language, written out, on machines of 1 to 64 cores, with streams of capacity 1 and of
// automatic capacity. Results given as a sequence must come in that order; a set may come in any order.
namespace weir {
namespace {

using testing::gives_all_back;
using texts = std::vector<std::string>;

class a_worked_case : public gives_all_back {
 protected:
  // Runs the network on all of these; `check` gets the results and the run's report.
  template <class Check>
  static void everywhere(const network& net, const std::vector<record>& inputs, Check check) {
    for (const char* cores : {"core:1 pu:1", "core:2 pu:1", "core:8 pu:1", "package:4 core:16 pu:1"})
      for (const std::size_t capacity : {1, 0})
        for (int time = 0; time < 5; ++time) {
          SCOPED_TRACE(std::string(cores) + ", capacity " + std::to_string(capacity) + ", time " +
                       std::to_string(time));
          options o;
          o.machine = machine::synthetic(cores);
          o.capacity = capacity;
          execution run = start(net, o);
          for (const record& each : inputs) run.send(each);
          run.close();
          texts got;
          for (const record& r : run) got.push_back(to_string(r));
          check(std::move(got), run.report());
        }
  }

  static void gives_sequence(const network& net, const std::vector<record>& inputs, const texts& expected) {
    everywhere(net, inputs, [&](const texts& got, const run_report& report) {
      EXPECT_EQ(got, expected) << to_string(net);
      EXPECT_EQ(report.dropped + report.failed + report.held, 0u);
    });
  }

  static void gives_set(const network& net, const std::vector<record>& inputs, texts expected, std::uint64_t held = 0) {
    std::sort(expected.begin(), expected.end());
    everywhere(net, inputs, [&](texts got, const run_report& report) {
      std::sort(got.begin(), got.end());
      EXPECT_EQ(got, expected) << to_string(net);
      EXPECT_EQ(report.dropped + report.failed, 0u);
      EXPECT_EQ(report.held, held);
    });
  }
};

TEST_F(a_worked_case, A_a_box_with_two_variants_and_labels_that_ride_along) {
  static constexpr field<int> a{"a"}, c{"c"}, d{"d"}, x{"x"};
  static constexpr tag b{"b"}, e{"e"}, y{"y"};
  const network foo =
      box("foo", takes(a, b), gives(c) | gives(c, d, e), [](int left, std::int64_t right, emitter& emit) {
        const int other = static_cast<int>(right);
        emit(c = left + other);
        emit(c = left * other, d = left - other, e = 7);
      });
  gives_sequence(foo, {{a = 10, d = 4, x = 1, b = 3, y = 9}},
                 {"{c=13, d=4, x=1, <y>=9}", "{c=30, d=7, x=1, <e>=7, <y>=9}"});
}

TEST_F(a_worked_case, B_a_filter_copies_renames_and_computes) {
  static constexpr field<int> A{"A"}, B{"B"}, C{"C"};
  static constexpr tag T{"T"}, U{"U"}, V{"V"};
  const network net = filter(takes(A, B, T)).emit(A, T).emit(A = B, T = T + 1).emit(U);
  gives_sequence(net, {{A = 1, B = 2, C = 4, T = 3, V = 5}},
                 {"{A=1, C=4, <T>=3, <V>=5}", "{A=2, C=4, <T>=4, <V>=5}", "{C=4, <U>=0, <V>=5}"});
}

TEST_F(a_worked_case, C_a_synchrocell_joins_once_and_is_the_identity_from_then_on) {
  static constexpr field<int> a{"a"}, b{"b"}, x{"x"};
  static constexpr tag t{"t"}, y{"y"};
  gives_sequence(sync({a}, {b, t}),
                 {{a = 1, x = 10}, {a = 2, x = 20}, {b = 3, x = 99, y = 30, t = 4}, {b = 5, t = 6}, {a = 7}},
                 {"{a=2, x=20}", "{a=1, b=3, x=10, <t>=4}", "{b=5, <t>=6}", "{a=7}"});
}

constexpr field<int> A{"A"}, B{"B"};

TEST_F(a_worked_case, D_a_star_of_synchrocells_pairs_the_kth_with_the_kth) {
  const network pairs = star(sync({A}, {B}), pattern{A, B});
  gives_set(pairs, {{A = 1}, {A = 2}, {B = 1}, {A = 3}, {B = 2}}, {"{A=1, B=1}", "{A=2, B=2}"}, 1);
}

TEST_F(a_worked_case, D_with_very_many_of_the_first_before_the_second) {
  const int count = testing::slow ? 5000 : 100000;
  const network pairs = star(sync({A}, {B}), pattern{A, B});
  options o;
  o.machine = machine::synthetic("core:2 pu:1");
  execution run = start(pairs, o);
  for (int i = 0; i < count; ++i) run.send(A = i);
  for (int i = 0; i < count; ++i) run.send(B = i);
  run.close();
  std::vector<bool> seen(static_cast<std::size_t>(count));
  int got = 0;
  for (const record& r : run) {
    ASSERT_EQ(r[A], r[B]);
    ASSERT_FALSE(seen[static_cast<std::size_t>(r[A])]);
    seen[static_cast<std::size_t>(r[A])] = true;
    ++got;
  }
  EXPECT_EQ(got, count);
  EXPECT_EQ(run.report().held, 0u);
}

TEST_F(a_worked_case, E_an_ordered_split_of_such_pairs) {
  static constexpr field<int> a{"a"}, b{"b"};
  static constexpr tag k{"k"};
  gives_sequence(ordered(split(star(sync({a}, {b}), pattern{a, b}), k)),
                 {{a = 1, k = 0}, {b = 2, k = 1}, {a = 3, k = 1}, {b = 4, k = 0}, {b = 5, k = 0}, {a = 6, k = 0}},
                 {"{a=3, b=2, <k>=1}", "{a=1, b=4, <k>=0}", "{a=6, b=5, <k>=0}"});
}

TEST_F(a_worked_case, E_with_very_many_keys) {
  static constexpr tag k{"k"};
  const int keys = testing::slow ? 1000 : 10000;
  options o;
  o.machine = machine::synthetic("core:2 pu:1");
  execution run = start(ordered(split(star(sync({A}, {B}), pattern{A, B}), k)), o);
  for (int i = 0; i < keys; ++i) run.send(A = i, k = i);
  for (int i = keys - 1; i >= 0; --i) run.send(B = i, k = i);
  run.close();
  int next = keys - 1;  // a pair takes the position of the record that completed it
  for (const record& r : run) {
    ASSERT_EQ(r[B], next);
    ASSERT_EQ(r[A], next);
    ASSERT_EQ(r[k], next);
    --next;
  }
  EXPECT_EQ(next, -1);
}

TEST_F(a_worked_case, F_an_ordered_star_of_filters) {
  static constexpr tag n{"n"}, k{"k"};
  const network count = filter(takes(n)).emit(n, k);
  const network collatz =
      filter(takes(n, k)).when(n % 2 == 0).emit(n = n / 2, k = k + 1).otherwise().emit(n = 3 * n + 1, k = k + 1);
  gives_sequence(count >> ordered(star(collatz, pattern{n}.where(n == 1))), {{n = 6}, {n = 1}, {n = 7}, {n = 2}},
                 {"{<k>=8, <n>=1}", "{<k>=0, <n>=1}", "{<k>=16, <n>=1}", "{<k>=1, <n>=1}"});
}

TEST_F(a_worked_case, G_an_ordered_choice_by_binding_tag) {
  static constexpr field<int> a{"a"};
  static constexpr field<std::string> by{"by"};
  static constexpr btag k{"k"};
  const network left = box("G", takes(a), gives(by, a), [](int value) { return std::pair(std::string("G"), value); });
  const network right = box("H", takes(a, k), gives(by, a, k), [](int value, std::int64_t binding) {
    return std::tuple(std::string("H"), value, binding);
  });
  gives_sequence(ordered(left | right), {{a = 1}, {a = 2, k = 7}, {a = 3}},
                 {"{a=1, by=G}", "{a=2, by=H, <#k>=7}", "{a=3, by=G}"});
}

TEST_F(a_worked_case, H_feedback_takes_a_number_to_pieces) {
  static constexpr tag n{"n"}, one{"one"};
  const network step = filter(takes(n)).when(n <= 1).emit(one = n).otherwise().emit(n = n - 1).emit(n = n - 2);
  gives_set(feedback(step, pattern{n}), {{n = 4}}, {"{<one>=1}", "{<one>=1}", "{<one>=0}", "{<one>=1}", "{<one>=0}"});
}

}  // namespace
}  // namespace weir
