#include "tests/support/exposition.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <regex>
#include <set>
#include <sstream>
#include <system_error>
#include <utility>

namespace weir::testing {
namespace {

bool is_name(const std::string& text) {
  static const std::regex name("[a-zA-Z_:][a-zA-Z0-9_:]*");
  return std::regex_match(text, name);
}

bool is_valid_utf8(const std::string& text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto first = static_cast<unsigned char>(text[i]);
    const int more = first < 0x80 ? 0 : first >> 5 == 6 ? 1 : first >> 4 == 14 ? 2 : first >> 3 == 30 ? 3 : -1;
    if (more < 0 || i + static_cast<std::size_t>(more) >= text.size() + (more == 0)) return false;
    for (int k = 1; k <= more; ++k)
      if ((static_cast<unsigned char>(text[i + static_cast<std::size_t>(k)]) & 0xc0) != 0x80) return false;
    i += static_cast<std::size_t>(more) + 1;
  }
  return true;
}

// name{label="value",..} value
bool read_sample(const std::string& line, metric_sample& s) {
  std::size_t at = line.find_first_of("{ ");
  if (at == std::string::npos) return false;
  s.name = line.substr(0, at);
  if (line[at] == '{') {
    ++at;
    while (at < line.size() && line[at] != '}') {
      const std::size_t end = line.find("=\"", at);
      if (end == std::string::npos) return false;
      const std::string label = line.substr(at, end - at);
      std::string value;
      for (at = end + 2; at < line.size() && line[at] != '"'; ++at) {
        if (line[at] != '\\') {
          value += line[at];
          continue;
        }
        if (++at == line.size() || std::string("\\\"n").find(line[at]) == std::string::npos) return false;
        value += line[at] == 'n' ? '\n' : line[at];
      }
      if (at == line.size() || !is_name(label) || !s.labels.emplace(label, value).second) return false;
      if (++at < line.size() && line[at] == ',') ++at;
    }
    if (at == line.size()) return false;
    ++at;
  }
  if (at >= line.size() || line[at] != ' ') return false;
  const std::string number = line.substr(at + 1);
  if (number == "+Inf" || number == "-Inf" || number == "NaN") {
    s.value = number == "NaN" ? std::numeric_limits<double>::quiet_NaN() : std::numeric_limits<double>::infinity();
    return true;
  }
  const char* const end = number.data() + number.size();
  const auto read = std::from_chars(number.data(), end, s.value);
  return read.ec == std::errc() && read.ptr == end && number.find_first_not_of("0123456789.e+-") == std::string::npos;
}

}  // namespace

double exposition::value(const std::string& name, const std::map<std::string, std::string>& labels) const {
  double found = std::numeric_limits<double>::quiet_NaN();
  int count = 0;
  for (const metric_sample& s : samples) {
    if (s.name != name || !std::includes(s.labels.begin(), s.labels.end(), labels.begin(), labels.end())) continue;
    found = s.value;
    ++count;
  }
  return count == 1 ? found : std::numeric_limits<double>::quiet_NaN();
}

exposition read_exposition(const std::string& text) {
  exposition all;
  const auto problem = [&](const std::string& line, const std::string& what) {
    all.problems.push_back(what + ": " + line);
  };
  if (text.empty() || text.back() != '\n') problem("", "the last line does not end");
  if (!is_valid_utf8(text)) problem("", "it is no UTF-8");
  std::set<std::string> closed;  // families that another followed
  std::set<std::pair<std::string, std::map<std::string, std::string>>> series;
  std::string family;
  const auto enter = [&](const std::string& name, const std::string& line) {
    if (name == family) return;
    closed.insert(family);
    if (closed.count(name)) problem(line, "a family is in two places");
    family = name;
  };
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (std::any_of(line.begin(), line.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }))
      problem(line, "it holds a control character");
    if (line.starts_with("# HELP ") || line.starts_with("# TYPE ")) {
      const std::size_t end = line.find(' ', 7);
      const std::string name = line.substr(7, end - 7), rest = end == std::string::npos ? "" : line.substr(end + 1);
      const bool is_type = line[2] == 'T';
      if (!is_name(name) || rest.empty()) problem(line, "it says nothing");
      enter(name, line);
      if (is_type && rest != "counter" && rest != "gauge") problem(line, "no type that weir has");
      if (is_type && (rest == "counter") != name.ends_with("_total")) problem(line, "counters end in _total");
      if (!(is_type ? all.types : all.helps).emplace(name, rest).second) problem(line, "it is said twice");
      continue;
    }
    metric_sample s;
    if (!read_sample(line, s) || !is_name(s.name)) {
      problem(line, "it is no sample");
      continue;
    }
    enter(s.name, line);
    if (!s.name.starts_with("weir_")) problem(line, "a foreign name");
    if (!all.types.count(s.name) || !all.helps.count(s.name)) problem(line, "HELP and TYPE come first");
    if (all.types[s.name] == "counter" && !(s.value >= 0)) problem(line, "a counter below zero");
    if (!series.insert({s.name, s.labels}).second) problem(line, "a series occurs twice");
    all.samples.push_back(std::move(s));
  }
  return all;
}

}  // namespace weir::testing
