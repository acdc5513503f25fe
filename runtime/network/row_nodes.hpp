#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <weir/network/network.hpp>
#include "runtime/network/node.hpp"

// Chains and choices, of any length.
namespace weir::detail {

// A chain or a choice. A part of the same kind is one row with it: its elements are this row's elements. As a part it
// is shared instead of copied, so that building a long row takes linear time. Rows may be very long, so no code
// recurses over their elements.
struct row_node : node {
  explicit row_node(std::vector<network> p) : parts(std::move(p)) {}
  ~row_node() override;
  std::vector<network> children() const override { return flat(); }
  std::vector<network> flat() const;  // its elements, in order
  const node& end(bool last) const;   // the first of them, or the last

  const row_node* row_in(const network& part) const;  // the part, if it is a row of this kind; null: an element

  // Calls f with each element in order, until it returns false.
  template <class F>
  void each(F f) const {
    std::vector<const network*> open;
    const auto enter = [&](const row_node& row) {
      for (auto part = row.parts.rbegin(); part != row.parts.rend(); ++part) open.push_back(&*part);
    };
    for (enter(*this); !open.empty();) {
      const network& next = *open.back();
      open.pop_back();
      if (const row_node* const row = row_in(next))
        enter(*row);
      else if (!f(next))
        return;
    }
  }

  std::vector<network> parts;
  std::uint64_t elements = 0;

 protected:
  void take_in_row(const network& part);  // take_in, and counts the elements
};

// `a >> b`.
struct serial_node : row_node {
  any_node kind() const override { return this; }
  serial_node(const network& left, const network& right);
  void write(notation_text& to) const override;
  binding binds() const override { return binding::serial; }
  std::string name() const override;
  std::string end_name(bool last) const override { return end(last).name(); }
  std::vector<network> chain() const override { return flat(); }
  type_transfer answer(const variant_type& have) const override;
};

// `a | b | c`.
struct choice_node : row_node {
  any_node kind() const override { return this; }
  explicit choice_node(std::vector<network> branches);
  void write(notation_text& to) const override { write_joined(to, " | "); }
  void write_joined(notation_text& to, std::string_view separator) const;
  binding binds() const override { return binding::parallel; }
  type_transfer answer(const variant_type& have) const override;
};

}  // namespace weir::detail
