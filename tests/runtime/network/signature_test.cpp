#include <weir/network/signature.hpp>

#include <sstream>
#include <stdexcept>
#include <tuple>

#include "tests/runtime/language/labels.hpp"
#include "tests/support/gives_all_back.hpp"
#include "tests/support/sanitizers.hpp"

namespace weir {
namespace {

using namespace testing;

options quick() {
  options o;
  o.machine = machine::synthetic("core:2 pu:1");
  return o;
}

std::string text(const network& net) { return to_string(net.signature()); }

TEST(a_signature, prints_itself_as_to_string_does) {
  const network net = typed("f", takes(n), gives(a) | gives(b, n)) | typed("g", takes(c), gives_none);
  std::ostringstream printed;
  printed << net.signature();
  EXPECT_EQ(printed.str(), "{<n>} -> {a} | {b, <n>}, {c} -> nothing");
  EXPECT_EQ(printed.str(), to_string(net.signature()));
}

// ---- compositions that can never work ----

TEST(a_composition, refuses_a_label_that_the_left_consumes_and_does_not_give_back) {
  EXPECT_EQ(refusal([] { typed("generate", takes(n), gives(a)) >> typed("scale", takes(a, n), gives(a)); }),
            "generate >> scale: scale needs <n>, which generate takes and does not give back\n"
            "  generate is {<n>} -> {a}\n"
            "  scale takes {a, <n>}");
}

TEST(a_composition, refuses_a_label_that_one_variant_of_the_left_does_not_give_back) {
  const std::string why =
      refusal([] { typed("f", takes(a, n), gives(b, n) | gives(b)) >> typed("g", takes(b, n), gives(c)); });
  EXPECT_NE(why.find("f >> g: g needs <n>, which f takes and does not give back"), std::string::npos) << why;
}

TEST(a_composition, refuses_a_label_consumed_further_up) {
  const std::string why = refusal(
      [] { typed("f", takes(a, n), gives(b)) >> typed("g", takes(b), gives(c)) >> typed("h", takes(c, n), gives(d)); });
  EXPECT_NE(why.find("h needs <n>"), std::string::npos) << why;
}

// The left side names b inside, makes it and consumes it: h cannot have it, however the chain is bracketed.
TEST(a_composition, refuses_a_label_that_the_left_makes_and_consumes_within_itself) {
  const network f = typed("f", takes(a), gives(b)), g = typed("g", takes(b), gives(c)),
                h = typed("h", takes(b), gives(d));
  const std::string right = refusal([&] { f >> (g >> h); }), left = refusal([&] { (f >> g) >> h; });
  EXPECT_NE(right.find("h needs b"), std::string::npos) << right;
  EXPECT_NE(left.find("h needs b"), std::string::npos) << left;
}

TEST(a_composition, refuses_one_field_of_two_types) {
  static constexpr field<double> b_as_double{"b"};
  EXPECT_EQ(refusal([] { typed("f", takes(a), gives(b)) >> typed("g", takes(b_as_double), gives(c)); }),
            "f >> g: field 'b' has two types\n  f gives it as int\n  g takes it as double");
}

TEST(a_composition, refuses_two_types_of_an_inherited_field) {
  static constexpr field<double> s_as_double{"s"};
  const std::string why =
      refusal([] { typed("f", takes(a, s), gives(a, s)) >> typed("g", takes(a, s_as_double), gives(c)); });
  EXPECT_NE(why.find("field 's' has two types"), std::string::npos) << why;
}

TEST(a_composition, refuses_two_demands_of_one_field_as_two_types) {
  static constexpr field<double> s_as_double{"s"};
  const std::string why = refusal([] {
    typed("f", takes(a), gives(b, c)) >> typed("g", takes(b, s), gives(b, s)) >>
        typed("h", takes(b, s_as_double), gives(d));
  });
  EXPECT_NE(why.find("field 's' has two types"), std::string::npos) << why;
}

TEST(a_composition, refuses_a_binding_tag_that_nobody_gives) {
  EXPECT_EQ(refusal([] { typed("f", takes(a), gives(b)) >> typed("g", takes(b, bk), gives(c)); }),
            "f >> g: g needs the binding tag <#k>, which is never inherited\n  f gives {b}\n  g takes {b, <#k>}");
}

TEST(a_composition, refuses_a_binding_tag_that_the_right_does_not_take) {
  EXPECT_EQ(refusal([] { typed("f", takes(a), gives(b, bk)) >> typed("g", takes(b), gives(c)); }),
            "f >> g: f gives the binding tag <#k>, which g does not take\n  f gives {b, <#k>}\n  g takes {b}");
}

TEST(a_composition, refuses_to_go_on_behind_a_sink) {
  EXPECT_EQ(refusal([] { typed("f", takes(a), gives_none) >> typed("g", takes(b), gives(c)); }),
            "f >> g: f is a sink, nothing comes out of it\n  f is {a} -> nothing");
}

TEST(a_composition, names_the_boxes_that_meet_in_the_middle_of_two_chains) {
  const std::string why = refusal([] {
    (typed("f", takes(a, n), gives(b, n)) >> typed("g", takes(b, n), gives(c))) >>
        (typed("h", takes(c, n), gives(d)) >> typed("i", takes(d), gives(a)));
  });
  EXPECT_NE(why.find("g >> h: h needs <n>"), std::string::npos) << why;
}

// ---- declared signatures ----

TEST(a_declared_signature, is_the_authority) {
  const network net = typed("f", takes(a), gives(b, c)).as("group", takes(a, n), gives(b, n));
  EXPECT_EQ(text(net), "{a, <n>} -> {b, <n>}");
}

TEST(a_declared_signature, may_promise_what_it_takes_in_and_hands_through) {
  EXPECT_EQ(text(typed("f", takes(a), gives(b)).as("group", takes(a, s), gives(b, s))), "{a, s} -> {b, s}");
}

TEST(a_declared_signature, may_have_several_variants) {
  const network net = typed("f", takes(a), gives(b) | gives(b, n)).as("group", takes(a), gives(b) | gives(b, n));
  EXPECT_EQ(text(net), "{a} -> {b} | {b, <n>}");
}

TEST(a_declared_signature, that_lacks_an_input_is_refused) {
  EXPECT_EQ(refusal([] { typed("f", takes(a, n), gives(b)).as("group", takes(a), gives(b)); }),
            "the signature declared for group does not fit: it needs <n>, which is not declared as input\n"
            "  declared {a} -> {b}\n"
            "  inferred {a, <n>} -> {b}");
}

TEST(a_declared_signature, that_promises_what_does_not_come_is_refused) {
  EXPECT_EQ(refusal([] { typed("f", takes(a), gives(b)).as("group", takes(a), gives(b, c)); }),
            "the signature declared for group does not fit: it may give {b}, which is none of the declared outputs\n"
            "  declared {a} -> {b, c}\n"
            "  inferred {a} -> {b}");
}

TEST(a_declared_signature, that_promises_a_label_which_is_consumed_is_refused) {
  EXPECT_NE(refusal([] { typed("f", takes(a, n), gives(b)).as("group", takes(a, n), gives(b, n)); }), nothing_refused);
}

TEST(a_declared_signature, that_gives_a_field_another_type_is_refused) {
  static constexpr field<double> a_as_double{"a"}, b_as_double{"b"};
  const std::string in = refusal([] { typed("f", takes(a), gives(b)).as("group", takes(a_as_double), gives(b)); });
  EXPECT_NE(in.find("field 'a' is an int, declared as a double"), std::string::npos) << in;
  EXPECT_NE(refusal([] { typed("f", takes(a), gives(b)).as("group", takes(a), gives(b_as_double)); }), nothing_refused);
}

TEST(a_declared_signature, that_takes_a_binding_tag_which_nobody_takes_is_refused) {
  const std::string why = refusal([] { typed("f", takes(a), gives(b)).as("group", takes(a, bk), gives(b)); });
  EXPECT_NE(why.find("the binding tag <#k> is not taken"), std::string::npos) << why;
}

TEST(a_declared_signature, hides_what_is_not_declared) {
  const network group = typed("f", takes(a), gives(b, c)).as("group", takes(a), gives(b));
  EXPECT_EQ(text(group >> typed("g", takes(b), gives(d))), "{a} -> {d}");
}

TEST(a_declared_signature, needs_a_name) {
  EXPECT_EQ(refusal([] { typed("f", takes(a), gives(b)).as(""); }), "as: a group needs a name, got an empty one");
  EXPECT_EQ(refusal([] { typed("f", takes(a), gives(b)).as("", takes(a), gives(b)); }),
            "as: a group needs a name, got an empty one");
}

// ---- refusals at the start of a run ----

TEST(a_start, refuses_two_boxes_of_one_name) {
  const network net =
      box("f", takes(n), gives(n), plus_one) >> box("f", takes(n), gives(n), [](std::int64_t v) { return v; });
  EXPECT_EQ(
      refusal([&] { start(net, quick()); }),
      "two different boxes are named 'f', at :S1 and at :S2; boxes of one name share one model, so they must be the "
      "same box");
}

TEST(a_start, refuses_two_boxes_of_one_name_that_capture_different_values) {
  const auto adding = [](int more) {
    return box("f", takes(n), gives(n), [more](std::int64_t v) { return v + more; });
  };
  EXPECT_NE(refusal([&] { start(adding(1) >> adding(2), quick()); }), nothing_refused);
}

TEST(a_start, refuses_two_boxes_of_one_name_that_are_used_differently) {
  const auto f = box("f", takes(n), gives(n), plus_one);
  EXPECT_NE(refusal([&] { start(f >> f.serial(), quick()); }), nothing_refused);
}

TEST(a_start, takes_one_box_at_several_places) {
  int more = 2;
  const auto f = box("f", takes(n), gives(n), [more](std::int64_t v) { return v + more; });
  const auto plain = box("g", takes(n), gives(n), plus_one), again = box("g", takes(n), gives(n), plus_one);
  execution run = start(f >> plain >> f >> again >> f, quick());
  run.send(n = 0);
  run.close();
  EXPECT_EQ(all_of(run).at(0)[n], 8);
  EXPECT_EQ(run.report().components.size(), 2u) << "boxes of one name are one component";
}

TEST(a_start, refuses_one_field_of_two_types_anywhere_in_the_network) {
  static constexpr field<double> c_as_double{"c"};
  const network net = typed("f", takes(a), gives(b, c)) >> typed("g", takes(b, c), gives(d)) >>
                      typed("h", takes(d), gives(c_as_double));
  const std::string why = refusal([&] { start(net, quick()); });
  EXPECT_EQ(why, "field 'c' has two types in one network: int in box f, double in box h");
}

// ---- options ----

std::string refused_option(const options& o, const network& net = box("f", takes(n), gives(n), plus_one)) {
  return refusal<std::invalid_argument>([&] { start(net, o); });
}

TEST(options_of_a_run, name_what_was_given_and_what_was_expected) {
  options o = quick();
  o.estimator = "oracle";
  EXPECT_EQ(refused_option(o).rfind("options.estimator is 'oracle': ", 0), 0u) << refused_option(o);
  EXPECT_NE(refused_option(o).find("'weir'"), std::string::npos) << "names what there is: " << refused_option(o);
  o = quick();
  o.learn_from = static_cast<measured_time>(7);
  EXPECT_EQ(refused_option(o), "options.learn_from is 7, expected measured_time::automatic, wall or cpu");
  o = quick();
  o.on_error = static_cast<on_error>(7);
  EXPECT_EQ(refused_option(o), "options.on_error is 7, expected on_error::stop or collect");
  o = quick();
  o.on_failure = static_cast<on_failure>(7);
  EXPECT_EQ(refused_option(o), "options.on_failure is 7, expected on_failure::stop or reassign");
  o = quick();
  o.capacity = static_cast<std::size_t>(-1);
  EXPECT_EQ(refused_option(o), "options.capacity is 18446744073709551615, expected 0 (automatic) to 2^30");
  o = quick();
  o.results_capacity = static_cast<std::size_t>(-2);
  EXPECT_EQ(refused_option(o).rfind("options.results_capacity is ", 0), 0u) << refused_option(o);
  o = quick();
  o.prior_models["nobody"] = {};
  EXPECT_EQ(refused_option(o), "options.prior_models: no component is named 'nobody'");
  o = quick();
  o.policy = fixed_shares{{"nobody", 1}};
  EXPECT_NE(refused_option(o).find("nobody"), std::string::npos) << refused_option(o);
  o.policy = fixed_shares{{"f", 3}};
  EXPECT_NE(refused_option(o).find("3 cores are given away and there are 2"), std::string::npos) << refused_option(o);
}

TEST(options_of_a_run, may_be_tried_again_after_a_refusal) {
  options o = quick();
  o.policy = fixed_shares{{"f", 3}};
  const network net = box("f", takes(n), gives(n), plus_one);
  EXPECT_THROW(start(net, o), std::invalid_argument);
  o.policy = fixed_shares{{"f", 2}};
  execution run = start(net, o);
  run.send(n = 1);
  run.close();
  EXPECT_EQ(all_of(run).size(), 1u) << "the machine of a run that did not start is as before";
}

TEST(a_machine, that_is_not_understood_is_refused_with_its_text) {
  const std::string why = refusal<std::invalid_argument>([] { machine::synthetic("core:many"); });
  EXPECT_NE(why.find("core:many"), std::string::npos) << why;
}

// ---- notation ----

TEST(a_network, prints_in_the_notation_of_s_net) {
  const network generate = typed("generate", takes(n), gives(a)), multiply = typed("multiply", takes(a), gives(c)),
                check = typed("check", takes(c), gives(c));
  EXPECT_EQ(to_string(generate), "generate");
  EXPECT_EQ(to_string(generate >> multiply), "generate .. multiply");
  EXPECT_EQ(to_string((generate >> multiply) >> check), "generate .. multiply .. check");
  EXPECT_EQ(to_string(generate >> (multiply >> check)), "generate .. multiply .. check");
}

// ---- values ----

class a_network_value : public gives_all_back {};

TEST_F(a_network_value, can_be_built_in_a_loop_and_run_twice_at_once) {
  network net = box("f", takes(n), gives(n), plus_one);
  for (int i = 0; i < 9; ++i) net = net >> box("f", takes(n), gives(n), plus_one);
  execution first = start(net, quick()), second = start(net, quick());
  for (int i = 0; i < 100; ++i) {
    first.send(n = i);
    second.send(n = 1000 + i);
  }
  first.close();
  second.close();
  const auto one = all_of(first), two = all_of(second);
  ASSERT_EQ(one.size(), 100u);
  ASSERT_EQ(two.size(), 100u);
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(one[static_cast<std::size_t>(i)][n], i + 10);
    EXPECT_EQ(two[static_cast<std::size_t>(i)][n], 1000 + i + 10);
  }
}

TEST_F(a_network_value, outlives_the_expression_it_was_made_from_and_is_not_needed_once_started) {
  execution run = [] {
    const network inner = box("f", takes(n), gives(n), plus_one);
    const network net = inner >> inner.as("again");
    return start(net, quick());
  }();
  run.send(n = 1);
  run.close();
  EXPECT_EQ(all_of(run).at(0)[n], 3);
}

void expect_chain(const network& net, std::int64_t length, options o) {
  execution run = start(net, std::move(o));
  for (int i = 0; i < 20; ++i) run.send(n = i, k = i);
  run.close();
  const auto got = all_of(run);
  ASSERT_EQ(got.size(), 20u);
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(got[static_cast<std::size_t>(i)][n], i + length);
    EXPECT_EQ(got[static_cast<std::size_t>(i)][k], i);
  }
}

