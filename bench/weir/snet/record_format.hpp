#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include <weir/record/record.hpp>
#include "bench/weir/snet/json_notation.hpp"
#include "bench/weir/snet/json_values.hpp"
#include "runtime/snet/record_notation.hpp"

namespace weir::program {

// Both ways in which records stand in lines, for one network. Immutable; any thread may use it.
struct record_notations {
  detail::snet::record_notation weir;
  json_notation json;
};

// Why a result cannot be written: its field, and the record.
class unwritten_result : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// One of them.
class record_format {
 public:
  record_format(const record_notations& all, bool is_json) : all_(all), is_json_(is_json) {}

  // Throws detail::snet::record_fault for anything else.
  record read(std::string_view line) const {
    if (is_json_) return all_.json.read(line);
    if (is_json_object(line))
      throw detail::snet::record_fault(
          1,
          "the line is a JSON object, expected a record such as {<n>=3}; JSON lines are read from a file *.jsonl, and "
          "from standard input with --json");
    return all_.weir.read(line);
  }
  // The JSON of a label's value in a line; empty when it is not there. Throws as read() does.
  std::string value_in(std::string_view line, std::string_view label) const {
    return json_notation::value_of(is_json_ ? all_.json.read(line, label) : all_.weir.read(line, label), label);
  }
  // The JSON of a label's value as value_in() reads it from the written record. The notation of records keeps texts and
  // integers, and makes texts of other values. Empty when the record does not have the label.
  std::string value_when_read(const record& r, std::string_view label) const {
    const std::string value = json_notation::value_of(r, label);
    if (is_json_ || value.empty()) return value;
    return value_in(all_.weir.written(all_.json.read("{" + json_text_of(std::string(label)) + ": " + value + "}")),
                    label);
  }
  // Throws unwritten_result that names the field whose value cannot be printed.
  std::string written(const record& r) const {
    try {
      return is_json_ ? all_.json.written(r) : all_.weir.written(r);
    } catch (const std::runtime_error& e) {
      throw unwritten_result(std::string(e.what()) + "; record " + detail::outline(*r.body()));
    }
  }

  // The record of a file: its name, and where it is.
  record of_file(const std::string& name, const std::string& path) const {
    return all_.json.read("{\"name\": " + json_text_of(name) + ", \"path\": " + json_text_of(path) + "}");
  }

  // Whether a line has no record: it is empty, or a comment, which JSON does not have.
  bool is_left_out(std::string_view line) const {
    const std::size_t from = line.find_first_not_of(" \t\r");
    return from == std::string_view::npos || (!is_json_ && (line[from] == '#' || line.substr(from, 2) == "//"));
  }

 private:
  // Begins with a brace and a quote, which no record in weir's notation does.
  static bool is_json_object(std::string_view line) {
    constexpr std::string_view space = " \t\r";
    const std::size_t brace = line.find_first_not_of(space);
    if (brace == std::string_view::npos || line[brace] != '{') return false;
    const std::size_t next = line.find_first_not_of(space, brace + 1);
    return next != std::string_view::npos && line[next] == '"';
  }

  const record_notations& all_;
  bool is_json_;
};

// Whether a file of this name has JSON lines: x.jsonl.
inline bool has_json_lines(std::string_view path) { return path.ends_with(".jsonl"); }

}  // namespace weir::program
