#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "runtime/network/box_spec.hpp"
#include "runtime/network/filter.hpp"
#include "runtime/network/network.hpp"
#include "runtime/network/node.hpp"
#include "runtime/network/observer.hpp"
#include "runtime/network/typing.hpp"
#include "runtime/patterns/pattern.hpp"

// The kinds of nodes.
namespace weir::detail {

std::vector<const label_info*> labels_of(const std::vector<pattern>& patterns);
bool may_match(const pattern& p, const variant_type& have);  // as far as labels go, without its guard

struct box_node : node {
  any_node kind() const override { return this; }
  explicit box_node(std::shared_ptr<const box_spec> s);
  void write(notation_text& to) const override;
  type_transfer answer(const variant_type& have) const override;
  std::vector<const label_info*> labels() const override;
  bool has_state() const override { return spec->is_fold(); }
  std::shared_ptr<const box_spec> spec;
};

struct filter_node : node {
  any_node kind() const override { return this; }
  explicit filter_node(std::shared_ptr<const filter_spec> s);
  void write(notation_text& to) const override;
  type_transfer answer(const variant_type& have) const override;
  std::vector<const label_info*> labels() const override;
  std::shared_ptr<const filter_spec> spec;
};

// `[]`.
struct bypass_node : node {
  any_node kind() const override { return this; }
  bypass_node();
  void write(notation_text& to) const override;
  type_transfer answer(const variant_type&) const override { return {true, {unchanged()}, {}}; }
};

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

struct star_node : node {
  any_node kind() const override { return this; }
  star_node(network b, pattern_list e);
  void write(notation_text& to) const override;
  type_transfer answer(const variant_type& have) const override;
  std::vector<network> children() const override { return {body}; }
  std::vector<const label_info*> labels() const override;
  bool has_state() const override { return true; }
  type_transfer go_round(const variant_type& have, bool& ends) const;  // sets `ends` if a record may end inside
  network body;
  pattern_list exits;
};

struct split_node : node {
  any_node kind() const override { return this; }
  split_node(network b, const label_info* t, std::optional<pattern_list> l);
  void write(notation_text& to) const override;
  std::string of() const;  // what it splits by, and where a branch ends: `<k>`, `<k> until {<last>}`
  type_transfer answer(const variant_type& have) const override;
  std::vector<network> children() const override { return {body}; }
  std::vector<const label_info*> labels() const override;
  bool has_state() const override { return true; }
  network body;
  const label_info* by;
  std::optional<pattern_list> last;  // a record that matches ends its branch
};

struct feedback_node : node {
  any_node kind() const override { return this; }
  feedback_node(network b, pattern_list p);
  void write(notation_text& to) const override;
  type_transfer answer(const variant_type& have) const override;
  std::vector<network> children() const override { return {body}; }
  std::vector<const label_info*> labels() const override;
  bool has_state() const override { return true; }
  network body;
  pattern_list back;
};

struct sync_node : node {
  any_node kind() const override { return this; }
  explicit sync_node(std::vector<pattern> p);
  void write(notation_text& to) const override;
  type_transfer answer(const variant_type& have) const override;
  std::vector<const label_info*> labels() const override;
  bool has_state() const override { return true; }
  void check_fields() const;
  std::vector<pattern> patterns;
};

// A network with a wrapper that does not change its type.
struct wrapped_node : node {
  explicit wrapped_node(network i);
  void write(notation_text& to) const override { inner.root()->write(to); }
  binding binds() const override { return inner.root()->binds(); }
  type_transfer answer(const variant_type& have) const override { return inner.root()->transfer(have); }
  std::vector<network> children() const override { return {inner}; }
  network inner;
};

struct ordered_node : wrapped_node {
  any_node kind() const override { return this; }
  using wrapped_node::wrapped_node;
  void write(notation_text& to) const override;
  binding binds() const override;
  bool has_state() const override { return true; }
};

// `.as(name)`: a closed group. A declared signature replaces the inferred one.
struct named_node : wrapped_node {
  any_node kind() const override { return this; }
  named_node(std::string n, network i, bool d) : wrapped_node(std::move(i)), given(std::move(n)), is_declared(d) {}
  void write(notation_text& to) const override;
  binding binds() const override { return binding::closed; }
  type_transfer answer(const variant_type& have) const override;
  std::string given;
  bool is_declared;
};

struct observed_node : wrapped_node {
  any_node kind() const override { return this; }
  observed_node(network i, observer::function see)
      : wrapped_node(std::move(i)), by(std::make_shared<observer>(std::move(see))) {}
  std::shared_ptr<observer> by;
};

// `net @ n`, and `net !@ <t>` around a split by the tag: without effect at run time where there is one process.
struct placed_node : wrapped_node {
  any_node kind() const override { return this; }
  placed_node(network i, int n, const label_info* b);
  void write(notation_text& to) const override { write_with(to, "!@"); }
  void write_with(notation_text& to, std::string_view by_tag) const;  // the sign of a placement by a tag
  binding binds() const override { return binding::closed; }
  type_transfer answer(const variant_type& have) const override;
  int node_number;
  const label_info* by;  // null: by number
};

// Functions for visit(), which calls the one that takes the node's kind, or a base of it.
template <class... F>
struct overloads : F... {
  using F::operator()...;
};
template <class... F>
overloads(F...) -> overloads<F...>;

template <class F>
decltype(auto) visit(const network& net, F&& f) {
  check_stack();
  return std::visit([&](const auto* one) -> decltype(auto) { return f(*one); }, net.root()->kind());
}

// The node if it is of this kind, else null.
template <class Node>
const Node* as(const network& net) {
  if constexpr (std::is_constructible_v<any_node, const Node*>) {  // one kind: faster than a cast
    const any_node any = net.root()->kind();
    const Node* const* const found = std::get_if<const Node*>(&any);
    return found ? *found : nullptr;
  } else {
    return dynamic_cast<const Node*>(net.root().get());
  }
}

// The surroundings of a place in a network.
struct surroundings {
  bool in_split = false, in_loop = false;
  void meet(const network& around) {
    in_split = in_split || as<split_node>(around);
    in_loop = in_loop || as<star_node>(around) || as<feedback_node>(around);
  }
  // How many invocations of a box may run here at the same time: of a fold one, but in the branches of a split several.
  int widest(const box_spec& box) const { return box.is_fold() && (in_loop || !in_split) ? 1 : box.max_width; }
};

}  // namespace weir::detail
