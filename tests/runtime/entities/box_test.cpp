#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <tuple>

#include "tests/runtime/support/a_box.hpp"

namespace weir {
namespace {

using namespace testing;

int twice(const int& value) { return 2 * value; }
struct adder {
  int more;
  int operator()(int value) const { return value + more; }
};
constexpr field<std::unique_ptr<int>> owned{"owned"};
struct alignas(64) wide {
  std::array<double, 32> at;
};
static_assert(!detail::is_pooled<wide>);
constexpr field<wide> w{"w"};

// ---- allowed callables ----

TEST_F(a_box, is_a_plain_function) { EXPECT_EQ(given(box("f", takes(a), gives(a), twice), {a = 4}), texts{"{a=8}"}); }
TEST_F(a_box, is_a_pointer_to_a_function) {
  EXPECT_EQ(given(box("f", takes(a), gives(a), &twice), {a = 4}), texts{"{a=8}"});
}
TEST_F(a_box, is_a_lambda_that_captures) {
  int more = 3;
  EXPECT_EQ(given(box("f", takes(a), gives(b), [more](int v) { return v + more; }), {a = 4}), texts{"{b=7}"});
}
TEST_F(a_box, is_a_functor) { EXPECT_EQ(given(box("f", takes(a), gives(a), adder{5}), {a = 4}), texts{"{a=9}"}); }
TEST_F(a_box, is_a_generic_lambda) {
  EXPECT_EQ(given(box("f", takes(a), gives(a), [](const auto& v) { return v + 1; }), {a = 4}), texts{"{a=5}"});
}
TEST_F(a_box, is_a_std_function) {
  EXPECT_EQ(given(box("f", takes(a), gives(a), std::function<int(int)>(twice)), {a = 4}), texts{"{a=8}"});
}

TEST_F(a_box, gets_its_labels_in_the_order_of_takes_whatever_their_order_in_the_record) {
  const network net = box("f", takes(n, s, a, bk), gives(s),
                          [](std::int64_t tag_value, const std::string& text, int value, std::int64_t binding) {
                            return text + std::to_string(tag_value) + std::to_string(value) + std::to_string(binding);
                          });
  EXPECT_EQ(given(net, {bk = 3, a = 2, s = "-", n = 1}), texts{"{s=-123}"});
}

TEST_F(a_box, may_take_nothing_at_all) {
  EXPECT_EQ(given(box("f", takes(), gives(a), [] { return 3; }), {n = 1}), texts{"{a=3, <n>=1}"});
}

TEST_F(a_box, may_have_an_emitter_last) {
  const network net = box("f", takes(n), gives(n), [](std::int64_t count, emitter& emit) {
    for (std::int64_t i = 0; i < count; ++i) emit(n = i);
  });
  EXPECT_EQ(given(net, {n = 3}), (texts{"{<n>=0}", "{<n>=1}", "{<n>=2}"}));
  EXPECT_EQ(given(net, {n = 0}), texts{});
}

TEST_F(a_box, may_have_its_grant_first) {
  const network net =
      box("f", takes(n), gives(k), [](const grant& mine, std::int64_t value) { return value + mine.size(); });
  EXPECT_EQ(given(net, {n = 3}), texts{"{<k>=5}"}) << "alone on two cores, it has both in one lane";
}

TEST_F(a_box, may_have_both) {
  const network net = box("f", takes(n), gives(k), [](const grant& mine, std::int64_t value, emitter& emit) {
    emit(k = value);
    emit(k = value + mine.size());
  });
  EXPECT_EQ(given(net, {n = 3}), (texts{"{<k>=3}", "{<k>=5}"}));
}

TEST_F(a_box, is_called_without_its_grant_where_that_works_too) {
  struct either {
    std::int64_t operator()(std::int64_t) const { return 1; }
    std::int64_t operator()(const grant&, std::int64_t) const { return 2; }
  };
  EXPECT_EQ(given(box("f", takes(n), gives(n), either{}), {n = 0}), texts{"{<n>=1}"});
}

// ---- allowed results ----

TEST_F(a_box, returns_a_tuple_for_several_labels) {
  const network net = box("f", takes(a), gives(s, n, b), [](int v) { return std::tuple(long_text(v), v + 1, v + 2); });
  EXPECT_EQ(given(net, {a = 1}), texts{"{b=3, s=" + long_text(1) + ", <n>=2}"});
}
TEST_F(a_box, returns_a_pair_for_two_labels) {
  EXPECT_EQ(given(box("f", takes(a), gives(b, n), [](int v) { return std::pair(v + 1, v + 2); }), {a = 1}),
            texts{"{b=2, <n>=3}"});
}
TEST_F(a_box, returns_an_optional_to_give_at_most_one_record) {
  const network net =
      box("f", takes(n), gives(n), [](std::int64_t v) { return v > 0 ? std::optional(v) : std::nullopt; });
  EXPECT_EQ(given(net, {n = 1}), texts{"{<n>=1}"});
  EXPECT_EQ(given(net, {n = -1}), texts{});
}
TEST_F(a_box, returns_an_optional_of_a_tuple) {
  const network net =
      box("f", takes(n), gives(n, s), [](std::int64_t v) -> std::optional<std::tuple<std::int64_t, std::string>> {
        if (v < 0) return std::nullopt;
        return std::tuple(v, long_text(v));
      });
  EXPECT_EQ(given(net, {n = 1}), texts{"{s=" + long_text(1) + ", <n>=1}"});
  EXPECT_EQ(given(net, {n = -1}), texts{});
}
TEST_F(a_box, that_gives_an_optional_field_returns_it_as_a_value) {
  constexpr field<std::optional<std::string>> maybe{"maybe"};
  const network net = box("f", takes(n), gives(maybe),
                          [](std::int64_t v) { return v > 0 ? std::optional(long_text(v)) : std::nullopt; }) >>
                      box("g", takes(maybe), gives(a), [](const std::optional<std::string>& m) { return m ? 1 : 0; });
  EXPECT_EQ(given(net, {n = 1}), texts{"{a=1}"});
  EXPECT_EQ(given(net, {n = 0}), texts{"{a=0}"}) << "an empty optional is a value of the field's type, not an absence";
}
TEST_F(a_box, that_gives_a_tuple_field_returns_it_as_a_value) {
  constexpr field<std::tuple<int>> one{"one"};
  const network net = box("f", takes(n), gives(one), [](std::int64_t) { return std::tuple<int>(6); }) >>
                      box("g", takes(one), gives(a), [](const std::tuple<int>& v) { return std::get<0>(v); });
  EXPECT_EQ(given(net, {n = 1}), texts{"{a=6}"});
}
TEST_F(a_box, returns_what_converts_to_the_type_of_the_field) {
  EXPECT_EQ(given(box("f", takes(n), gives(s), [](std::int64_t) { return "text"; }), {n = 1}), texts{"{s=text}"});
}
TEST_F(a_box, returns_a_value_that_cannot_be_copied) {
  const network net = box("f", takes(a), gives(owned), [](int v) { return std::make_unique<int>(v); }) >>
                      box("g", takes(owned), gives(a), [](const std::unique_ptr<int>& p) { return *p + 1; });
  EXPECT_EQ(given(net, {a = 1}), texts{"{a=2}"});
}
TEST_F(a_box, returns_a_reference_to_what_it_took) {
  const network net = box("f", takes(s), gives(s2), [](const std::string& v) -> const std::string& { return v; });
  EXPECT_EQ(given(net, {s = long_text(1)}), texts{"{s2=" + long_text(1) + "}"});
}
TEST_F(a_box, returns_an_over_aligned_value_too_large_for_a_block) {
  const network net =
      box("f", takes(n), gives(w),
          [](std::int64_t v) {
            wide made{};
            made.at[31] = static_cast<double>(v);
            return made;
          }) >>
      box("g", takes(w), gives(n, k), [](const wide& v) {
        return std::tuple(static_cast<std::int64_t>(v.at[31]),
                          static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(&v) % alignof(wide)));
      });
  EXPECT_EQ(given(net, {n = 7}), texts{"{<k>=0, <n>=7}"});
}
TEST_F(a_box, that_gives_no_label_passes_on_what_is_inherited) {
  EXPECT_EQ(given(box("f", takes(a), gives(), [](int) {}), {a = 1, n = 2}), texts{"{<n>=2}"});
}
TEST_F(a_box, that_is_a_sink_ends_its_records) {
  std::atomic<int> seen{0};
  EXPECT_EQ(given(box("f", takes(a), gives_none, [&](int v) { seen += v; }), {a = 5, n = 2}), texts{});
  EXPECT_EQ(seen, 5);
}
TEST_F(a_box, gives_up_to_32_labels) {
  static constexpr std::array<const char*, 32> names{
      "m0",  "m1",  "m2",  "m3",  "m4",  "m5",  "m6",  "m7",  "m8",  "m9",  "m10", "m11", "m12", "m13", "m14", "m15",
      "m16", "m17", "m18", "m19", "m20", "m21", "m22", "m23", "m24", "m25", "m26", "m27", "m28", "m29", "m30", "m31"};
  const auto net = []<std::size_t... I>(std::index_sequence<I...>) {
    return box("f", takes(n), gives(tag{names[I]}...),
               [](std::int64_t v) { return std::tuple(v + static_cast<std::int64_t>(I)...); });
  }
  (std::make_index_sequence<32>());
  execution run = start(net, quick());
  run.send(n = 100);
  run.close();
  const std::vector<record> got = all_of(run);
  ASSERT_EQ(got.size(), 1u);
  for (std::size_t i = 0; i < names.size(); ++i) EXPECT_EQ(got[0][tag{names[i]}], 100 + static_cast<std::int64_t>(i));
}

// ---- emitting and flow inheritance ----

TEST_F(a_box, emits_as_the_worked_case_says) {
  const network foo = box("foo", takes(a, bk), gives(c) | gives(c, d, e), [](int, std::int64_t, emitter&) {});
  (void)foo;
  constexpr tag b_tag{"b"};
  const network net = box("foo", takes(a, b_tag), gives(c) | gives(c, d, e), [](int p, std::int64_t q, emitter& emit) {
    emit(c = p + static_cast<int>(q));
    emit(c = p * static_cast<int>(q), d = p - static_cast<int>(q), e = 7);
  });
  EXPECT_EQ(given(net, {a = 10, d = 4, x = 1, b_tag = 3, y = 9}),
            (texts{"{c=13, d=4, <x>=1, <y>=9}", "{c=30, d=7, <e>=7, <x>=1, <y>=9}"}));
}

TEST_F(a_box, gives_the_produced_value_where_one_is_inherited_too) {
  EXPECT_EQ(given(box("f", takes(a), gives(s), [](int) { return "new"; }), {a = 1, s = long_text(1)}),
            texts{"{s=new}"});
}

TEST_F(a_box, gives_the_produced_type_where_a_field_of_another_type_is_inherited) {
  constexpr field<int> s_as_int{"s"};
  EXPECT_EQ(given(box("f", takes(a), gives(s_as_int), [](int) { return 5; }), {a = 1, s = long_text(1)}),
            texts{"{s=5}"});
}

TEST_F(a_box, loses_what_it_consumes_and_does_not_give_back) {
  EXPECT_EQ(given(box("f", takes(a, s, n), gives(b), [](int v, const std::string&, std::int64_t) { return v; }),
                  {a = 1, s = long_text(1), n = 2, k = 3}),
            texts{"{b=1, <k>=3}"});
}

TEST_F(a_box, never_inherits_a_binding_tag) {
  constexpr btag other{"other"};
  EXPECT_EQ(given(box("f", takes(a, bk), gives(b), [](int v, std::int64_t) { return v; }), {a = 1, bk = 2}),
            texts{"{b=1}"});
  EXPECT_EQ(given(box("f", takes(a, bk), gives(b, other), [](int v, std::int64_t q) { return std::tuple(v, q); }),
                  {a = 1, bk = 2}),
            texts{"{b=1, <#other>=2}"});
}

TEST_F(a_box, emits_its_labels_in_any_order) {
  const network net = box("f", takes(n), gives(a, s, k), [](std::int64_t v, emitter& emit) {
    emit(k = v, s = "x", a = 1);
    emit(s = "y", a = 2, k = v);
  });
  EXPECT_EQ(given(net, {n = 5}), (texts{"{a=1, s=x, <k>=5}", "{a=2, s=y, <k>=5}"}));
}

TEST_F(a_box, may_emit_a_record_of_inherited_labels_alone) {
  const network net = box("f", takes(n), gives() | gives(a), [](std::int64_t, emitter& emit) {
    emit();
    emit(a = 1);
  });
  EXPECT_EQ(given(net, {n = 5, k = 6}), (texts{"{<k>=6}", "{a=1, <k>=6}"}));
}

// ---- properties and lists of labels ----

TEST_F(a_box, with_numbers_that_make_no_sense_is_refused_by_name) {
  const auto f = box("f", takes(n), gives(n), plus_one);
  EXPECT_EQ(refusal([&] { f.width(0); }), "box f: width 0, expected at least 1");
  EXPECT_EQ(refusal([&] { f.width(-3); }), "box f: width -3, expected at least 1");
  EXPECT_EQ(refusal([&] { f.cores(0, 2); }), "box f: cores(0, 2), expected 1 <= min <= max");
  EXPECT_EQ(refusal([&] { f.cores(3, 2); }), "box f: cores(3, 2), expected 1 <= min <= max");
  const auto size = [](std::int64_t v) { return static_cast<double>(v); };
  EXPECT_EQ(refusal([&] { f.predicted_by(size, degree{-2}); }), "box f: degree -2, expected 0..8");
  EXPECT_EQ(refusal([&] { f.predicted_by(size, degree{9}); }), "box f: degree 9, expected 0..8");
  EXPECT_EQ(refusal([&] { box("", takes(n), gives(n), plus_one); }), "a box needs a name, got an empty one");
}

// As environment variables that are not set.
TEST_F(a_box, or_a_label_without_even_a_text_for_a_name_is_refused) {
  const char* const none = nullptr;
  EXPECT_EQ(refusal([&] { box(none, takes(n), gives(n), plus_one); }), "the name is a null pointer, expected a text");
  EXPECT_EQ(refusal([&] { tag{none}; }), "the name is a null pointer, expected a text");
  EXPECT_EQ(refusal([&] { field<int>{none}; }), "the name is a null pointer, expected a text");
}

TEST_F(a_box, of_nothing_to_call_is_refused_by_name) {
  using function = std::int64_t (*)(std::int64_t);
  const auto nothing = [](const char* what) { return std::string("box f: ") + what + " is null, expected a callable"; };
  EXPECT_EQ(refusal([] { box("f", takes(n), gives(n), function{}); }), nothing("the function to call"));
  EXPECT_EQ(refusal([] { box("f", takes(n), gives(n) | gives(a), std::function<void(std::int64_t, emitter&)>()); }),
            nothing("the function to call"));
  EXPECT_EQ(refusal([] { box("f", takes(n), gives(n), plus_one).predicted_by(function{}, degree{1}); }),
            nothing("the predictor"));
  using keeping = std::int64_t (*)(int&, std::int64_t);
  const auto kept = [](int&, std::int64_t v) { return v; };
  EXPECT_EQ(refusal([] { box("f", takes(n), gives(n), keeping{}).each_lane([] { return 1; }); }),
            nothing("the function to call"));
  EXPECT_EQ(refusal([&] { box("f", takes(n), gives(n), kept).each_lane(std::function<int()>()); }),
            nothing("the function that makes a lane's value"));
  const auto step = [](int& sum, std::int64_t v) { sum += static_cast<int>(v); };
  EXPECT_EQ(refusal([&] { fold("f", takes(n), gives(n), 0, std::function<void(int&, std::int64_t)>()); }),
            nothing("the step"));
  EXPECT_EQ(refusal([&] { fold("f", takes(n), gives(n), std::function<int()>(), step); }),
            nothing("the function that makes a state"));
  EXPECT_EQ(refusal([&] { fold("f", takes(n), gives(n), 0, step, std::function<void(int&)>()); }),
            nothing("the function for the end of the input"));
  EXPECT_EQ(refusal([] { source("f", gives(n), std::function<void(emitter&)>()); }), nothing("the function to call"));
}

// No property set before or after .serial() lets two threads into a callable that changes.
TEST_F(a_box, whose_callable_changes_has_one_call_at_a_time_whatever_is_set_later) {
  const auto counts = box("f", takes(n), gives(n), [calls = 0](std::int64_t v) mutable { return v + ++calls; });
  const std::string why =
      " invocations at the same time, but each changes the callable, which has no const operator(): expected 1";
  EXPECT_EQ(refusal([&] { counts.width(2); }), "box f: 2" + why);
  EXPECT_EQ(refusal([&] { counts.blocking(); }), "box f: 64" + why);
  EXPECT_EQ(refusal([&] { counts.serial().width(4); }), "box f: 4" + why);
  EXPECT_EQ(refusal([&] { counts.cores(1, 2).serial().blocking(3); }), "box f: 3" + why);
  EXPECT_EQ(detail::spec_of(counts.serial().width(1).blocking(1)).max_width, 1);
  EXPECT_EQ(given(counts.serial(), {n = 10}), texts{"{<n>=11}"});
}

TEST_F(a_box, keeps_each_limit_of_its_invocations_in_whatever_order_they_are_set) {
  const auto f = box("f", takes(n), gives(n), [](std::int64_t v) { return v; });
  const auto most = [](const network& of) { return detail::spec_of(of).max_width; };
  EXPECT_EQ(most(f.serial().blocking()), 1);
  EXPECT_EQ(most(f.blocking().serial()), 1);
  EXPECT_EQ(most(f.serial().width(4)), 1);
  EXPECT_EQ(most(f.width(4).blocking()), 4);
  EXPECT_EQ(most(f.blocking(3).width(4)), 3);
  EXPECT_EQ(most(f.width(2).width(4)), 2);
}

// Except for the name, a label is in the type of the list; so only the name must outlive it.
TEST_F(a_box, is_written_down_with_lists_whose_labels_are_gone) {
  static constexpr auto constant = takes(n);
  static_assert(constant.names[0] == n.c_str());
  const auto [in, out] = [] {
    const tag number{"n"};
    const field<int> value{"a"};
    return std::pair(takes(number), gives(value));
  }();
  EXPECT_EQ(given(box("f", in, out, [](std::int64_t v) { return static_cast<int>(v) + 1; }), {n = 1}), texts{"{a=2}"});
  EXPECT_EQ(to_string(box("f", in, out | gives(b), [](std::int64_t, emitter&) {}).signature()), "{<n>} -> {a} | {b}");
}

TEST_F(a_box, has_a_name_of_any_kind_of_string) {
  const auto named = [](const auto& name) { return to_string(box(name, takes(n), gives(n), plus_one)); };
  EXPECT_EQ(named("f"), "f");
  EXPECT_EQ(named(std::string("a name made while the program runs")), "a name made while the program runs");
  EXPECT_EQ(named(std::string_view("five cut off").substr(0, 4)), "five");
}

TEST_F(a_box, without_a_name_for_a_label_is_refused) {
  EXPECT_EQ(refusal([] { box("f", takes(tag{""}), gives(a), [](std::int64_t) { return 1; }); }),
            "a label needs a name, got an empty one");
}

TEST_F(a_box, that_names_a_label_twice_is_refused) {
  EXPECT_EQ(refusal([&] { box("f", takes(n, n), gives(a), [](std::int64_t, std::int64_t) { return 1; }); }),
            "box f: label <n> stands twice in one record");
  EXPECT_EQ(refusal([&] { box("f", takes(n), gives(a, a), [](std::int64_t) { return std::tuple(1, 2); }); }),
            "box f: label a stands twice in one record");
}

TEST_F(a_box, keeps_what_was_said_and_leaves_the_original_alone) {
  const auto plain = box("f", takes(n), gives(n), plus_one);
  const auto changed =
      plain.width(3).cores(2, 5).sequential().predicted_by([](std::int64_t v) { return double(v); }, degree{2});
  const auto& before = detail::spec_of(plain);
  const auto& after = detail::spec_of(changed);
  EXPECT_EQ(before.max_width, unlimited);
  EXPECT_EQ(before.degree, 0);
  EXPECT_FALSE(before.sequential);
  EXPECT_EQ(after.max_width, 3);
  EXPECT_EQ(after.min_cores, 2);
  EXPECT_EQ(after.max_cores, 5);
  EXPECT_EQ(after.degree, 2);
  EXPECT_TRUE(after.sequential);
  EXPECT_EQ(detail::spec_of(plain.serial()).max_width, 1);
}

}  // namespace
}  // namespace weir
