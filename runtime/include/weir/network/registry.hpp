#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <weir/network/network.hpp>
#include <weir/record/value_type.hpp>

namespace [[gnu::visibility("default")]] weir {
namespace detail {

// How a field's value is read from text: a word for a slot of a record, or an exception that says why not.
using field_reader = std::function<slot_word(std::string_view)>;

template <class T, class Read>
field_reader reader_of(Read read) {
  return [read](std::string_view text) { return make_word<T>(read(text)); };
}

}  // namespace detail

// Boxes and networks by name: what a network that is written as text may use (<weir/snet.hpp>).
//
//   registry{}.add(box("square", takes(n), gives(n), square)).add("twice", f >> g)
//
// A library of boxes fills one: `extern "C" void weir_boxes(weir::registry& r) { r.add(..); }`. The library includes
// <weir/weir.hpp>, in which its version stands, and need not link weir: the program that loads it brings it.
//
// Not thread-safe, like any value.
class registry {
 public:
  registry();
  registry(const registry&);
  registry(registry&&) noexcept;
  registry& operator=(const registry&);
  registry& operator=(registry&&) noexcept;
  ~registry();

  // Adds a box, a fold or an initialiser under its name, or a network under that of its group (network::as). Throws
  // type_error when the network has no name, or when something else has it. Returns this.
  registry& add(const network& part);
  registry& add(const std::string& name, const network& part);

  // Puts a network in the place of the one that has the name. Throws type_error when none has. Returns this.
  registry& replace(const std::string& name, const network& by);

  // Says how fields of type T are read from text, as in the records that `weir run` gets. `read` takes a
  // std::string_view, returns a T, and throws to refuse the text. Integers, floating-point numbers, bool and
  // std::string are read without that.
  template <class T, class Read>
  registry& reads(Read read) {
    return add_reader(value_type_of<T>, detail::reader_of<T>(std::move(read)));
  }

  const network* find(std::string_view name) const;  // null when there is none; valid until the registry changes
  std::vector<std::string> names() const;            // sorted
  const detail::field_reader* reader_for(const value_type& type) const;  // null when there is none

 private:
  registry& add_reader(const value_type& type, detail::field_reader read);

  std::map<std::string, network, std::less<>> parts_;
  std::map<std::string, detail::field_reader> readers_;  // by the name that the compiler gives the type
};

}  // namespace weir
