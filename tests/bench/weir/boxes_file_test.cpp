#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <random>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "bench/weir/snet/boxes_reader.hpp"
#include "bench/weir/snet/placed_json.hpp"
#include "tests/bench/weir/command.hpp"

// Files of boxes: `weir check net.snet --boxes boxes.json`. JSON with places, and every mistake.
namespace weir::testing {
namespace {

using namespace program;
using namespace std::string_literals;
using detail::snet::fault_list;
using detail::snet::source_text;

// The errors of a JSON text, a line each: `3:7: words`.
std::vector<std::string> short_lines(const fault_list& faults, const source_text& text) {
  std::vector<std::string> lines;
  for (const detail::snet::fault& f : faults.kept()) {
    const auto at = text.at(f.what.place);
    lines.push_back(std::to_string(at.line) + ":" + std::to_string(at.column) + ": " + f.what.words);
  }
  return lines;
}
std::vector<std::string> errors_of_json(const std::string& json) {
  const source_text text("x.json", json);
  fault_list faults;
  const bool is_read = read_json(text, faults).has_value();
  EXPECT_EQ(is_read, faults.empty());
  return short_lines(faults, text);
}
std::vector<std::string> errors_of_boxes(const std::string& json) {
  const source_text text("x.json", json);
  fault_list faults;
  const bool is_read = read_boxes(text, faults).has_value();
  EXPECT_EQ(is_read, faults.empty());
  return short_lines(faults, text);
}
using errors = std::vector<std::string>;

// The part of the text that each value is, from the outermost on.
void add_parts(const placed_json& value, const std::string& json, std::vector<std::string>& to) {
  to.push_back(json.substr(value.begin, value.end - value.begin));
  for (const placed_json& item : value.items) add_parts(item, json, to);
  for (const placed_member& m : value.members) add_parts(m.value, json, to);
}

TEST(json_with_places, knows_the_bytes_of_each_value) {
  const std::string json =
      "\xef\xbb\xbf {\"a\\\"]\" :\t[1,-2.5e3 , true,null ],\n\"b\":{ \"c\\\\\":\"x,:\\u00e9}\"},\"\": []}\r\n";
  const source_text text("x.json", json);
  fault_list faults;
  const auto read = read_json(text, faults);
  ASSERT_TRUE(read);
  std::vector<std::string> parts;
  add_parts(*read, json, parts);
  const std::vector<std::string> expected{
      json.substr(4, json.size() - 6), "[1,-2.5e3 , true,null ]", "1", "-2.5e3", "true", "null",
      "{ \"c\\\\\":\"x,:\\u00e9}\"}",  "\"x,:\\u00e9}\"",         "[]"};
  EXPECT_EQ(parts, expected);
  EXPECT_EQ(read->members[1].place, json.find("\"b\""));
  EXPECT_EQ(read->find("b")->members[0].key, "c\\");
  EXPECT_EQ(read->find("b")->members[0].value.words, "x,:\xc3\xa9}");
  EXPECT_EQ(read->find("a\"]")->items[1].real, -2500);
}

TEST(json_with_places, refuses_what_is_no_json_at_its_place) {
  EXPECT_EQ(errors_of_json("").size(), 1u);
  EXPECT_EQ(errors_of_json(" \n\n ").front().substr(0, 2), "3:");
  EXPECT_EQ(errors_of_json("{} {}").front().substr(0, 4), "1:4:");
  EXPECT_EQ(errors_of_json("// no comments\n{}").front().substr(0, 4), "1:1:");
  EXPECT_EQ(errors_of_json("{\"a\":1,}").front().substr(0, 4), "1:8:");
  EXPECT_EQ(errors_of_json("[1,\n2,\n\xff]").front().substr(0, 4), "3:1:") << "no UTF-8";
  EXPECT_EQ(errors_of_json("\"\xed\xa0\x80\"").size(), 1u) << "half of a surrogate pair";
  EXPECT_EQ(errors_of_json("\xff\xfe{\0}\0"s), errors{"1:4: a byte 0, which JSON does not have"}) << "UTF-16";
  EXPECT_EQ(errors_of_json("{}\0{\"ignored\": 1}"s), errors{"1:3: a byte 0, which JSON does not have"});
  EXPECT_EQ(errors_of_json("[1e999]").size(), 1u);
  EXPECT_EQ(errors_of_json("NaN").size(), 1u);
  EXPECT_EQ(errors_of_json(std::string(1000000, '[')), errors{"1:101: nested deeper than 100 levels"});
  EXPECT_EQ(errors_of_json(std::string(100, '[') + std::string(100, ']')), errors{});
}

TEST(json_with_places, finds_every_key_that_stands_twice) {
  EXPECT_EQ(errors_of_json("{\"a\": 1,\n \"b\": {\"a\": 2, \"a\": 3},\n \"\\u0061\": 4}"),
            (errors{"2:16: key \"a\" stands twice", "3:2: key \"a\" stands twice"}));
}

TEST(json_with_places, keeps_integers_of_64_bits_and_makes_others_numbers) {
  const source_text text("x.json", "[-9223372036854775808, 9223372036854775807, 9223372036854775808, 1.0]");
  fault_list faults;
  const auto read = read_json(text, faults);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->items[0].whole, INT64_MIN);
  EXPECT_EQ(read->items[1].whole, INT64_MAX);
  EXPECT_EQ(read->items[2].what, placed_json::number);
  EXPECT_EQ(read->items[3].what, placed_json::number);
}

TEST(a_file_of_boxes, is_read_with_all_that_it_says) {
  const source_text text("folder/x.json", R"({
    "$schema": "weir-boxes.schema.json", "comment": "all of it",
    "fields": {"clip": "path", "video": "file"},
    "boxes": {
      "encode": {
        "command": ["x265", "--crf", {"value": "<crf>"}, ["--pools=", {"granted": "cores"}], {"in": "clip"},
                    {"out": "video", "ending": ".mkv"}],
        "input": "clip", "output": "video", "succeeds_with": [0, 3],
        "within": "1.5 min", "memory": "2GiB", "retries": 2, "width": 3, "cores": [2, 8],
        "predictor": {"file_size": "clip", "degree": 2}
      },
      "score": {"worker": ["python3", "-u", "score.py"], "restarts_for_cores": true, "batched": 64, "blocking": 7},
      "look": {"worker": ["python3", "look.py"], "on": {"gpu0": ["python3", "look.py", "--gpu"]}},
      "parse": {"library": "parse.so", "isolated": true, "within": "500 ms"}
    }})");
  fault_list faults;
  const auto plan = read_boxes(text, faults);
  ASSERT_TRUE(plan) << faults.to_string(text);
  EXPECT_EQ(plan->fields.size(), 2u);
  ASSERT_EQ(plan->boxes.size(), 4u);
  const planned_box &encode = plan->boxes[0], &score = plan->boxes[1], &look = plan->boxes[2], &parse = plan->boxes[3];
  ASSERT_EQ(encode.arguments.size(), 6u);
  EXPECT_EQ(encode.arguments[2][0].label.name, "crf");
  EXPECT_EQ(encode.arguments[2][0].label.kind, label_kind::tag);
  EXPECT_EQ(encode.arguments[3].size(), 2u);
  EXPECT_EQ(encode.arguments[3][1].what, argument_piece::cores);
  EXPECT_EQ(encode.arguments[5][0].what, argument_piece::out);
  EXPECT_EQ(encode.arguments[5][0].words, ".mkv");
  EXPECT_EQ(encode.input->name, "clip");
  EXPECT_EQ(encode.output->name, "video");
  EXPECT_EQ(encode.succeeds_with, (std::vector{0, 3}));
  EXPECT_EQ(encode.within, std::chrono::seconds(90));
  EXPECT_EQ(encode.memory, std::uint64_t{2} << 30);
  EXPECT_EQ(encode.retries, 2);
  EXPECT_EQ(encode.width, 3);
  EXPECT_EQ(encode.cores->least, 2);
  EXPECT_EQ(encode.cores->most, 8);
  EXPECT_EQ(encode.predictors.at(0).what, planned_predictor::file_size);
  EXPECT_EQ(encode.predictors.at(0).degree, 2);
  EXPECT_EQ(encode.predictors.size(), 1u);
  EXPECT_EQ(score.what, planned_box::worker);
  EXPECT_TRUE(score.restarts_for_cores);
  EXPECT_EQ(score.batched, 64);
  EXPECT_EQ(score.blocking, 7);
  EXPECT_EQ(look.device, "gpu0");
  ASSERT_EQ(look.device_arguments.size(), 3u);
  EXPECT_EQ(look.device_arguments[2].front().words, "--gpu");
  EXPECT_EQ(parse.library, "folder/parse.so") << "beside the file";
  EXPECT_TRUE(parse.isolated);
}

