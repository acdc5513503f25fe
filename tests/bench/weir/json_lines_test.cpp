#include <gtest/gtest.h>

#include <sys/stat.h>
#include <unistd.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "bench/weir/snet/json_notation.hpp"
#include "bench/weir/snet/record_format.hpp"
#include "runtime/snet/record_notation.hpp"
#include "tests/bench/weir/command.hpp"
#include "tests/bench/weir/made_observations.hpp"
#include "tests/support/refusal.hpp"

// Records as JSON lines: `weir run net.snet --input x.jsonl --output y.jsonl`, and the files of a folder as records.
namespace weir::testing {
namespace {

using namespace std::string_literals;
using program::json_notation;
using fields = std::map<std::string, const value_type*, std::less<>>;

const registry nothing;

std::string refused(const json_notation& notation, const std::string& line) {
  try {
    notation.read(line);
    return "not refused";
  } catch (const detail::snet::record_fault& e) {
    return std::to_string(e.column) + ": " + e.what();
  }
}

TEST(json_lines, carry_what_no_box_looks_into_as_it_stands) {
  const json_notation notation({}, nothing);
  for (const std::string line : {
           R"({})",
           R"({"a": 1.50, "b": {"c" : [1, null]}, "t": "x\ny", "<t>": -3, "<#k>": 9223372036854775807})",
           R"({"a": 18446744073709551616, "b": true, "c": null, "d": {"base64": "/w=="}})",
           R"({"a": "\u007f\u0085\u0000", "b": "é"})",
       })
    EXPECT_EQ(notation.written(notation.read(line)), line);
  EXPECT_EQ(notation.written(notation.read("\xef\xbb\xbf {\"<n>\":1,\"b\":\"\\u00e9\",\"a\":[ 1 ]}\r")),
            "{\"a\": [ 1 ], \"b\": \"\xc3\xa9\", \"<n>\": 1}");
}

// A line of JSON where weir's notation is expected says how JSON is read.
TEST(json_lines, are_recognised_where_the_other_notation_is_expected) {
  const program::record_notations all{{{}, nothing}, {{}, nothing}};
  const program::record_format weir(all, false);
  EXPECT_EQ(all.weir.written(weir.read("{<n>=3}")), "{<n>=3}");
  for (const std::string line : {R"({"<n>": 3})", R"( { "a": "b"})"}) {
    EXPECT_EQ(refusal<detail::snet::record_fault>([&] { weir.read(line); }),
              "the line is a JSON object, expected a record such as {<n>=3}; JSON lines are read from a file "
              "*.jsonl, and from standard input with --json")
        << line;
  }
}

TEST(json_lines, give_each_type_its_json_and_read_it_back) {
  const json_notation notation(fields{{"text", detail::type_of<std::string>()},
                                      {"path", detail::type_of<std::filesystem::path>()},
                                      {"bytes", detail::type_of<std::vector<std::byte>>()},
                                      {"real", detail::type_of<double>()},
                                      {"small", detail::type_of<float>()},
                                      {"whole", detail::type_of<std::int64_t>()},
                                      {"short_one", detail::type_of<short>()},
                                      {"flag", detail::type_of<bool>()},
                                      {"reals", detail::type_of<std::vector<double>>()},
                                      {"wholes", detail::type_of<std::vector<std::int64_t>>()}},
                               nothing);
  for (const std::string line : {
           R"({"bytes": {"base64": ""}})",
           R"({"bytes": {"base64": "Zg=="}, "path": "a/b c", "text": ""})",
           R"({"bytes": {"base64": "Zm8="}, "path": {"base64": "YS//"}})",
           R"({"bytes": {"base64": "Zm9v"}, "text": {"base64": "/wA="}})",
           R"({"bytes": {"base64": "AAECA/3+/w=="}})",
           R"({"flag": true, "real": 0.1, "short_one": -32768, "small": 0.1, "whole": -9223372036854775808})",
           R"({"real": "nan", "reals": [1e-300, "inf", "-inf", -0.0], "wholes": []})",
       })
    EXPECT_EQ(notation.written(notation.read(line)), line);
  const record r = notation.read(R"({"real": 3, "reals": [1, 2.5]})");
  EXPECT_EQ(r[field<double>("real")], 3);
  EXPECT_EQ(r[field<std::vector<double>>("reals")], (std::vector{1, 2.5}));
}

TEST(json_lines, say_what_is_wrong_with_a_record_and_where) {
  const json_notation notation(fields{{"n", detail::type_of<std::int64_t>()},
                                      {"small", detail::type_of<unsigned short>()},
                                      {"v", detail::type_of<std::vector<std::int64_t>>()},
                                      {"b", detail::type_of<std::vector<std::byte>>()},
                                      {"text", detail::type_of<std::string>()}},
                               nothing);
  EXPECT_EQ(refused(notation, "[1]"), "1: found a list, expected an object");
  for (const std::string given : {"9223372036854775808", "-9223372036854775809", "1e3", "1.50"})
    EXPECT_EQ(refused(notation, "{\"<t>\": " + given + "}"),
              "9: found the number " + given + ", expected an integer of 64 bits for a tag");
  EXPECT_EQ(refused(notation, R"({"<t>": 1.0})"), "9: found the number 1.0, expected an integer of 64 bits for a tag");
  EXPECT_EQ(refused(notation, R"({"<t>": 9223372036854775808})").substr(0, 2), "9:");
  EXPECT_EQ(refused(notation, R"({"<t": 1})"), "2: \"<t\" is no label: a field's name, or <n> for a tag");
  EXPECT_EQ(refused(notation, R"({"": 1})").substr(0, 2), "2:");
  EXPECT_EQ(refused(notation, R"({"a\u0000b": 1})").substr(0, 2), "2:");
  EXPECT_EQ(refused(notation, R"({"<n>": 1, "<n>": 1})"), "12: key \"<n>\" stands twice");
  EXPECT_EQ(refused(notation, R"({"n": "1"})"),
            "7: field n: found the text \"1\", expected an integer from -9223372036854775808 to 9223372036854775807");
  EXPECT_EQ(refused(notation, R"({"small": 65536})"),
            "11: field small: found 65536, expected an integer from 0 to 65535");
  EXPECT_EQ(refused(notation, R"({"v": [1, 2.5]})").substr(0, 33), "7: field v: found the number 2.5,");
  EXPECT_EQ(refused(notation, R"({"text": null})"),
            "10: field text: found null, expected a text, or {\"base64\": \"..\"}");
  EXPECT_EQ(refused(notation, R"({"text": {"base64": "A"}})"), "10: field text: no base64: \"A\"");
  for (const char* base64 : {"A===", "AA=A", "====", "A", "AAA", "AA-_", "=AAA"})
    EXPECT_NE(refused(notation, "{\"b\": {\"base64\": \""s + base64 + "\"}}").find("no base64"), std::string::npos)
        << base64;
  EXPECT_EQ(refused(notation, R"({"b": {"base64": "AAAA", "x": 1}})").substr(0, 24), "7: field b: found an obj");
}

class json_lines_for_the_command : public ::testing::Test {
 protected:
  std::string file(const std::string& name, const std::string& text) const {
    return write_file(folder_.at(name), text);
  }
  const scratch_folder folder_;
};

TEST_F(json_lines_for_the_command, are_read_and_written_by_the_names_of_files) {
  const std::string net = file("n.snet", "net x connect [{<n>} -> {<n = n + 1>}];\n");
  const std::string in = file("in.jsonl", "{\"<n>\": 1, \"a\": [true]}\n\n{\"<n>\": \"x\"}\n# none\n{\"<n>\": 2}");
  const outcome o = run_weir("run " + net + " --input " + in);
  EXPECT_EQ(o.code, 1);
  EXPECT_EQ(o.out, "{\"a\": [true], \"<n>\": 2}\n{\"<n>\": 3}\n");
  EXPECT_EQ(o.err.find(in + ":3:9: error: found the text \"x\", expected an integer of 64 bits for a tag\n" + in +
                       ":4:1: error: invalid JSON"),
            0u)
      << o.err;
  const std::string out = folder_.at("out.jsonl");
  EXPECT_EQ(run_weir("run " + net + " --json --input -'", "sh -c 'cat " + in + " | ").out, o.out);
  const std::string text = file("in.txt", "{<n>=5, a=b}\n");
  EXPECT_EQ(run_weir("run " + net + " --input " + text + " --output " + out).code, 0);
  EXPECT_EQ(contents(out), "{\"a\": \"b\", \"<n>\": 6}\n");
  EXPECT_EQ(run_weir("run " + net + " --json --input " + text).out, "{\"a\": \"b\", \"<n>\": 6}\n");
  EXPECT_EQ(run_weir("run " + net + " --input " + in + " --output " + folder_.at("out.txt")).code, 1);
  EXPECT_EQ(contents(folder_.at("out.txt")), "{a=[true], <n>=2}\n{<n>=3}\n");
}

TEST_F(json_lines_for_the_command, go_to_standard_output_where_that_is_the_output) {
  const std::string in = file("in.jsonl", "{\"<n>\": 1}\n"), net = file("n.snet", "net x connect [{<n>} -> {<n>}];\n");
  const outcome o = run_weir("run " + net + " --input " + in + " --output -");
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_EQ(o.out, "{\"<n>\": 1}\n");
  EXPECT_FALSE(std::filesystem::exists("-"));
}

TEST_F(json_lines_for_the_command, have_the_files_of_a_folder_as_records) {
  const std::string net = file("n.snet", "net x connect [];\n");
  std::filesystem::create_directories(folder_.at("in/sub"));
  for (const char* name : {"in/b.pdf", "in/sub/a.pdf", "in/c.txt", "in/\xff.pdf"}) file(name, "");
  const std::string in = folder_.at("in");
  const outcome o = run_weir("run " + net + " --json --ending .pdf --input " + in);
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_EQ(lines_of(o.out).size(), 3u);
  EXPECT_EQ(lines_of(o.out)[0], "{\"name\": \"b.pdf\", \"path\": \"" + in + "/b.pdf\"}");
  EXPECT_EQ(lines_of(o.out)[1], "{\"name\": \"sub/a.pdf\", \"path\": \"" + in + "/sub/a.pdf\"}");
  EXPECT_EQ(lines_of(o.out)[2].find("{\"name\": {\"base64\": \"/y5wZGY=\"}, \"path\": {\"base64\""), 0u) << o.out;
  EXPECT_EQ(run_weir("run " + net + " --ending .pdf --input " + net).code, 2) << "no folder";
  const outcome none = run_weir("run " + net + " --ending .pdf --input " + folder_.at("none"));
  EXPECT_EQ(none.code, 2);
  EXPECT_EQ(none.err, "weir: " + folder_.at("none") + " cannot be read: No such file or directory\n");
}

TEST_F(json_lines_for_the_command, are_told_of_what_in_a_folder_is_no_file) {
  const std::string net = file("n.snet", "net x connect [];\n");
  std::filesystem::create_directories(folder_.at("in/sub.pdf"));
  std::filesystem::create_directories(folder_.at("elsewhere"));
  file("in/sub.pdf/a.pdf", "");
  file("elsewhere/b.pdf", "");
  ASSERT_EQ(::mkfifo(folder_.at("in/p.pdf").c_str(), 0600), 0);
  ASSERT_EQ(::mkfifo(folder_.at("in/p.txt").c_str(), 0600), 0);
  std::filesystem::create_symlink(folder_.at("none"), folder_.at("in/sub.pdf/gone.pdf"));
  std::filesystem::create_symlink("loop.pdf", folder_.at("in/loop.pdf"));
  std::filesystem::create_directory_symlink(folder_.at("elsewhere"), folder_.at("in/more"));
  std::filesystem::create_symlink(folder_.at("elsewhere/b.pdf"), folder_.at("in/link.pdf"));
  const outcome o = run_weir("run " + net + " --json --ending .pdf --input " + folder_.at("in"));
  EXPECT_EQ(o.code, 0);
  EXPECT_EQ(lines_of(o.out).size(), 2u) << o.out;
  EXPECT_EQ(lines_of(o.out)[0].find("{\"name\": \"link.pdf\""), 0u) << o.out;
  EXPECT_EQ(o.err,
            "weir: --input \"" + folder_.at("in") +
                "\": 4 entries are no file and left out: loop.pdf (a link that cannot be followed), more (a link to "
                "a folder), p.pdf (a pipe), sub.pdf/gone.pdf (a link that leads nowhere)\n");
  const outcome none = run_weir("run " + net + " --ending .odt --input " + folder_.at("in"));
  EXPECT_EQ(none.code, 0);
  EXPECT_EQ(none.err,
            "weir: --input \"" + folder_.at("in") +
                "\": there is no file whose name ends in \".odt\"; 1 entry is no file and left out: more (a link "
                "to a folder)\n");
}

TEST_F(json_lines_for_the_command, are_refused_for_a_file_of_a_folder_that_cannot_be_read) {
  const std::string net = file("n.snet", "net x connect [];\n");
  std::filesystem::create_directories(folder_.at("in"));
  file("in/a.txt", ""), file("in/b.txt", "");
  std::filesystem::permissions(folder_.path(), std::filesystem::perms(0755));
  std::filesystem::permissions(folder_.at("in/a.txt"), std::filesystem::perms::none);
  const std::string as_another = ::getuid() == 0 ? "setpriv --reuid=65534 --clear-groups " : "";
  if (run_weir("--version", as_another).code != 0) GTEST_SKIP() << "no other user may start the command";
  const outcome o = run_weir("run " + net + " --json --input " + folder_.at("in"), as_another);
  EXPECT_EQ(o.code, 1);
  EXPECT_EQ(o.err, folder_.at("in") + ": a.txt: error: the file cannot be read: Permission denied\n");
  EXPECT_EQ(lines_of(o.out).size(), 1u);
  std::filesystem::permissions(folder_.at("in"), std::filesystem::perms::none);
  const outcome closed = run_weir("run " + net + " --json --input " + folder_.at("in"), as_another);
  EXPECT_EQ(closed.code, 2);
  EXPECT_EQ(closed.err, "weir: --input: the folder \"" + folder_.at("in") + "\" cannot be read: Permission denied\n");
  std::filesystem::permissions(folder_.at("in"), std::filesystem::perms(0755));
}

}  // namespace
}  // namespace weir::testing
