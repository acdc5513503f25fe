#pragma once

#include <string>

namespace weir {

// What an adaptive rule is to achieve: a small value, made by its named members only.
class objective {
 public:
  // Most records a second.
  static const objective throughput;

  std::string name() const;
  bool operator==(const objective&) const = default;

 private:
  enum class kind { throughput };
  constexpr explicit objective(kind what) : kind_(what) {}
  kind kind_;
};

inline constexpr objective objective::throughput{objective::kind::throughput};

}  // namespace weir
