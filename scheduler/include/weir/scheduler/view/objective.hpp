#pragma once

#include <chrono>
#include <limits>
#include <optional>
#include <string>

namespace [[gnu::visibility("default")]] weir {

// The demand of a stream on a network. Plain data.
struct stream_demand {
  double rate = 0;  // records a second that enter the network
  // 99 of 100 records pass in at most this time, from entry until all their results have left. Infinite: any time.
  std::chrono::duration<double> p99{std::numeric_limits<double>::infinity()};
};

// In words, such as "p99 at most 200 ms at 40 records a second" or "40 records a second".
std::string to_string(const stream_demand& asked);

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

  // The fewest cores that meet a demand; the others stay free for the rest of the machine. A demand that no division
  // meets is answered like latency_at(rate), on all cores. Throws std::invalid_argument when the rate is not finite or
  // not more than 0, or when p99 is not more than 0.
  static objective fewest_cores(const stream_demand& asked);

  // The objective in words: "throughput", "latency", "latency at 40/s", "fewest cores for 40/s" or "fewest cores for
  // 40/s, p99 200 ms".
  std::string name() const;

  // Whether it is `latency` or made by latency_at().
  bool is_latency() const { return kind_ == kind::latency; }
  // Whether it is made by fewest_cores().
  bool is_fewest_cores() const { return kind_ == kind::fewest_cores; }
  // The demand whose fulfilment a run can tell: that of fewest_cores(), and of latency_at() the rate. None for others.
  std::optional<stream_demand> demand() const;
  double rate() const { return rate_; }  // records a second that it was made with; else 0
  double p99() const { return p99_; }    // seconds given to fewest_cores(); infinite: any, and for other objectives

  bool operator==(const objective&) const = default;

 private:
  enum class kind { throughput, latency, fewest_cores };
  constexpr explicit objective(kind what, double rate = 0, double p99 = std::numeric_limits<double>::infinity())
      : kind_(what), rate_(rate), p99_(p99) {}
  kind kind_;
  double rate_, p99_;
};

inline constexpr objective objective::throughput{objective::kind::throughput};
inline constexpr objective objective::latency{objective::kind::latency};

}  // namespace weir
