#pragma once

#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "runtime/network/network.hpp"
#include "runtime/patterns/expression.hpp"

namespace [[gnu::visibility("default")]] weir {
namespace detail {

// A label of an output record and where its value comes from: from `from`, a label of the pattern; else from `value`;
// else it is a new tag, which is 0.
struct filter_item {
  const label_info* label;
  const label_info* from = nullptr;
  std::optional<expression> value{};
};

struct filter_output {
  std::vector<filter_item> items;  // besides what it inherits
};

struct filter_clause {
  std::optional<expression> guard;  // none: always
  std::vector<filter_output> outputs;
};

// What a filter is: plain data. The first clause whose guard holds says what becomes of a record.
struct filter_spec {
  std::vector<const label_info*> takes;
  std::vector<filter_clause> clauses;  // none: every record is consumed
};

// `[{<n>} -> if <n<=1> then {<one=n>} else {<n=n-1>} ; {<n=n-2>}]`: the filter in S-Net's notation.
std::string to_string(const filter_spec& spec);

// The network of one filter, from a spec that is in order.
network make_filter(std::shared_ptr<const filter_spec> spec);
const filter_spec& filter_spec_of(const network& filter);

// What stands in .emit(..), as an item. A label alone is copied from the pattern; a tag may be new.
template <class T>
filter_item item_of(const field<T>& label) {
  return {label.info(), label.info()};
}
filter_item item_of(const tag& label);
filter_item item_of(const btag& label);
filter_item item_of(const renamed_field& item);
filter_item item_of(const computed_tag& item);
filter_item item_of(const tag_binding& item);
template <class T, class Value>
filter_item item_of(const field_binding<T, Value>&) {
  static_assert(!std::is_same_v<T, T>,
                "weir::filter: a constant cannot be put into a field; emit(a) copies field a of the pattern, "
                "emit(a = b) renames field b of it");
  return {};
}

}  // namespace detail

// A filter as a network, with what was said about it so far. Each call returns a new value and leaves this one as it
// was; it throws type_error, naming the filter, what is wrong and what was expected, when that can never work.
class filter_network : public network {
 public:
  // For the runtime. Throws type_error unless the spec is in order.
  explicit filter_network(detail::filter_spec spec);

  // Begins a clause: what follows is done with records for which the guard holds, and those of the clauses before do
  // not. A clause without .emit consumes the record. The guard is over the tags of the pattern.
  filter_network when(const expression& guard) const;

  // Begins the last clause: what follows is done with all other records.
  filter_network otherwise() const;

  // One more record that the clause gives, by its labels: `a` copies a field or tag of the pattern, `a = b` gives field
  // b of the pattern another name, `n = expression` computes a tag from the tags of the pattern, and a tag that the
  // pattern does not have is new and 0. Labels that the pattern does not name ride along, except binding tags;
  // `.emit()` gives those alone. Before any .when, it begins the only clause.
  template <class... Item>
  filter_network emit(const Item&... items) const {
    return with_output({detail::item_of(items)...});
  }

 private:
  filter_network with_clause(std::optional<expression> guard) const;
  filter_network with_output(std::vector<detail::filter_item> items) const;
};

// A filter: housekeeping between boxes, told to the runtime instead of written as one. takes(...) is its pattern:
//
//   filter(takes(n)).when(n % 2 == 0).emit(n = n / 2).when(n >= 11).otherwise().emit(n = 3 * n + 1)
//
// As it stands it consumes every record that matches.
template <class... L>
filter_network filter(const detail::takes_list<L...>& pattern) {
  return filter_network(detail::filter_spec{list_of(pattern), {}});
}

}  // namespace weir
