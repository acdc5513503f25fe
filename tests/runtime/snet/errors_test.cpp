#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <weir/snet.hpp>
#include <weir/weir.hpp>
#include "tests/support/refusal.hpp"
#include "tests/support/sanitizers.hpp"

// Faults of a text are reported at their place and in words that help.
namespace weir {
namespace {

std::string errors_of(const std::string& text, const registry& known = {}) {
  return testing::refusal<snet_error>([&] { read_snet(text, known, "t.snet"); });
}

struct faulty {
  const char* name;
  std::string text;
  const char* place;               // line:column
  std::vector<std::string> words;  // of the first message
};

// Boxes of most texts; they need not be registered for the errors here.
const std::string boxes = "box f((a) -> (b));\nbox g((a, c) -> (d));\nbox s(-> (a));\n";

class a_faulty_text : public ::testing::TestWithParam<faulty> {};

TEST_P(a_faulty_text, is_refused_at_its_place_with_the_reason) {
  const faulty& f = GetParam();
  const std::string said = errors_of(f.text);
  const std::string first = said.substr(0, said.find("\nt.snet:", 1));
  EXPECT_EQ(said.rfind("t.snet:" + std::string(f.place) + ": error: ", 0), 0u) << f.text << "\n" << said;
  for (const std::string& w : f.words) EXPECT_NE(first.find(w), std::string::npos) << "lacks '" << w << "':\n" << said;
  EXPECT_NE(first.find(" | "), std::string::npos) << said;
}

INSTANTIATE_TEST_SUITE_P(
    of_the_parser, a_faulty_text,
    ::testing::Values(
        faulty{"empty", "", "1:1", {"no net"}}, faulty{"only_a_comment", "// nothing\n", "2:1", {"no net"}},
        faulty{"no_definition", "nett x connect y;", "1:1", {"did you mean net"}},
        faulty{"no_semicolon", "net x connect [] net y connect [];", "1:18", {"expected ;", "'net'"}},
        faulty{"end_of_text", "net x connect []", "1:17", {"expected ;", "the end of the text"}},
        faulty{"unclosed_body", "net x {\n box f((a) -> (b));\n connect f;", "3:2", {"unclosed {", "line 1, column 7"}},
        faulty{"unclosed_body_at_the_end", "net x {\n box f((a) -> (b));\n", "3:1", {"unclosed {", "line 1, column 7"}},
        faulty{
            "unclosed_record", "net x connect [{a, <t> -> {}];", "1:24", {"expected }", "the { was opened at line 1"}},
        faulty{"unclosed_parenthesis", "net x connect ([] .. [];", "1:24", {"expected )", "column 15"}},
        faulty{"unclosed_filter", "net x connect [{a} -> {a};", "1:27", {"unclosed [", "expected an output"}},
        faulty{"unclosed_cell", "net x connect [| {a}, {b} ;", "1:27", {"expected |]", "column 15"}},
        faulty{"unclosed_tag", "net x connect [] ! <t;", "1:22", {"expected >", "column 20"}},
        faulty{"unclosed_comment", "net x connect []; /* ..", "1:19", {"unclosed comment"}},
        faulty{"unclosed_metadata", "<metadata> x\nnet y connect [];", "1:1", {"unclosed <metadata>"}},
        faulty{"unclosed_code", "box f((a) -> (b)) { <<< C | x", "1:21", {"unclosed body"}},
        faulty{"not_ascii", "net x connect [{\xc3\xa4} -> {}];", "1:17", {"0xc3", "ASCII"}},
        faulty{"a_foreign_sign", "net x connect [] $ [];", "1:18", {"'$'"}},
        faulty{"no_else", "net x connect [{<n>} -> if <n > 1> then {}];", "1:43", {"else"}},
        faulty{"no_then", "net x connect [{<n>} -> if <n > 1> {} else {}];", "1:36", {"then"}},
        faulty{"a_constant_field", "net x connect [{a} -> {b = 3}];", "1:28", {"constant"}},
        faulty{"a_value_behind_a_tag", "net x connect [{<n>} -> {<n> = n + 1}];", "1:30", {"the value of a tag"}},
        faulty{"a_sum_in_a_field",
               "net x connect [{n} -> {n=n+1}];",
               "1:27",
               {"expected , or } behind the field to rename, found '+'; only tags are computed"}},
        faulty{"a_difference_in_a_field", "net x connect [{a} -> {b = a - 1}];", "1:30", {"only tags are computed"}},
        faulty{"a_comparison_in_a_field", "net x connect [{a} -> {b = a >= 1}];", "1:30", {"only tags are computed"}},
        faulty{"a_function_in_a_field", "net x connect [{a} -> {b = max(a, 1)}];", "1:31", {"only tags are computed"}},
        faulty{"a_tag_in_a_field", "net x connect [{<a>} -> {b = <a>}];", "1:30", {"tag cannot be put into a field"}},
        faulty{"no_operand", "net x connect [{<n>} -> {<n = n + >}];", "1:35", {"an operand"}},
        faulty{"no_number", "net x connect [{<n>} -> {<n = 09>}];", "1:31", {"octal"}},
        faulty{"too_large", "net x connect [{<n>} -> {<n = 9223372036854775808>}];", "1:31", {"64 bits"}},
        faulty{"arity_of_min", "net x connect [{<n>} -> {<n = min(n)>}];", "1:31", {"min takes two operands, got one"}},
        faulty{"arity_of_max", "net x connect [{<n>} -> {<n = max(n, 1, 2)>}];", "1:31", {"two operands, got more"}},
        faulty{"no_function", "net x connect [{<n>} -> {<n = sqrt(n)>}];", "1:31", {"no function sqrt"}},
        faulty{"two_operators", "net x connect [] .. .. [];", "1:21", {"a combinator in front"}},
        faulty{"prefix_form", "net x connect || a b;", "1:15", {"compiler uses inside"}},
        faulty{"stage_of_the_compiler", "//! snet flatten\nnet x connect [];", "1:1", {"compiler"}},
        faulty{"label_with_colons", "net x connect [{tag::A} -> {}];", "1:17", {"compiler uses inside"}},
        faulty{"range_of_tags", "net x connect [] ! <a>:<b>;", "1:23", {"range of tags"}},
        faulty{"guard_in_front", "net x connect [{<t>} if <t > 1> -> {}];", "1:22", {"older S-Net"}},
        faulty{"a_keyword_for_a_net", "net box connect [];", "1:5", {"box is a keyword"}},
        faulty{"a_keyword_for_a_net_in_a_net",
               "net x { net connect connect []; } connect [];",
               "1:13",
               {"connect is a keyword"}},
        faulty{"a_keyword_for_a_box", "box type((a) -> (b));\nnet x connect [];", "1:5", {"type is a keyword"}},
        faulty{"a_keyword_for_a_type", "type if = {a};\nnet x connect [];", "1:6", {"if is a keyword"}},
        faulty{"a_keyword_as_a_network", "net x connect [] .. then;", "1:21", {"then is a keyword"}},
        faulty{"placement_by_tag", "net x connect [] @ <t>;", "1:18", {"!@"}},
        faulty{"a_record_as_a_network", "net x connect {a};", "1:15", {"record type"}},
        faulty{"no_signature", "box f;", "1:6", {"signature of box f"}},
        faulty{"a_byte_order_mark", "\xef\xbb\xbfnet x connect [];", "1:1", {"byte order mark", "ASCII"}},
        faulty{"one_too_deep_in_a_tag_expression",
               "net x connect [{<n>} -> {<n = " + std::string(1001, '(') + "n" + std::string(1001, ')') + ">}];",
               "1:1031",
               {"nested more than 1000 deep"}},
        faulty{"one_too_deep",
               "net x connect " + std::string(1001, '(') + "[]" + std::string(1001, ')') + ";",
               "1:1015",
               {"nested more than 1000 deep"}},
        faulty{"too_many_prefixes",
               "net x connect [{<n>} -> {<n = " + std::string(1000, '-') + "n>}];",
               "1:31",
               {"nested more than 1000 deep"}},
        faulty{"second_line", "net x connect [];\n\tnet y connect *;", "2:16", {"expected a network"}}),
    [](const auto& of) { return of.param.name; });

INSTANTIATE_TEST_SUITE_P(
    of_a_text_that_is_an_expression, a_faulty_text,
    ::testing::Values(
        faulty{"a_constant_field", "[{a} -> {b = 3}]", "1:14", {"constant"}},
        faulty{"no_operand", "[] ..\n[{<n>} -> {<n = n + >}]", "2:21", {"an operand"}},
        faulty{"no_network", "[] | ", "1:6", {"expected a network"}},
        faulty{"a_parenthesis_too_many", "[] .. [])", "1:9", {"expected a combinator", "the end of the text", "')'"}},
        faulty{"unclosed_parenthesis", "([] .. []", "1:10", {"expected )", "column 1"}},
        faulty{"a_foreign_sign", "f $ g", "1:3", {"'$'"}},
        faulty{"behind_definitions", "box f((a) -> (b));\nf .. {a}", "2:6", {"record type"}},
        faulty{"a_pattern_of_a_star", "f * a", "1:5", {"a pattern, such as"}},
        faulty{"a_keyword_instead", "boxx f((a) -> (b));", "1:1", {"a definition", "did you mean box?"}},
        faulty{"no_keyword", "f((a) -> (b));", "1:1", {"expected a definition"}},
        faulty{"a_box_with_a_keyword_for_its_name", "net .. f", "1:1", {"net is a keyword"}},
        faulty{"a_net_with_a_keyword_for_its_name", "f .. (net | [])", "1:7", {"net is a keyword"}}),
    [](const auto& of) { return of.param.name; });

INSTANTIATE_TEST_SUITE_P(
    of_names_and_types, a_faulty_text,
    ::testing::Values(
        faulty{"unknown_name", "net first connect [];\nnet x connect frist;", "2:15", {"unknown name frist", "first"}},
        faulty{"own_name", "net x connect x;", "1:15", {"not known inside its own body"}},
        faulty{"later_name", "net x connect y;\nnet y connect [];", "1:15", {"only behind this place"}},
        faulty{"inner_name", "net x { net y connect []; } connect y;\nnet z connect y;", "2:15", {"unknown name y"}},
        faulty{"a_type_as_a_network", "type t = {a}; net x connect t;", "1:29", {"it is a type"}},
        faulty{"twice", "net x connect []; net x connect [];", "1:23", {"defined twice"}},
        faulty{"box_and_net", "box x((a) -> (a)); net x connect [];", "1:24", {"defined twice"}},
        faulty{"unknown_type", "type ab = {a}; net x (ac -> {b}) connect [];", "1:23", {"unknown type ac", "ab"}},
        faulty{"unknown_typesig", "net x (sig) connect [];", "1:8", {"unknown typesig sig"}},
        faulty{"used_up", boxes + "net x connect f .. g;", "4:17", {"g needs a", "f takes and does not give back"}},
        faulty{"one_pattern", "net x connect [| {a} |];", "1:15", {"at least 2 patterns"}},
        faulty{"initialiser_in_a_star", boxes + "net x connect s * {b};", "4:15", {"initialiser s", "star"}},
        faulty{"initialiser_in_a_split", boxes + "net x connect (s | f) ! <t>;", "4:16", {"initialiser s", "split"}},
        faulty{
            "initialiser_in_a_placement", boxes + "net x connect (s | f) !@ <t>;", "4:16", {"initialiser s", "split"}},
        faulty{"initialiser_in_a_feedback", boxes + "net x connect s \\ {b};", "4:15", {"initialiser s", "feedback"}},
        faulty{"initialiser_behind", boxes + "net x connect f .. s;", "4:20", {"initialiser s"}},
        faulty{"label_twice", "net x connect [{a, <t>, a} -> {}];", "1:25", {"label a stands twice"}},
        faulty{"label_twice_in_an_output", "net x connect [{a} -> {a, a}];", "1:27", {"label a stands twice"}},
        faulty{"new_field", "net x connect [{a} -> {b}];", "1:24", {"a new field needs a value", "{a}"}},
        faulty{"unknown_field", "net x connect [{a} -> {b = c}];", "1:28", {"c is not in the pattern"}},
        faulty{"tag_of_no_pattern", "net x connect [{<m>} -> {<n = k + 1>}];", "1:31", {"<k> is not in the pattern"}},
        faulty{"tag_of_no_exit", "net x connect [{<n>} -> {<n>}] * {<n>} if <m > 1>;", "1:44", {"<m> is not in"}},
        faulty{"no_condition", "net x connect [{<n>} -> if <n + 1> then else];", "1:29", {"no condition: n+1"}},
        faulty{"no_condition_inside", "net x connect [{<n>} -> {<n = !n>}];", "1:31", {"no condition"}},
        faulty{"a_number_in_front_of_a_question_mark",
               "net x connect [{<n>} -> {<n = 1 + (n ? 1 : 2)>}];",
               "1:36",
               {"a number in front of ?", "expected a comparison"}},
        faulty{"no_tag_abs", "net x connect [{<n>} -> {<n = abs - k>}];", "1:37", {"<k> is not in"}},
        faulty{
            "signature", boxes + "net x ({a} -> {z}) connect f;", "4:8", {"it may give {b}", "none of the declared"}},
        faulty{"second_line_of_a_signature", boxes + "net x ({a} -> {b}, {q} -> {b}) connect f;", "4:20", {"needs a"}},
        faulty{"not_registered", boxes + "net x connect f .. [];", "1:5", {"box f is not registered"}}),
    [](const auto& of) { return of.param.name; });

TEST(errors_of_a_text, are_all_found_at_once_and_shown_with_line_and_caret) {
  EXPECT_EQ(
      errors_of("net a connect bb;\n\tnet c connect * {};\nnet b { net d connect e; }\nconnect a .. f;\n"),
      "t.snet:1:15: error: unknown name bb\n"
      "    1 | net a connect bb;\n"
      "      |               ^\n"
      "t.snet:2:16: error: expected a network, found '*'; a combinator in front of its networks is a form that S-Net's "
      "compiler uses inside\n"
      "    2 |  net c connect * {};\n"
      "      |                ^\n"
      "t.snet:3:23: error: unknown name e (known: a, c)\n"
      "    3 | net b { net d connect e; }\n"
      "      |                       ^\n"
      "t.snet:4:14: error: unknown name f (known: a, c, d)\n"
      "    4 | connect a .. f;\n"
      "      |              ^\n");
}

TEST(errors_of_a_text, do_not_follow_from_others) {
  EXPECT_EQ(errors_of("net a connect ..;\nnet b connect a .. a * {x};"),
            "t.snet:1:15: error: expected a network, found '..'; a combinator in front of its networks is a form that "
            "S-Net's "
            "compiler uses inside\n"
            "    1 | net a connect ..;\n"
            "      |               ^\n");
  for (const char* text : {"net a connect [{a} -> {b = 1}; {c = 2}];", "net a connect [{<a>} -> {<b = a + >}; {<c>}];",
                           "net a connect f(x) | [{<a>} -> {<b>}; {<c>}];"}) {
    const std::string said = errors_of(text);
    const std::size_t first = said.find("error:");
    EXPECT_NE(first, std::string::npos) << text;
    EXPECT_EQ(said.find("error:", first + 1), std::string::npos) << said;
  }
}

TEST(errors_of_a_text, do_not_list_words_twice) {
  EXPECT_EQ(errors_of("a { b }").substr(0, 90),
            "t.snet:1:1: error: expected a definition: net, box, type, typesig or <metadata>, found 'a'");
}

// A row is not nested, however long it is.
TEST(errors_of_a_text, are_none_in_long_rows) {
  const int longest = testing::sanitized ? 19'999 : 99'999;  // the case below has the limit itself
  const auto filter = [](const std::string& value) { return "net x connect [{<n>} -> {<n = " + value + ">}];"; };
  const auto repeated = [](const std::string& what, int times) {
    std::string all;
    for (int i = 0; i < times; ++i) all += what;
    return all;
  };
  EXPECT_EQ(errors_of(filter("n" + repeated(" + 1", longest))), testing::nothing_refused);
  EXPECT_EQ(errors_of(filter(repeated("n == 1 ? 2 : ", longest / 2) + "3")), testing::nothing_refused);
  EXPECT_EQ(errors_of(filter(repeated("(", 1000) + "n" + repeated(")", 1000))), testing::nothing_refused);
  EXPECT_EQ(errors_of(filter(repeated("1 + (", 999) + "n" + repeated(")", 999))), testing::nothing_refused);
  EXPECT_EQ(errors_of("net x connect []" + repeated(" .. []", longest) + ";"), testing::nothing_refused);
  EXPECT_EQ(errors_of("net x connect " + repeated("(", 1000) + "[]" + repeated(")", 1000) + ";"),
            testing::nothing_refused);
  EXPECT_EQ(errors_of("net x connect [{a} -> {b = a}]" + repeated("*{b}", 999) + ";"), testing::nothing_refused);
}

// Beyond the limits of a network there is an error, and no pass over the text overflows the stack.
TEST(errors_of_a_text, are_at_the_first_postfix_form_or_operation_too_many) {
  std::string stars = "net x connect [{a} -> {b = a}]", sum = "net x connect [{<n>} -> {<n = n";
  for (int i = 0; i < 100'000; ++i) stars += "*{b}";
  for (int i = 0; i < 100'001; ++i) sum += "+n";
  const auto first_line = [](const std::string& said) { return said.substr(0, said.find('\n')); };
  EXPECT_EQ(first_line(errors_of(stars + ";")).substr(0, 73),
            "t.snet:1:4031: error: combinators nested 1001 deep, expected at most 1000");
  EXPECT_EQ(first_line(errors_of(sum + ">}];")),
            "t.snet:1:200032: error: an expression of 100001 operations, expected at most 100000");
}

TEST(errors_of_a_text, of_a_long_line_show_what_surrounds_the_column) {
  const std::string said = errors_of(std::string(100'000, ' ') + "\x01" + std::string(100'000, 'x'));
  EXPECT_EQ(said.rfind("t.snet:1:100001: error: byte 0x01", 0), 0u) << said;
  EXPECT_LT(said.size(), 1000u);
}

TEST(errors_of_a_text, are_no_more_than_someone_reads) {
  std::string text;
  for (int i = 0; i < 10'000; ++i) text += "net a" + std::to_string(i) + " connect b;\n";
  const std::string said = errors_of(text);
  EXPECT_LT(said.size(), 20'000u);
  EXPECT_NE(said.find("and 9950 more errors"), std::string::npos) << said.substr(said.size() - 100);
}

inline constexpr field<int> a{"a"}, b{"b"};
inline constexpr field<std::string> text_a{"a"};
inline constexpr tag t{"t"};

registry with_f() {
  return registry{}.add(box("f", takes(a, t), gives(b) | gives(b, t), [](int, std::int64_t, emitter&) {}));
}

TEST(errors_of_a_text, compare_boxes_with_those_that_are_registered) {
  const auto said = [](const std::string& box) {
    const std::string all = errors_of("box " + box + ";\nnet x connect [];", with_f());
    return all.substr(0, all.find('\n'));
  };
  EXPECT_EQ(said("f((a, <t>) -> (b) | (b, <t>))"), testing::nothing_refused);
  EXPECT_EQ(said("f((<t>, a) -> (b) | (b, <t>))"),
            "t.snet:1:8: error: box f takes another label here than as registered, a: names and order have to agree");
  EXPECT_EQ(said("f((a) -> (b) | (b, <t>))"), "t.snet:1:7: error: box f takes 1 labels here, and 2 as registered");
  EXPECT_EQ(
      said("f((a, t) -> (b) | (b, <t>))"),
      "t.snet:1:11: error: box f takes another label here than as registered, <t>: names and order have to agree");
  EXPECT_EQ(said("f((a, <t>) -> (b))"), "t.snet:1:19: error: box f has 1 outputs here, and 2 as registered");
  EXPECT_EQ(said("f((a, <t>) -> (b) | (b))"), "t.snet:1:25: error: box f gives 1 labels here, and 2 as registered");
  EXPECT_EQ(said("f(-> (b) | (b, <t>))"), "t.snet:1:5: error: box f is an initialiser here, and not as registered");
}

TEST(errors_of_a_text, name_both_types_that_a_field_would_have) {
  const registry known = registry{}
                             .add(box("f", takes(a), gives(b), [](int x) { return x; }))
                             .add(box("h", takes(text_a), gives(t), [](const std::string&) { return 1; }));
  const std::string said = errors_of("box f((a) -> (b));\nbox h((a) -> (<t>));\nnet x connect f | h;", known);
  EXPECT_NE(said.find("field a has two types: "), std::string::npos) << said;
  const std::string renamed =
      errors_of("box f((a) -> (b));\nbox h((a) -> (<t>));\nnet x connect f .. [{b} -> {a = b}] .. h;", known);
  EXPECT_NE(renamed.find("field a"), std::string::npos) << renamed;
}

}  // namespace
}  // namespace weir
