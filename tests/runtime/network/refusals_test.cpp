#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/runtime/language/labels.hpp"

// Refusals while a network is built, one case for each kind, with the exact words. A message names both sides, the
// demand, the available labels, and the place. The refusals of signatures are in signature_test.cpp.
namespace weir::refusals_test {
namespace {

using namespace testing;

constexpr field<double> b_as_double{"b"};

network f() { return typed("f", takes(a, n), gives(b)); }  // consumes <n>
network g() { return typed("g", takes(b, n), gives(c)); }  // needs it
network h() { return typed("h", takes(b), gives(c)); }
network same() { return typed("same", takes(n), gives(n)); }
network one() {
  return source("one", gives(n), [] { return std::int64_t{1}; });
}

std::string refusal_to_start(const network& net) {
  options o;
  o.machine = machine::synthetic("core:1 pu:1");
  return refusal([&] { start(net, o); });
}

// ---- a label that was consumed upstream and not given back ----

TEST(a_label_that_is_used_up, is_refused_to_a_box) {
  EXPECT_EQ(refusal([] { f() >> g(); }),
            "f >> g: g needs <n>, which f takes and does not give back\n"
            "  f is {a, <n>} -> {b}\n"
            "  g takes {b, <n>}");
}

TEST(a_label_that_is_used_up, is_refused_to_a_box_further_down) {
  EXPECT_EQ(refusal([] { f() >> h() >> typed("last", takes(c, n), gives(d)); }),
            "h >> last: last needs <n>, which f takes and does not give back\n"
            "  f is {a, <n>} -> {b}\n"
            "  last takes {c, <n>}");
}

TEST(a_label_that_is_used_up, is_refused_with_the_name_of_who_used_it_up_however_long_the_chain_is) {
  EXPECT_EQ(refusal([] {
              typed("first", takes(a), gives(b)) >> typed("second", takes(b), gives(c)) >>
                  typed("last", takes(a, c), gives(d));
            }),
            "second >> last: last needs a, which first takes and does not give back\n"
            "  first is {a} -> {b}\n"
            "  last takes {a, c}");
}

TEST(a_label_that_is_used_up, is_refused_to_a_filter_behind_a_filter) {
  EXPECT_EQ(
      refusal([] { filter(takes(a, n)).emit(a) >> filter(takes(a, n)).emit(n); }),
      "[{a, <n>} -> {a}] >> [{a, <n>} -> {<n>}]: [{a, <n>} -> {<n>}] needs <n>, which [{a, <n>} -> {a}] takes and "
      "does not give back\n"
      "  [{a, <n>} -> {a}] is {a, <n>} -> {a}\n"
      "  [{a, <n>} -> {<n>}] takes {a, <n>}");
}

TEST(a_label_that_is_used_up, is_refused_to_all_branches_of_a_choice_each_named_with_what_it_takes) {
  EXPECT_EQ(refusal([] { f() >> (g() | typed("other", takes(b, n, k), gives(d))); }),
            "f >> (g | other): g needs <n>, which f takes and does not give back\n"
            "  f is {a, <n>} -> {b}\n"
            "  g takes {b, <n>}\n"
            "  other takes {b, <k>, <n>}");
}

TEST(a_label_that_is_used_up, is_not_refused_where_another_branch_does_without_it) {
  EXPECT_NO_THROW(f() >> (g() | h()));
}

TEST(a_label_that_is_used_up, is_refused_behind_a_choice_one_branch_of_which_uses_it_up) {
  EXPECT_EQ(refusal([] { (typed("spares", takes(d), gives(b)) | f()) >> g(); }),
            "(spares | f) >> g: g needs <n>, which (spares | f) takes and does not give back\n"
            "  (spares | f) is {a, <n>} -> {b}\n"
            "  g takes {b, <n>}");
}

TEST(a_label_that_is_used_up, is_refused_to_the_body_of_a_star) {
  const std::string why = refusal([] { typed("f", takes(a, n, c), gives(b)) >> star(g(), pattern{c}); });
  EXPECT_EQ(why.rfind("f >> g*{c}: g needs <n>, which f takes and does not give back\n  f is {a, c, <n>} -> {b}\n", 0),
            0u)
      << why;
}

TEST(a_label_that_is_used_up, is_refused_in_the_second_round_of_a_star) {
  EXPECT_EQ(refusal([] {
              star(f(), pattern{b, n});
            }),
            "f*{b, <n>}: what comes round is {b}: it does not leave, and f does not take it again\n"
            "  f takes {a, <n>}\n"
            "  it leaves at {b, <n>}\n"
            "  used up on the way: a, <n>");
}

TEST(a_label_that_is_used_up, is_refused_to_a_split) {
  EXPECT_EQ(refusal([] { f() >> split(h(), n); }),
            "f >> h!<n>: h!<n> needs <n>, which f takes and does not give back\n"
            "  f is {a, <n>} -> {b}\n"
            "  h!<n> takes {<n>}");
}

TEST(a_label_that_is_used_up, is_refused_to_the_body_of_a_feedback) {
  EXPECT_EQ(refusal([] { f() >> feedback(g(), pattern{b}); }),
            "f >> g\\{b}: g needs <n>, which f takes and does not give back\n"
            "  f is {a, <n>} -> {b}\n"
            "  g takes {b, <n>}");
}

TEST(a_label_that_is_used_up, is_refused_on_the_way_back_of_a_feedback) {
  EXPECT_EQ(refusal([] { feedback(f(), pattern{b}); }),
            "f\\{b}: what arrives at f is {b}, which it does not take\n"
            "  f takes {a, <n>}\n"
            "  used up on the way: a, <n>");
}

TEST(a_label_that_is_used_up, is_refused_through_groups_and_observers_and_order) {
  const network around = observe(ordered(f()).as("around"), [](const record&, std::string_view) {});
  EXPECT_EQ(refusal([&] { around >> g().as("inside"); }),
            "around >> inside: g needs <n>, which around takes and does not give back\n"
            "  around is {a, <n>} -> {b}\n"
            "  g takes {b, <n>}");
}

// ---- declared signatures ----

TEST(a_signature_that_is_declared, and_lacks_an_input_of_a_split_is_refused) {
  EXPECT_EQ(refusal([] { split(same(), k).as("all", takes(n), gives(n)); }),
            "the signature declared for all does not fit: it needs <k>, which is not declared as input\n"
            "  declared {<n>} -> {<n>}\n"
            "  inferred {<k>, <n>} -> {<k>, <n>}");
}

TEST(a_signature_that_is_declared, and_promises_more_than_a_star_gives_is_refused) {
  EXPECT_EQ(refusal([] { star(same(), pattern{n}.where(n == 1)).as("all", takes(n), gives(n, k)); }),
            "the signature declared for all does not fit: it may give {<n>}, which is none of the declared outputs\n"
            "  declared {<n>} -> {<k>, <n>}\n"
            "  inferred {<n>} -> {<n>}");
}

TEST(a_signature_that_is_declared, and_forgets_a_variant_of_a_choice_that_it_takes_is_refused) {
  const network both = typed("few", takes(a), gives(b)) | typed("many", takes(a, n), gives(c));
  EXPECT_EQ(refusal([&] { both.as("all", takes(a, n), gives(b)); }),
            "the signature declared for all does not fit: it may give {c}, which is none of the declared outputs\n"
            "  declared {a, <n>} -> {b}\n"
            "  inferred {a} -> {b}, {a, <n>} -> {c}");
}

TEST(a_signature_that_is_declared, and_that_no_branch_of_a_choice_takes_is_refused) {
  EXPECT_EQ(refusal([] { (f() | h()).as("all", takes(d), gives(b)); }),
            "the signature declared for all does not fit: it needs b, which is not declared as input\n"
            "  declared {d} -> {b}\n"
            "  inferred {a, <n>} -> {b}, {b} -> {c}");
}

// ---- patterns and guards ----

TEST(a_pattern_that_can_never_work, is_refused_where_it_stands_in_star_feedback_and_synchrocell) {
  const std::string outside = ": the guard k>1 names <k>, which is not in the pattern";
  EXPECT_EQ(refusal([] { star(same(), pattern{n}.where(k > 1)); }), "pattern {<n>} if <k>1>" + outside);
  EXPECT_EQ(refusal([] { feedback(same(), pattern{n, a}.where(k > 1)); }), "pattern {a, <n>} if <k>1>" + outside);
  EXPECT_EQ(refusal([] { sync(pattern{n}, pattern{}.where(k > 1)); }), "pattern {} if <k>1>" + outside);
  EXPECT_EQ(refusal([] { star(same(), pattern{n}.where(n % 2)); }),
            "pattern {<n>} if <n%2>: a guard that is no condition: n%2\n"
            "  expected a comparison, or what &&, || and ! make of comparisons");
}

// ---- synchrocells, stars, choices ----

TEST(a_synchrocell, of_fewer_than_two_patterns_is_refused) {
  EXPECT_EQ(refusal([] { sync(std::vector<pattern>{}); }), "sync: a synchrocell needs at least 2 patterns, got 0");
  EXPECT_EQ(refusal([] {
              sync(std::vector<pattern>{pattern{a, n}.where(n > 1)});
            }),
            "sync: a synchrocell needs at least 2 patterns, got 1: {a, <n>} if <n>1>");
}

TEST(a_synchrocell, of_more_patterns_than_it_can_have_is_refused) {
  EXPECT_EQ(refusal([] { sync(std::vector<pattern>(33, pattern{n})); }),
            "sync: a synchrocell has at most 32 patterns, got 33");
  EXPECT_NO_THROW(sync(std::vector<pattern>(32, pattern{n})));
}

TEST(a_star, that_nothing_ever_leaves_is_refused) {
  EXPECT_EQ(refusal([] { star(same(), pattern{k}); }),
            "same*{<k>}: nothing that goes into it ever leaves\n"
            "  its body is {<n>} -> {<n>}\n"
            "  it leaves at {<k>}");
}

TEST(a_star, is_not_refused_where_the_labels_of_its_exit_ride_along) {
  EXPECT_EQ(to_string(star(same(), pattern{n, k}.where(n == k)).signature()), "{<k>, <n>} -> {<k>, <n>}");
}

TEST(a_choice, without_branches_is_refused) {
  EXPECT_EQ(refusal([] { choice({}); }), "choice: it needs at least one branch, got none");
}

TEST(an_observer, that_is_empty_is_refused) {
  EXPECT_EQ(refusal([] { observe(f() >> h(), nullptr); }), "observe: the function to call is empty, around (f .. h)");
}

// ---- splits and placements on a tag that cannot be there ----

TEST(a_split_or_placement, on_a_tag_that_cannot_be_there_is_refused) {
  EXPECT_EQ(refusal([] { filter(takes(n)).emit() >> split(bypass(), n); }),
            "[{<n>} -> {}] >> []!<n>: []!<n> needs <n>, which [{<n>} -> {}] takes and does not give back\n"
            "  [{<n>} -> {}] is {<n>} -> {}\n"
            "  []!<n> takes {<n>}");
  EXPECT_EQ(refusal([] { f() >> at(h(), n); }),
            "f >> h!@<n>: h!@<n> needs <n>, which f takes and does not give back\n"
            "  f is {a, <n>} -> {b}\n"
            "  h!@<n> takes {<n>}");
}

TEST(a_split_or_placement, on_a_tag_that_an_initialiser_does_not_give_is_refused) {
  EXPECT_EQ(refusal([] { (one() | bypass()) >> split(same(), k); }),
            "(one | []) >> same!<k>: same!<k> needs <k>, and an initialiser's record inherits nothing\n"
            "  (one | []) gives {<n>}\n"
            "  same!<k> takes {<k>}");
}

// ---- initialisers ----

TEST(an_initialiser, is_refused_where_it_is_neither_a_head_nor_a_branch_of_a_choice) {
  const std::string legal =
      ": it fires once, at the start, and is legal only at the head of a network and as a branch of a choice; write "
      "source >> net, or (source | bypass()) >> net";
  const std::string right = "the right side of >>, where no record reaches it";
  EXPECT_EQ(refusal([] { same() >> one(); }), "the initialiser one stands in " + right + legal);
  EXPECT_EQ(refusal([] { (one() | bypass()) >> ordered(one()); }), "the initialiser one stands in " + right + legal);
  EXPECT_EQ(refusal([] { one() >> one(); }), "the initialiser one stands in " + right + legal);
  EXPECT_EQ(refusal([] { same() >> (one() >> same()); }),
            "an initialiser stands in " + right + ", in (one .. same)" + legal);
  EXPECT_EQ(refusal([] { star(one(), pattern{n}); }),
            "the initialiser one stands in a star" + legal + ", with the star in net");
  EXPECT_EQ(refusal([] { split(one(), n); }),
            "the initialiser one stands in a split" + legal + ", with the split in net");
  EXPECT_EQ(refusal([] { feedback(one().as("wrapped"), pattern{n}); }),
            "the initialiser one stands in a feedback" + legal + ", with the feedback in net");
  EXPECT_EQ(refusal([] { star(one() | bypass(), pattern{n}); }),
            "an initialiser stands in a star, in (one | [])" + legal + ", with the star in net");
  EXPECT_EQ(refusal([] { split(one() >> same(), n); }),
            "an initialiser stands in a split, in (one .. same)" + legal + ", with the split in net");
  EXPECT_EQ(refusal([] { feedback(ordered(one() | bypass()), pattern{k}); }),
            "an initialiser stands in a feedback, in (one || [])" + legal + ", with the feedback in net");
}

TEST(an_initialiser, is_refused_inside_a_star_split_or_feedback_behind_other_networks_too) {
  const network late = same() >> (one() | bypass());
  for (const auto& build :
       std::vector<std::function<void()>>{[&] { star(late, pattern{n}.where(n == 1)); }, [&] { split(late, n); },
                                          [&] { feedback(late.as("late"), pattern{n}.where(n > 1)); }}) {
    const std::string why = refusal(build);
    EXPECT_EQ(why.rfind("an initialiser stands in a ", 0), 0u) << why;
  }
}

TEST(an_initialiser, that_gives_what_the_next_does_not_take_is_refused) {
  EXPECT_EQ(refusal([] { (bypass() | one()) >> typed("next", takes(n, k), gives(c)); }),
            "([] | one) >> next: next needs <k>, and an initialiser's record inherits nothing\n"
            "  ([] | one) gives {<n>}\n"
            "  next takes {<k>, <n>}");
  const std::string behind = refusal([] { f() >> (one() | bypass()) >> h(); });
  EXPECT_NE(behind.find("h needs b, and an initialiser's record inherits nothing"), std::string::npos) << behind;
}

// ---- one name, two things ----

TEST(one_box_name, for_two_callables_is_refused_with_both_places) {
  const network other = typed("same", takes(n), gives(n, k));
  const std::string rest = "; boxes of one name share one model, so they must be the same box";
  EXPECT_EQ(refusal_to_start(same() | typed("same", takes(a), gives(b))),
            "two different boxes are named 'same', at :P1 and at :P2" + rest);
  EXPECT_EQ(refusal_to_start(star(same(), pattern{n}.where(n == 1)) >> split(f() | other, n)),
            "two different boxes are named 'same', at :S1 and at :S2:P2" + rest);
}

TEST(one_field_name, for_two_types_is_refused_with_both_types_and_places) {
  const network u = typed("u", takes(b_as_double), gives(c));
  EXPECT_EQ(refusal([&] { f() >> u; }), "f >> u: field 'b' has two types\n  f gives it as int\n  u takes it as double");
  EXPECT_EQ(refusal_to_start(f() | u), "field 'b' has two types in one network: int in box f, double in box u");
  EXPECT_EQ(refusal([] { f() >> sync({b_as_double}, {n}); }),
            "f >> [|{b}, {<n>}|]: field 'b' has two types\n  f gives it as int\n  [|{b}, {<n>}|] takes it as double");
}

TEST(one_field_name, for_two_types_in_a_star_or_feedback_is_refused_naming_its_body_and_pattern) {
  EXPECT_EQ(refusal([] { star(f(), pattern{b_as_double}); }),
            "f*{b}: field 'b' has two types\n  what goes round has it as int\n  it is taken as double");
  EXPECT_EQ(refusal([] { feedback(f(), pattern{b_as_double}); }),
            "f\\{b}: field 'b' has two types\n  what goes round has it as int\n  it is taken as double");
}

TEST(one_field_name, for_two_types_in_the_patterns_of_a_synchrocell_is_refused) {
  const std::string why = refusal([] { sync({a, b_as_double}, {a, b}); });
  EXPECT_EQ(why.rfind("[|{a, b}, {a, b}|]: field 'b' has two types", 0), 0u) << why;
}

// ---- too much ----

constexpr const char* many_names[] = {"t0", "t1", "t2", "t3", "t4", "t5", "t6", "t7", "t8", "t9", "t10", "t11"};

// Adds one of twelve tags: 2^12 variants after enough rounds or stages.
network adds_a_tag() {
  filter_network any = filter(takes(n));
  for (const char* name : many_names) any = any.emit(n, tag(name));
  return any;
}

TEST(more_than_1024_variants, are_refused_where_they_would_go_round) {
  const std::string rest =
      ": more than 1024 variants go round in it; close its body with .as(name, takes(..), gives(..))";
  const std::string in_star = refusal([] { star(adds_a_tag(), pattern{k}); });
  const std::string in_feedback = refusal([] { feedback(adds_a_tag(), pattern{n}.where(n == 1)); });
  EXPECT_NE(in_star.find(rest), std::string::npos) << in_star;
  EXPECT_NE(in_feedback.find(rest), std::string::npos) << in_feedback;
}

TEST(more_than_1024_variants, are_refused_where_a_chain_gives_them) {
  const std::string why = refusal([] {
    network all = adds_a_tag();
    for (int i = 0; i < 12; ++i) all = all >> adds_a_tag();
  });
  EXPECT_NE(why.find(": more than 1024 variants; close a part of it with .as(name, takes(..), gives(..))"),
            std::string::npos)
      << why;
}

TEST(more_than_1024_variants, of_inputs_are_refused_or_not_told_apart_in_a_chain_of_choices) {
  network all = bypass();
  const std::string why = refusal([&] {
    for (const char* name : many_names) all = all >> (filter(takes(tag(name))).emit(tag(name)) | bypass());
  });
  EXPECT_TRUE(all.signature().rules.size() <= 1024 || why.find("more than 1024") != std::string::npos)
      << all.signature().rules.size() << " input variants; " << why;
}

TEST(a_network_of_too_many_variants, is_taken_once_its_body_is_closed_by_a_declared_signature) {
  const network closed = adds_a_tag().as("body", takes(n), gives(n));
  EXPECT_NO_THROW(star(closed, pattern{n}.where(n == 1)));
  EXPECT_NO_THROW(feedback(closed, pattern{n}.where(n == 1)));
}

// ---- every message is a few lines ----

TEST(a_message, is_a_few_lines_however_large_the_network_is) {
  network large = f();
  for (int i = 0; i < 60; ++i) large = large | typed("branch" + std::to_string(i), takes(d), gives(b));
  network chain = large;
  for (int i = 0; i < 60; ++i) chain = chain >> typed("link" + std::to_string(i), takes(b), gives(b));
  const std::string why = refusal([&] { chain >> (g() | (split(h(), n) | star(h(), pattern{n}))); });
  EXPECT_NE(why.find("needs <n>"), std::string::npos) << why;
  EXPECT_LE(std::count(why.begin(), why.end(), '\n'), 6) << why;
  EXPECT_LE(why.size(), 900u) << why;
}

TEST(a_message, has_the_beginning_of_a_signature_of_many_variants) {
  std::vector<std::string> names;
  for (int i = 0; i < 300; ++i) names.push_back("name" + std::to_string(i));
  network large = f();
  for (const std::string& name : names) large = large | filter(takes(tag(name.c_str()))).emit(tag(name.c_str()));
  ASSERT_GT(to_string(large.signature()).size(), 6000u);

  const std::string declared = refusal([&] { large.as("large", takes(a), gives(d)); });
  EXPECT_NE(declared.find("bytes more"), std::string::npos) << declared;
  EXPECT_LE(declared.size(), 3000u) << declared;
  execution run = start(large);
  try {
    run.send(n = 1);
    ADD_FAILURE() << "it was taken";
  } catch (const send_error& error) {
    EXPECT_LE(std::string(error.what()).size(), 2000u) << error.what();
  }
}

}  // namespace
}  // namespace weir::refusals_test
