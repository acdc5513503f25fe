#pragma once

#include <cstdint>

#include <weir/network/resource.hpp>

namespace weir::detail {

// Hears what an invocation says of its use of resources (grant::used()).
class used_amounts {
 public:
  // False: the amount is not wanted.
  virtual bool note(const resource& of, std::int64_t amount) noexcept = 0;

  // The one of the invocation that the calling thread runs; null: it runs none that is to say anything.
  static used_amounts*& of_this_thread() noexcept;

 protected:
  ~used_amounts() = default;
};

}  // namespace weir::detail
