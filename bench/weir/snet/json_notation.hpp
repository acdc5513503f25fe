#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>

#include <weir/network/registry.hpp>
#include <weir/record/record.hpp>

namespace weir::program {

// Reads and writes records as JSON objects, each on a line: {"name": "x", "<t>": 3, "<#k>": 7}.
//
// A field whose type the network knows has the JSON of that type (json_values.hpp). In another field a
// text is a std::string, an integer of 64 bits a std::int64_t, and everything else rides along as it stands there. A
// tag is an integer of 64 bits. Labels come out in the order in which records print.
//
// Immutable; any thread may use it.
class json_notation {
 public:
  // `fields`: the types that the network knows. Refers to the registry.
  json_notation(std::map<std::string, const value_type*, std::less<>> fields, const registry& known)
      : fields_(std::move(fields)), known_(known) {}

  // Throws detail::snet::record_fault for anything else, and for lines of more than a gigabyte. With `only` the record
  // has at most this label, and the values of others are not looked at.
  record read(std::string_view line, std::string_view only = {}) const;

  // Throws as json_of() does.
  std::string written(const record& r) const;

  // The JSON of a label's value. Empty when the record does not have the label. Throws as json_of() does.
  static std::string value_of(const record& r, std::string_view label);

 private:
  std::map<std::string, const value_type*, std::less<>> fields_;
  const registry& known_;
};

}  // namespace weir::program
