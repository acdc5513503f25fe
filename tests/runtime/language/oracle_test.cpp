#include "tests/runtime/language/oracle.hpp"

#include <gtest/gtest.h>

// The oracle is right about the worked cases of the specification. Otherwise it would be just a second opinion.
namespace weir::testing::language {
namespace {

plan_ptr made_of(plan::form what, std::vector<plan_ptr> parts, std::vector<plain_pattern> patterns = {},
                 const std::string& by = {}) {
  plan p;
  p.what = what;
  p.parts = std::move(parts);
  p.patterns = std::move(patterns);
  p.by = by;
  return std::make_shared<const plan>(std::move(p));
}
plan_ptr filter(label_set pattern, std::vector<plain_clause> clauses) {
  plan p;
  p.what = plan::filter;
  p.pattern = std::move(pattern);
  p.clauses = std::move(clauses);
  return std::make_shared<const plan>(std::move(p));
}
plan_ptr fold(fold_kind kind, std::vector<std::string> labels, std::int64_t salt = 0) {
  plan p;
  p.what = plan::fold;
  p.kept = {"fold", kind, std::move(labels), salt, 0};
  return std::make_shared<const plan>(std::move(p));
}
const plan_ptr total = fold(fold_kind::summing, {"<n>", "<n>"});
output_item computed(const std::string& label, term t) { return {label, output_item::computed, {}, std::move(t)}; }
term of(term::operation what, term x, term y) { return made(what, {std::move(x), std::move(y)}); }
const term n = value_of("<n>"), k = value_of("<k>");

std::vector<std::string> all_of(const plan_ptr& p, const std::vector<plain_record>& inputs) {
  oracle o(p);
  std::vector<std::string> out;
  for (const plain_record& r : inputs)
    for (const group& g : o.push(r))
      for (const plain_record& one : g) out.push_back(to_string(one));
  for (const group& g : o.finish())
    for (const plain_record& one : g) out.push_back(to_string(one));
  EXPECT_EQ(o.failed(), 0);
  return out;
}
using lines = std::vector<std::string>;

TEST(the_oracle, inherits_in_filters_what_the_pattern_does_not_name) {
  const plan_ptr net =
      filter({"A", "B", "<T>"},
             {{{},
               {{{"A"}, {"<T>"}},
                {{"A", output_item::renamed, "B", {}}, computed("<T>", of(term::plus, value_of("<T>"), constant(1)))},
                {{"<U>"}}}}});
  EXPECT_EQ(all_of(net, {{{"A", 1}, {"B", 2}, {"C", 4}, {"<T>", 3}, {"<V>", 5}}}),
            (lines{"{A=1, C=4, <T>=3, <V>=5}", "{A=2, C=4, <T>=4, <V>=5}", "{C=4, <U>=0, <V>=5}"}));
}

TEST(the_oracle, merges_in_a_synchrocell_the_first_record_and_what_the_others_patterns_name) {
  const plan_ptr net = made_of(plan::sync, {}, {{{"a"}, {}}, {{"b", "<t>"}, {}}});
  EXPECT_EQ(all_of(net, {{{"a", 1}, {"x", 10}},
                         {{"a", 2}, {"x", 20}},
                         {{"b", 3}, {"x", 99}, {"y", 30}, {"<t>", 4}},
                         {{"b", 5}, {"<t>", 6}},
                         {{"a", 7}}}),
            (lines{"{a=2, x=20}", "{a=1, b=3, x=10, <t>=4}", "{b=5, <t>=6}", "{a=7}"}));
}

TEST(the_oracle, pairs_by_a_star_of_synchrocells_for_each_value_of_a_split) {
  const plan_ptr pairs = made_of(plan::star, {made_of(plan::sync, {}, {{{"a"}, {}}, {{"b"}, {}}})}, {{{"a", "b"}, {}}});
  EXPECT_EQ(all_of(pairs, {{{"a", 1}}, {{"a", 2}}, {{"b", 1}}, {{"a", 3}}, {{"b", 2}}}),
            (lines{"{a=1, b=1}", "{a=2, b=2}"}));
  EXPECT_EQ(all_of(made_of(plan::split, {pairs}, {}, "<k>"), {{{"a", 1}, {"<k>", 0}},
                                                              {{"b", 2}, {"<k>", 1}},
                                                              {{"a", 3}, {"<k>", 1}},
                                                              {{"b", 4}, {"<k>", 0}},
                                                              {{"b", 5}, {"<k>", 0}},
                                                              {{"a", 6}, {"<k>", 0}}}),
            (lines{"{a=3, b=2, <k>=1}", "{a=1, b=4, <k>=0}", "{a=6, b=5, <k>=0}"}));
}

TEST(the_oracle, leaves_a_star_where_the_guard_holds_and_before_the_first_stage_too) {
  const plan_ptr step =
      filter({"<n>", "<k>"},
             {{of(term::equal, of(term::rest, n, constant(2)), constant(0)),
               {{computed("<n>", of(term::over, n, constant(2))), computed("<k>", of(term::plus, k, constant(1)))}}},
              {{},
               {{computed("<n>", of(term::plus, of(term::times, constant(3), n), constant(1))),
                 computed("<k>", of(term::plus, k, constant(1)))}}}});
  const plan_ptr net =
      made_of(plan::serial, {filter({"<n>"}, {{{}, {{{"<n>"}, {"<k>"}}}}}),
                             made_of(plan::star, {step}, {{{"<n>"}, of(term::equal, n, constant(1))}})});
  EXPECT_EQ(all_of(net, {{{"<n>", 6}}, {{"<n>", 1}}, {{"<n>", 7}}, {{"<n>", 2}}}),
            (lines{"{<k>=8, <n>=1}", "{<k>=0, <n>=1}", "{<k>=16, <n>=1}", "{<k>=1, <n>=1}"}));
}

TEST(the_oracle, goes_round_in_a_feedback_as_often_as_the_pattern_matches) {
  const plan_ptr s = filter(
      {"<n>"},
      {{of(term::at_most, n, constant(1)), {{computed("<one>", n)}}},
       {{}, {{computed("<n>", of(term::minus, n, constant(1)))}, {computed("<n>", of(term::minus, n, constant(2)))}}}});
  EXPECT_EQ(all_of(made_of(plan::feedback, {s}, {{{"<n>"}, {}}}), {{{"<n>", 4}}}),
            (lines{"{<one>=1}", "{<one>=0}", "{<one>=1}", "{<one>=1}", "{<one>=0}"}));
}

TEST(the_oracle, sends_a_record_to_the_branch_of_most_labels_and_of_equals_to_the_left) {
  const auto branch = [](label_set takes, std::int64_t number) {
    return filter(takes, {{{}, {{computed("<by>", constant(number))}}}});
  };
  plan p;
  p.what = plan::choice;
  p.parts = {branch({"a"}, 0), branch({"a", "<#k>"}, 1), branch({"b"}, 2), branch({"b", "<n>"}, 3)};
  p.inputs = {{{{"a"}}}, {{{"a", "<#k>"}}}, {{{"b"}}}, {{{"b", "<n>"}}}};
  const plan_ptr net = std::make_shared<const plan>(std::move(p));
  EXPECT_EQ(all_of(net, {{{"a", 1}}, {{"a", 2}, {"<#k>", 7}}, {{"a", 3}, {"b", 3}}, {{"a", 4}, {"b", 4}, {"<n>", 4}}}),
            (lines{"{<by>=0}", "{<by>=1}", "{b=3, <by>=0}", "{a=4, <by>=3}"}));
  oracle o(net);
  EXPECT_TRUE(o.push({{"c", 1}}).empty());
  EXPECT_TRUE(o.push({{"a", 1}, {"<#x>", 1}}).empty());
  EXPECT_EQ(o.failed(), 2);
}

TEST(the_oracle, finishes_folds_without_input_only_outside_of_splits_and_stars) {
  EXPECT_EQ(all_of(total, {}), lines{"{<n>=0}"});
  EXPECT_EQ(all_of(total, {{{"<n>", 1}, {"a", 7}}, {{"<n>", 2}}}), lines{"{<n>=3}"});
  EXPECT_EQ(all_of(made_of(plan::split, {total}, {}, "<k>"), {}), lines{});
  EXPECT_EQ(all_of(made_of(plan::star, {total}, {{{"<n>"}, of(term::greater, n, constant(9))}}), {}), lines{});
  EXPECT_EQ(all_of(made_of(plan::feedback, {total}, {{{"<n>"}, of(term::less, n, constant(0))}}), {}),
            lines{"{<n>=0}"});
}

TEST(the_oracle, finishes_what_is_behind_a_fold_after_it) {
  const plan_ptr twice = filter({"<n>"}, {{{}, {{computed("<n>", of(term::times, n, constant(2)))}}}});
  const plan_ptr each = fold(fold_kind::gathering, {"<n>", "<n>"});
  EXPECT_EQ(all_of(made_of(plan::serial, {total, twice, total, twice, each}), {{{"<n>", 2}}, {{"<n>", 1}}}),
            lines{"{<n>=12}"});
  EXPECT_EQ(all_of(made_of(plan::serial, {each, total}), {{{"<n>", 2}}, {{"<n>", 1}}}), lines{"{<n>=3}"});
}

TEST(the_oracle, finishes_the_branches_of_a_split_in_the_order_in_which_they_were_made) {
  const plan_ptr all = made_of(plan::split, {fold(fold_kind::summing, {"<n>", "<k>", "<n>", "<k>"})}, {}, "<k>");
  EXPECT_EQ(all_of(all, {{{"<n>", 1}, {"<k>", 2}}, {{"<n>", 2}, {"<k>", 0}}, {{"<n>", 3}, {"<k>", 2}}}),
            (lines{"{<k>=2, <n>=4}", "{<k>=0, <n>=2}"}));
}

// Each stage gives a result for each record and, at its end, for all of them; the next stage takes these.
TEST(the_oracle, finishes_the_stages_of_a_star_one_after_the_other) {
  const plan_ptr down = filter({"<k>"}, {{{}, {{computed("<k>", of(term::minus, k, constant(1)))}}}});
  const plan_ptr all =
      made_of(plan::star, {made_of(plan::serial, {fold(fold_kind::telling, {"<n>", "<k>", "<n>", "<k>"}), down})},
              {{{"<k>"}, of(term::at_most, k, constant(0))}});
  const std::int64_t first = mixed(1, 0), second = mixed(first, 0), last = mixed(second + first, 0);
  ASSERT_NE(second, last);
  const auto line = [](std::int64_t v) { return "{<k>=0, <n>=" + std::to_string(v) + "}"; };
  EXPECT_EQ(all_of(all, {{{"<n>", 1}, {"<k>", 2}}}), (lines{line(second), line(last), line(last)}));
}

TEST(the_oracle, begins_folds_anew_in_a_feedback) {
  const plan_ptr half = filter({"<n>"}, {{{}, {{computed("<n>", of(term::over, n, constant(2)))}}}});
  const plan_ptr all =
      made_of(plan::feedback, {made_of(plan::serial, {total, half})}, {{{"<n>"}, of(term::greater, n, constant(3))}});
  EXPECT_EQ(all_of(all, {{{"<n>", 30}}, {{"<n>", 34}}}), lines{"{<n>=2}"});  // 32, 16, 8, 4, 2
  oracle o(all);
  o.push({{"<n>", 64}});
  o.finish();
  EXPECT_EQ(o.finished(), 5);
  EXPECT_EQ(o.anew(), 4);
}

TEST(the_oracle, ends_branches_with_the_record_that_matches) {
  const plan_ptr cell = made_of(plan::sync, {}, {{{"a"}, {}}, {{"b"}, {}}});
  const plan_ptr sums = made_of(plan::choice, {total, cell});
  plan with_inputs = *sums;
  with_inputs.inputs = {{{{"<n>"}}}, {{{"a"}}, {{"b"}}}};
  const plan_ptr body = std::make_shared<const plan>(std::move(with_inputs));
  const plan_ptr all = made_of(plan::split, {body}, {{{"<last>"}, {}}}, "<k>");
  oracle o(all);
  const auto after = [&](const plain_record& r) {
    lines out;
    for (const group& g : o.push(r))
      for (const plain_record& one : g) out.push_back(to_string(one));
    return out;
  };
  EXPECT_EQ(after({{"<n>", 1}, {"<k>", 0}}), lines{});
  EXPECT_EQ(after({{"<n>", 5}, {"<k>", 1}}), lines{});
  EXPECT_EQ(after({{"a", 5}, {"<k>", 0}}), lines{});
  EXPECT_EQ(after({{"<n>", 2}, {"<k>", 0}, {"<last>", 1}}), lines{"{<n>=3}"});
  EXPECT_EQ(after({{"<n>", 4}, {"<k>", 0}, {"<last>", 1}}), lines{"{<n>=4}"});
  EXPECT_EQ(after({{"b", 5}, {"<k>", 0}}), lines{});  // its partner is gone with the first branch
  EXPECT_EQ(o.held(), 2);
  EXPECT_EQ(o.ended(), 2);
  const std::vector<group> rest = o.finish();
  ASSERT_EQ(rest.size(), 1u);
  EXPECT_EQ(to_string(rest[0][0]), "{<n>=5}");
}

TEST(the_oracle, keeps_the_state_of_a_fold_that_throws) {
  oracle o(fold(fold_kind::picky, {"<n>", "<n>"}));
  for (std::int64_t i = 0; i < 10; ++i) o.push({{"<n>", i}});
  EXPECT_EQ(o.failed(), 2);
  EXPECT_EQ(to_string(o.finish().at(0).at(0)), "{<n>=45}");
  EXPECT_TRUE(o.finish().empty());
}

}  // namespace
}  // namespace weir::testing::language
