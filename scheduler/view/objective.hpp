#pragma once

#include <string>

namespace [[gnu::visibility("default")]] weir {

// What an adaptive rule is to achieve: a small value, made by its named members only.
class objective {
 public:
  // Most records a second.
  static const objective throughput;

  // The shortest way of one record alone in the network.
  static const objective latency;

  // The shortest way of a record, waiting included, while so many records a second enter the network. Throws
  // std::invalid_argument when the rate is not finite or not more than 0.
  static objective latency_at(double rate);

  // "throughput", "latency", "latency at 40/s".
  std::string name() const;

  bool is_latency() const { return kind_ == kind::latency; }
  double rate() const { return rate_; }  // records a second that latency_at was given; else 0

  bool operator==(const objective&) const = default;

 private:
  enum class kind { throughput, latency };
  constexpr explicit objective(kind what, double rate = 0) : kind_(what), rate_(rate) {}
  kind kind_;
  double rate_;
};

inline constexpr objective objective::throughput{objective::kind::throughput};
inline constexpr objective objective::latency{objective::kind::latency};

}  // namespace weir
