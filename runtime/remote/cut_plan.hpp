#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "runtime/network/network.hpp"
#include "runtime/network/nodes.hpp"

namespace weir::detail::remote {

// The rank of a number that a user gives: modulo the number of ranks.
int rank_of(std::int64_t value, int ranks);

// A place where the network is cut: a part of it that `at` puts on another rank than some of those where what is around
// it may run. Plain data.
struct cut {
  network inner;                   // what is placed
  std::string path;                // of it, as in errors
  std::string name;                // "at 1", "at <k>"
  std::vector<int> homes;          // the ranks where what is around it may run, ascending
  std::vector<int> fars{};         // the ranks where it may run, ascending; one, if it is placed by number
  const label_info* by = nullptr;  // the tag whose value says which; null: by number
  surroundings around{};           // of it, on the way from the network's input
  bool has_state = false;          // something in it keeps records or instances
  bool has_source = false;         // an initialiser is in it
  bool finishes = false;           // a fold with an end is in it
  std::unordered_set<std::uint64_t>
      reads{};  // keys of the labels that something in it asks for: only these travel there

  bool is_movable() const { return by && !has_state && !has_source; }  // branches may go to another rank
  bool is_home(int rank) const;
  bool is_far(int rank) const;
};

// Which parts of a network run on which rank: the same answer on every rank. The network's input and output are at rank
// 0, and what is not placed stays with what is around it. `at(net, n)` runs at rank n modulo the number of ranks.
// `at(split(net, <k>), <k>)` and `split(at(net, <k>), <k>)` run the branch of a value at the value modulo the number.
// Anywhere else a tag places nothing, since records of one state, or of one order, would go to several ranks.
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
  const std::vector<std::string>& notes() const { return notes_; }  // what was placed without effect, in words

  // All labels that the network names, in an order that is the same on every rank; and a label's number in it, or -1.
  const std::vector<const label_info*>& labels() const { return labels_; }
  int number_of(const label_info* l) const;

 private:
  struct around;
  void walk(const network& net, const std::string& path, around in);
  void place(const placed_node& placed, const std::string& path, around in);
  void add_cut(const placed_node& placed, network inner, const std::string& path, around in);
  void check_codecs(const cut& c) const;

  const int ranks_;
  std::vector<cut> cuts_;
  std::unordered_map<std::string, int> by_place_;
  std::vector<std::string> notes_;
  std::vector<const label_info*> labels_;
  std::unordered_map<const label_info*, int> numbers_;
};

// What tells apart networks that cannot run together: the network as text, its types, its boxes, and the version.
std::string fingerprint_of(const network& net, const cut_plan& plan);

}  // namespace weir::detail::remote
