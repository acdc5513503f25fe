#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <weir/snet.hpp>
#include <weir/weir.hpp>

#include "runtime/snet/layout.hpp"
#include "runtime/snet/record_notation.hpp"
#include "tests/runtime/language/labels.hpp"

// The meaning of a text, and the language's means for it.
namespace weir::read_test {
namespace {

using namespace testing;

std::string printed(const std::string& text, const registry& known = {}) { return to_string(read_snet(text, known)); }

// As `inner` prints, of "net x connect EXPRESSION;".
std::string expression(const std::string& text) { return printed(text); }

std::vector<std::string> results_of(const network& net, std::vector<record> inputs) {
  execution run = start(net);
  for (record& r : inputs) run.send(std::move(r));
  run.close();
  std::vector<std::string> got;
  for (const record& r : run) got.push_back(to_string(r));
  return got;
}

TEST(a_text, binds_postfix_forms_tightest_then_chains_then_ordered_choices_then_choices) {
  EXPECT_EQ(expression("[] | [] .. [] || []"), "[] | ([] .. [] || [])");
  EXPECT_EQ(expression("[] .. ([] | []) .. []!<k>"), "[] .. ([] | []) .. []!<k>");
  EXPECT_EQ(expression("[] !!@ <r> .. ([] | [])!!@<#r>"), "[]!!@<r> .. ([] | [])!!@<#r>");
  EXPECT_EQ(expression("[]!@<r>**{<r>} if <r >= 4> .. []"), "[]!@<r>**{<r>} if <r>=4> .. []");
  const std::string step = "[{<c>} -> {<c=c-1>}]";
  EXPECT_EQ(expression(step + "\\{<c>} if <c > 0>@2!!<k>*{<c>} if <c < 0>, {a}"),
            step + "\\{<c>} if <c>0>@2!!<k>*{<c>} if <c<0>, {a}");
}

TEST(a_text, ends_a_tag_or_guard_where_no_operand_follows) {
  const auto filter = [](const std::string& items) { return expression("[{<a>, <b>} -> {" + items + "}]"); };
  EXPECT_EQ(filter("<t=a>b>"), "[{<a>, <b>} -> {<t=a>b>}]");
  EXPECT_EQ(filter("<t = a >= b>"), "[{<a>, <b>} -> {<t=a>=b>}]");
  EXPECT_EQ(filter("<t=a>-1>"), "[{<a>, <b>} -> {<t=a>-1>}]");
  EXPECT_EQ(filter("<t=a>(b)>, <a>"), "[{<a>, <b>} -> {<t=a>b>, <a>}]");
  EXPECT_EQ(expression("[{<a>, <then>} -> {<b = a>then>}]"), "[{<a>, <then>} -> {<b=a>then>}]");
  EXPECT_EQ(expression("[{<a>, <then>} -> if <a>then> then {} else {}]"),
            "[{<a>, <then>} -> if <a>then> then {} else {}]");
  EXPECT_EQ(expression("[] * {<n>, <until>} if <n>until>"), "[]*{<n>, <until>} if <n>until>");
  EXPECT_EQ(expression("[] \\ {<n>} if <n>1> ! <k>"), "[]\\{<n>} if <n>1>!<k>");
  EXPECT_EQ(expression("[] \\ {<n>} if <n>1> !@ <k>"), "[]\\{<n>} if <n>1>!@<k>");
  EXPECT_EQ(expression("[{<N>, <M>} -> if <N >= 2 && M >= N> then else {}]"),
            "[{<N>, <M>} -> if <N>=2&&M>=N> then else {}]");
}

TEST(a_text, reads_expressions_as_c_does_with_min_max_and_abs_in_between_or_as_calls) {
  const auto value = [](const std::string& of) {
    const std::string text = expression("[{<a>, <b>} -> {<t=" + of + ">}]");
    return text.substr(19, text.size() - 19 - 3);
  };
  EXPECT_EQ(value("a + b * 2 - -3"), "a+b*2-(-3)");
  EXPECT_EQ(value("(a + b) * 2 % 3"), "(a+b)*2%3");
  EXPECT_EQ(value("a min b * 2"), "min(a,b)*2");
  EXPECT_EQ(value("min(a, b max 3)"), "min(a,max(b,3))");
  EXPECT_EQ(value("abs a - abs(b)"), "abs(a)-abs(b)");
  EXPECT_EQ(value("abs - a * b"), "abs(-a)*b");
  EXPECT_EQ(value("abs - abs - 3"), "abs(-abs(-3))");
  EXPECT_EQ(value("a - (b + 1) - (b - 1)"), "a-(b+1)-(b-1)");
  EXPECT_EQ(value("(a < b ? 1 : 2) + (a < b) * 2 min a - 1"), "(a<b?1:2)+(a<b)*min(2,a)-1");
  EXPECT_EQ(value("a < b ? b < 3 ? 1 : 2 : a < 3 || b < 3 && a == b ? 3 : 4"), "a<b?b<3?1:2:a<3||b<3&&a==b?3:4");
  EXPECT_EQ(value("a < b ? 1 : b < a ? -1 : 0"), "a<b?1:b<a?-1:0");
  EXPECT_EQ(value("a == b || !(a < b) && !!(b < 3)"), "a==b||!(a<b)&&!!(b<3)");
  EXPECT_EQ(value("0x1F + 017 + -9223372036854775808"), "31+15+-9223372036854775808");
  EXPECT_EQ(value("(a > b) + (a < b) * 2"), "(a>b)+(a<b)*2");
  EXPECT_EQ(expression("[{<min>, <abs>} -> {<t=min + abs - min min min>}]"),
            "[{<min>, <abs>} -> {<t=min+abs-min(min,min)>}]");
}

TEST(a_text, takes_any_word_for_a_label) {
  EXPECT_EQ(results_of(read_snet("net ordered { net until connect [{<if>, net} -> {<then = if>, box = net}]; } "
                                 "connect until;"),
                       {record{tag("if") = 3, field<int>("net") = 4}}),
            (std::vector<std::string>{"{box=4, <then>=3}"}));
}

// With the splits by hand, and in one process as over several ranks.
TEST(an_indexed_placement, is_a_split_by_its_tag) {
  const std::string pairs = "([| {a, <k>}, {b, <k>} |] * {a, b, <k>})";
  const std::vector<record> inputs{{a = 1, k = 1}, {b = 2, k = 2}, {b = 3, k = 1}, {a = 4, k = 2}};
  const std::vector<std::string> expected{"{a=1, b=3, <k>=1}", "{a=4, b=2, <k>=2}"};
  const network pairing = star(sync({a, k}, {b, k}), pattern{a, b, k});
  for (const network& net : {read_snet(pairs + "!!@<k>"), read_snet(pairs + "!@<k>!!@<k>"), ordered(at(pairing, k)),
                             ordered(network(split(at(pairing, k), k))), at(ordered(network(split(pairing, k))), k),
                             at(ordered(network(split(pairing, k))).as("group"), k)})
    EXPECT_EQ(results_of(net, inputs), expected) << to_string(net);
}

TEST(an_indexed_placement, of_a_split_by_its_tag_is_that_split) {
  const network f = box("f", takes(n), gives(n), plus_one);
  EXPECT_EQ(to_string(at(f, k)), "f!@<k>");
  EXPECT_EQ(to_string(at(network(split(f, k)), k)), "f!@<k>");
  EXPECT_EQ(to_string(at(at(f, k), k).signature()), to_string(network(split(f, k)).signature()));
  EXPECT_EQ(to_string(at(network(split(f, n)), k)), "f!<n>!@<k>");
  EXPECT_EQ(to_string(at(at(network(split(f, k)), 2), k)), "f!<k>@2!@<k>");
  EXPECT_EQ(to_string(ordered(at(f, k))), "f!!@<k>");
  EXPECT_EQ(to_string(at(split(f, k).until(pattern{n}), k)), "f!<k> until {<n>}!@<k>");
  const registry known = registry{}.add(f);
  for (const char* text : {"f!@<k>", "f!<n>!@<k>", "f!<k>@2!@<k>", "f!!@<k>", "f!<k> until {<n>}!@<k>", "f!@<k>!<k>"})
    EXPECT_EQ(printed(text, known), text);
}

TEST(an_indexed_placement, takes_no_initialiser) {
  const network s = source("s", gives(n), [] { return 1; });
  EXPECT_NE(refusal([&] { at(s | bypass(), k); }).find("stands in a placement by a tag"), std::string::npos);
}

TEST(a_text, finds_boxes_and_networks_in_the_registry) {
  const network twice = box("f", takes(n), gives(n), plus_one) >> box("g", takes(n), gives(n), plus_one);
  const registry known =
      registry{}.add(box("f", takes(n), gives(n), plus_one)).add("twice", twice).add(twice.as("named"));
  const auto out = [&](const std::string& text) { return results_of(read_snet(text, known), {record{n = 1}}); };
  EXPECT_EQ(out("box f((<n>) -> (<n>)); net x connect f .. f;"), (std::vector<std::string>{"{<n>=3}"}));
  EXPECT_EQ(out("net twice; net x connect twice .. twice;"), (std::vector<std::string>{"{<n>=5}"}));
  EXPECT_EQ(out("net named ({<n>} -> {<n>}); net x connect named;"), (std::vector<std::string>{"{<n>=3}"}));
  EXPECT_EQ(out("f .. twice"), (std::vector<std::string>{"{<n>=4}"}));
  EXPECT_EQ(out("box f((<n>) -> (<n>)) { <<< C | int x; >>> } net x connect f;"),
            (std::vector<std::string>{"{<n>=2}"}));
}

TEST(a_registry, refuses_two_things_of_one_name_and_things_without_one) {
  registry known;
  known.add(box("f", takes(n), gives(n), plus_one));
  EXPECT_EQ(refusal([&] { known.add(box("f", takes(n), gives(k), plus_one)); }),
            "registry: two networks are named 'f'");
  EXPECT_EQ(refusal([&] { known.add(bypass()); }),
            "registry: [] has no name; give it one: add(\"name\", net) or net.as(\"name\")");
  EXPECT_EQ(refusal([&] { known.add("", bypass()); }), "registry: a network needs a name, got an empty one");
}

TEST(a_field_that_no_box_names, may_have_any_type) {
  const network pairs = read_snet("net pairs connect [| {a}, {b} |] * {a, b} .. [{a, b} -> {c = a, d = b}];");
  EXPECT_EQ(results_of(pairs, {record{a = 1}, record{field<std::string>("b") = "x"}}),
            (std::vector<std::string>{"{c=1, d=x}"}));
  constexpr field<opaque> left{"a"}, right{"b"}, other{"c"};
  const network same =
      star(sync({left}, {right}), pattern{left, right}) >> filter(takes(left, right)).emit(other = right, left);
  EXPECT_EQ(results_of(same, {record{a = 1}, record{field<std::string>("b") = "x"}}),
            (std::vector<std::string>{"{a=1, c=x}"}));
  const network chosen = filter(takes(left)).emit(other = left) | filter(takes(right)).emit(left = right);
  EXPECT_EQ(results_of(chosen, {record{field<double>("a") = 1.5}, record{b = 2}}),
            (std::vector<std::string>{"{c=1.5}", "{a=2}"}));
}

TEST(a_field_that_a_filter_renames, has_the_type_that_a_box_gives_the_other) {
  const registry known = registry{}.add(box("f", takes(a), gives(b), [](int x) { return x + 1; }));
  const network net = read_snet("[{c} -> {a = c}] .. f", known);
  EXPECT_EQ(results_of(net, {record{c = 1}}), (std::vector<std::string>{"{b=2}"}));
  execution run = start(net);
  EXPECT_THROW(run.send(record{field<std::string>("c") = "x"}), send_error);
}

TEST(a_declared_signature, may_have_several_lines_disjunctions_and_open_right_sides) {
  const network f = typed("f", takes(a), gives(b)) | typed("g", takes(c), gives(d));
  EXPECT_EQ(to_string(f.as("x", {maps(takes(a), gives(b)), maps(takes(c), gives(d))}).signature()),
            "{a} -> {b}, {c} -> {d}");
  EXPECT_EQ(to_string(f.as("x", takes(a, n) | takes(c), gives(b) | gives(d)).signature()),
            "{a, <n>} -> {b} | {d}, {c} -> {b} | {d}");
  EXPECT_EQ(to_string(f.as("x", {maps(takes(a, n), gives_any)}).signature()), "{a, <n>} -> {b, <n>}");
  EXPECT_EQ(refusal([&] {
              f.as("x", {maps(takes(a), gives(b)), maps(takes(n), gives_any)});
            }).substr(0, 57),
            "the signature declared for x does not fit: it needs a, wh");
  const network s = source("s", gives(a), [] { return 1; }) >> typed("f", takes(a), gives(b));
  EXPECT_EQ(to_string(s.as("x", {maps_at_start(gives(b))}).signature()), "at start -> {b}");
  EXPECT_NE(refusal([&] { f.as("x", {maps_at_start(gives(b))}); }).find("no initialiser"), std::string::npos);
}

TEST(a_split, may_be_by_a_binding_tag_that_its_body_takes) {
  const network net = split(filter(takes(a, bk)).emit(b = a, n = bk), bk);
  EXPECT_EQ(to_string(net), "[{a, <#k>} -> {b=a, <n=#k>}]!<#k>");
  EXPECT_EQ(results_of(net, {record{a = 1, bk = 4}}), (std::vector<std::string>{"{b=1, <n>=4}"}));
  EXPECT_EQ(to_string(at(bypass(), bk)), "[]!@<#k>");
  EXPECT_THROW(split(typed("f", takes(a), gives(b)), bk), type_error);
}

TEST(a_layout, keeps_comments_where_they_were) {
  const std::string text =
      "/* first */ net   x{// behind\n\n\n  // alone\nbox f((a,<t>)->(b)|(c)){<<<C|int x;>>>}\n"
      "net y connect f..[{a}->{b=a , <t=a /* in */>}]; /* last of y */\n}\n\n"
      "// of connect\nconnect y\n// between\n..[];// end\n// after";
  detail::snet::fault_list faults;
  const detail::snet::source_text source("t", text);
  EXPECT_EQ(detail::snet::laid_out(source, faults),
            "/* first */\nnet x {  // behind\n\n    // alone\n"
            "    box f((a, <t>) -> (b) | (c)) { <<<C|int x;>>> }\n"
            "    net y connect f .. [{a} -> {b = a, <t = a /* in */ >}]; /* last of y */\n"
            "}\n\n    // of connect\n    connect y\n    // between\n    .. [];  // end\n// after\n");
}

}  // namespace
}  // namespace weir::read_test