TEST(a_file_of_boxes, is_told_all_its_mistakes_at_their_places) {
  EXPECT_EQ(errors_of_boxes(
                "{\n"
                "\"field\": {},\n"
                "\"fields\": {\"a b\": \"text\", \"c\": \"txt\", \"d\": 3},\n"
                "\"boxes\": {\n"
                "\"none\": {},\n"
                "\"two\": {\"command\": [\"x\"], \"worker\": [\"x\"]},\n"
                "\"3\": {\"command\": [], \"widht\": 1},\n"
                "\"list\": [],\n"
                "\"p\": {\"command\": [{\"value\": \"a\"}, {\"vale\": \"a\"}, {\"in\": \"a\", \"out\": \"b\"}, 7]}\n"
                "}}"),
            (errors{"2:1: unknown key \"field\" (did you mean fields?)",
                    "3:12: \"a b\" is no name of a field: letters, digits and _",
                    "3:32: found the text \"txt\", expected the type of field \"c\": one of bytes, file, integer, "
                    "integers, number, numbers, path, text",
                    "3:44: found 3, expected the type of field \"d\": one of bytes, file, integer, integers, number, "
                    "numbers, path, text",
                    "5:9: box \"none\" is one of command, worker and library, found none",
                    "6:27: box \"two\" is one of command, worker and library, found two",
                    "7:1: \"3\" is no name of a box: letters, digits and _",
                    "7:22: unknown key \"widht\" (did you mean width?)",
                    "7:18: found an empty list, expected a list: the program, then its arguments",
                    "8:9: found an empty list, expected an object",
                    "9:19: found an object, expected the program: a name, a path, or {\"file\": ..}",
                    "9:36: unknown key \"vale\" (did you mean value?)",
                    "9:50: expected one of value, in, out, granted, file; with in and out also ending",
                    "9:75: found 7, expected a text, or an object such as {\"value\": \"<n>\"}"}));
}

