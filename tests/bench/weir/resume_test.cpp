#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "tests/bench/weir/made_observations.hpp"
#include "tests/bench/weir/running_weir.hpp"

// `weir run --resume LABEL`: each input's results are in the output once and whole, wherever runs were killed.
namespace weir::testing {
namespace {

using namespace std::string_literals;

class a_resumed_run : public ::testing::Test {
 protected:
  std::string file(const std::string& name, const std::string& text) const {
    return write_file(folder_.at(name), text);
  }
  std::string run(const std::string& key = "name") const {
    return "run " + net_ + " --input " + folder_.at("in.jsonl") + " --output " + out_ + " --resume " + key;
  }

  const scratch_folder folder_;
  // Three results of each input, which differ in <k>, and share the name.
  const std::string net_ = file("n.snet",
                                "net x connect [{<n>} -> {<n>, <k = 0>}; {<n>, <k = 1>}; {<n>, <k = 2>}] .. "
                                "[{<n>, <k>} -> {<n>, <k>, <q = 1000 / (n + k)>}];\n");
  const std::string out_ = folder_.at("out.jsonl");

  std::string inputs(int from, int to) const {
    std::string text;
    for (int i = from; i < to; ++i)
      text += "{\"name\": \"file " + std::to_string(i) + "\", \"<n>\": " + std::to_string(i) + "}\n";
    return text;
  }
};

TEST_F(a_resumed_run, adds_the_inputs_that_the_output_lacks_and_works_on_no_other) {
  file("in.jsonl", inputs(1, 3));
  EXPECT_EQ(run_weir(run()).code, 0);
  const std::string first = contents(out_);
  EXPECT_EQ(lines_of(first).size(), 6u);
  EXPECT_EQ(lines_of(first)[4], "{\"name\": \"file 2\", \"<k>\": 1, \"<n>\": 2, \"<q>\": 333}");
  file("in.jsonl", inputs(0, 4));
  const outcome o = run_weir(run());
  EXPECT_EQ(o.code, 1);
  EXPECT_NE(o.err.find("divides by zero"), std::string::npos) << o.err;
  EXPECT_NE(o.err.find("weir: 2 records left out, done in an earlier run\n"), std::string::npos) << o.err;
  EXPECT_EQ(contents(out_).find(first), 0u);
  EXPECT_EQ(lines_of(contents(out_)).size(), 9u) << "of an input that failed in part there is nothing";
  EXPECT_EQ(contents(out_).find("file 0"), std::string::npos);
  const std::string before = contents(out_);
  EXPECT_EQ(run_weir(run()).code, 1) << "what failed is tried again";
  EXPECT_EQ(contents(out_), before);
}

// A file is written as its bytes, and not read: of the results of an earlier run, the keys alone are.
TEST_F(a_resumed_run, has_results_with_files_in_each_notation) {
  const std::string net = file("f.snet", "net x { box keep((b) -> (f)); } connect keep;\n");
  const std::string boxes = file("f.json", R"({"fields": {"b": "bytes", "f": "file"},
    "boxes": {"keep": {"command": ["cp", {"in": "b"}, {"out": "f"}]}}})");
  const std::string one = R"({"name": "one", "b": {"base64": "AP8="}})"
                          "\n",
                    other = R"({"name": "other", "b": {"base64": ""}})"
                            "\n";
  for (const char* name : {"f.jsonl", "f.txt"}) {
    const std::string call = "run " + net + " --boxes " + boxes + " --resume name --output " + folder_.at(name) +
                             " --input " + folder_.at("in.jsonl");
    file("in.jsonl", one);
    EXPECT_EQ(run_weir(call).code, 0) << name;
    file("in.jsonl", one + other);
    const outcome o = run_weir(call);
    EXPECT_EQ(o.code, 0) << name;
    EXPECT_EQ(o.err, "weir: 1 record left out, done in an earlier run\n") << name;
    EXPECT_EQ(lines_of(contents(folder_.at(name))).size(), 2u) << name;
  }
}

// The notation of records makes texts of keys that are neither texts nor integers.
TEST_F(a_resumed_run, knows_keys_of_every_kind_in_each_notation) {
  std::string text;
  int number = 1;
  for (const char* key : {"0.5", "7", "null", "[1]", "true", "\"t\"", "{\"a\": 1}"})
    text += "{\"name\": " + std::string(key) + ", \"<n>\": " + std::to_string(number++) + "}\n";
  file("in.jsonl", text);
  for (const char* name : {"out.jsonl", "out.txt"}) {
    const std::string command =
        "run " + net_ + " --input " + folder_.at("in.jsonl") + " --output " + folder_.at(name) + " --resume name";
    ASSERT_EQ(run_weir(command).code, 0);
    const std::string first = contents(folder_.at(name));
    EXPECT_EQ(lines_of(first).size(), 21u);
    const outcome o = run_weir(command);
    EXPECT_EQ(o.code, 0) << o.err;
    EXPECT_NE(o.err.find("7 records left out"), std::string::npos) << name << ": " << o.err;
    EXPECT_EQ(contents(folder_.at(name)), first);
  }
}

// Invariant: keys are JSON values. Equal ones are one key however they are written, and others are not, however near.
TEST_F(a_resumed_run, takes_equal_json_for_one_key) {
  const auto lines = [](const std::vector<std::string>& keys) {
    std::string text;
    for (const std::string& key : keys) text += "{\"name\": " + key + ", \"<n>\": 1}\n";
    return text;
  };
  file("in.jsonl",
       lines({"1.0", "2.5e1", "[1, 2.0]", "{\"a\": 1, \"b\": \"\\u0041\"}", "9007199254740993.0", "1e300", "0.1"}));
  ASSERT_EQ(run_weir(run()).code, 0);
  const std::string first = contents(out_);
  EXPECT_EQ(lines_of(first).size(), 21u);
  file("in.jsonl", lines({"1", "25", "[1.0,2]", "{\"b\": \"A\", \"a\": 1.0}", "9007199254740993", "10e299", "100e-3"}));
  const outcome same = run_weir(run());
  EXPECT_EQ(same.code, 0) << same.err;
  EXPECT_NE(same.err.find("7 records left out"), std::string::npos) << same.err;
  EXPECT_EQ(contents(out_), first);
  file("in.jsonl", lines({"9007199254740992", "\"1\"", "-1", "[2, 1]", "1.00000000000000000001", "1e301", "true"}));
  const outcome others = run_weir(run());
  EXPECT_EQ(others.code, 0) << others.err;
  EXPECT_EQ(others.err.find("left out"), std::string::npos) << others.err;
  EXPECT_EQ(lines_of(contents(out_)).size(), 42u);
  file("in.jsonl", lines({"3", "3.0"}));
  const outcome twice = run_weir(run());
  EXPECT_NE(twice.err.find("name = 3 stands twice"), std::string::npos) << twice.err;
}

TEST_F(a_resumed_run, gives_the_same_file_from_every_place_where_one_was_cut_off) {
  file("in.jsonl", inputs(1, 5));
  ASSERT_EQ(run_weir(run()).code, 0);
  const std::string whole = contents(out_);
  const auto third_line = [&](std::size_t from) {
    for (int i = 0; i < 3; ++i) from = whole.find('\n', from) + 1;
    return from;
  };
  for (std::size_t from = 0; from < whole.size(); from = third_line(from))
    for (const std::size_t length :
         {std::size_t{0}, std::size_t{1}, std::size_t{30}, third_line(from) - from - 1, third_line(from) - from}) {
      // As a kill leaves it: the system has written the first bytes of the results of an input.
      std::string left = whole.substr(0, from + length);
      if (length > 0) left[from] = '\x18';
      file("out.jsonl", left);
      EXPECT_EQ(run_weir(run()).code, 0);
      ASSERT_EQ(contents(out_), whole) << from << " and " << length;
    }
}

TEST_F(a_resumed_run, cuts_off_a_line_without_its_end) {
  file("in.jsonl", inputs(1, 4));
  file("n.snet", "net x connect [];\n");
  ASSERT_EQ(run_weir(run()).code, 0);
  const std::string whole = contents(out_);
  for (std::size_t size = 0; size <= whole.size(); size += 7) {
    file("out.jsonl", whole.substr(0, size));
    EXPECT_EQ(run_weir(run()).code, 0);
    ASSERT_EQ(contents(out_), whole) << size;
  }
}

TEST_F(a_resumed_run, is_whole_after_kills_at_random_moments) {
  constexpr int many = 20000;
  file("in.jsonl", inputs(1, many));
  std::mt19937 random(7);
  int kills = 0;
  for (bool is_done = false; !is_done; ++kills) {
    const auto size = [&] { return std::filesystem::exists(out_) ? std::filesystem::file_size(out_) : 0; };
    const std::uintmax_t least = size() + std::uniform_int_distribution<int>(1, 1000000)(random);
    running_weir weir({"run", net_, "--input", folder_.at("in.jsonl"), "--output", out_, "--resume", "name"});
    ASSERT_TRUE(eventually([&] { return weir.has_ended() || size() >= least; }));
    is_done = weir.has_ended();
    weir.interrupt(SIGKILL);
    weir.end();
    if (const std::string text = contents(out_); !is_done && !text.empty()) {
      EXPECT_NE(text.front(), '\x18');
    }
  }
  EXPECT_GT(kills, 1);
  const std::string resumed = contents(out_);
  std::filesystem::remove(out_);
  ASSERT_EQ(run_weir(run()).code, 0);
  EXPECT_TRUE(resumed == contents(out_)) << "in the order of the inputs, too";
}

TEST_F(a_resumed_run, keeps_no_result_of_an_input_of_which_any_part_failed) {
  std::string text;
  for (int i = 0; i < 3000; ++i)  // the first, second or third part of them divides by zero; each tenth is well
    text += "{\"name\": " + std::to_string(i) + ", \"<n>\": " + std::to_string(i % 10 ? -(i % 3) : 1) + "}\n";
  file("in.jsonl", text);
  EXPECT_EQ(run_weir(run()).code, 1);
  const std::vector<std::string> lines = lines_of(contents(out_));
  ASSERT_EQ(lines.size(), 900u);
  for (std::size_t i = 0; i < lines.size(); ++i)
    EXPECT_EQ(lines[i].find("{\"name\": " + std::to_string(i / 3 * 10) + ","), 0u) << lines[i];
}

TEST_F(a_resumed_run, is_refused_where_the_output_is_no_output_of_it) {
  file("in.jsonl", inputs(1, 2));
  const auto refused = [&](const std::string& text, const std::string& key = "name") {
    file("out.jsonl", text);
    const outcome o = run_weir(run(key));
    EXPECT_EQ(o.code, 2) << text;
    EXPECT_EQ(contents(out_), text) << "it is left as it was";
    return o.err;
  };
  EXPECT_NE(refused("{\"name\": \"a\"}\n\nno record\n").find("line 3, column 2: invalid JSON"), std::string::npos);
  EXPECT_NE(refused("{\"name\": \"a\"}\n{\"<n>\": 1}\n").find("line 2 has no name"), std::string::npos);
  EXPECT_NE(refused("", "\"a b\"").find("\"a b\" is no label"), std::string::npos);
  EXPECT_EQ(run_weir("run " + net_ + " --resume name --output " + out_).code, 2);
  EXPECT_EQ(run_weir("run " + net_ + " --resume name --input " + folder_.at("in.jsonl")).code, 2);

  const int other = ::open(out_.c_str(), O_RDWR);
  ASSERT_EQ(::flock(other, LOCK_EX | LOCK_NB), 0);
  EXPECT_NE(refused("").find("another run writes it"), std::string::npos);
  ::close(other);
}

TEST_F(a_resumed_run, needs_inputs_that_differ_in_the_key_and_results_that_have_it) {
  file("in.jsonl", inputs(1, 3) + inputs(2, 3) + "{\"<n>\": 7}\n");
  const outcome twice = run_weir(run());
  EXPECT_EQ(twice.code, 1);
  EXPECT_NE(twice.err.find(":3:1: error: name = \"file 2\" stands twice"), std::string::npos) << twice.err;
  EXPECT_NE(twice.err.find(":4:1: error: the record has no name, the label of --resume"), std::string::npos);
  EXPECT_EQ(lines_of(contents(out_)).size(), 6u);
  std::filesystem::remove(out_);
  file("n.snet", "net x connect [{name} -> {}];\n");
  expect_refused(run(), "has name, since a box or filter takes it and does not give it");
  EXPECT_FALSE(std::filesystem::exists(out_));
  // Some results of this network have it.
  file("n.snet", "net x connect [{name, <n>} -> if <n == 1> then {name} else {}];\n");
  const outcome lost = run_weir(run());
  EXPECT_EQ(lost.code, 1);
  EXPECT_NE(lost.err.find("there is no name, which says of which input it is, in the record"), std::string::npos)
      << lost.err;
  EXPECT_LE(lines_of(contents(out_)).size(), 1u);
}

// Else the next run would add the same results again.
TEST_F(a_resumed_run, refuses_results_whose_key_no_input_has) {
  file("in.jsonl", inputs(1, 3));
  file("n.snet", "net x connect [{<n>} -> {<n = n + 10>}];\n");
  const outcome o = run_weir(run("'<n>'"));
  EXPECT_EQ(o.code, 1);
  EXPECT_NE(o.err.find("--resume: no input has the <n> of the result {name=file 1, <n>=11}"), std::string::npos)
      << o.err;
  EXPECT_EQ(contents(out_), "");
}

TEST_F(a_resumed_run, keeps_records_as_weir_prints_them_and_tags_as_keys) {
  file("in.jsonl", inputs(1, 3));
  const std::string out = folder_.at("out.txt");
  const std::string command = "run " + net_ + " --input " + folder_.at("in.jsonl") + " --output " + out;
  EXPECT_EQ(run_weir(command + " --resume '<n>'").code, 0);
  const std::string first = contents(out);
  EXPECT_EQ(lines_of(first)[0], "{name=file 1, <k>=0, <n>=1, <q>=1000}");
  file("in.jsonl", inputs(1, 4));
  EXPECT_EQ(run_weir(command + " --resume '<n>'").code, 0);
  EXPECT_EQ(contents(out).find(first), 0u);
  EXPECT_EQ(lines_of(contents(out)).size(), 9u);
}

}  // namespace
}  // namespace weir::testing
