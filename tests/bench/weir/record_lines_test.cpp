#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <weir/process/scratch_file.hpp>
#include "bench/weir/snet/json_notation.hpp"
#include "bench/weir/snet/line_values.hpp"
#include "runtime/snet/record_notation.hpp"
#include "tests/bench/weir/command.hpp"
#include "tests/bench/weir/made_observations.hpp"
#include "tests/support/refusal.hpp"

// Records in weir's own lines, which `weir run` prints: no value is lost there, and the output of one run is the input
// of the next.
namespace weir::testing {
namespace {

using detail::snet::record_fault;
using detail::snet::record_notation;
using fields = std::map<std::string, const value_type*, std::less<>>;

const registry none;
const fields kinds{{"text", detail::type_of<std::string>()},
                   {"path", detail::type_of<std::filesystem::path>()},
                   {"bytes", detail::type_of<std::vector<std::byte>>()},
                   {"integer", detail::type_of<std::int64_t>()},
                   {"number", detail::type_of<double>()},
                   {"small", detail::type_of<float>()},
                   {"integers", detail::type_of<std::vector<std::int64_t>>()},
                   {"numbers", detail::type_of<std::vector<double>>()}};

// Each kind of field, as JSON and in the line, is the same value.
TEST(weir_s_own_lines, have_the_values_of_each_kind_and_are_read_back) {
  const program::json_notation json(kinds, none);
  const record_notation lines(kinds, none, program::line_values);
  for (const auto& [as_json, as_line] : std::vector<std::pair<std::string, std::string>>{
           {R"({"bytes": {"base64": ""}})", R"({bytes="{\"base64\": \"\"}"})"},
           {R"({"bytes": {"base64": "AP8sfSI="}, "<t>": 3})", R"({bytes="{\"base64\": \"AP8sfSI=\"}", <t>=3})"},
           {R"({"integers": []})", "{integers=[]}"},
           {R"({"integers": [-9223372036854775808]})", "{integers=[-9223372036854775808]}"},
           {R"({"integers": [1, 2, 3]})", R"({integers="[1, 2, 3]"})"},
           {R"({"numbers": []})", "{numbers=[]}"},
           {R"({"numbers": [0.1, "nan", "inf", "-inf", -0.0, 1e-300]})",
            R"({numbers="[0.1, \"nan\", \"inf\", \"-inf\", -0.0, 1e-300]"})"},
           {R"({"number": 0.30000000000000004})", "{number=0.30000000000000004}"},
           {R"({"number": -0.0, "small": 0.1})", "{number=-0.0, small=0.1}"},
           {R"({"number": "nan"})", "{number=nan}"},
           {R"({"number": "-inf"})", "{number=-inf}"},
           {R"({"integer": -7, "path": "a \"b\", c", "text": "x}\n\"[1]\""})",
            R"({integer=-7, path="a \"b\", c", text="x}\n\"[1]\""})"},
       }) {
    EXPECT_EQ(lines.written(json.read(as_json)), as_line);
    EXPECT_EQ(json.written(lines.read(as_line)), as_json);
  }
}

// A list that a network does not look into rides along as the text that it is in the line.
TEST(weir_s_own_lines, keep_what_no_box_looks_into) {
  const record_notation lines({}, none, program::line_values);
  for (const std::string line :
       {R"({b="{\"base64\": \"AP8=\"}", v="[1, 2]", w=[]})", "{x=0.30000000000000004, y=nan, z=-0.0}"})
    EXPECT_EQ(lines.written(lines.read(line)), line);
}

TEST(weir_s_own_lines, say_which_json_was_expected) {
  const record_notation lines(kinds, none, program::line_values);
  const auto refused = [&](const std::string& line) { return refusal<record_fault>([&] { lines.read(line); }); };
  EXPECT_EQ(refused("{integers=[1, 2]}"), R"(field integers: found "[1", expected JSON in quotes, as in "[1, 2]")");
  EXPECT_EQ(refused(R"({bytes={"base64": "AP8="}})"),
            R"(field bytes: found "{"base64": "AP8="", expected JSON in quotes, as in "{\"base64\": \"/w==\"}")");
  EXPECT_EQ(refused("{integers=7}"), "field integers: found 7, expected a list of numbers");
  EXPECT_EQ(refused("{integers=[1.5]}").find("field integers: found the number 1.5, expected an integer from"), 0u);
  EXPECT_EQ(refused("{bytes=[]}"), R"(field bytes: found an empty list, expected {"base64": ".."})");
  const record_notation of_files({{"f", detail::type_of<scratch_file>()}}, none, program::line_values);
  EXPECT_EQ(refusal<record_fault>([&] { of_files.read("{f=a.mkv}"); }),
            "field f: a file is not read from a line; a path names one");
}

TEST(weir_s_own_lines, are_the_input_of_the_next_run) {
  const scratch_folder folder;
  const std::string first = write_file(
      folder.at("first.snet"), "net x { box copy((b) -> (c)); box keep((c) -> (c, f)); } connect copy .. keep;\n");
  const std::string first_boxes = write_file(folder.at("first.json"), R"({
    "fields": {"b": "bytes", "c": "bytes", "f": "file"},
    "boxes": {"copy": {"command": ["cat"], "input": "b", "output": "c"},
              "keep": {"command": ["tee", {"out": "f"}], "input": "c", "output": "c"}}})");
  const std::string next = write_file(folder.at("next.snet"), "net y { box join((c, f) -> (g)); } connect join;\n");
  const std::string next_boxes = write_file(folder.at("next.json"), R"({
    "fields": {"c": "bytes", "f": "bytes", "g": "bytes"},
    "boxes": {"join": {"command": ["cat", {"in": "c"}, {"in": "f"}], "output": "g"}}})");
  const std::string in = write_file(folder.at("in.jsonl"), "{\"b\": {\"base64\": \"AP8sfSI=\"}}\n");
  const std::string lines = folder.at("lines");
  const outcome one = run_weir("run " + first + " --boxes " + first_boxes + " --input " + in + " --output " + lines);
  EXPECT_EQ(one.code, 0) << one.err;
  EXPECT_EQ(contents(lines), R"({c="{\"base64\": \"AP8sfSI=\"}", f="{\"base64\": \"AP8sfSI=\"}"})"
                             "\n");
  const outcome two = run_weir("run " + next + " --boxes " + next_boxes + " --json --input " + lines);
  EXPECT_EQ(two.code, 0) << two.err;
  EXPECT_EQ(two.out, "{\"g\": {\"base64\": \"AP8sfSIA/yx9Ig==\"}}\n");
}

}  // namespace
}  // namespace weir::testing