TEST(a_file_of_boxes, refuses_properties_that_a_box_cannot_have) {
  const auto error_of = [](const std::string& box) {
    const errors all = errors_of_boxes("{\"boxes\": {\"f\": " + box + "}}");
    return all.size() == 1 ? all[0].substr(all[0].find(": ") + 2) : std::to_string(all.size()) + " errors";
  };
  EXPECT_EQ(error_of(R"({"worker": ["x"], "output": "a"})"), "\"output\" is of a command");
  EXPECT_EQ(error_of(R"({"command": ["x"], "batched": 8})"), "\"batched\" is of a worker");
  EXPECT_EQ(error_of(R"({"worker": ["x"], "batched": 0})"), "found 0, expected an integer from 1 to 65536");
  EXPECT_EQ(error_of(R"({"command": ["x"], "on": {"gpu0": ["y"]}})"), "\"on\" is of a worker");
  EXPECT_EQ(error_of(R"({"worker": ["x"], "blocking": 8, "on": {"gpu0": ["y"]}})"),
            "\"on\" does not go with \"blocking\", which runs outside the cores");
  EXPECT_EQ(error_of(R"({"worker": ["x"], "on": {"gpu0": []}})"),
            "found an empty list, expected a list: the program, then its arguments");
  for (const char* device : {R"({})", R"({"a": ["y"], "b": ["y"]})", R"({"": ["y"]})"})
    EXPECT_NE(
        error_of("{\"worker\": [\"x\"], \"on\": "s + device + "}").find("expected one device and the worker there"),
        std::string::npos)
        << device;
  EXPECT_EQ(error_of(R"({"command": ["x"], "restarts_for_cores": true})"), "\"restarts_for_cores\" is of a worker");
  EXPECT_EQ(error_of(R"({"library": "x.so", "within": "1 s"})"),
            "\"within\" cannot be held for a box in this process: say \"isolated\": true, too");
  EXPECT_EQ(error_of(R"({"library": "x.so", "width": 3})"), "\"width\" is said in the library, with the box");
  EXPECT_EQ(error_of(R"({"command": ["x"], "width": 3, "blocking": 3})"),
            "\"width\" does not go with \"blocking\", which says how many run at the same time, outside the cores");
  EXPECT_EQ(error_of(R"({"command": ["x"], "priority": 0})"),
            "found 0, expected an integer from 1 to 1000 or a tag, \"<n>\"");
  EXPECT_EQ(error_of(R"({"command": ["x"], "priority": "a"})"),
            "found the text \"a\", expected an integer from 1 to 1000 or a tag, \"<n>\"");
  EXPECT_EQ(error_of(R"({"library": "x.so", "priority": 3})"), "\"priority\" is said in the library, with the box");
  EXPECT_EQ(error_of(R"({"command": ["x"], "output": "a", "lines": "a"})"),
            "\"lines\" does not go with \"output\": both get the standard output");
  EXPECT_EQ(error_of(R"({"command": ["x"], "within": 30})"),
            "found 30, expected a time from 1 ms to a year, with its unit: \"500 ms\", \"30 s\", \"5 min\", \"2 h\"");
  for (const char* time : {"30", "1e999 s", "nan s", "-1 s", "0 s", "1 d", "s", "", "0.1 ms", "1  s"})
    EXPECT_NE(error_of("{\"command\": [\"x\"], \"within\": \""s + time + "\"}").find("expected a time"),
              std::string::npos)
        << time;
  for (const char* size : {"1", "1 TB", "1 kB", "1e30 GB", "GiB", "-5 GiB"})
    EXPECT_NE(error_of("{\"command\": [\"x\"], \"memory\": \""s + size + "\"}").find("expected an amount"),
              std::string::npos)
        << size;
  EXPECT_EQ(error_of(R"({"command": ["x"], "width": 0})"), "found 0, expected an integer from 1 to 4096");
  EXPECT_EQ(error_of(R"({"command": ["x"], "width": 1e3})"),
            "found the number 1e3, expected an integer from 1 to 4096");
  EXPECT_EQ(error_of(R"({"command": ["x"], "width": 99999999999999999999})").substr(0, 9), "found the");
  EXPECT_EQ(error_of(R"({"command": ["x"], "cores": [4, 2]})"), "found 2, expected at least 4, the least cores");
  EXPECT_EQ(error_of(R"({"command": ["x"], "cores": []})"),
            "found an empty list, expected the most cores, or the least and the most: [1, 8]");
  EXPECT_EQ(error_of(R"({"command": ["a\u0000b"]})"), "found a text with a byte 0, where the system would end it");
  EXPECT_EQ(error_of(R"({"command": [""]})"),
            "found the text \"\", expected the program: a name, a path, or {\"file\": ..}");
  EXPECT_EQ(error_of(R"({"command": ["x", []]})"),
            "found an empty list, expected pieces of an argument, which are joined");
  EXPECT_EQ(error_of(R"({"command": ["x", {"file": "no such file"}]})"), "there is no file \"no such file\"");
  EXPECT_EQ(error_of(R"({"command": ["x", {"in": "a", "ending": "/../x"}]})"),
            "found the text \"/../x\", expected how the name of the file ends: no /, and at most 100 bytes");
  EXPECT_EQ(error_of(R"({"worker": ["x", {"value": "a"}]})"),
            "found an object, expected a text, or {\"file\": ..}, since a worker is started before a record comes");
  EXPECT_EQ(error_of(R"({"command": ["x"], "predictor": {"degree": 1}})"),
            "expected one of value, file_size, length and kind");
  EXPECT_EQ(error_of(R"({"command": ["x"], "predictor": {"kind": "<n>", "degree": 1}})"), "a kind has no degree");
  EXPECT_EQ(error_of(R"({"command": ["x"], "predictor": [{"value": "<n>"}, {"length": "a", "degree": 1}]})"),
            "one of several predictors has no degree: their shape is found");
  EXPECT_EQ(error_of(R"({"command": ["x"], "predictor": [{"value": "<n>"}]})"),
            "found a list, expected a list of 2 to 4 predictors");
  EXPECT_EQ(error_of(R"({"command": ["x"], "predictor": {"length": "<n"}})"),
            "found the text \"<n\", expected a label: \"a\" for a field, \"<n>\" for a tag");
}

