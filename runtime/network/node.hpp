#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include <weir/network/network.hpp>
#include <weir/record/errors.hpp>
#include "runtime/network/type_transfer.hpp"
#include "runtime/threads/locks.hpp"

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

// A pointer to a node of any kind. visit() in nodes.hpp uses it, so code that forgets a kind does not compile.
using any_node =
    std::variant<const box_node*, const bypass_node*, const choice_node*, const feedback_node*, const filter_node*,
                 const named_node*, const observed_node*, const ordered_node*, const placed_node*, const serial_node*,
                 const split_node*, const star_node*, const sync_node*>;

// The deepest nesting of combinators. It bounds recursion over a network: with a kilobyte of stack for each level it
// uses an eighth of the usual 8 MB.
inline constexpr std::uint32_t most_nested = 1000;

// Throws type_error where too little of the calling thread's stack is left, as on a small one. Code that recurses over
// a network calls it once for each level; visit() in nodes.hpp does. `more`: bytes that are needed besides.
void check_stack(std::size_t more = 0);

// The most entities of a network, each counted in every place where it stands. `net = net >> net` in a loop shares its
// halves, and is refused before printing or starting it takes too long.
inline constexpr std::uint64_t most_entities = std::uint64_t{1} << 24;

// A network expression; every kind of node derives from it. Immutable, except that it remembers answers. Networks share
// nodes, and results about a node are stored in it, so a part that stands in many places is examined only once. Any
// thread may use it.
struct node {
  // How tightly its notation binds: `a | b` loosest, then `a .. b`, then what needs no parentheses.
  enum class binding { parallel, serial, closed };

  virtual ~node() = default;
  virtual void write(notation_text& to) const = 0;
  void write_within(notation_text& to, binding around) const;  // in parentheses if it binds less tightly
  virtual binding binds() const { return binding::closed; }
  std::string notation() const;
  virtual std::string name() const;  // for messages: its notation, cut to 60 characters

  // For messages about `>>`: the name of the end that meets the other network, the last one if true. In a chain `a >> b
  // >> c` the end is an element; other networks have one name.
  virtual std::string end_name(bool) const { return name(); }
  virtual std::vector<network> chain() const;  // the elements of a chain; else none

  virtual any_node kind() const = 0;

  // The types of outputs for a record that certainly has these labels, and perhaps others. Nodes with children remember
  // their answers. Throws two_types. Thread-safe.
  type_transfer transfer(const variant_type& have) const;
  bool knows(const variant_type& have) const;  // it remembers the answer

  bool is_open() const;     // takes records with any binding tags
  bool has_source() const;  // there is an initialiser in it
  bool is_closed() const;   // its only input are initialisers

  virtual std::vector<network> children() const;                        // the networks it is made of, in order
  virtual std::vector<const label_info*> labels() const { return {}; }  // that it names itself
  virtual bool has_state() const { return false; }                      // keeps records or instances while it runs

  weir::signature type;
  std::uint64_t entities = 1;       // in it, each counted in every place
  std::uint32_t nested = 0;         // levels of combinators; 0 without children
  std::uint32_t chains_inside = 0;  // how deep it nests chains that are right sides of `>>`

 protected:
  // Counts a part that this node is made of. A constructor calls it for each part before it uses the part. With
  // `same_depth` the part is a row of this node's kind, whose elements are as deep as this node's. Throws type_error
  // beyond the limits above.
  void take_in(const network& part, bool same_depth = false);

  virtual type_transfer answer(const variant_type& have) const = 0;
  void forget() { known_.clear(); }  // for constructors only

 private:
  using labels_known = std::vector<const label_info*>;
  mutable WEIR_LOCK(answers) mutex_;
  mutable std::map<labels_known, type_transfer> known_;
};

std::size_t variants_of(const signature& s);
type_error too_many_variants(const std::string& name);
void check_variants(const node& n);  // throws type_error beyond most_variants

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

}  // namespace weir::detail
