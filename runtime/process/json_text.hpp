#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weir::detail::processes {

class json_text;

// A value in a JSON text. Valid as long as the text, which is not moved meanwhile.
class json_value {
 public:
  enum class sort : std::uint8_t { null, boolean, number, text, list, object };

  sort is() const;
  std::string_view raw() const;  // as it is written

  // Each is empty for a value of another sort, and the first two for a number that does not fit.
  std::optional<std::uint64_t> natural() const;
  std::optional<std::int64_t> integer() const;
  std::optional<double> number() const;
  std::optional<bool> boolean() const;
  std::optional<std::string> text() const;  // without quotes and escapes

  // Items of a list, and members of an object. 0 for other sorts.
  std::size_t size() const;
  json_value first() const;  // REQUIRES: a list, and size() > 0
  json_value next() const;   // REQUIRES: an item of a list, which is not the last
  template <class F>
  void each(F f) const;                                         // f(item), in their order; REQUIRES: a list
  json_value operator[](std::size_t number) const;              // REQUIRES: a list, and number < size()
  std::optional<json_value> find(std::string_view name) const;  // a member whose name is written without escapes

 private:
  friend class json_text;
  json_value(const json_text& of, std::uint32_t at) : of_(&of), at_(at) {}

  const json_text* of_;
  std::uint32_t at_;
};

// A checked JSON text, as the heads of messages are: RFC 8259, but for UTF-8, which is not checked. It is parsed in one
// pass into a list of its values, since a tree of them costs ten times as much as a short call. Immutable.
class json_text {
 public:
  json_text() = default;  // of no text
  // Throws protocol_error when the text is no JSON, or nested deeper than 32. REQUIRES: it has less than 4 GiB.
  explicit json_text(std::string_view text);

  json_value root() const { return {*this, 0}; }  // REQUIRES: it was made of a text

 private:
  friend class json_value;
  struct part {
    json_value::sort is;
    std::uint32_t begin, end;  // in the text
    std::uint32_t after;       // the number of the part behind this and its content
    std::uint32_t size;
  };
  class parser;

  std::string text_;
  std::vector<part> parts_;
};

template <class F>
void json_value::each(F f) const {
  if (size() == 0) return;
  json_value item = first();
  f(item);
  for (std::size_t i = 1; i < size(); ++i) f(item = item.next());
}

}  // namespace weir::detail::processes