// The words of draft 7 of JSON Schema that boxes.schema.json uses.
class schema {
 public:
  explicit schema(nlohmann::json whole) : whole_(std::move(whole)) {}

  bool accepts(const nlohmann::json& value) const { return accepts(whole_, value); }

 private:
  using json = nlohmann::json;

  bool accepts(const json& by, const json& value) const {
    if (by.contains("$ref"))
      return accepts(whole_.at(json::json_pointer(by["$ref"].get<std::string>().substr(1))), value);
    const auto all = [&](const json& list, const json& of) {
      return std::all_of(list.begin(), list.end(), [&](const json& one) { return accepts(of, one); });
    };
    for (const auto& [word, says] : by.items()) {
      bool fits = true;
      if (word == "type")
        fits = says == "integer"   ? value.is_number_integer()
               : says == "string"  ? value.is_string()
               : says == "boolean" ? value.is_boolean()
                                   : says == value.type_name();
      else if (word == "enum")
        fits = std::find(says.begin(), says.end(), value) != says.end();
      else if (word == "const")
        fits = value == says;
      else if (word == "pattern")
        fits = !value.is_string() || std::regex_search(value.get<std::string>(), compiled(says.get<std::string>()));
      else if (word == "minLength")
        fits = !value.is_string() || value.get<std::string>().size() >= says;
      else if (word == "maxLength")
        fits = !value.is_string() || value.get<std::string>().size() <= says;
      else if (word == "minimum")
        fits = !value.is_number() || value >= says;
      else if (word == "maximum")
        fits = !value.is_number() || value <= says;
      else if (word == "minItems")
        fits = !value.is_array() || value.size() >= says;
      else if (word == "maxItems")
        fits = !value.is_array() || value.size() <= says;
      else if (word == "minProperties")
        fits = !value.is_object() || value.size() >= says;
      else if (word == "maxProperties")
        fits = !value.is_object() || value.size() <= says;
      else if (word == "items" && value.is_array() && says.is_array())
        for (std::size_t i = 0; i < value.size(); ++i)
          fits = fits && accepts(i < says.size() ? says[i] : by.at("additionalItems"), value[i]);
      else if (word == "items")
        fits = !value.is_array() || all(value, says);
      else if (word == "required")
        fits = !value.is_object() || std::all_of(says.begin(), says.end(), [&](const json& key) {
          return value.contains(key.get<std::string>());
        });
      else if (word == "properties" || word == "propertyNames" || word == "additionalProperties")
        fits = !value.is_object() || properties(by, word, value);
      else if (word == "oneOf" || word == "anyOf") {
        const auto count =
            std::count_if(says.begin(), says.end(), [&](const json& one) { return accepts(one, value); });
        fits = word == "oneOf" ? count == 1 : count > 0;
      } else if (word == "not")
        fits = !accepts(says, value);
      else
        EXPECT_TRUE(word == "$schema" || word == "title" || word == "description" || word == "definitions" ||
                    word == "additionalItems")
            << word;
      if (!fits) return false;
    }
    return true;
  }

