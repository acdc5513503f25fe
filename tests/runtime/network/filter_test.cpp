#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "runtime/streams/record_context.hpp"
#include "runtime/streams/scope.hpp"
#include "tests/runtime/network/a_filter.hpp"

namespace weir {
namespace {

using namespace testing;
std::string notation(const filter_network& f) { return to_string(detail::filter_spec_of(f)); }

TEST_F(a_filter, prints_in_s_net_notation) {
  constexpr tag one{"one"};
  EXPECT_EQ(notation(filter(takes(n)).emit(n = n - 1).emit(n = n - 2)), "[{<n>} -> {<n=n-1>} ; {<n=n-2>}]");
  EXPECT_EQ(notation(filter(takes(n)).when(n <= 1).emit(one = n).otherwise().emit(n = n - 1).emit(n = n - 2)),
            "[{<n>} -> if <n<=1> then {<one=n>} else {<n=n-1>} ; {<n=n-2>}]");
  EXPECT_EQ(notation(filter(takes(n)).when(n % 2 == 0).emit(n = n / 2).when(n >= 11).otherwise().emit(n = 3 * n + 1)),
            "[{<n>} -> if <n%2==0> then {<n=n/2>} else if <n>=11> then else {<n=3*n+1>}]");
  EXPECT_EQ(notation(filter(takes(a, b, n, bk)).emit(a, n).emit(a = b, n = 3, bk = bk + 1).emit(k).emit()),
            "[{a, b, <n>, <#k>} -> {a, <n>} ; {a=b, <n=3>, <#k=#k+1>} ; {<k>} ; {}]");
  EXPECT_EQ(notation(filter(takes())), "[{} -> ]");
  EXPECT_EQ(notation(filter(takes(n)).otherwise()), "[{<n>} -> ]");
}

TEST_F(a_filter, is_a_value_that_each_call_leaves_as_it_was) {
  const filter_network start = filter(takes(n));
  const filter_network even = start.when(n % 2 == 0);
  const filter_network halved = even.emit(n = n / 2);
  const filter_network gone = even.otherwise().emit();
  EXPECT_EQ(notation(start), "[{<n>} -> ]");
  EXPECT_EQ(notation(even), "[{<n>} -> if <n%2==0> then ]");
  EXPECT_EQ(notation(halved), "[{<n>} -> if <n%2==0> then {<n=n/2>}]");
  EXPECT_EQ(notation(gone), "[{<n>} -> if <n%2==0> then else {}]");
}

// ---- results ----

TEST_F(a_filter, gives_what_the_worked_case_says) {
  constexpr field<int> A{"A"}, B{"B"}, C{"C"};
  constexpr tag T{"T"}, U{"U"}, V{"V"};
  const filter_network f = filter(takes(A, B, T)).emit(A, T).emit(A = B, T = T + 1).emit(U);
  EXPECT_EQ(notation(f), "[{A, B, <T>} -> {A, <T>} ; {A=B, <T=T+1>} ; {<U>}]");
  EXPECT_EQ(text(f, record{A = 1, B = 2, C = 4, T = 3, V = 5}),
            "{A=1, C=4, <T>=3, <V>=5} {A=2, C=4, <T>=4, <V>=5} {C=4, <U>=0, <V>=5}");
}

TEST_F(a_filter, does_what_the_first_clause_says_whose_guard_holds) {
  const filter_network f = filter(takes(n)).when(n > 10).emit(n = 1).when(n > 5).when(n > 0).emit(n = 3).emit(n = 4);
  EXPECT_EQ(text(f, record{n = 11}), "{<n>=1}");
  EXPECT_EQ(text(f, record{n = 6}), "") << "a clause without .emit consumes";
  EXPECT_EQ(text(f, record{n = 1}), "{<n>=3} {<n>=4}");
  EXPECT_EQ(text(f, record{n = 0}), "no guard true");
  EXPECT_EQ(text(f.otherwise().emit(), record{n = 0, k = 7}), "{<k>=7}");
  EXPECT_EQ(text(filter(takes(n)), record{n = 0}), "") << "without clauses it consumes";
}

TEST_F(a_filter, lets_labels_ride_along_that_its_pattern_does_not_name) {
  const filter_network f = filter(takes(a, n)).emit(n);
  EXPECT_EQ(text(f, record{a = 1, b = 2, s = "text", n = 3, k = 4}), "{b=2, s=text, <k>=4, <n>=3}");
  EXPECT_EQ(text(filter(takes()).emit(), record{a = 1, n = 3}), "{a=1, <n>=3}");
  EXPECT_EQ(text(filter(takes(a, n)).emit(), record{a = 1, n = 3}), "{}");
}

TEST_F(a_filter, lets_what_it_produces_win_over_what_would_ride_along) {
  EXPECT_EQ(text(filter(takes(a)).emit(b = a, k = 9), record{a = 1, b = 2, k = 4}), "{b=1, <k>=9}");
  EXPECT_EQ(text(filter(takes(s)).emit(s2 = s), record{s = long_text(1), s2 = long_text(2)}),
            "{s2=" + long_text(1) + "}");
  EXPECT_EQ(text(filter(takes()).emit(k), record{k = 4}), "{<k>=0}") << "a tag that the pattern does not name is new";
}

TEST_F(a_filter, takes_exactly_the_binding_tags_of_its_pattern_and_inherits_none) {
  EXPECT_EQ(text(filter(takes(n)).emit(n), record{n = 1, bk = 2}), "no match");
  EXPECT_EQ(text(filter(takes(n, bk)).emit(n), record{n = 1}), "no match");
  EXPECT_EQ(text(filter(takes(n, bk)).emit(n), record{n = 1, bk = 2}), "{<n>=1}");
  EXPECT_EQ(text(filter(takes(n, bk)).emit(n = bk, bk = n), record{n = 1, bk = 2}), "{<n>=2, <#k>=1}");
  EXPECT_EQ(text(filter(takes(n)).emit(bk), record{n = 1}), "{<#k>=0}");
}

TEST_F(a_filter, says_why_it_does_not_match) {
  const detail::filter_program f = program_of(filter(takes(a, n)));
  EXPECT_EQ(f.mismatch(record{a = 1}.shape()), "it takes <n>, which the record does not have");
  EXPECT_EQ(f.mismatch(record{a = 1, n = 1, bk = 1}.shape()),
            "the record has the binding tag <#k>, which it does not take");
  EXPECT_EQ(f.mismatch(record{a = 1, n = 1, k = 1}.shape()), "");
}

TEST_F(a_filter, computes_all_tags_of_an_output_from_the_record_as_it_came) {
  EXPECT_EQ(text(filter(takes(n, k)).emit(n = k, k = n), record{n = 1, k = 2}), "{<k>=1, <n>=2}");
  EXPECT_EQ(text(filter(takes(n)).emit(n = n + 1).emit(n = n + 1), record{n = 1}), "{<n>=2} {<n>=2}");
  EXPECT_EQ(text(filter(takes(n)).emit(n = n > 3, k = n + 1), record{n = 4}), "{<k>=5, <n>=1}");
}

TEST_F(a_filter, shares_the_value_of_a_field_that_it_copies_or_renames) {
  const record r{s = long_text(1), n = 2};
  const auto out = through(program_of(filter(takes(s)).emit(s).emit(s2 = s).emit(s, s2 = s)), r).out;
  ASSERT_EQ(out.size(), 3u);
  const std::string* const value = &r[s];
  EXPECT_EQ(&out[0][s], value);
  EXPECT_EQ(&out[1][s2], value);
  EXPECT_EQ(&out[2][s], value);
  EXPECT_EQ(&out[2][s2], value);
}

TEST_F(a_filter, swaps_two_fields) {
  EXPECT_EQ(text(filter(takes(s, s2)).emit(s = s2, s2 = s), record{s = long_text(1), s2 = long_text(2)}),
            to_string(record{s = long_text(2), s2 = long_text(1)}));
  EXPECT_EQ(text(filter(takes(a, b)).emit(a = b, b = a), record{a = 1, b = 2}), "{a=2, b=1}");
  EXPECT_EQ(text(filter(takes(s, s2)).emit(s = s2, s2), record{s = long_text(1), s2 = long_text(2)}),
            to_string(record{s = long_text(2), s2 = long_text(2)}));
}

TEST_F(a_filter, leaves_a_record_as_it_was_when_it_fails) {
  const filter_network f = filter(takes(s, n)).when(6 / n > 1).emit(s).emit(s2 = s, n = 1 / (n - 1)).when(n > 9).emit();
  const record one{s = long_text(1), n = 1}, zero{s = long_text(1), n = 0}, six{s = long_text(1), n = 6};
  for (const record& r : {one, zero, six}) {
    const filtered got = through(program_of(f), r);
    EXPECT_EQ(got.outcome, r[n] == 6 ? filter_outcome::no_guard_true : filter_outcome::division_by_zero);
    ASSERT_EQ(got.out.size(), 1u);
    EXPECT_EQ(to_string(got.out[0]), to_string(r));
  }
  EXPECT_EQ(text(f, record{n = 1}), "no match");
  EXPECT_EQ(text(f, record{s = long_text(1), n = 2}),
            to_string(record{s = long_text(1)}) + " " + to_string(record{s2 = long_text(1), n = 1}));
}

TEST_F(a_filter, keeps_what_went_before_when_it_fails) {
  const detail::filter_program f = program_of(filter(takes(n)).emit(n = 1).emit(n = 1 / n));
  std::vector<detail::record_body*> before;
  detail::record_body* r = record{n = 5}.release();
  EXPECT_EQ(f.run(r, before), filter_outcome::done);
  detail::record_body* other = record{n = 0}.release();
  EXPECT_EQ(f.run(other, before), filter_outcome::division_by_zero);
  ASSERT_EQ(before.size(), 1u);
  EXPECT_EQ(to_string(record::adopt(before[0])), "{<n>=1}");
  EXPECT_EQ(to_string(record::adopt(r)), "{<n>=0}");
  EXPECT_EQ(to_string(record::adopt(other)), "{<n>=0}");
}

TEST_F(a_filter, that_only_computes_tags_writes_in_place) {
  const detail::filter_program f =
      program_of(filter(takes(n)).when(n % 2 == 0).emit(n = n / 2).when(n > 1).emit(n = 3 * n + 1).otherwise().emit(n));
  detail::record_body* r = record{s = long_text(1), n = 27, k = 0}.release();
  const detail::record_body* const body = r;
  const long long blocks = pool::live();
  std::vector<detail::record_body*> before;
  for (int i = 0; i < 111; ++i) ASSERT_EQ(f.run(r, before), filter_outcome::done);
  EXPECT_EQ(r, body);
  EXPECT_EQ(pool::live(), blocks);
  EXPECT_EQ(before.capacity(), 0u) << "nothing was allocated for a single output";
  EXPECT_EQ(to_string(record::adopt(r)), "{s=" + long_text(1) + ", <k>=0, <n>=1}");
}

TEST_F(a_filter, computes_more_tags_than_a_pool_block_holds) {
  std::vector<std::string> names;
  for (int i = 0; i < 40; ++i) names.push_back("t" + std::to_string(100 + i));
  detail::filter_spec spec{{n.info()}, {{std::nullopt, {{}}}}};
  auto& items = spec.clauses[0].outputs[0].items;
  for (const std::string& name : names) {
    spec.takes.push_back(tag{name}.info());
    items.push_back({tag{name}.info(), nullptr, n * 100 + tag{name} + 1});
  }
  items.push_back({n.info(), n.info()});
  const detail::filter_program f = program_of(filter_network(spec));
  detail::record_body* r = detail::make_body(detail::shape::of(spec.takes));
  for (int i = 0; i < r->shape->size(); ++i) r->slots()[i] = 7;
  std::vector<detail::record_body*> before;
  ASSERT_EQ(f.run(r, before), filter_outcome::done);
  const record out = record::adopt(r);
  EXPECT_EQ(out[n], 7);
  for (const std::string& name : names) EXPECT_EQ(out[tag{name}], 708);
}

TEST_F(a_filter, gives_records_that_are_where_theirs_was) {
  detail::count_records_in_context();
  detail::level nowhere, inside;
  detail::scope* const outermost = detail::scope::make_outermost(nowhere);
  detail::scope* const place = detail::scope::make(outermost, inside, 7);
  const auto expect_there = [&](const filter_network& f, std::size_t count) {
    detail::record_body* r = record{s = long_text(1), n = 1}.release();
    r->where = place;
    place->hold();
    std::vector<detail::record_body*> out;
    ASSERT_EQ(program_of(f).run(r, out), filter_outcome::done);
    if (r) out.push_back(r);
    EXPECT_EQ(out.size(), count);
    for (detail::record_body* b : out) {
      EXPECT_EQ(b->where, place);
      detail::drop_body(b);
    }
  };
  expect_there(filter(takes(n)), 0);
  expect_there(filter(takes(n)).emit(n = n + 1), 1);
  expect_there(filter(takes(n)).emit(k = n + 1), 1);
  expect_there(filter(takes(n)).emit(k = n).emit(n).emit(n = 7), 3);
  expect_there(filter(takes(s, n)).emit(k = n).emit(n).emit(s2 = s, k), 3);
  place->give_up();  // a leak checker sees whether that was the last reference
  outermost->give_up();
}

// ---- refusals ----

TEST_F(a_filter, refuses_a_new_field_without_a_value) {
  EXPECT_EQ(refusal([] { filter(takes(n)).emit(a, n); }),
            "filter [{<n>} -> {a, <n>}]: a new field needs a value: a is not in the pattern\n"
            "  emit(a) copies field a of the pattern, emit(a = b) renames field b of it");
  EXPECT_EQ(refusal([] { filter(takes(n)).when(n > 1).emit(a = b); }),
            "filter [{<n>} -> if <n>1> then {a=b}]: a=b renames b, which is not in the pattern");
  EXPECT_EQ(refusal([] { filter(takes(a)).emit(field<double>{"a"}); }),
            "filter [{a} -> {a}]: field 'a' has two types\n  the pattern has it as int, emit as double");
}

TEST_F(a_filter, refuses_an_expression_or_guard_that_names_a_tag_outside_its_pattern) {
  EXPECT_EQ(refusal([] { filter(takes(n)).emit(n = n + k); }),
            "filter [{<n>} -> {<n=n+k>}]: n+k names <k>, which is not in the pattern");
  EXPECT_EQ(refusal([] { filter(takes(n)).emit(n = k); }),
            "filter [{<n>} -> {<n=k>}]: k names <k>, which is not in the pattern");
  EXPECT_EQ(refusal([] { filter(takes(n)).emit(n = n / k); }),
            "filter [{<n>} -> {<n=n/k>}]: n/k names <k>, which is not in the pattern");
  EXPECT_EQ(refusal([] { filter(takes(n)).when(n == k); }),
            "filter [{<n>} -> if <n==k> then ]: the guard n==k names <k>, which is not in the pattern");
  EXPECT_EQ(refusal([] { filter(takes(n)).when(bk > 1); }),
            "filter [{<n>} -> if <#k>1> then ]: the guard #k>1 names <#k>, which is not in the pattern");
}

TEST_F(a_filter, refuses_a_guard_that_is_no_condition) {
  const std::string expected = "\n  expected a comparison, or what &&, || and ! make of comparisons";
  EXPECT_EQ(refusal([] { filter(takes(n)).when(n); }),
            "filter [{<n>} -> if <n> then ]: a guard that is no condition: n" + expected);
  EXPECT_EQ(refusal([] { filter(takes(n)).when(n - 1); }),
            "filter [{<n>} -> if <n-1> then ]: a guard that is no condition: n-1" + expected);
}

TEST_F(a_filter, refuses_a_clause_after_an_unconditional_one) {
  const std::string why =
      ": a clause after an unconditional one, which leaves it no record\n  expected .when(..) clauses first, then "
      ".otherwise() at most once, and neither after an .emit(..) without them";
  EXPECT_EQ(refusal([] { filter(takes(n)).emit(n).when(n > 1); }), "filter [{<n>} -> {<n>} else if <n>1> then ]" + why);
  EXPECT_EQ(refusal([] { filter(takes(n)).emit(n).otherwise(); }), "filter [{<n>} -> {<n>} else ]" + why);
  EXPECT_EQ(refusal([] { filter(takes(n)).when(n > 1).otherwise().otherwise(); }),
            "filter [{<n>} -> if <n>1> then else else ]" + why);
  EXPECT_EQ(refusal([] { filter(takes(n)).when(n > 0).otherwise().emit(n).when(n > 1); }),
            "filter [{<n>} -> if <n>0> then else {<n>} else if <n>1> then ]" + why);
}

TEST_F(a_filter, refuses_a_label_that_stands_twice) {
  EXPECT_EQ(refusal([] { filter(takes(n)).emit(n, k, n = n + 1); }),
            "filter [{<n>} -> {<n>, <k>, <n=n+1>}]: label <n> stands twice in {<n>, <k>, <n=n+1>}");
  EXPECT_EQ(refusal([] { filter(takes(n, a, n)); }),
            "filter [{<n>, a, <n>} -> ]: label <n> stands twice in the pattern");
}

TEST_F(a_filter, alone_takes_computed_tags_and_renamed_fields) {
  static_assert(!detail::binding<decltype(n = n + 1)> && !detail::binding<decltype(n = k)>);
  static_assert(!detail::binding<decltype(bk = n)> && !detail::binding<decltype(a = b)>);
  static_assert(detail::binding<decltype(n = 1)> && detail::binding<decltype(bk = 1)> &&
                detail::binding<decltype(a = 1)>);
  static_assert(!std::is_constructible_v<record, decltype(n = k)>);
}

}  // namespace
}  // namespace weir
