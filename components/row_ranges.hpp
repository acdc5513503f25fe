#pragma once

#include <algorithm>
#include <cstddef>

namespace components {

// How the rows of a result are cut into ranges of work for a number of cores: a value, pure numbers.
//
// The ranges are as many as the cores or a multiple of it, and differ by at most one row, so that every core has the
// same work; none is longer than asked for unless that would be less than a row. With fewer rows than cores each row
// is a range.
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
