#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/snet/fault_list.hpp"

namespace weir::program {

struct placed_member;

// A value of a JSON text, and the bytes of the text that it is.
struct placed_json {
  enum form { null, truth, integer, number, text, list, object };
  form what = null;
  detail::snet::offset begin = 0, end = 0;
  bool flag = false;
  std::int64_t whole = 0;              // an integer of 64 bits
  double real = 0;                     // number; also integers beyond 64 bits
  std::string words;                   // text: UTF-8, which may have a byte 0; number: as given, where it is short or
                                       // an integer
  std::vector<placed_json> items;      // list
  std::vector<placed_member> members;  // object: in the order of the text, no key twice

  const placed_json* find(std::string_view key) const;  // null when there is none
};

struct placed_member {
  std::string key;
  detail::snet::offset place;
  placed_json value;
};

// The value in a message: `a list`, `the text "abc"`.
std::string found_words(const placed_json& value);

// The one JSON value of a text, as RFC 8259 says: UTF-8, no comments, nothing behind it. A byte order mark in front is
// left out. Errors are added to `faults` with their places, and nothing is returned then. They are the first place that
// is no JSON, every key that stands twice in its object, a byte 0, and more than 100 levels. Takes time and memory in
// proportion to the text.
std::optional<placed_json> read_json(const detail::snet::source_text& text, detail::snet::fault_list& faults);

}  // namespace weir::program