  const std::regex& compiled(const std::string& pattern) const {
    return patterns_.try_emplace(pattern, pattern).first->second;
  }

  bool properties(const json& by, const std::string& word, const json& value) const {
    for (const auto& [key, of] : value.items()) {
      const bool is_named = by.contains("properties") && by["properties"].contains(key);
      if (word == "propertyNames" && !accepts(by[word], key)) return false;
      if (word == "properties" && is_named && !accepts(by[word][key], of)) return false;
      if (word == "additionalProperties" && !is_named &&
          (by[word].is_boolean() ? by[word] == false : !accepts(by[word], of)))
        return false;
    }
    return true;
  }

  json whole_;
  mutable std::map<std::string, std::regex> patterns_;
};

// All that a file of boxes may have.
const char* const all_of_a_file = R"({
  "$schema": "x", "comment": [1], "fields": {"a": "path", "b_1": "file", "c": "numbers"},
  "boxes": {
    "f": {"command": ["x", "y", {"value": "<n>"}, ["--a=", {"granted": "cores"}], {"in": "a"}, {"out": "b", "ending": ".m"}, {"file": "/dev/null"}],
          "comment": "c", "input": "a", "output": "b", "succeeds_with": [0, 3], "within": "1.5 min", "memory": "2GiB",
          "retries": 2, "width": 3, "cores": [2, 8], "predictor": {"file_size": "a", "degree": 2}},
    "g": {"command": [{"file": "/dev/null"}], "lines": "<#c>", "blocking": 4, "predictor": {"value": "<n>"}, "priority": 3},
    "m": {"command": ["x"], "predictor": [{"kind": "<n>"}, {"file_size": "a"}]}, "l": {"command": ["x"], "predictor": {"kind": "<n>"}},
    "h": {"worker": ["python3", {"file": "/dev/null"}, "-x"], "restarts_for_cores": true, "batched": 4, "cores": 4,
          "predictor": {"length": "a"}, "within": "20 ms", "priority": "<n>"},
    "o": {"worker": ["python3"], "on": {"gpu0": ["python3", {"file": "/dev/null"}]}},
    "i": {"library": "x.so"}, "j": {"library": "x.so", "isolated": true, "within": "2h", "memory": "1 GB", "retries": 0},
    "k": {"library": "x.so", "isolated": false}
  }
})";

