#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

// Changes of JSON that keep it JSON: parsers of foreign files refuse wrong bytes early, and faults of a number, a type
// or a key lie behind that.
namespace weir::fuzz {

using json = nlohmann::ordered_json;

// The places of a value: all values in it, the parents first. They are valid until one of them changes.
inline std::vector<json*> places_in(json& all) {
  std::vector<json*> places{&all};
  for (std::size_t k = 0; k < places.size(); ++k)
    if (json* const at = places[k]; at->is_structured())
      for (json& inner : *at) places.push_back(&inner);
  return places;
}

// A value that a file of this kind hardly has.
inline json hostile_value(std::mt19937_64& random) {
  static const std::array<json, 30> values{0,
                                           -0.0,
                                           1,
                                           -1,
                                           2,
                                           0.5,
                                           1e308,
                                           -1e308,
                                           1e300,
                                           1e-300,
                                           1e-320,
                                           1e-12,
                                           1e12,
                                           1e-17,
                                           1e18,
                                           1e30,
                                           2147483647,
                                           -2147483648LL,
                                           9223372036854775807LL,
                                           18446744073709551615ULL,
                                           65536,
                                           1e15,
                                           nullptr,
                                           true,
                                           "",
                                           "input",
                                           "nan",
                                           json::array(),
                                           json::object(),
                                           json::array({json::array({json::array({1})})})};
  return values[random() % values.size()];
}

inline json deep_value(std::mt19937_64& random) {
  json deep = 1;
  for (std::uint64_t depth = random() % 300; depth > 0; --depth)
    deep = random() % 2 == 0 ? json::array({deep}) : json({{"components", deep}});
  return deep;
}

// One change at one place.
inline void change(json& all, std::mt19937_64& random) {
  const std::vector<json*> places = places_in(all);
  json& at = *places[random() % places.size()];
  const json other = *places[random() % places.size()];
  const auto any_of = [&](json& of) {
    return std::next(of.begin(), static_cast<std::ptrdiff_t>(random() % of.size()));
  };
  switch (random() % 10) {
    case 0:
      at = other;
      break;
    case 1:
      at = deep_value(random);
      break;
    case 2:  // goes
      if (at.is_structured() && !at.empty()) at.erase(any_of(at));
      break;
    case 3:  // comes twice
      if (at.is_array() && !at.empty()) at.push_back(json(*any_of(at)));
      break;
    case 4:  // by another name
      if (at.is_object() && other.is_object() && !at.empty() && !other.empty()) {
        const auto one = any_of(at);
        const json value = *one;
        json keys = other;
        at.erase(one);
        at[any_of(keys).key()] = value;
      }
      break;
    case 5:  // larger or smaller
      if (at.is_number()) at = at.get<double>() * std::array{-1.0, 1e3, 1e-3, 1e100, 1e-100}[random() % 5];
      break;
    default:  // most of these files are numbers
      for (std::size_t tries = 0; tries < 20; ++tries)
        if (json& number = *places[random() % places.size()]; number.is_number()) {
          number = hostile_value(random);
          return;
        }
      at = hostile_value(random);
  }
}

// A text with one to three changes, which follow from the seed; the text itself if it is no JSON.
inline std::string mutated(const std::string& text, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  json all = json::parse(text, nullptr, false, true);
  if (all.is_discarded()) return text;
  for (std::uint64_t changes = 1 + random() % 3; changes > 0; --changes) change(all, random);
  return all.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace weir::fuzz
