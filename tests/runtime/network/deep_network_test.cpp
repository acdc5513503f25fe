#include <gtest/gtest.h>

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/runtime/language/labels.hpp"

// Networks that are nested deep, grow long, or share their parts. Operations on them take work in proportion to their
// text, each part once, and little of the stack.
namespace weir::deep_network_test {
namespace {

using namespace testing;

constexpr int deepest = 1000;

network plus_one() {
  return box("inc", takes(a), gives(a), [](int v) { return v + 1; });
}
network with_more() {
  return box("more", takes(a), gives(a, n), [](int v) { return std::tuple(v + 1, std::int64_t{1}); });
}

using wrapping = std::function<network(const network&, int)>;

const std::vector<std::pair<std::string, wrapping>>& wrappings() {
  static const std::vector<std::pair<std::string, wrapping>> all{
      {"as", [](const network& in, int) { return in.as("g"); }},
      {"ordered", [](const network& in, int) { return ordered(in); }},
      {"observe", [](const network& in, int) { return observe(in, [](const record&, std::string_view) {}); }},
      {"at", [](const network& in, int) { return at(in, 1); }},
      {"star", [](const network& in, int) { return star(in, pattern{n}.where(n >= 0)); }},
      {"star_of_two",
       [](const network& in, int i) {
         return star(in, pattern{a, n}.where(n >= i));
       }},
      {"split", [](const network& in, int) { return split(in, n); }},
      {"feedback", [](const network& in, int) { return feedback(in, pattern{b}); }},
      {"choice_in_chain", [](const network& in, int i) { return i % 2 ? in | bypass() : plus_one() >> in; }},
      {"shared", [](const network& in, int) { return star(in >> in, pattern{n}.where(n >= 0)); }}};
  return all;
}

TEST(a_network, may_be_nested_a_thousand_deep_and_no_deeper) {
  for (const auto& [what, wrapped] : wrappings()) {
    network net = plus_one();
    const int most = what == "shared" ? 24 : deepest;
    for (int i = 0; i < most; ++i) net = wrapped(net, i);
    const bool prints = what != "shared";
    if (prints) {
      EXPECT_LE(to_string(net).size(), 64u * deepest) << what;
      EXPECT_LE(net.dot().size(), 256u * deepest) << what;
    }
    const std::string why = refusal([&, wrapped = wrapped] { wrapped(wrapped(net, 0), 1); });
    if (what == "shared")
      EXPECT_NE(why.find("a network of more than 16777216 boxes"), std::string::npos) << why;
    else
      EXPECT_NE(why.find("combinators nested 1001 deep, expected at most 1000; the outermost is around "),
                std::string::npos)
          << what << ": " << why;
  }
}

TEST(a_network, that_is_nested_as_deep_as_may_be_runs) {
  for (const char* what : {"as", "star", "feedback"}) {
    network net = plus_one();
    for (const auto& [name, wrapped] : wrappings())
      for (int i = 0; name == what && i < deepest; ++i) net = wrapped(net, i);
    options o;
    o.machine = machine::synthetic("core:1 pu:1");
    execution run = start(net, o);
    run.send(a = 1, n = 1);
    run.close();
    EXPECT_EQ(all_of(run).size(), 1u) << what;
  }
}

TEST(a_network, may_be_a_chain_or_choice_of_ten_thousand_however_it_is_built) {
  constexpr int many = 10000;
  const std::vector<std::pair<std::string, wrapping>> steps{
      {"to the right", [](const network& net, int) { return net >> plus_one(); }},
      {"to the left", [](const network& net, int) { return plus_one() >> net; }},
      {"to the left, with a label that rides along", [](const network& net, int) { return with_more() >> net; }},
      {"both ways", [](const network& net, int i) { return i % 2 ? with_more() >> net : net >> with_more(); }},
      {"choice to the right", [](const network& net, int) { return net | plus_one(); }},
      {"choice to the left", [](const network& net, int) { return plus_one() | net; }}};
  for (const auto& [what, step] : steps) {
    network net = plus_one();
    for (int i = 1; i < many; ++i) net = step(net, i);
    EXPECT_GE(to_string(net).size(), std::size_t{many} * 5) << what;
    EXPECT_GE(net.dot().size(), std::size_t{many} * 30) << what;
    EXPECT_EQ(split(net, k).signature().rules.size(), 1u) << what;
  }
}

TEST(a_network, that_shares_its_halves_is_looked_at_once) {
  network net = with_more();
  for (int i = 0; i < 24; ++i) net = net >> net;
  EXPECT_EQ(to_string(net.signature()), "{a} -> {a, <n>}");
  EXPECT_EQ(to_string(split(net, k).signature()), "{a, <k>} -> {a, <k>, <n>}");
  EXPECT_EQ(refusal([&] { net >> net; }),
            "a network of more than 16777216 boxes, filters and others, each counted as often as it stands in it; a "
            "part of it is (more .. 16777214 more .. more)");
}

TEST(more_than_1024_variants, are_refused_in_a_choice_too) {
  std::vector<network> branches;
  for (int i = 0; i < 1025; ++i) branches.push_back(filter(takes(tag("t" + std::to_string(i)))).emit());
  const std::string why = refusal([&] { choice(branches); });
  EXPECT_NE(why.find(": more than 1024 variants; close a part of it with .as(name, takes(..), gives(..))"),
            std::string::npos)
      << why;
  branches.pop_back();
  EXPECT_EQ(choice(branches).signature().rules.size(), 1024u);
}

// ---- synchrocells are open ----

TEST(a_synchrocell, takes_every_record_wherever_it_stands) {
  const network cell = sync({a}, {b});
  const std::vector<std::pair<std::string, network>> all{
      {"alone", cell},
      {"ordered", ordered(cell)},
      {"observed", observe(cell, [](const record&, std::string_view) {})},
      {"named", cell.as("cell")},
      {"placed", at(cell, 1)},
      {"before another", cell >> sync({b}, {c})},
      {"in a feedback", feedback(cell, pattern{d})},
      {"in a choice", cell | typed("f", takes(c, n), gives(d))},
      {"between choices", (bypass() | typed("f", takes(c, n), gives(d))) >> cell >> bypass()}};
  const auto passed = [](const network& net) {
    options o;
    o.machine = machine::synthetic("core:1 pu:1");
    execution run = start(net, o);
    for (const record& r : {record{c = 1, bk = 2}, record{}, record{a = 1, bk = 3}, record{s = "s"}, record{k = 5}})
      run.send(r);
    run.close();
    std::vector<std::string> results;
    for (const record& r : run) results.push_back(to_string(r));
    return results;
  };
  for (const auto& [what, net] : all) {
    EXPECT_EQ(passed(net).size(), 5u) << what;
    EXPECT_EQ(passed(bypass() >> net), passed(net)) << what;
  }
}

TEST(a_synchrocell, scores_0_for_what_fills_none_of_its_slots) {
  const network net = ordered(split(sync({a}, {b}), n) |
                              box("f", takes(n, bk), gives(c), [](std::int64_t, std::int64_t) { return 1; }));
  options o;
  o.machine = machine::synthetic("core:1 pu:1");
  execution run = start(net, o);
  run.send(a = 1, n = 1, bk = 2);
  run.send(n = 1);
  run.close();
  const std::vector<record> results = all_of(run);
  ASSERT_EQ(results.size(), 2u);
  EXPECT_TRUE(results[0].contains(c)) << "the box names one label more of it";
  EXPECT_EQ(to_string(results[1]), "{<n>=1}");
}

}  // namespace
}  // namespace weir::deep_network_test
