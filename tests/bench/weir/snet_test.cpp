#include <filesystem>
#include <functional>
#include <string>

#include "tests/bench/weir/command.hpp"
#include "tests/bench/weir/made_observations.hpp"

// `weir check`, `run`, `dot` and `fmt`: networks as text, and libraries of boxes in C++ and C.
namespace weir::testing {
namespace {

using namespace std::string_literals;

class a_text_for_the_command : public ::testing::Test {
 protected:
  std::string file(const std::string& name, const std::string& text) const {
    return write_file(folder_.at(name), text);
  }
  static std::string library(const std::string& name) { return " --boxes " WEIR_SNET_LIBRARIES "/" + name + ".so "; }

  const scratch_folder folder_;
};

TEST_F(a_text_for_the_command, is_checked_with_exit_code_1_for_errors_and_2_for_what_cannot_be_read) {
  const std::string good = file("good.snet", "net x { box f((a) -> (b)); } connect f .. [];\n");
  EXPECT_EQ(run_weir("check " + good).code, 0) << "boxes need not be registered";
  const std::string bad = file("bad.snet", "net x connect f .. ;\nnet y connect z;\n");
  const outcome o = run_weir("check " + bad);
  EXPECT_EQ(o.code, 1);
  EXPECT_EQ(o.out, "");
  EXPECT_EQ(o.err, bad +
                       ":1:20: error: expected a network: a name, (, [ or [|, found ';'\n"
                       "    1 | net x connect f .. ;\n"
                       "      |                    ^\n" +
                       bad +
                       ":2:15: error: unknown name z (known: x)\n"
                       "    2 | net y connect z;\n"
                       "      |               ^\n");
  EXPECT_EQ(run_weir("check " + folder_.at("none.snet")).code, 2);
  EXPECT_EQ(run_weir("check " + folder_.at("")).code, 2);
  EXPECT_EQ(run_weir("check").code, 2);
}

TEST_F(a_text_for_the_command, runs_without_a_library_if_it_has_no_boxes) {
  const std::string net = file("n.snet", "net x connect [{<n>} -> {<n = 10 / n>}];\n");
  const std::string in = file("in.txt", "# records\n{<n>=2}\n\n{<n>=0}\n{<m>=1}\n{<n>=x}\n{<n>=5, a=b}\n");
  const outcome o = run_weir("run " + net + " --input " + in);
  EXPECT_EQ(o.code, 1);
  EXPECT_EQ(o.out, "{<n>=5}\n{a=b, <n>=2}\n");
  EXPECT_NE(o.err.find(in + ":5:1: error: the record does not fit the input {<n>} -> {<n>}: it lacks <n>\n"),
            std::string::npos)
      << o.err;
  EXPECT_NE(o.err.find(in + ":6:6: error: a tag is an integer of 64 bits, got 'x'\n"), std::string::npos) << o.err;
  EXPECT_NE(o.err.find("divides by zero; record {<n>=0}"), std::string::npos) << o.err;
  const std::string out = folder_.at("out.txt");
  EXPECT_EQ(run_weir("run " + net + " --input - --output " + out, "echo '{<n>=2}' | ").out, "") << "stdin is /dev/null";
  EXPECT_EQ(contents(out), "");
}

TEST_F(a_text_for_the_command, is_not_run_when_a_file_would_be_written_over_that_is_read_or_written_too) {
  const std::string net = file("id.snet", "net x connect [];\n");
  const std::string in = file("in.txt", "{<n>=1}\n");
  const std::string report = folder_.at("r.json");
  for (const std::string& options : {"--input " + in + " --output " + folder_.at("./in.txt"), "--output " + net,
                                     "--output " + report + " --report " + report}) {
    const outcome o = run_weir("run " + net + " " + options);
    EXPECT_EQ(o.code, 2) << options;
    EXPECT_EQ(o.out, "") << options;
  }
  EXPECT_EQ(contents(in), "{<n>=1}\n");
  EXPECT_EQ(contents(net), "net x connect [];\n");
}

TEST_F(a_text_for_the_command, reads_what_is_quoted_as_text_and_not_as_a_number) {
  const std::string net = file("id.snet", "net x connect [];\n");
  const std::string in = file("in.txt", "\xef\xbb\xbf{a=\"007\"}\n{a=007}\n  {<n>=+-5}\n");
  const outcome o = run_weir("run " + net + " --input " + in);
  EXPECT_EQ(o.out, "{a=\"007\"}\n{a=7}\n");
  EXPECT_EQ(o.code, 1);
  EXPECT_EQ(o.err, in + ":3:8: error: a tag is an integer of 64 bits, got '+-5'\n");
}

TEST_F(a_text_for_the_command, prints_records_that_it_reads_again) {
  const std::string net = file("id.snet", "net x connect [];\n");
  const std::string lines =
      "{a=\"x,}y\", b=\" \\\"quoted\\\" \\n\\x1b\\xff\", c=two words, <t>=-3}\n{a=\"-12\", b=-12}\n";
  const std::string in = file("in.txt", lines);
  EXPECT_EQ(run_weir("run " + net + " --input " + in).out, lines);
  const std::string out = folder_.at("out.txt");
  EXPECT_EQ(run_weir("run " + net + " --input " + in + " --output " + out).code, 0);
  EXPECT_EQ(contents(out), lines);
}

TEST_F(a_text_for_the_command, has_boxes_that_the_given_libraries_lack) {
  const std::string net =
      file("n.snet", "net x {\n  box missing((a) -> (b));\n  box unused((a) -> (b));\n} connect missing;\n");
  EXPECT_EQ(run_weir("check " + net).code, 0);
  const outcome o = run_weir("check " + net + library("snet_boxes_cxx"));
  EXPECT_EQ(o.code, 1);
  EXPECT_EQ(lines_of(o.err).front(), net + ":2:7: error: box missing is not registered (known: both, count, weigh)");
}

TEST_F(a_text_for_the_command, ends_a_star_without_end_with_its_path) {
  const std::string net = file("n.snet", "net x connect [] .. [{<n>} -> {<n = n + 1>}] * {<n>} if <n < 0>;\n");
  const std::string in = file("in.txt", "{<n>=1}\n{<n>=-1}\n");
  const outcome o = run_weir("run " + net + " --max-depth 1000 --input " + in);
  EXPECT_EQ(o.code, 1);
  EXPECT_EQ(o.out, "{<n>=-1}\n");
  EXPECT_NE(o.err.find("the star would be 1001 stages deep, option max_depth is 1000"), std::string::npos) << o.err;
  EXPECT_NE(o.err.find(":S2:R1000"), std::string::npos) << o.err;
  EXPECT_EQ(run_weir("run " + net + " --max-held 0").code, 2);
}

TEST_F(a_text_for_the_command, fails_the_record_that_is_one_more_than_may_be_held) {
  const std::string net = file("n.snet", "net x connect [] .. [| {a}, {b} |] ! <k>;\n");
  const std::string in = file("in.txt", "{a=1, <k>=1}\n{a=2, <k>=2}\n{a=3, <k>=3}\n{b=4, <k>=1}\n");
  const outcome o = run_weir("run " + net + " --max-held 2 --input " + in);
  EXPECT_EQ(o.code, 1);
  EXPECT_EQ(o.out, "{a=1, b=4, <k>=1}\n");
  EXPECT_NE(o.err.find("synchrocells here hold 2 records, option max_held"), std::string::npos) << o.err;
  EXPECT_NE(o.err.find(":S2:I3"), std::string::npos) << o.err;
}

// Each failed record is named, up to as many as a run keeps; the rest is counted.
TEST_F(a_text_for_the_command, names_the_records_that_fail) {
  const std::string net = file("n.snet", "net x connect [] .. [| {a}, {b} |] ! <k>;\n");
  const auto failures = [&](int records) {
    std::string text;
    for (int i = 0; i < records; ++i) text += "{a=1, <k>=" + std::to_string(i) + "}\n";
    const outcome o = run_weir("run " + net + " --max-held 1 --input " + file("in.txt", text));
    EXPECT_EQ(o.code, 1);
    return o;
  };
  const outcome few = failures(100);
  for (int i = 1; i < 100; ++i)
    EXPECT_NE(few.err.find("{a=1, <k>=" + std::to_string(i) + "}"), std::string::npos) << i << "\n" << few.err;
  EXPECT_EQ(few.err.find("are named"), std::string::npos) << few.err;
  EXPECT_NE(failures(5000).err.find("weir: 4999 records failed, of which 4096 are named"), std::string::npos);
  EXPECT_EQ(run_weir("run " + net + " --device g=1 --device g=2").err, "weir: --device: \"g\" is given twice\n");
}

// The limit of a file's size is signalled; who does not ignore that is killed.
TEST_F(a_text_for_the_command, is_left_as_it_was_where_its_layout_cannot_be_written) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "net x" + std::to_string(i) + "   connect [];\n";
  const std::string net = file("n.snet", text);
  const outcome o = run_weir("fmt --write " + net, "ulimit -f 8; ");
  EXPECT_EQ(o.code, 1);
  EXPECT_NE(o.err.find("n.snet could not be written: File too large"), std::string::npos) << o.err;
  EXPECT_EQ(contents(net), text);
  for (const auto& f : std::filesystem::directory_iterator(folder_.at(".")))
    EXPECT_NE(f.path().extension(), ".partial") << f.path();
}

TEST_F(a_text_for_the_command, says_what_synchrocells_hold_at_the_end) {
  const std::string net = file("n.snet", "net x connect [| {a}, {b} |];\n");
  const outcome o = run_weir("run " + net + " --input " + file("in.txt", "{a=1}\n"));
  EXPECT_EQ(o.code, 0);
  EXPECT_EQ(o.err, "weir: 1 record left in synchrocells at the top\n");
}

TEST_F(a_text_for_the_command, is_laid_out_and_drawn) {
  const std::string net = file("n.snet", "net x   connect[{<n>}->{<n=n+1>}]*{<n>}if<n>3>;// up\n");
  const std::string once = "net x connect [{<n>} -> {<n = n + 1>}] * {<n>} if <n > 3>;  // up\n";
  EXPECT_EQ(run_weir("fmt " + net).out, once);
  EXPECT_EQ(run_weir("fmt --write " + net).code, 0);
  EXPECT_EQ(contents(net), once);
  expect_refused("fmt --write /dev/null", "--write: /dev/null is no regular file");
  EXPECT_EQ(run_weir("dot " + net).out.rfind("digraph weir {\n", 0), 0u);
  EXPECT_EQ(run_weir("fmt " + file("bad.snet", "net x connect")).code, 1);
}

TEST(the_grammar_for_editors, is_json_whose_patterns_are_all_there) {
  const nlohmann::json grammar = parsed(contents(WEIR_SNET_GRAMMAR));
  const std::function<void(const nlohmann::json&)> look = [&](const nlohmann::json& at) {
    if (at.is_object() && at.contains("include")) {
      const std::string name = at.at("include");
      EXPECT_TRUE(grammar.at("repository").contains(name.substr(1))) << name;
    }
    if (at.is_structured())
      for (const nlohmann::json& part : at) look(part);
  };
  look(grammar);
  EXPECT_EQ(grammar.at("scopeName"), "source.snet");
}

TEST_F(a_text_for_the_command, may_be_any_ten_megabytes) {
  std::string text = "net x connect ";
  std::uint64_t state = 1;
  while (text.size() < 10'000'000)
    text += static_cast<char>((state = state * 6364136223846793005u + 1442695040888963407u) >> 56);
  const outcome o = run_weir("check " + file("any.snet", text));
  EXPECT_EQ(o.code, 1);
  EXPECT_LT(o.err.size(), 65'536u);
  EXPECT_EQ(run_weir("check " +
                     file("deep.snet", "net x connect " + std::string(5'000'000, '(') + std::string(5'000'000, ')')))
                .code,
            1);
}

TEST_F(a_text_for_the_command, runs_on_as_many_cores_as_the_help_says_and_refuses_others_by_the_option) {
  const std::string run = "run " + file("n.snet", "net x connect [{<n>} -> {<n=n+1>}];\n") + " --input " +
                          file("in.txt", "{<n>=1}\n") + " ";
  for (const char* cores : {"--cores 1", "--cores 4093", "--cores 4096"}) {
    const outcome o = run_weir(run + cores);
    EXPECT_EQ(o.code, 0) << o.err;
    EXPECT_EQ(o.out, "{<n>=2}\n");
  }
  expect_refused(run + "--cores 4097", "--cores: 4097 is not in 1..4096");
  expect_refused(run + "--cores abc", "--cores: \"abc\" is not a whole number in 1..4096");
  expect_refused(run + "--live abc", "--live: \"abc\" is not a whole number in 0..65535");
  expect_refused(run + "--progress=3", "--progress: it takes no value");
}

TEST_F(a_text_for_the_command, is_not_named_for_a_policy_that_does_not_fit) {
  const std::string boxes =
      R"({"fields": {"a": "text", "b": "text"}, "boxes": {"c": {"output": "b", "command": ["true"]}}})";
  const std::string run = "run " + file("n.snet", "net x { box c((a) -> (b)); } connect c;\n") + " --boxes " +
                          file("b.json", boxes) + " --cores 2 --policy ";
  expect_refused(run + "fixed:c=99", "weir: --policy fixed:c=99: 99 cores are given away and there are 2");
  expect_refused(run + "fixed:d=1", "weir: --policy fixed:d=1: there is no component \"d\"");
}

}  // namespace
}  // namespace weir::testing
