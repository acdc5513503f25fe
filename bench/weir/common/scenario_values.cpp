#include "bench/weir/common/scenario_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "bench/support/bad_input.hpp"
#include "bench/support/readable.hpp"
#include "scheduler/view/outer_end.hpp"

namespace weir::program {
namespace {

std::string found(const nlohmann::json& value) {
  if (value.is_array() && value.empty()) return "an empty array";
  if (value.is_structured()) return std::string("an ") + value.type_name();
  return value.is_string() ? excerpt(value.get<std::string>()) : value.dump();
}

// The keys of the objects that a parser is in, from the outermost.
class open_objects {
 public:
  explicit open_objects(std::string file) : file_(std::move(file)) {}

  bool take(nlohmann::json::parse_event_t what, const nlohmann::json& parsed) {
    using event = nlohmann::json::parse_event_t;
    if (what == event::object_start || what == event::array_start) {
      open_.push_back({what == event::array_start, {}, "", 0});
      return true;
    }
    if (what == event::key) {
      level& in = open_.back();
      const std::string place = file_ + place_in();
      in.key = parsed.get<std::string>();
      if (!in.keys.insert(in.key).second)
        throw bad_input(fmt::format("{}: key {} stands twice; once is allowed", place, excerpt(in.key)));
      return true;
    }
    if (what != event::value) open_.pop_back();
    if (!open_.empty()) ++open_.back().index;
    return true;
  }

 private:
  struct level {
    bool is_list;
    std::set<std::string> keys;
    std::string key;
    std::size_t index;
  };

  // ": components[2]: cost", of the innermost.
  std::string place_in() const {
    std::string place;
    for (std::size_t i = 0; i + 1 < open_.size(); ++i)
      place += open_[i].is_list ? fmt::format("[{}]", open_[i].index) : ": " + open_[i].key;
    return place;
  }

