#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "tests/bench/weir/command.hpp"
#include "tests/bench/weir/made_observations.hpp"

// Libraries of boxes in C++ and C for `weir check` and `run`. Whatever is wrong with one is one error that names it,
// and a box that makes a mistake fails one record.
namespace weir::testing {
namespace {

class a_library_of_boxes : public ::testing::Test {
 protected:
  std::string file(const std::string& name, const std::string& text) const {
    return write_file(folder_.at(name), text);
  }
  static std::string library(const std::string& name) { return " --boxes " WEIR_SNET_LIBRARIES "/" + name + ".so "; }

  const scratch_folder folder_;
};

TEST_F(a_library_of_boxes, in_cxx_is_run) {
  const std::string net = file("n.snet",
                               "net x {\n  box count((word) -> (word, <n>));\n  net both;\n"
                               "} connect both | ([{long} -> {word = long}] .. count);\n");
  const std::string in = file("in.txt", "{word=three, id=1}\n{long=seventeen}\n");
  const outcome o = run_weir("run " + net + library("snet_boxes_cxx") + "--cores 1 --input " + in);
  EXPECT_EQ(o.err, "");
  EXPECT_EQ(o.code, 0);
  EXPECT_EQ(o.out, "{id=1, weight=2.5, word=three}\n{word=seventeen, <n>=9}\n");
  const outcome without = run_weir("run " + net + " --input " + in);
  EXPECT_EQ(without.code, 1);
  EXPECT_NE(without.err.find(net + ":2:7: error: box count is not registered"), std::string::npos) << without.err;
  EXPECT_NE(without.err.find(net + ":3:7: error: net both is not registered"), std::string::npos) << without.err;
}

// A result is not written without a value, and with code 0 and no word of it.
TEST_F(a_library_of_boxes, is_told_of_values_that_nothing_prints_once_for_each_field) {
  const std::string net = file("n.snet", "net x { box fill((word) -> (word, made)); } connect fill;\n");
  const std::string in = file("in.txt", "{word=a}\n{word=b, <n>=1}\n");
  const std::string told =
      "weir: the values of field made are lost in the results, which have the name of their type, matrix, in place of "
      "them: it has no operator<<\n";
  const outcome lines = run_weir("run " + net + library("snet_without_text") + "--cores 1 --input " + in);
  EXPECT_EQ(lines.code, 1);
  EXPECT_EQ(lines.err, told);
  EXPECT_EQ(lines.out, "{made=matrix, word=a}\n{made=matrix, word=b, <n>=1}\n");
  const outcome json = run_weir("run " + net + library("snet_without_text") + "--cores 1 --json --input " + in);
  EXPECT_EQ(json.code, 1);
  EXPECT_EQ(json.err, told);
}

// A box of a library runs on the device that an option or the file of boxes names, and on cores without it.
TEST_F(a_library_of_boxes, runs_a_box_on_the_device_that_the_run_has) {
  const std::string net = file("n.snet", "net x { box mark((word) -> (word, by)); } connect mark;\n");
  const std::string run = "run " + net + " --input " + file("in.txt", "{word=a}\n{word=b}\n");
  const std::string on_device = "{by=gpu0, word=a}\n{by=gpu0, word=b}\n";
  EXPECT_EQ(run_weir(run + library("snet_on_device") + "--device gpu0=2").out, on_device);
  EXPECT_EQ(run_weir(run + library("snet_on_device")).out, "{by=cores, word=a}\n{by=cores, word=b}\n");
  const std::string boxes = file("b.json", "{\"devices\": {\"gpu0\": 1}, \"boxes\": {\"mark\": {\"library\": \"" +
                                               std::string(WEIR_SNET_LIBRARIES) + "/snet_on_device.so\"}}}");
  EXPECT_EQ(run_weir(run + " --boxes " + boxes).out, on_device);
  const outcome o = run_weir(run + library("snet_on_device") + "--device gpu0=0");
  EXPECT_EQ(o.code, 2);
  EXPECT_EQ(o.err, "weir: --device: \"gpu0=0\" is not NAME=SLOTS, such as gpu0=2, with 1 to 1024 slots\n");
}

TEST_F(a_library_of_boxes, in_c_is_run) {
  const std::string net = file("n.snet",
                               "net bank {\n  box open((owner) -> (account));\n"
                               "  box post((account, <amount>) -> (account) | (account, <overdrawn>));\n"
                               "} connect open .. [{<amount>, <more>} -> {<amount>, <more>}] .. post .. [{<more>} -> "
                               "{<amount = more>}] .. post;\n");
  const std::string in = file("in.txt", "{owner=Ann, <amount>=5, <more>=7}\n{owner=Bob, <amount>=-5, <more>=3}\n");
  const outcome o = run_weir("run " + net + library("snet_boxes_c") + "--input " + in);
  EXPECT_EQ(o.err, "");
  EXPECT_EQ(o.code, 0);
  EXPECT_EQ(o.out, "{account=Ann:12}\n{account=Bob:3, <overdrawn>=5}\n");

  const std::string closed = file("c.snet",
                                  "net x {\n  box numbers(-> (number, share));\n"
                                  "  box halves((number, share) -> (number, share, <#half>));\n"
                                  "} connect numbers .. halves .. [{number, <#half>} -> {number, <half = #half>}];\n");
  EXPECT_EQ(run_weir("run " + closed + library("snet_boxes_c")).out,
            "{number=11, share=0.5, <half>=1}\n{number=12, share=0.5, <half>=2}\n{number=21, share=0.5, <half>=1}\n"
            "{number=22, share=0.5, <half>=2}\n{number=31, share=0.5, <half>=1}\n{number=32, share=0.5, <half>=2}\n");
}

// Records that are lost are no success, whatever code the box gives.
TEST_F(a_library_of_boxes, that_calls_exit_is_named_and_exit_code_0_is_none) {
  const std::string run = "run " + file("n.snet", "net x { box halve((<n>) -> (<half>)); } connect halve;\n") +
                          library("snet_crashing") + "--cores 1 --input ";
  for (const auto& [given, code] : {std::pair(0, 1), {5, 5}}) {
    const outcome o = run_weir(run + file("in.txt", "{<n>=" + std::to_string(1001 + given) + "}\n{<n>=8}\n"));
    EXPECT_EQ(o.code, code);
    EXPECT_EQ(o.err, "weir: a box or a library called exit(" + std::to_string(given) + "); unfinished work is lost\n");
  }
  const outcome o = run_weir(run + file("in.txt", "{<n>=1001}\n{<n>=8}\n") + " --isolate halve");
  EXPECT_EQ(o.code, 1);
  EXPECT_EQ(o.out, "{<half>=4}\n");
  const std::string err = run_weir(run + file("in.txt", "{<n>=8}\n") + " --isolate halve").err;
  EXPECT_EQ(err.find("called exit"), std::string::npos) << "hosts end by exit()";
  ::setenv("WEIR_TEST_EXITS", "1", 1);
  const outcome loading = run_weir(run + file("in.txt", "{<n>=8}\n"));
  ::unsetenv("WEIR_TEST_EXITS");
  EXPECT_EQ(loading.code, 1);
  EXPECT_EQ(loading.err, "weir: a box or a library called exit(0); unfinished work is lost\n");
}

TEST_F(a_library_of_boxes, fails_only_the_record_with_which_a_box_in_c_makes_a_mistake) {
  const std::string net = file("n.snet", "net x { box careless((<n>) -> (<m>)); } connect careless;\n");
  const std::string in =
      file("in.txt", "{<n>=0}\n{<n>=1}\n{<n>=2}\n{<n>=3}\n{<n>=4}\n{<n>=5}\n{<n>=6}\n{<n>=0, <o>=1}\n");
  const outcome o = run_weir("run " + net + library("snet_boxes_c") + "--cores 1 --input " + in);
  EXPECT_EQ(o.code, 1);
  EXPECT_EQ(o.out, "{<m>=7}\n{<m>=7, <o>=1}\n");
  for (const char* words : {"the box asks for n, which it does not take as such", "emitted {<x>}, which is none",
                            "the box returned with a record that it did not emit", "it is four",
                            "field m was not declared by weir_field_value"})
    EXPECT_NE(o.err.find(words), std::string::npos) << words << "\n" << o.err;
  EXPECT_EQ(lines_of(o.err).size(), 5u) << o.err;
}

TEST_F(a_library_of_boxes, that_does_not_fit_is_refused_with_the_reason) {
  const std::string net = file("n.snet", "net x connect [];\n");
  const auto refused = [&](const std::string& name) {
    const outcome o = run_weir("run " + net + library(name));
    EXPECT_EQ(o.code, 2);
    return o.err;
  };
  EXPECT_NE(refused("snet_old_boxes").find("its boxes were made for weir 99.1.0, this is weir "), std::string::npos);
  EXPECT_NE(refused("snet_no_version").find("it has weir_boxes and no weir_boxes_version"), std::string::npos);
  EXPECT_NE(refused("snet_wrong_boxes").find("field a has no type"), std::string::npos);
  EXPECT_NE(refused("none").find("cannot open shared object file"), std::string::npos);
  EXPECT_NE(run_weir("check " + file("t.snet", "net x { box count((word) -> (<n>)); } connect count;") +
                     library("snet_boxes_cxx"))
                .err.find("box count gives 1 labels here, and 2 as registered"),
            std::string::npos);
}

TEST_F(a_library_of_boxes, in_c_fails_a_record_for_what_is_null_or_not_its_own) {
  const std::string net = file("n.snet", "net x { box wrong((<n>) -> (<m>) | (s) | (v)); } connect wrong;\n");
  const std::vector<std::pair<int, const char*>> mistakes{{0, "the box sets a label whose name is NULL"},
                                                          {1, "the box asks for a label whose name is NULL"},
                                                          {2, "the box sets s to a string that is NULL"},
                                                          {3, "the box gives no message"},
                                                          {4, "the box sets a label whose name is NULL"},
                                                          {5, "the box sets v to a value that is NULL"},
                                                          {6, "the box gives NULL as its call"},
                                                          {8, "emitted {<m>, <m>}, which is none"},
                                                          {9, "nine"},
                                                          {10, "the box asks for v, which it does not take as such"}};
  for (const auto& [n, words] : mistakes) {
    const std::string in = file("in.txt", "{<n>=" + std::to_string(n) + "}\n{<n>=7}\n");
    const outcome o = run_weir("run " + net + library("snet_mistakes") + "--input " + in);
    EXPECT_EQ(o.code, 1) << n;
    EXPECT_EQ(o.out, "{v=plain}\n") << n;
    EXPECT_EQ(lines_of(o.err).size(), 1u) << n << o.err;
    EXPECT_NE(o.err.find(words), std::string::npos) << n << o.err;
  }
}

TEST_F(a_library_of_boxes, in_c_fails_the_record_with_which_it_uses_a_call_that_has_returned) {
  const std::string net = file("n.snet", "net x { box late((<m>) -> (<m>)); } connect late;\n");
  const std::string in = file("in.txt", "{<m>=1}\n{<m>=2}\n");
  const outcome o = run_weir("run " + net + library("snet_mistakes") + "--cores 1 --input " + in);
  EXPECT_EQ(o.code, 1);
  EXPECT_EQ(o.out, "{<m>=1}\n");
  EXPECT_EQ(o.err, "weir: late: the box threw \"the box uses a call that has returned\"; record {<m>=2}\n");
}

TEST_F(a_library_of_boxes, that_registers_them_wrongly_is_refused_by_its_name) {
  const std::string net = file("n.snet", "net x connect [];\n");
  const std::vector<std::pair<const char*, const char*>> mistakes{
      {"1", "a field is declared whose name is NULL"},
      {"2", "field x is declared with a type that is NULL or has no name"},
      {"3", "field x is declared with a type that is NULL or has no name"},
      {"4", "a box is added whose declaration is NULL"},
      {"5", "box f is added with a function that is NULL"},
      {"6", "box late: width -3, expected at least 1"},
      {"7", "a registry is given that is not the one of weir_boxes_c"},
      {"8", "expected the definition of one box, got: net f connect [];"},
      {"9", "registry: two networks are named 'wrong'"}};
  for (const auto& [which, words] : mistakes) {
    const outcome o = run_weir("run " + net + library("snet_mistakes"), std::string("WEIR_MISTAKE=") + which + " ");
    EXPECT_EQ(o.code, 2) << which;
    EXPECT_NE(o.err.find("snet_mistakes.so: " + std::string(words)), std::string::npos) << which << o.err;
  }
}

// A wrong declaration in C is told as an error of a network's text is: in its line, with a caret below the place.
TEST_F(a_library_of_boxes, whose_declaration_is_wrong_is_told_with_a_caret) {
  const std::string net = file("n.snet", "net x connect [];\n");
  const outcome o = run_weir("run " + net + library("snet_mistakes"), "WEIR_MISTAKE=10 ");
  EXPECT_EQ(o.code, 2);
  const std::vector<std::string> lines = lines_of(o.err);
  ASSERT_GE(lines.size(), 3u) << o.err;
  EXPECT_EQ(lines[0].find("weir: --boxes: "), 0u) << o.err;
  EXPECT_NE(lines[0].find("snet_mistakes.so: declaration:1:"), std::string::npos) << o.err;
  EXPECT_NE(lines[1].find(" | box f((<n> -> (<m>));"), std::string::npos) << o.err;
  EXPECT_EQ(lines[2].find_last_not_of(" |"), lines[2].find('^')) << o.err;
  EXPECT_NE(lines[2].find('^'), std::string::npos) << o.err;
}

TEST_F(a_library_of_boxes, may_throw_anything) {
  const std::string net = file("n.snet", "net x { box f((<n>) -> (<m>)); } connect f;\n");
  const std::string in = file("in.txt", "{<n>=0}\n{<n>=1}\n{<n>=2}\n");
  const outcome o = run_weir("run " + net + library("snet_throwing") + "--cores 1 --input " + in);
  EXPECT_EQ(o.code, 1);
  for (const char* words : {"the box threw an int: 42", "the box threw \"one\"", "emitted {<other>}, which is none"})
    EXPECT_NE(o.err.find(words), std::string::npos) << o.err;
  const outcome c = run_weir("run " + net + library("snet_throwing_c") + "--cores 1 --input " + in);
  EXPECT_EQ(c.code, 1);
  for (const char* words : {"the box threw an int: 42", "the box threw \"through C\""})
    EXPECT_NE(c.err.find(words), std::string::npos) << c.err;
  const auto refused = [&](const std::string& name, const std::string& which) {
    const outcome r = run_weir("check " + net + library(name), "WEIR_MISTAKE=" + which + " ");
    EXPECT_EQ(r.code, 2);
    return r.err;
  };
  EXPECT_NE(refused("snet_throwing", "1").find("snet_throwing.so: its weir_boxes threw something"), std::string::npos);
  EXPECT_NE(refused("snet_throwing", "2").find("snet_throwing.so: registry: [] has no name"), std::string::npos);
  EXPECT_NE(refused("snet_throwing_c", "1").find("snet_throwing_c.so: its weir_boxes_c threw something"),
            std::string::npos);
}

// A result whose value throws when it prints is named with its record and field and left out. The others are written.
TEST_F(a_library_of_boxes, whose_value_cannot_be_printed_loses_that_result_alone) {
  const std::string net = file("n.snet", "net x { box hide((<n>) -> (s)); } connect hide;\n");
  const std::string in = file("in.txt", "{<n>=0, <k>=0}\n{<n>=1, <k>=1}\n{<n>=2, <k>=2}\n");
  const std::string run = "run " + net + library("snet_throwing") + "--cores 1 --input " + in;
  for (const auto& [option, out] : {std::pair{"", "{s=0, <k>=0}\n{s=2, <k>=2}\n"},
                                    {" --json", "{\"s\": \"0\", \"<k>\": 0}\n{\"s\": \"2\", \"<k>\": 2}\n"}}) {
    const outcome o = run_weir(run + option);
    EXPECT_EQ(o.code, 1);
    EXPECT_EQ(o.out, out);
    EXPECT_NE(o.err.find("weir: a result is left out: field s of type "), std::string::npos) << o.err;
    EXPECT_NE(o.err.find("cannot be printed: its operator<< threw \"I am odd\"; record {s, <k>=1}\n"),
              std::string::npos)
        << o.err;
    EXPECT_EQ(lines_of(o.err).size(), 1u) << o.err;
  }
}

// The results of an input are all in a resumed output or none: its next run tries the input again.
TEST_F(a_library_of_boxes, whose_value_cannot_be_printed_leaves_its_input_to_the_next_run) {
  const std::string net = file("n.snet", "net x { box hide((<n>) -> (s)); } connect hide;\n");
  const std::string in = file("in.jsonl", "{\"<n>\": 0, \"<k>\": 0}\n{\"<n>\": 1, \"<k>\": 1}\n");
  const std::string out = folder_.at("out.jsonl"), run = "run " + net + library("snet_throwing") + "--input " + in +
                                                         " --output " + out + " --resume '<k>'";
  for (int time = 0; time < 2; ++time) {
    const outcome o = run_weir(run);
    EXPECT_EQ(o.code, 1);
    EXPECT_NE(o.err.find("a result is left out: field s "), std::string::npos) << o.err;
    EXPECT_EQ(contents(out), "{\"s\": \"0\", \"<k>\": 0}\n");
  }
}

TEST_F(a_library_of_boxes, that_is_none_is_refused_with_the_reason) {
  const std::string net = file("n.snet", "net x connect [];\n");
  const auto refused = [&](const std::string& path) {
    const outcome o = run_weir("run " + net + " --boxes " + path);
    EXPECT_EQ(o.code, 2);
    EXPECT_EQ(lines_of(o.err).size(), 1u) << o.err;
    return o.err;
  };
  const std::string whole = contents(WEIR_SNET_LIBRARIES "/snet_boxes_cxx.so");
  EXPECT_NE(refused(file("cut.so", whole.substr(0, 5000))).find("the file is cut off"), std::string::npos);
  EXPECT_NE(refused(file("head.so", whole.substr(0, 100))).find("head.so: "), std::string::npos);
  EXPECT_NE(refused(file("text.so", std::string(100'000, 'x'))).find("invalid ELF header"), std::string::npos);
  EXPECT_NE(refused(file("empty.so", "")).find("file too short"), std::string::npos);
  EXPECT_NE(refused(folder_.at(".")).find("Is a directory"), std::string::npos);
  EXPECT_NE(refused(WEIR_SNET_LIBRARIES "/snet_no_function.so").find("its weir_boxes is no function"),
            std::string::npos);
  EXPECT_NE(refused(WEIR_SNET_LIBRARIES "/snet_missing_symbol.so").find("undefined symbol: a_function_that_is_nowhere"),
            std::string::npos);
  EXPECT_NE(
      refused(WEIR_SNET_LIBRARIES "/snet_throws_when_loaded.so").find("it threw an exception while it was loaded"),
      std::string::npos);
  EXPECT_NE(refused(WEIR_SNET_LIBRARIES "/snet_no_interface.so").find("weir_boxes_c and no weir_box_interface"),
            std::string::npos);
  EXPECT_NE(refused(WEIR_SNET_LIBRARIES "/snet_other_interface.so").find("made for interface 99 of weir_box.h"),
            std::string::npos);
}

}  // namespace
}  // namespace weir::testing