// One change at a random place: a value, a key or an item goes, comes, or becomes another one.
void change(nlohmann::json& whole, std::mt19937& random) {
  const auto one_of = [&](std::size_t count) {
    return std::uniform_int_distribution<std::size_t>(0, count - 1)(random);
  };
  const nlohmann::json values{nullptr,
                              true,
                              false,
                              0,
                              1,
                              101,
                              70000,
                              -1,
                              2.5,
                              "",
                              "a",
                              "<n>",
                              "3 s",
                              "5 MB",
                              "cores",
                              "text",
                              nlohmann::json::array(),
                              nlohmann::json::object(),
                              {{"value", "a"}},
                              {{"file", "/dev/null"}},
                              {"x"},
                              {1, 2}};
  const std::vector<std::string> keys{"command", "worker", "library", "isolated", "on",    "input",  "output",
                                      "lines",   "width",  "cores",   "blocking", "value", "in",     "out",
                                      "file",    "degree", "length",  "ending",   "wrong", "within", "priority"};
  nlohmann::json* at = &whole;
  while (at->is_structured() && !at->empty() && one_of(5) > 0)
    at = &*std::next(at->begin(), static_cast<std::ptrdiff_t>(one_of(at->size())));
  if (at->is_object() && one_of(2) == 0)
    (*at)[keys[one_of(keys.size())]] = values[one_of(values.size())];
  else if (at->is_structured() && !at->empty() && one_of(2) == 0)
    at->erase(std::next(at->begin(), static_cast<std::ptrdiff_t>(one_of(at->size()))));
  else
    *at = values[one_of(values.size())];
}

TEST(the_schema_of_boxes, accepts_exactly_what_the_checker_does) {
  const schema by(parsed(contents(WEIR_BOXES_SCHEMA)));
  EXPECT_TRUE(by.accepts(parsed(all_of_a_file)));
  std::mt19937 random(11);
  int accepted = 0;
  constexpr int tries = 1000;
  for (int i = 0; i < tries; ++i) {
    nlohmann::json file = parsed(all_of_a_file);
    for (int changes = 0; changes <= i % 3; ++changes) change(file, random);
    errors found = errors_of_boxes(file.dump(1));
    std::erase_if(found, [](const std::string& e) { return e.find("there is no file") != std::string::npos; });
    ASSERT_EQ(by.accepts(file), found.empty()) << file.dump(1) << "\n" << (found.empty() ? "" : found[0]);
    accepted += found.empty();
  }
  EXPECT_GT(accepted, tries / 20);
  EXPECT_LT(accepted, tries - tries / 20);
}

}  // namespace
}  // namespace weir::testing
