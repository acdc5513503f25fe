#pragma once

#include <string>

namespace [[gnu::visibility("default")]] weir {

// The aim of an adaptive rule. A small value, made only by its named members; free to copy between threads.
class objective {
 public:
  // The most records a second.
  static const objective throughput;

  // The shortest latency of a record that is alone in the network, so that it waits for no other.
  static const objective latency;

  // The shortest latency of a record, waiting included, while `rate` records a second enter the network. Throws
  // std::invalid_argument when the rate is not finite or not more than 0.
  static objective latency_at(double rate);

  // The objective in words: "throughput", "latency" or "latency at 40/s".
  std::string name() const;

  // Whether it is `latency` or made by latency_at().
  bool is_latency() const { return kind_ == kind::latency; }
  double rate() const { return rate_; }  // records a second given to latency_at; else 0

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
