#pragma once

#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <weir/network/registry.hpp>
#include <weir/record/record.hpp>

namespace weir::detail::snet {

// Why a line is no record, and where: a column in bytes, from 1.
struct record_fault : std::invalid_argument {
  record_fault(std::size_t at, const std::string& why) : std::invalid_argument(why), column(at) {}
  std::size_t column;
};

// The words of a record until it has them.
struct record_words {
  std::vector<labelled_word> all;

  record_words() = default;
  ~record_words();
  record_words(const record_words&) = delete;
  record take() &&;
};

// Texts of values of further types. Null functions, and those that return nothing, leave a value to record_notation.
struct value_texts {
  std::optional<std::string> (*write)(const label_info&, const slot_word&, const registry&) = nullptr;
  // Throws std::invalid_argument that says what was found and expected.
  std::optional<slot_word> (*read)(const value_type&, const std::string&, const registry&) = nullptr;
};

// Reads and writes records as they print: `{a=1, name=short, <t>=3, <#k>=7}`.
//
// A field whose type the network knows gets a value of it: an integer, a floating-point number, bool, char,
// std::string, a path, or a type of registry::reads or of value_texts. In other fields an integer is a std::int64_t,
// and everything else a std::string. A value ends at `,` or `}` and has no white space around it. A value in double
// quotes is no integer unless the network says so. Within these \\, \", \n, \t, \r and \x1f, with two digits, have the
// meaning of C. A record has at most most_labels labels, as one in a text of a network, and takes time in proportion to
// its line.
//
// Immutable; any thread may use it.
class record_notation {
 public:
  // `fields` as loaded::fields. Refers to the registry.
  record_notation(std::map<std::string, const value_type*, std::less<>> fields, const registry& known,
                  value_texts further = {})
      : fields_(std::move(fields)), known_(known), further_(further) {}

  // Throws record_fault for anything else. With `only` the record has at most this label, and the values of others are
  // not looked at.
  record read(std::string_view line, std::string_view only = {}) const;

  // One line, as to_string(r) but with quotes around the values that would be read as others without them, and around
  // no other path. Texts, paths, integers, and what a reader gets from the text that its type prints are the same when
  // read. Floating-point numbers have six digits, unless value_texts have another text. Throws std::runtime_error that
  // names the field whose operator<< throws.
  std::string written(const record& r) const;

 private:
  std::optional<slot_word> typed(const value_type& type, const std::string& text) const;
  std::string text_of(const label_info& label, const slot_word& word, std::string&& printed) const;
  bool is_read_so(const label_info& label, const std::string& text) const;

  std::map<std::string, const value_type*, std::less<>> fields_;
  const registry& known_;
  value_texts further_;
};

}  // namespace weir::detail::snet
