#pragma once

#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <weir/network/network.hpp>
#include <weir/patterns/expression.hpp>

namespace [[gnu::visibility("default")]] weir {
namespace detail {

// A label of an output record, and the source of its value: `from`, a label of the pattern; else `value`; else it is a
// new tag of value 0.
struct filter_item {
  const label_info* label;
  const label_info* from = nullptr;
  std::optional<expression> value{};
};

struct filter_output {
  std::vector<filter_item> items;  // without inherited labels
};

struct filter_clause {
  std::optional<expression> guard;  // none: holds always
  std::vector<filter_output> outputs;
};

// A filter as plain data. The first clause whose guard holds gives the outputs for a record.
struct filter_spec {
  std::vector<const label_info*> takes;
  std::vector<filter_clause> clauses;  // none: every record is consumed
};

// The filter in S-Net's notation: `[{<n>} -> if <n<=1> then {<one=n>} else {<n=n-1>} ; {<n=n-2>}]`.
std::string to_string(const filter_spec& spec);

// The network of one filter. REQUIRES: the spec was checked.
network make_filter(std::shared_ptr<const filter_spec> spec);
const filter_spec& filter_spec_of(const network& filter);

// An argument of .emit(..) as an item. A label without a value is copied from the pattern; a tag may be new.
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

template <class Item>
concept emitted_item = requires(const Item& item) {
  item_of(item);
};

template <class... Item>
constexpr bool check_items() {
  static_assert((emitted_item<Item> && ...),
                "weir::filter: emit takes labels and tags with a value, as in emit(a, b = a, n = k + 1)");
  return (emitted_item<Item> && ...);
}

}  // namespace detail

// A network of one filter, to which clauses and outputs can be added. Each call returns a new value and leaves this one
// as it was. Each throws type_error when the filter can never work; the message names the filter, the mistake and the
// expectation.
class filter_network : public network {
 public:
  // For the runtime. Throws type_error when the spec is not a valid filter.
  explicit filter_network(detail::filter_spec spec);

  // Begins a clause: the following .emit calls are for records that satisfy this guard and no earlier one. A clause
  // without .emit consumes its records. The guard is a condition over tags of the pattern.
  filter_network when(const expression& guard) const;

  // Begins the last clause, for all other records. Without it a record that satisfies no guard fails with
  // failure_kind::no_guard_true.
  filter_network otherwise() const;

  // Adds one output record to the clause; outputs leave in the order of these calls. Before any .when, it begins the
  // only clause. Its arguments are the labels of the record.
  //
  // `a` copies a field or tag of the pattern. A tag that the pattern does not name is new, with value 0.
  // `a = b` gives field a the value of field b of the pattern, without copying it.
  // `n = k + 1` computes a tag or binding tag from tags of the pattern; `n = 3` is a constant.
  //
  // A field has no constants, and a new field needs a field of the pattern. Labels of the input that the pattern does
  // not name are inherited, except binding tags. A label of the output wins over an inherited one. `.emit()` gives the
  // inherited labels alone.
  template <class... Item>
  filter_network emit(const Item&... items) const {
    if constexpr (detail::check_items<Item...>())
      return with_output({detail::item_of(items)...});
    else
      return *this;
  }
  // The same, for sources in which `emit` is a macro, as Qt's headers define it.
  template <class... Item>
  filter_network gives(const Item&... items) const {
    if constexpr (detail::check_items<Item...>())
      return with_output({detail::item_of(items)...});
    else
      return *this;
  }

 private:
  filter_network with_clause(std::optional<expression> guard) const;
  filter_network with_output(std::vector<detail::filter_item> items) const;
};

// A filter: renames, copies, computes and drops labels, without a box. The list takes(...) is its pattern.
//
//   filter(takes(n)).when(n % 2 == 0).emit(n = n / 2).when(n >= 11).otherwise().emit(n = 3 * n + 1);
//
// Here even n are halved, other n from 11 on are consumed, and the remaining ones become 3n + 1. Without any clause a
// filter consumes every record that matches.
//
// A record that the pattern does not match fails with failure_kind::no_match; a division by zero in a guard or value
// fails it, too. Throws type_error when a label stands twice.
template <class... L>
filter_network filter(const detail::takes_list<L...>& pattern) {
  return filter_network(detail::filter_spec{list_of(pattern), {}});
}
// For a message about another argument.
template <class... Given>
requires(sizeof...(Given) != 1 || !(detail::is_takes<Given> && ...)) filter_network filter(const Given&...) {
  static_assert(detail::is_refused<Given...>, "weir::filter: one argument, the pattern: filter(takes(...))");
  __builtin_unreachable();
}

}  // namespace weir
