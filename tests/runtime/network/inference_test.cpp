#include <string>

#include "tests/runtime/language/labels.hpp"

#include <gtest/gtest.h>

// The types of networks, combinator by combinator: the demands on the input, and the possible outputs.
namespace weir::inference_test {
namespace {

using namespace testing;

std::string text(const network& net) { return to_string(net.signature()); }

// ---- boxes and chains ----

TEST(a_signature, of_a_box_is_what_it_takes_and_gives) {
  EXPECT_EQ(text(typed("f", takes(n, a, bk), gives(b))), "{a, <n>, <#k>} -> {b}");
  EXPECT_EQ(text(typed("f", takes(a), gives(c) | gives(c, d, e))), "{a} -> {c} | {c, d, <e>}");
  EXPECT_EQ(text(typed("f", takes(), gives())), "{} -> {}");
  EXPECT_EQ(text(typed("f", takes(a), gives_none)), "{a} -> nothing");
}

TEST(a_signature, of_a_chain_is_what_its_first_takes_and_its_last_gives) {
  EXPECT_EQ(text(typed("f", takes(a), gives(b)) >> typed("g", takes(b), gives(c))), "{a} -> {c}");
}

TEST(a_signature, carries_on_what_the_left_gives_and_the_right_does_not_take) {
  EXPECT_EQ(text(typed("f", takes(a), gives(b, n, s)) >> typed("g", takes(b), gives(c))), "{a} -> {c, s, <n>}");
}

TEST(a_signature, lets_the_produced_label_win_over_the_carried_one) {
  EXPECT_EQ(text(typed("f", takes(a), gives(b, n)) >> typed("g", takes(b), gives(c, n))), "{a} -> {c, <n>}");
}

TEST(a_signature, demands_of_the_input_what_the_right_needs_and_the_left_does_not_name) {
  const network net = typed("f", takes(a), gives(b)) >> typed("g", takes(b, s, n), gives(c));
  EXPECT_EQ(text(net), "{a, s, <n>} -> {c}");
}

TEST(a_signature, demands_of_the_input_also_through_several_boxes) {
  const network net =
      typed("f", takes(a), gives(a)) >> typed("g", takes(a), gives(a)) >> typed("h", takes(a, n), gives(a));
  EXPECT_EQ(text(net), "{a, <n>} -> {a}");
}

TEST(a_signature, multiplies_the_variants_of_both_sides) {
  const network net = typed("f", takes(a), gives(b) | gives(b, n)) >> typed("g", takes(b), gives(c) | gives(d));
  EXPECT_EQ(text(net), "{a} -> {c} | {d} | {c, <n>} | {d, <n>}");
}

TEST(a_signature, names_equal_variants_once) {
  const network net = typed("f", takes(a), gives(b) | gives(b, n)) >> typed("g", takes(b), gives(c, n));
  EXPECT_EQ(text(net), "{a} -> {c, <n>}");
}

TEST(a_signature, demands_a_label_that_only_one_variant_of_the_left_lacks) {
  const network net = typed("f", takes(a), gives(b) | gives(b, s)) >> typed("g", takes(b, s), gives(c));
  EXPECT_EQ(text(net), "{a, s} -> {c}");
}

TEST(a_signature, passes_a_binding_tag_from_who_gives_it_to_who_takes_it) {
  EXPECT_EQ(text(typed("f", takes(a), gives(b, bk)) >> typed("g", takes(b, bk), gives(c))), "{a} -> {c}");
}

TEST(a_signature, is_the_same_however_a_chain_is_bracketed) {
  const network f = typed("f", takes(a), gives(b, n)), g = typed("g", takes(b, s), gives(c)),
                h = typed("h", takes(c, n, t), gives(d));
  EXPECT_EQ(text((f >> g) >> h), text(f >> (g >> h)));
  EXPECT_EQ(text((f >> g) >> h), "{a, s, <t>} -> {d}");
}

// ---- filters and identity ----

TEST(a_type, of_a_filter_is_its_pattern_and_what_its_clauses_give) {
  EXPECT_EQ(text(filter(takes(a, n)).emit(b = a, n = n + 1).emit(k)), "{a, <n>} -> {b, <n>} | {<k>}");
  EXPECT_EQ(text(filter(takes(n)).when(n > 0).emit(n).otherwise()), "{<n>} -> {<n>}");
  EXPECT_EQ(text(filter(takes(n))), "{<n>} -> nothing");
  EXPECT_EQ(text(filter(takes()).emit(n = 1)), "{} -> {<n>}");
}

TEST(a_type, of_the_identity_is_open) {
  EXPECT_EQ(text(bypass()), "{} -> {}");
  EXPECT_EQ(text(bypass() >> typed("f", takes(a, bk), gives(b))), "{a, <#k>} -> {b}");
  EXPECT_EQ(text(bypass() | typed("f", takes(a, bk), gives(b))), "{} -> {}, {a, <#k>} -> {b}");
}

// ---- choice ----

TEST(a_type, of_a_choice_is_those_of_its_branches) {
  EXPECT_EQ(text(typed("f", takes(a), gives(b)) | typed("g", takes(c), gives(d))), "{a} -> {b}, {c} -> {d}");
}

TEST(a_type, of_a_choice_names_an_input_that_two_branches_take_once_and_as_the_left_one_does) {
  EXPECT_EQ(text(typed("f", takes(a), gives(b)) | typed("g", takes(a), gives(d))), "{a} -> {b}");
}

TEST(a_type, behind_a_choice_demands_of_each_input_only_what_its_branch_does_not_give) {
  const network choice = typed("f", takes(a), gives(b)) | typed("g", takes(c), gives(b, n));
  EXPECT_EQ(text(choice >> typed("h", takes(b, n), gives(d))), "{a, <n>} -> {d}, {c} -> {d}");
}

TEST(a_type, of_what_leads_to_a_choice_tells_the_branches_apart) {
  const network f = typed("f", takes(a), gives(b));
  const network choice = typed("g", takes(b), gives(c)) | typed("h", takes(b, n), gives(d));
  EXPECT_EQ(text(f >> choice), "{a} -> {c}, {a, <n>} -> {d}");
}

TEST(a_type, of_a_choice_with_a_source_has_what_comes_at_the_start) {
  const network opens = source("opens", gives(b), [] { return 1; });
  EXPECT_EQ(text((opens | bypass()) >> typed("g", takes(b), gives(c))).substr(0, 15), "at start -> {c}");
}

// ---- star ----

TEST(a_type, of_a_star_has_its_exits_and_what_its_body_takes) {
  const network down = filter(takes(n)).when(n > 0).emit(n = n - 1).otherwise().emit(k);
  EXPECT_EQ(text(star(down, pattern{k})), "{<k>} -> {<k>}, {<n>} -> {<k>}");
}

TEST(a_type, of_a_star_is_the_least_one_that_holds_for_any_number_of_stages) {
  const network body =
      typed("f", takes(a), gives(b)) | typed("g", takes(b), gives(c, n)) | typed("h", takes(c), gives(d));
  EXPECT_EQ(text(star(body, pattern{d})), "{d} -> {d}, {a} -> {d, <n>}, {b} -> {d, <n>}, {c} -> {d}");
}

TEST(a_type, of_a_star_demands_the_labels_of_an_exit_that_nothing_in_it_gives) {
  const network count = filter(takes(n)).emit(n = n + 1);
  EXPECT_EQ(text(star(count, pattern{n, k}.where(n == k))), "{<k>, <n>} -> {<k>, <n>}");
  EXPECT_EQ(text(typed("f", takes(a), gives(n)) >> star(count, pattern{n, k}.where(n == k))), "{a, <k>} -> {<k>, <n>}");
}

TEST(a_type, of_a_star_of_synchrocells_has_each_pattern_and_their_union) {
  EXPECT_EQ(text(star(sync({a}, {b}), pattern{a, b})), "{a, b} -> {a, b}, {a} -> {a, b}, {b} -> {a, b}");
}

TEST(a_type, of_a_state_chain_has_what_leaves_whoever_brings_it) {
  const network step = typed("step", takes(s, n), gives(s, k));
  const network chain = star(sync({s}, {n}) >> (step | bypass()), pattern{s, k}.where(k == 0));
  const std::string is = text(chain);
  EXPECT_NE(is.find("{s} -> "), std::string::npos) << is;
  EXPECT_NE(is.find("{<n>} -> "), std::string::npos) << is;
}

// ---- split, feedback, synchrocell, placement ----

TEST(a_type, of_a_split_has_the_tag_on_both_sides) {
  EXPECT_EQ(text(split(typed("f", takes(a), gives(b)), n)), "{a, <n>} -> {b, <n>}");
  EXPECT_EQ(text(split(typed("f", takes(a, n), gives(b)), n)), "{a, <n>} -> {b}");
}

TEST(a_type, of_a_feedback_is_what_its_body_takes_and_what_does_not_go_back) {
  const network body = filter(takes(n)).when(n > 0).emit(n = n - 1).otherwise().emit(k);
  EXPECT_EQ(text(feedback(body, pattern{n})), "{<n>} -> {<k>}");
  EXPECT_EQ(text(feedback(body, pattern{n}.where(n > 3))), "{<n>} -> {<n>} | {<k>}");
}

TEST(a_type, of_a_synchrocell_is_each_pattern_or_all_of_them_together_or_what_passes) {
  EXPECT_EQ(text(sync({a}, {b, n})), "{a} -> {a} | {a, b, <n>}, {b, <n>} -> {b, <n>} | {a, b, <n>}, {} -> {}");
}

TEST(a_type, of_what_begins_with_a_synchrocell_demands_what_it_does_behind_a_bypass) {
  const network next = typed("next", takes(c), gives(d));
  EXPECT_EQ(text(sync({a}, {b}) >> next), "{a, c} -> {a, d} | {a, b, d}, {b} -> {a, b, d}, {c} -> {d}");
  EXPECT_EQ(text(bypass() >> next), "{c} -> {d}");
  EXPECT_EQ(text(split(sync({a}, {b}), n)),
            "{a, <n>} -> {a, <n>} | {a, b, <n>}, {a, b, <n>} -> {a, b, <n>} | {a, b}, {b, <n>} -> {b, <n>} | {a, b}, "
            "{<n>} -> {<n>}");
}

TEST(a_type, behind_a_synchrocell_takes_it_that_another_record_brings_what_lacks) {
  // The first slot's record may have <k>; the second cannot forbid it.
  EXPECT_NO_THROW(sync({a}, {b}) >> (typed("g", takes(a, b, k), gives(c)) | bypass()));
}

// A group is the chain that it groups, whatever its parts need of the labels that ride along.
TEST(a_type, behind_a_synchrocell_is_that_of_the_chain_without_parentheses) {
  const network f = typed("f", takes(c), gives(c)), g = typed("g", takes(d), gives(d)),
                h = typed("h", takes(n), gives(n));
  const network cell = sync({a}, {b});
  EXPECT_EQ(text(cell >> (f >> g)), text(cell >> f >> g));
  EXPECT_EQ(text(cell >> (f >> (g >> h))), text(cell >> f >> g >> h));
  EXPECT_EQ(text(cell >> (bypass() >> (f >> (g | h)))), text(cell >> bypass() >> f >> (g | h)));
  EXPECT_NO_THROW(cell >> split(f, k));
  EXPECT_NO_THROW(cell >> bypass() >> split(split(f >> h, t), k));
  EXPECT_NO_THROW(star(cell >> (f >> g), pattern{a, b, x}));
}

// Each of the choices takes other labels; a binding tag does not ride along.
TEST(a_type, behind_a_synchrocell_is_refused_only_where_it_lacks_a_binding_tag) {
  network group = filter(takes(c)).emit(x) | filter(takes(d)).emit(y);
  for (int i = 0; i < 12; ++i) group = group >> (filter(takes(x)).emit(y) | filter(takes(y)).emit(x));
  EXPECT_NO_THROW(sync({a}, {b}) >> group);
  const network bound = bypass() >> (filter(takes(c, bk)).emit(x) | filter(takes(d, bk)).emit(y));
  EXPECT_THROW(sync({a}, {b}) >> bound, type_error);
}

TEST(a_type, of_a_placement_is_that_of_the_network_and_the_tag) {
  const network f = typed("f", takes(a), gives(b));
  EXPECT_EQ(text(at(f, 3)), "{a} -> {b}");
  EXPECT_EQ(text(at(f, n)), "{a, <n>} -> {b, <n>}");
}

TEST(a_type, is_not_changed_by_order_observation_or_a_name) {
  const network choice = typed("f", takes(a), gives(b)) | typed("g", takes(c), gives(d));
  for (const network& same :
       {ordered(choice), observe(choice, [](const record&, std::string_view) {}), choice.as("both")})
    EXPECT_EQ(text(same), text(choice));
}

// ---- a declared signature is the authority ----

TEST(a_type, that_is_declared_is_what_others_see_of_every_combinator) {
  const network down = filter(takes(n)).when(n > 0).emit(n = n - 1).otherwise().emit(k);
  EXPECT_EQ(text(star(down, pattern{k}).as("count", takes(n), gives(k))), "{<n>} -> {<k>}");
  EXPECT_EQ(text(feedback(down, pattern{n}).as("count", takes(n, s), gives(k, s))), "{s, <n>} -> {s, <k>}");
  EXPECT_EQ(text((down | bypass()).as("one", takes(n), gives(n) | gives(k))), "{<n>} -> {<n>} | {<k>}");
  EXPECT_THROW(star(down, pattern{k}).as("count", takes(n), gives(n)), type_error);
}

TEST(a_type, that_is_declared_counts_in_a_choice_as_it_is_declared) {
  const network inner = filter(takes(n)).emit(n);
  const network wide = inner.as("wide", takes(n, k), gives(n));
  EXPECT_EQ(text(inner | wide), "{<n>} -> {<n>}, {<k>, <n>} -> {<n>}");
}

// ---- how a record with more labels is routed ----

network moved(const field<int>& from, const field<int>& to) { return filter(takes(from)).emit(to = from); }

// A record with <x> goes to the second branch of `two`, so its rule for the first branch is not demanded.
TEST(a_type, has_no_rule_for_what_a_better_match_takes) {
  const network two = moved(a, b) | filter(takes(a, x)).emit(a);
  const network back = filter(takes(b)).emit(a = b, n) | filter(takes(b, x)).emit(b) | filter(takes(a)).emit(a, n);
  EXPECT_EQ(text(two >> back), "{a} -> {a, <n>}, {a, <x>} -> {a, <n>}");
  EXPECT_EQ(text(star(two >> back, pattern{a, n})), "{a, <n>} -> {a, <n>}, {a} -> {a, <n>}, {a, <x>} -> {a, <n>}");
  EXPECT_EQ(text(feedback(two >> back, pattern{b})), "{a} -> {a, <n>}, {a, <x>} -> {a, <n>}");
  EXPECT_EQ(text((two >> back) >> moved(a, c)), text(two >> (back >> moved(a, c))));
}

TEST(a_type, that_is_declared_may_be_that_of_the_better_match_alone) {
  const network either = moved(a, b) | filter(takes(a, x)).emit(c = a);
  EXPECT_EQ(text(either.as("with_x", takes(a, x), gives(c))), "{a, <x>} -> {c}");
  EXPECT_THROW(either.as("without", takes(a), gives(c)), type_error);
}

TEST(a_type, of_a_placement_by_tag_is_that_of_the_branch_which_names_the_tag) {
  const network either = moved(a, b) | filter(takes(a, t)).emit(c = a, t);
  EXPECT_EQ(text(at(either, t)), "{a, <t>} -> {c, <t>}");
  EXPECT_EQ(text(at(either, t)), text(split(either, t)));
}

TEST(a_type, stays_open_where_the_identity_is_and_only_there) {
  const network number = filter(takes()).emit(n = 1);
  const network bound = filter(takes(bk)).emit(k);
  EXPECT_EQ(text(number | bypass()), "{} -> {<n>}, {} -> {}") << "a record with a binding tag goes to the right";
  EXPECT_EQ(text(bypass() | number), "{} -> {}");
  // If only a binding tag distinguishes two branches, a network in front of them changes nothing.
  EXPECT_EQ(text(bypass() >> (moved(a, b) | bypass()) | bound), text(bypass() | moved(a, b) | bound));
}

TEST(a_type, of_a_star_takes_nothing_that_would_go_round_for_ever) {
  EXPECT_EQ(text(star(bypass() | moved(a, b), pattern{b})), "{b} -> {b}, {a} -> {b}");
  const network around = moved(a, b) | moved(b, a);
  EXPECT_EQ(text(star(around, pattern{a, x})), "{a, <x>} -> {a, <x>}, {b, <x>} -> {a, <x>}");
  const network ends = typed("ends", takes(c), gives_none);
  EXPECT_EQ(text(star(ends | moved(a, b), pattern{b})), "{b} -> {b}, {c} -> nothing, {a} -> {b}");
}

TEST(a_type, of_a_star_remembers_what_was_used_up_on_each_way_to_the_same_labels) {
  const network first = typed("first", takes(c), gives(d) | gives(a, x));
  const network on = filter(takes(a)).emit(d = a) | filter(takes(a, x)).emit(d = a);
  const network loop = star(first | on, pattern{d});
  EXPECT_NE(refusal([&] { loop >> typed("needs_x", takes(d, x), gives(e)); }).find("needs <x>"), std::string::npos);
}

// ---- nested ----

TEST(a_type, of_combinators_in_combinators_follows_from_those_inside) {
  const network pairs = star(sync({a}, {b}), pattern{a, b});
  EXPECT_EQ(text(ordered(split(pairs, k)) >> typed("add", takes(a, b), gives(c))),
            "{a, b, <k>} -> {c, <k>}, {a, <k>} -> {c, <k>}, {b, <k>} -> {c}")
      << "what else is in the record that {b} is put into is not known";
}

}  // namespace
}  // namespace weir::inference_test
