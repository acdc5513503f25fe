#pragma once

#include <initializer_list>
#include <string>
#include <vector>

namespace [[gnu::visibility("default")]] weir {

// A set of cores, by weir's own numbers 0..n-1 in topology order. The system's numbers are in topology::core::os_units.
// A value; several threads may read it while none changes it.
class core_set {
 public:
  core_set() = default;  // none

  // These cores, in any order; duplicates are allowed.
  core_set(std::initializer_list<int> cores);
  explicit core_set(std::vector<int> cores);

  // The cores first, first + 1, .., first + count - 1; none when count is 0 or less.
  static core_set range(int first, int count);

  // Whether there is none, and how many there are.
  bool empty() const { return cores_.empty(); }
  int size() const { return static_cast<int>(cores_.size()); }
  // Tests for one core, and for a common core; O(log n) and O(n).
  bool contains(int core) const;
  bool intersects(const core_set& other) const;
  int operator[](int i) const { return cores_[static_cast<std::size_t>(i)]; }  // the i-th smallest, 0 <= i < size()
  // Iterates over the cores in ascending order.
  auto begin() const { return cores_.begin(); }
  auto end() const { return cores_.end(); }

  // Union, intersection and difference, each O(n).
  core_set operator|(const core_set& other) const;
  core_set operator&(const core_set& other) const;
  core_set operator-(const core_set& other) const;
  bool operator==(const core_set&) const = default;
  // Lexicographic by the ascending cores: an order for sorting and for map keys.
  bool operator<(const core_set& other) const;

  // The `count` cores from the `first`-th smallest on. REQUIRES: 0 <= first, 0 <= count, first + count <= size().
  core_set part(int first, int count) const;

  // Cuts the cores into `parts` runs of neighbours, in ascending order. Each has floor or ceil(size/parts) cores; the
  // larger ones come first. A component's lanes are cut this way. Throws std::invalid_argument unless 1 <= parts <=
  // size().
  std::vector<core_set> slices(int parts) const;

 private:
  std::vector<int> cores_;  // sorted, distinct
};

// The set in words: "0-3,8", or "none" when empty.
std::string to_string(const core_set& cores);

}  // namespace weir
