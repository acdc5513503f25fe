#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "runtime/remote/window.hpp"

namespace weir::detail {

// Records from other ranks that wait in an inlet, in their order: credit for one is owed once it was taken out. The
// caller's lock guards it.
class untaken_records {
 public:
  void arrived(remote::owed_credit& to, std::size_t bytes) { waiting_.emplace_back(&to, bytes); }

  // all: how many were taken out of the inlet so far.
  void taken(std::uint64_t all) {
    for (; taken_ < all && first_ < waiting_.size(); ++taken_) {
      const auto& [to, bytes] = waiting_[first_++];
      to->add(1, bytes);
    }
    if (first_ * 2 <= waiting_.size()) return;
    waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(first_));
    first_ = 0;
  }

 private:
  std::vector<std::pair<remote::owed_credit*, std::size_t>> waiting_;  // from first_ on
  std::size_t first_ = 0;
  std::uint64_t taken_ = 0;
};

}  // namespace weir::detail
