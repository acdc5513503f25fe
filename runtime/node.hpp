#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/box_spec.hpp"
#include "runtime/filter.hpp"
#include "runtime/network.hpp"
#include "runtime/observer.hpp"
#include "runtime/pattern.hpp"
#include "runtime/typing.hpp"

namespace weir::detail {

// A network expression. Immutable; every kind of node derives from it.
struct node {
  // How tightly its notation binds: `a | b` loosest, then `a .. b`, then what needs no parentheses.
  enum class binding { parallel, serial, closed };

  virtual ~node() = default;
  virtual std::string notation() const = 0;
  virtual binding binds() const { return binding::closed; }
  virtual std::string name() const;  // as messages call it: its notation, cut short

  // What comes out for a record that has these labels for certain. Throws two_types.
  virtual response respond(const variant_type& have) const = 0;
  virtual bool is_open() const { return false; }  // takes records with any binding tags

  virtual std::vector<network> children() const { return {}; }          // the networks it is made of, in order
  virtual std::vector<const label_info*> labels() const { return {}; }  // that it names itself
  virtual bool has_state() const { return false; }                      // it remembers records, or instances

  weir::signature type;
};

std::string inside(const node& n, node::binding least);  // its notation, in parentheses if it binds less tightly
std::vector<const label_info*> labels_of(const std::vector<pattern>& patterns);
bool may_match(const pattern& p, const variant_type& have);  // whatever its guard says

struct box_node : node {
  explicit box_node(std::shared_ptr<const box_spec> s);
  std::string notation() const override { return spec->name; }
  response respond(const variant_type& have) const override;
  std::vector<const label_info*> labels() const override;
  std::shared_ptr<const box_spec> spec;
};

struct filter_node : node {
  explicit filter_node(std::shared_ptr<const filter_spec> s);
  std::string notation() const override { return to_string(*spec); }
  response respond(const variant_type& have) const override;
  std::vector<const label_info*> labels() const override;
  std::shared_ptr<const filter_spec> spec;
};

// `[]`.
struct bypass_node : node {
  bypass_node();
  std::string notation() const override { return "[]"; }
  response respond(const variant_type&) const override { return {true, {unchanged()}, {}}; }
  bool is_open() const override { return true; }
};

// `left >> right`. Chains built to the left are flattened when they are unfolded, so that building stays linear.
struct serial_node : node {
  serial_node(network l, network r);
  ~serial_node() override;
  std::string notation() const override;
  binding binds() const override { return binding::serial; }
  std::string name() const override;
  response respond(const variant_type& have) const override;
  bool is_open() const override;
  std::vector<network> children() const override { return flat(); }
  std::vector<network> flat() const;  // the elements of the chain, in order
  network left, right;
};

// `a | b | c`.
struct choice_node : node {
  explicit choice_node(const std::vector<network>& parts);  // choices among them are flattened
  std::string notation() const override { return joined(" | "); }
  std::string joined(const std::string& separator) const;
  binding binds() const override { return binding::parallel; }
  response respond(const variant_type& have) const override;
  bool is_open() const override;
  std::vector<network> children() const override { return branches; }
  std::vector<network> branches;
};

struct star_node : node {
  star_node(network b, pattern_list e);
  std::string notation() const override { return inside(*body.root(), binding::closed) + "*" + exit_notation(); }
  std::string exit_notation() const;
  response respond(const variant_type& have) const override;
  std::vector<network> children() const override { return {body}; }
  std::vector<const label_info*> labels() const override;
  bool has_state() const override { return true; }
  response go_round(const variant_type& have, bool& ends) const;  // ends: it may come to its end inside
  network body;
  pattern_list exits;
};

struct split_node : node {
  split_node(network b, const label_info* t);
  std::string notation() const override { return inside(*body.root(), binding::closed) + "!" + weir::to_string(*by); }
  response respond(const variant_type& have) const override;
  bool is_open() const override { return body.root()->is_open(); }
  std::vector<network> children() const override { return {body}; }
  std::vector<const label_info*> labels() const override { return {by}; }
  bool has_state() const override { return true; }
  network body;
  const label_info* by;
};

struct feedback_node : node {
  feedback_node(network b, pattern_list p);
  std::string notation() const override;
  response respond(const variant_type& have) const override;
  std::vector<network> children() const override { return {body}; }
  std::vector<const label_info*> labels() const override;
  bool has_state() const override { return true; }
  network body;
  pattern_list back;
};

struct sync_node : node {
  explicit sync_node(std::vector<pattern> p);
  std::string notation() const override;
  response respond(const variant_type& have) const override;
  bool is_open() const override { return true; }
  std::vector<const label_info*> labels() const override;
  bool has_state() const override { return true; }
  void check_fields() const;
  std::vector<pattern> patterns;
};

// A network with something around it that does not change its type.
struct wrapped_node : node {
  explicit wrapped_node(network i);
  std::string notation() const override { return inner.root()->notation(); }
  binding binds() const override { return inner.root()->binds(); }
  response respond(const variant_type& have) const override { return inner.root()->respond(have); }
  bool is_open() const override { return inner.root()->is_open(); }
  std::vector<network> children() const override { return {inner}; }
  network inner;
};

struct ordered_node : wrapped_node {
  using wrapped_node::wrapped_node;
  std::string notation() const override;
  binding binds() const override;
  bool has_state() const override { return true; }
};

// `.as(name)`: closes a group; with a declared signature that is the authority.
struct named_node : wrapped_node {
  named_node(std::string n, network i, bool d) : wrapped_node(std::move(i)), given(std::move(n)), is_declared(d) {}
  std::string notation() const override { return given; }
  binding binds() const override { return binding::closed; }
  response respond(const variant_type& have) const override;
  bool is_open() const override { return !is_declared && wrapped_node::is_open(); }
  std::string given;
  bool is_declared;
};

struct observed_node : wrapped_node {
  observed_node(network i, observer::function see)
      : wrapped_node(std::move(i)), by(std::make_shared<observer>(std::move(see))) {}
  std::shared_ptr<observer> by;
};

// `net @ n`, `net !@ <t>`: accepted; one process is all there is.
struct placed_node : wrapped_node {
  placed_node(network i, int n, const label_info* b);
  std::string notation() const override;
  binding binds() const override { return binding::closed; }
  response respond(const variant_type& have) const override;
  int node_number;
  const label_info* by;  // null: by number
};

}  // namespace weir::detail
