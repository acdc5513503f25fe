#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/network/box_spec.hpp"
#include "runtime/network/filter.hpp"
#include "runtime/threads/locks.hpp"
#include "runtime/network/network.hpp"
#include "runtime/network/observer.hpp"
#include "runtime/network/pattern.hpp"
#include "runtime/network/typing.hpp"

namespace weir::detail {

class notation_text;

// Combinators in each other at most, which bounds what walks over a network by itself: a kilobyte of stack a level
// leaves an eighth of the usual 8 MB in use. And entities of a network, each counted as often as it is written:
// `net = net >> net` in a loop, which shares its halves, is refused before printing or starting it takes for ever.
inline constexpr std::uint32_t most_nested = 1000;
inline constexpr std::uint64_t most_entities = std::uint64_t{1} << 24;

// A network expression. Immutable; every kind of node derives from it. Networks share their parts: what is found out
// about a node is kept with it, so that a part that stands in many places is looked at once.
struct node {
  // How tightly its notation binds: `a | b` loosest, then `a .. b`, then what needs no parentheses.
  enum class binding { parallel, serial, closed };

  virtual ~node() = default;
  virtual void write(notation_text& to) const = 0;
  virtual binding binds() const { return binding::closed; }
  std::string notation() const;
  virtual std::string name() const;  // as messages call it: its notation, cut short

  // What comes out for a record that has these labels for certain. Throws two_types. A network that is made of others
  // remembers what it answers. Thread-safe.
  response respond(const variant_type& have) const;
  bool knows(const variant_type& have) const;  // it remembers

  bool is_open() const;     // takes records with any binding tags
  bool has_source() const;  // there is an initialiser in it

  virtual std::vector<network> children() const { return {}; }          // the networks it is made of, in order
  virtual std::vector<const label_info*> labels() const { return {}; }  // that it names itself
  virtual bool has_state() const { return false; }                      // it remembers records, or instances

  weir::signature type;
  std::uint64_t entities = 1;
  std::uint32_t nested = 0;  // combinators in each other: 0 for what is made of no others
  std::uint32_t turns = 0;   // of a way into it, those into the right side of a `>>` that is a chain itself

 protected:
  // `part` is one of the networks that this is made of; `beside`: an element of a chain, or branch of a choice, that is
  // no deeper in than the elements of `part` are. To be called first: throws type_error beyond the limits above.
  void take_in(const network& part, bool beside = false);

  virtual response answer(const variant_type& have) const = 0;
  void forget() { known_.clear(); }  // while it is made

 private:
  using labels_known = std::vector<const label_info*>;
  mutable WEIR_LOCK(answers) mutex_;
  mutable std::map<labels_known, response> known_;
};

void check_variants(const node& n);  // throws type_error beyond most_variants
std::vector<const label_info*> labels_of(const std::vector<pattern>& patterns);
bool may_match(const pattern& p, const variant_type& have);  // whatever its guard says

struct box_node : node {
  explicit box_node(std::shared_ptr<const box_spec> s);
  void write(notation_text& to) const override;
  response answer(const variant_type& have) const override;
  std::vector<const label_info*> labels() const override;
  std::shared_ptr<const box_spec> spec;
};

struct filter_node : node {
  explicit filter_node(std::shared_ptr<const filter_spec> s);
  void write(notation_text& to) const override;
  response answer(const variant_type& have) const override;
  std::vector<const label_info*> labels() const override;
  std::shared_ptr<const filter_spec> spec;
};

// `[]`.
struct bypass_node : node {
  bypass_node();
  void write(notation_text& to) const override;
  response answer(const variant_type&) const override { return {true, {unchanged()}, {}}; }
};

// A chain or a choice. Those of its own kind among its parts are written as one with it, and so meant: its elements are
// what they are made of. As parts they are shared, so that building stays linear however one grows. They may be very
// long, and nothing walks over them by itself.
struct row_node : node {
  explicit row_node(std::vector<network> p) : parts(std::move(p)) {}
  ~row_node() override;
  std::vector<network> children() const override { return flat(); }
  std::vector<network> flat() const;  // its elements, in order
  const node& end(bool last) const;   // the first of them, or the last

