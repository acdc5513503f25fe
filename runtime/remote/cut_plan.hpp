#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <weir/network/network.hpp>
#include "runtime/network/nodes.hpp"

namespace weir::detail::remote {

inline constexpr int longest_route = 32;  // cuts: each is a level in the number of a call

// The rank of a number that a user gives: modulo the number of ranks.
int rank_of(std::int64_t value, int ranks);

// Something that is placed, and where it is within the path of its cut: ":S2".
struct placed_part {
  network inner;
  std::string at;
};

// A place where the network is cut: `at` puts a part of it on another rank than some of those where the elements around
// it may run. Successive parts of a chain that are placed on one rank by number form one part. Plain data.
struct cut {
  std::vector<placed_part> parts;  // the elements that are placed
  std::string path;                // of the element around it, as in errors
  std::string name;                // "at 1", "at <k>"
  std::vector<int> homes;          // the ranks where the elements around it may run, ascending
  std::vector<int> fars{};         // the ranks where it may run, ascending; one, if it is placed by number
  const label_info* by = nullptr;  // the tag whose value says which; null: by number
  surroundings around{};           // of it, on the way from the network's input
  bool has_state = false;          // something in it keeps records or instances
  bool has_source = false;         // an initialiser is in it
  bool finishes = false;           // a fold with an end is in it
  std::unordered_set<std::uint64_t>
      reads{};  // keys of the labels that something in it asks for, or further on its route: only these travel there
  std::unordered_set<std::uint64_t> gives{};  // keys of the labels that something in it makes
  int before = -1, next = -1;                 // on its route, or -1: see cut_plan::next_for()

  bool is_stateless() const { return !has_state && !has_source; }
  bool is_movable() const { return by && is_stateless(); }  // branches may go to another rank
  bool is_home(int rank) const;
  bool is_far(int rank) const;
};

// Which parts of a network run on which rank: the same answer on every rank. The network's input and output are at rank
// 0, and elements that are not placed stay with those around them. `at(net, n)` runs at rank n modulo the number of
// ranks. `at(net, <k>)`, which is a split by the tag, runs the branch of a value at the value modulo the number.
//
// Immutable; any thread may use it.
class cut_plan {
 public:
  // Throws type_error when a field that crosses a cut has a type without a codec: it names field, type, cut and path.
  cut_plan(const network& net, int ranks);

  int ranks() const { return ranks_; }
  bool survives(int lost) const;  // all that the rank runs may go to others
  const std::vector<cut>& cuts() const { return cuts_; }
  // The cut at a placed part or, of a tag around a split, at the split's body. -1: the part stays where it is.
  int find(const placed_node& placed, const std::string& path) const;

  // Cuts that follow each other in a chain may be a *route*: what leaves one goes straight to the rank of the next.
  // Which cut that is for calls of a home, and which sends there; -1: none, the home itself is next, or called it.
  int next_for(std::size_t number, int home) const { return not_at(home, cuts_[number].next); }
  int before_for(std::size_t number, int home) const { return not_at(home, cuts_[number].before); }
  const std::vector<std::string>& notes() const { return notes_; }  // what was placed without effect, in words

  // All labels that the network names, in an order that is the same on every rank; and a label's number in it, or -1.
  const std::vector<const label_info*>& labels() const { return labels_; }
  int number_of(const label_info* l) const;

 private:
  struct around;
  int not_at(int home, int number) const {
    return number < 0 || cuts_[static_cast<std::size_t>(number)].is_far(home) ? -1 : number;
  }
  bool may_follow(const cut& next, const cut& before) const;
  void link(int first, int second);
  void walk(const network& net, const std::string& path, around in);
  void place(const placed_node& placed, const std::string& path, around in);
  void add_cut(const placed_node& placed, network inner, const std::string& path, around in);
  void check_codecs(const cut& c, const placed_part& part) const;

  const int ranks_;
  std::vector<cut> cuts_;
  std::unordered_map<std::string, int> by_place_;
  std::vector<std::string> notes_;
  std::vector<const label_info*> labels_;
  std::unordered_map<const label_info*, int> numbers_;
};

// Identifies networks that can run together: the network as text, its types, its labels, and its cuts.
std::string fingerprint_of(const network& net, const cut_plan& plan);

}  // namespace weir::detail::remote
