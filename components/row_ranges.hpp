#pragma once

#include <algorithm>
#include <cstddef>

namespace components {

// How the rows of a result are cut into ranges of work for a number of cores. A value that only computes numbers.
//
// The number of ranges is the number of cores or a multiple of it. Ranges differ by at most one row, so every core has
// the same work. No range is longer than asked for, unless it would have less than one row. With fewer rows than cores
// each row is a range.
class row_ranges {
 public:
  // REQUIRES: cores >= 1 and longest >= 1.
  row_ranges(std::size_t rows, std::size_t cores, std::size_t longest)
      : rows_(rows), size_(std::min(rows, cores * ((rows + cores * longest - 1) / (cores * longest)))) {}

  std::size_t size() const { return size_; }

  // Range i is the rows begin(i) .. end(i) - 1. REQUIRES: i < size().
  std::size_t begin(std::size_t i) const { return rows_ * i / size_; }
  std::size_t end(std::size_t i) const { return rows_ * (i + 1) / size_; }

 private:
  std::size_t rows_;
  std::size_t size_;
};

}  // namespace components