  std::string file_;
  std::vector<level> open_;
};

}  // namespace

nlohmann::json json_of_text(const std::string& text, const std::string& path) {
  open_objects open(path);
  const auto take = [&](int, nlohmann::json::parse_event_t what, const nlohmann::json& parsed) {
    return open.take(what, parsed);
  };
  try {
    return nlohmann::json::parse(text, take, true, true);
  } catch (const nlohmann::json::exception& e) {  // not JSON, or a number that does not fit a double
    throw bad_input(fmt::format("{}: {}", path, in_short(e)));
  }
}

json_object::json_object(const nlohmann::json& value, std::string place) : value_(value), place_(std::move(place)) {
  if (!value_.is_object())
    throw bad_input(fmt::format("{}: {} was found, expected was an object", place_, found(value)));
}

bool json_object::has(const std::string& key) {
  known_.insert(key);
  return value_.contains(key);
}

const nlohmann::json& json_object::at(const std::string& key) {
  if (!has(key)) throw bad_input(fmt::format("{}: key \"{}\" is missing", place_, key));
  return value_.at(key);
}

double json_object::number(const std::string& key, double otherwise, const accepted_numbers& accepted) {
  if (!has(key)) return otherwise;
  if (!value_.at(key).is_number()) refuse(key, "a number");
  const auto number = value_.at(key).get<double>();
  if (!accepted.have(number)) refuse(key, accepted.instead_of(number));
  return number;
}

std::int64_t json_object::whole(const std::string& key, std::int64_t otherwise, std::int64_t least, std::int64_t most) {
  if (!has(key)) return otherwise;
  const nlohmann::json& value = value_.at(key);
  const std::string expected = fmt::format("a whole number in {}..{}", least, most);
  if (value.is_number_float()) {
    const auto real = value.get<double>();
    constexpr double exact = 9007199254740992;  // 2^53: beyond it several integers are one number
    if (real != std::trunc(real) || std::abs(real) > exact) refuse(key, expected);
    const auto number = static_cast<std::int64_t>(real);
    if (number < least || number > most) refuse(key, expected);
    return number;
  }
  if (!value.is_number_integer()) refuse(key, expected);
  if (value.is_number_unsigned() && value.get<std::uint64_t>() > static_cast<std::uint64_t>(most))
    refuse(key, expected);
  const auto number = value.get<std::int64_t>();
  if (number < least || number > most) refuse(key, expected);
  return number;
}

bool json_object::flag(const std::string& key, bool otherwise) {
  if (!has(key)) return otherwise;
  if (!value_.at(key).is_boolean()) refuse(key, "true or false");
  return value_.at(key).get<bool>();
}

std::string json_object::text(const std::string& key) {
  if (!at(key).is_string()) refuse(key, "text");
  return value_.at(key).get<std::string>();
}

std::vector<json_object> json_object::objects(const std::string& key) {
  const nlohmann::json& list = at(key);
  if (!list.is_array()) refuse(key, "a list of objects");
  std::vector<json_object> all;
  all.reserve(list.size());
  for (const nlohmann::json& one : list) all.emplace_back(one, fmt::format("{}[{}]", place(key), all.size()));
  return all;
}

void json_object::require_no_more() const {
  for (const auto& [key, value] : value_.items())
    if (known_.count(key) == 0)
      throw bad_input(fmt::format("{}: there is no key {} here; there are {}", place_, excerpt(key),
                                  listed({known_.begin(), known_.end()})));
}

void json_object::refuse(const std::string& key, const std::string& expected) const {
  throw bad_input(fmt::format("{}: \"{}\" is {}, expected was {}", place_, key, found(value_.at(key)), expected));
}

std::size_t index_of(const json_object& in, const std::string& key, const std::string& name,
                     const std::vector<std::string>& names, const char* list) {
  if (const auto found = std::find(names.begin(), names.end(), name); found != names.end())
    return static_cast<std::size_t>(found - names.begin());
  throw bad_input(fmt::format("{}: {} is none of \"{}\"{}", in.place(key), excerpt(name), list,
                              names.empty() ? ", of which there are none" : "; there are " + listed(names)));
}

void require_reached(const std::vector<link>& links, const std::vector<std::string>& names,
                     const std::string& components) {
  std::vector<bool> is_reached(names.size(), false);
  for (bool grows = true; grows;) {
    grows = false;
    for (const link& l : links) {
      if (l.to < 0 || is_reached[static_cast<std::size_t>(l.to)]) continue;
      if (l.from >= 0 && !is_reached[static_cast<std::size_t>(l.from)]) continue;
      is_reached[static_cast<std::size_t>(l.to)] = grows = true;
    }
  }
  const auto lonely = std::find(is_reached.begin(), is_reached.end(), false);
  if (lonely == is_reached.end()) return;
  const auto i = static_cast<std::size_t>(lonely - is_reached.begin());
  throw bad_input(fmt::format("{}[{}]: no link leads from \"{}\" to {}, expected were links", components, i,
                              outer_end("input", names), excerpt(names[i])));
}

double number_of(const nlohmann::json& value, const std::string& place, const accepted_numbers& accepted) {
  if (!value.is_number()) throw bad_input(fmt::format("{}: {} was found, expected was a number", place, found(value)));
  const auto number = value.get<double>();
  if (!accepted.have(number))
    throw bad_input(fmt::format("{}: {} was found, expected was {}", place, found(value), accepted.instead_of(number)));
  return number;
}

std::vector<double> numbers_of(const nlohmann::json& value, const std::string& place,
                               const accepted_numbers& accepted) {
  if (!value.is_array() || value.empty())
    throw bad_input(fmt::format("{}: {} was found, expected was a list of numbers", place, found(value)));
  std::vector<double> result;
  for (const nlohmann::json& one : value)
    result.push_back(number_of(one, fmt::format("{}[{}]", place, result.size()), accepted));
  return result;
}

std::vector<std::pair<double, double>> pairs_of(const nlohmann::json& value, const std::string& place,
                                                const accepted_numbers& first, const accepted_numbers& second) {
  if (!value.is_array() || value.empty())
    throw bad_input(fmt::format("{}: {} was found, expected was a list of pairs of numbers", place, found(value)));
  std::vector<std::pair<double, double>> result;
  for (const nlohmann::json& one : value) {
    const std::string here = fmt::format("{}[{}]", place, result.size());
    if (!one.is_array() || one.size() != 2)
      throw bad_input(fmt::format("{}: {} was found, expected was a list of two numbers", here, found(one)));
    result.emplace_back(number_of(one[0], here + "[0]", first), number_of(one[1], here + "[1]", second));
  }
  return result;
}

}  // namespace weir::program
