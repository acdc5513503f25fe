#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "runtime/network/type_transfer.hpp"
#include "runtime/record/errors.hpp"
#include "runtime/threads/locks.hpp"

namespace weir {
class network;
}

namespace weir::detail {

class notation_text;
struct box_node;
struct bypass_node;
struct choice_node;
struct feedback_node;
struct filter_node;
struct named_node;
struct observed_node;
struct ordered_node;
struct placed_node;
struct serial_node;
struct split_node;
struct star_node;
struct sync_node;

// One of each kind of node: visit() in nodes.hpp goes by it, so that a kind which is forgotten does not compile.
using any_node =
    std::variant<const box_node*, const bypass_node*, const choice_node*, const feedback_node*, const filter_node*,
                 const named_node*, const observed_node*, const ordered_node*, const placed_node*, const serial_node*,
                 const split_node*, const star_node*, const sync_node*>;

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
  // Of a chain `a >> b >> c`: how messages call its first or last element, which is what meets another network; and its
  // elements. Else its own name, and none.
  virtual std::string end_name(bool) const { return name(); }
  virtual std::vector<network> chain() const;

  virtual any_node kind() const = 0;

  // What comes out for a record that has these labels for certain. Throws two_types. A network that is made of others
  // remembers what it answers. Thread-safe.
  type_transfer transfer(const variant_type& have) const;
  bool knows(const variant_type& have) const;  // it remembers

  bool is_open() const;     // takes records with any binding tags
  bool has_source() const;  // there is an initialiser in it

  virtual std::vector<network> children() const;                        // the networks it is made of, in order
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

  virtual type_transfer answer(const variant_type& have) const = 0;
  void forget() { known_.clear(); }  // while it is made

 private:
  using labels_known = std::vector<const label_info*>;
  mutable WEIR_LOCK(answers) mutex_;
  mutable std::map<labels_known, type_transfer> known_;
};

std::size_t variants_of(const signature& s);
type_error too_many_variants(const std::string& name);
void check_variants(const node& n);  // throws type_error beyond most_variants

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
