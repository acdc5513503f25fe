#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace components {

// A dense matrix of doubles, row by row in one block of memory. A value: a copy copies every entry, a move takes over
// the memory and leaves a matrix that may only be assigned to or destroyed. Many threads may read it at the same time;
// different entries may be written by different threads.
class matrix {
 public:
  matrix() = default;  // 0x0

  // All entries zero.
  matrix(std::size_t rows, std::size_t cols) : rows_(rows), cols_(cols), entries_(rows * cols) {}

  std::size_t rows() const { return rows_; }
  std::size_t cols() const { return cols_; }

  // Entry (i, j). REQUIRES: i < rows() and j < cols(); nothing is checked.
  double& operator()(std::size_t i, std::size_t j) { return entries_[i * cols_ + j]; }
  double operator()(std::size_t i, std::size_t j) const { return entries_[i * cols_ + j]; }

  // rows() * cols() entries; row i starts at data() + i * cols().
  double* data() { return entries_.data(); }
  const double* data() const { return entries_.data(); }

  // Same shape and equal entries, by ==.
  bool operator==(const matrix&) const = default;

 private:
  std::size_t rows_ = 0;
  std::size_t cols_ = 0;
  std::vector<double> entries_;
};

// The shape for messages: "3x4".
std::string shape(const matrix& m);

// An n x n matrix of numbers in [0, 1), drawn row by row from std::mt19937_64 seeded with `seed`. Each entry is the
// upper 53 bits of a draw over 2^53, the same with every compiler and library. Runs on the calling thread only. Throws
// std::invalid_argument if n is negative.
matrix random_matrix(std::int64_t n, std::uint64_t seed);

}  // namespace components