TEST_F(a_network_value, may_be_a_chain_of_ten_thousand_boxes) {
  constexpr int length = slow ? 2000 : 10000;
  const network one = box("f", takes(n), gives(n), plus_one);
  network net = one;
  for (int i = 1; i < length; ++i) net = net >> one;
  options o = quick();
  o.capacity = 2;  // ten thousand streams of little memory
  expect_chain(net, length, o);
}

TEST_F(a_network_value, may_be_a_chain_built_from_its_end) {
  constexpr int length = slow ? 2000 : 10000;
  const network one = box("f", takes(n), gives(n), plus_one);
  network net = one;
  for (int i = 1; i < length; ++i) net = one >> net;
  options o = quick();
  o.capacity = 2;
  expect_chain(net, length, o);
}

TEST_F(a_network_value, may_be_a_chain_of_many_different_boxes) {
  constexpr int length = slow ? 300 : 1000;
  network net = box("f0", takes(n), gives(n), plus_one);
  for (int i = 1; i < length; ++i) net = net >> box("f" + std::to_string(i), takes(n), gives(n), plus_one);
  expect_chain(net, length, quick());
}

TEST_F(a_network_value, may_be_a_long_chain_of_boxes_that_emit) {
  constexpr int length = slow ? 300 : 1000;
  network net = box("f", takes(n), gives(n), [](std::int64_t v, emitter& emit) { emit(n = v + 1); });
  const network one = net;
  for (int i = 1; i < length; ++i) net = net >> one;
  expect_chain(net, length, quick());
}

TEST_F(a_network_value, names_its_places_by_their_position) {
  const network fails =
      box("fails", takes(n), gives(n), [](std::int64_t) -> std::int64_t { throw std::runtime_error("x"); });
  const network one = box("f", takes(n), gives(n), plus_one);
  const network net = one >> (one >> fails).as("group") >> one;
  options o = quick();
  o.on_error = on_error::collect;
  execution run = start(net, o);
  run.send(n = 1);
  run.close();
  EXPECT_TRUE(all_of(run).empty());
  EXPECT_EQ(run.errors().at(0).path, ":S2:S2");
}

}  // namespace
}  // namespace weir
