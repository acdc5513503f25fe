#include <algorithm>
#include <set>
#include <sstream>
#include <string>

#include "tests/runtime/language/labels.hpp"

#include <gtest/gtest.h>

// The printed forms of networks: S-Net's notation with only the necessary parentheses, and graphs.
namespace weir {
namespace {

using namespace testing;

network f() { return box("f", takes(n), gives(n), plus_one); }
network g() { return box("g", takes(n), gives(n), plus_one); }
network h() { return box("h", takes(n), gives(n), plus_one); }

TEST(notation, of_filters_has_pattern_guards_and_items) {
  EXPECT_EQ(to_string(filter(takes(a, b, n)).emit(a, n).emit(a = b, n = n + 1).emit(k)),
            "[{a, b, <n>} -> {a, <n>} ; {a=b, <n=n+1>} ; {<k>}]");
  EXPECT_EQ(to_string(filter(takes(n)).when(n % 2 == 0).emit(n = n / 2).when(n >= 11).otherwise().emit(n = 3 * n + 1)),
            "[{<n>} -> if <n%2==0> then {<n=n/2>} else if <n>=11> then else {<n=3*n+1>}]");
  EXPECT_EQ(to_string(bypass()), "[]");
}

TEST(notation, of_each_combinator_is_that_of_s_net) {
  EXPECT_EQ(to_string(f() >> g()), "f .. g");
  EXPECT_EQ(to_string(f() | g() | h()), "f | g | h");
  EXPECT_EQ(to_string(star(f(), pattern{n}.where(n == 1))), "f*{<n>} if <n==1>");
  EXPECT_EQ(to_string(split(f(), n)), "f!<n>");
  EXPECT_EQ(to_string(feedback(f(), pattern{n}.where(n < 9))), "f\\{<n>} if <n<9>");
  EXPECT_EQ(to_string(sync({a}, {b, n})), "[|{a}, {b, <n>}|]");
  EXPECT_EQ(to_string(at(f(), 3)), "f@3");
  EXPECT_EQ(to_string(at(f(), n)), "f!@<n>");
}

TEST(notation, of_ordered_forms_has_their_own_signs) {
  EXPECT_EQ(to_string(ordered(f() | g())), "f || g");
  EXPECT_EQ(to_string(ordered(star(f(), pattern{n}.where(n == 1)))), "f**{<n>} if <n==1>");
  EXPECT_EQ(to_string(ordered(split(f(), n))), "f!!<n>");
  EXPECT_EQ(to_string(ordered(f() >> g())), "ordered(f .. g)");
}

TEST(notation, has_parentheses_where_another_network_would_be_read_without) {
  EXPECT_EQ(to_string(f() >> (g() | h())), "f .. (g | h)");
  EXPECT_EQ(to_string((f() >> g()) | h()), "f .. g | h");
  EXPECT_EQ(to_string(star(f() >> g(), pattern{n}.where(n == 1))), "(f .. g)*{<n>} if <n==1>");
  EXPECT_EQ(to_string(split(f() | g(), n)), "(f | g)!<n>");
  EXPECT_EQ(to_string(ordered(f() | g()) >> h()), "(f || g) .. h");
  EXPECT_EQ(to_string(split(split(f(), n), k)), "f!<n>!<k>");
}

TEST(notation, of_a_network_with_groups_begins_with_the_definitions_of_boxes_and_groups) {
  EXPECT_EQ(to_string((f() | g()).as("either") >> h()),
            "box f((<n>) -> (<n>));\nbox g((<n>) -> (<n>));\nbox h((<n>) -> (<n>));\n"
            "net either connect f | g;\neither .. h\n");
  EXPECT_EQ(to_string(star((f() >> f()).as("twice", takes(n, k), gives(n)), pattern{n}.where(n == 1)).as("f")),
            "box f((<n>) -> (<n>));\nnet twice ({<k>, <n>} -> {<n>}) connect f .. f;\n"
            "net f_2 connect twice*{<n>} if <n==1>;\nf_2\n");
}

TEST(notation, separates_patterns_by_commas_and_writes_an_empty_action_as_nothing) {
  EXPECT_EQ(to_string(star(f(), pattern{n}.where(n == 1) | pattern{k})), "f*{<n>} if <n==1>, {<k>}");
  EXPECT_EQ(to_string(filter(takes(n))), "[{<n>} -> ]");
  EXPECT_EQ(to_string(filter(takes(n)).when(n > 1).otherwise()), "[{<n>} -> if <n>1> then else ]");
}

// ---- graphs ----

// The identifiers that lines of a graph define, and those that its edges name.
struct identifiers {
  std::set<std::string> defined, used;
  int open = 0;
};

identifiers read(const std::string& graph) {
  identifiers all;
  std::istringstream lines(graph);
  for (std::string line; std::getline(lines, line);) {
    bool quoted = false;
    std::string outside;  // outside quotes
    for (std::size_t i = 0; i < line.size(); ++i) {
      if (line[i] == '"' && (i == 0 || line[i - 1] != '\\'))
        quoted = !quoted;
      else if (!quoted)
        outside += line[i];
    }
    EXPECT_FALSE(quoted) << line;
    all.open += static_cast<int>(std::count(outside.begin(), outside.end(), '{') -
                                 std::count(outside.begin(), outside.end(), '}'));
    std::istringstream words(line);
    std::string first, second, third;
    words >> first >> second >> third;
    const auto name = [](std::string word) {
      word.erase(std::remove(word.begin(), word.end(), ';'), word.end());
      return word.substr(0, word.find('['));
    };
    if (second == "->")
      all.used.insert({name(first), name(third)});
    else if (second.rfind('[', 0) == 0)
      all.defined.insert(name(first));
  }
  return all;
}

TEST(a_graph, of_every_combinator_is_well_formed_and_connects_only_what_it_defines) {
  const network opens = source("opens", gives(n), [] { return 1; });
  const network all = (opens | bypass()) >> ordered(star(split(f() | g(), n), pattern{n}.where(n == 1))) >>
                      feedback(sync({n}, {k}) >> at(h(), 2).as("a \"quoted\" name"), pattern{n}.where(n > 7)) >>
                      observe(filter(takes(n)).emit(n), [](const record&, std::string_view) {});
  const std::string graph = all.dot();
  EXPECT_EQ(graph.rfind("digraph weir {\n", 0), 0u) << graph;
  const identifiers found = read(graph);
  EXPECT_EQ(found.open, 0) << graph;
  EXPECT_GT(found.used.size(), 6u) << graph;
  for (const std::string& id : found.used) EXPECT_TRUE(found.defined.count(id)) << id << " in\n" << graph;
  for (const char* name : {"opens", "f", "g", "h", "[]"})
    EXPECT_NE(graph.find('"' + std::string(name)), std::string::npos) << name << " in\n" << graph;
}

}  // namespace
}  // namespace weir