  const row_node* row_in(const network& part) const {  // null: an element
    const auto* row = dynamic_cast<const row_node*>(part.root().get());
    return row && row->binds() == binds() ? row : nullptr;
  }

  // Calls f with each element in order, until it says false.
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
  void take_in_row(const network& part);  // as take_in
};

// `a >> b`.
struct serial_node : row_node {
  serial_node(const network& left, const network& right);
  void write(notation_text& to) const override;
  binding binds() const override { return binding::serial; }
  std::string name() const override;
  response answer(const variant_type& have) const override;
};

// `a | b | c`.
struct choice_node : row_node {
  explicit choice_node(std::vector<network> branches);
  void write(notation_text& to) const override { write_joined(to, " | "); }
  void write_joined(notation_text& to, std::string_view separator) const;
  binding binds() const override { return binding::parallel; }
  response answer(const variant_type& have) const override;
};

struct star_node : node {
  star_node(network b, pattern_list e);
  void write(notation_text& to) const override;
  response answer(const variant_type& have) const override;
  std::vector<network> children() const override { return {body}; }
  std::vector<const label_info*> labels() const override;
  bool has_state() const override { return true; }
  response go_round(const variant_type& have, bool& ends) const;  // ends: it may come to its end inside
  network body;
  pattern_list exits;
};

struct split_node : node {
  split_node(network b, const label_info* t);
  void write(notation_text& to) const override;
  response answer(const variant_type& have) const override;
  std::vector<network> children() const override { return {body}; }
  std::vector<const label_info*> labels() const override { return {by}; }
  bool has_state() const override { return true; }
  network body;
  const label_info* by;
};

struct feedback_node : node {
  feedback_node(network b, pattern_list p);
  void write(notation_text& to) const override;
  response answer(const variant_type& have) const override;
  std::vector<network> children() const override { return {body}; }
  std::vector<const label_info*> labels() const override;
  bool has_state() const override { return true; }
  network body;
  pattern_list back;
};

struct sync_node : node {
  explicit sync_node(std::vector<pattern> p);
  void write(notation_text& to) const override;
  response answer(const variant_type& have) const override;
  std::vector<const label_info*> labels() const override;
  bool has_state() const override { return true; }
  void check_fields() const;
  std::vector<pattern> patterns;
};

// A network with something around it that does not change its type.
struct wrapped_node : node {
  explicit wrapped_node(network i);
  void write(notation_text& to) const override { inner.root()->write(to); }
  binding binds() const override { return inner.root()->binds(); }
  response answer(const variant_type& have) const override { return inner.root()->respond(have); }
  std::vector<network> children() const override { return {inner}; }
  network inner;
};

struct ordered_node : wrapped_node {
  using wrapped_node::wrapped_node;
  void write(notation_text& to) const override;
  binding binds() const override;
  bool has_state() const override { return true; }
};

// `.as(name)`: closes a group; with a declared signature that is the authority.
struct named_node : wrapped_node {
  named_node(std::string n, network i, bool d) : wrapped_node(std::move(i)), given(std::move(n)), is_declared(d) {}
  void write(notation_text& to) const override;
  binding binds() const override { return binding::closed; }
  response answer(const variant_type& have) const override;
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
  void write(notation_text& to) const override;
  binding binds() const override { return binding::closed; }
  response answer(const variant_type& have) const override;
  int node_number;
  const label_info* by;  // null: by number
};

// A network's notation while it is written: up to so many characters, and then no more is asked for.
class notation_text {
 public:
  explicit notation_text(std::size_t most) : most_(most) {}
  bool is_full() const { return text_.size() > most_; }
  void add(std::string_view more) {
    if (!is_full()) text_ += more;
  }
  void add(const network& part, node::binding least);  // in parentheses if it binds less tightly
  std::string take() && { return std::move(text_); }

 private:
  const std::size_t most_;
  std::string text_;
};

}  // namespace weir::detail
