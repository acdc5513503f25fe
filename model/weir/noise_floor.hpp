#pragma once

#include <algorithm>
#include <cmath>

namespace weir {

// Estimates the time below which the noise of observations no longer shrinks with the time. Such noise comes from the
// clock, from the dispatch, or from a machine that interrupts long and short invocations alike. Plain data.
//
// Observations are split at the median of the expected times. For each half it tracks the median relative error
// |t - expected| / expected, r_short and r_long; for the short half also the median time M. The short ones have an
// excess error over r_long, which does not shrink with the time. It equals r_long at the time
//
//   T0 = M sqrt(r_short^2 - r_long^2) / r_long.
//
// T0 is used from 32 observations on, if r_short is more than six times r_long (taken as 1 % at least). A law that is
// merely wrong for short times rarely does that. T0 is at most the median of all expected times.
struct noise_floor {
  float middle = 0, short_time = 0;  // medians, seconds
  float short_error = 0.1F, long_error = 0.1F;
  float seen = 0;

  void add(double expected, double seconds) {
    constexpr float last_step = 0.02F, least = 1e-12F, most = 1e12F, many = 1e6F;
    constexpr double tiny = 1e-12;
    expected = std::max(expected, tiny);
    if (seen == 0) middle = short_time = std::clamp(static_cast<float>(std::min(expected, 1e12)), least, most);
    const float step = std::exp(std::max(1 / std::sqrt(1 + seen), last_step));
    const auto follow = [&](float& median, double value) {
      median = std::clamp(value > median ? median * step : median / step, least, most);
    };
    follow(middle, expected);
    if (expected < middle) follow(short_time, expected);
    follow(expected < middle ? short_error : long_error, std::abs(seconds - expected) / expected);
    seen = std::min(seen + 1, many);
  }

  // Makes it as if all times had been `factor` times as long, within what add() allows.
  void scale_times(double factor) {
    const auto scaled = [&](float time) { return static_cast<float>(std::clamp(factor * time, 1e-12, 1e12)); };
    if (seen > 0) middle = scaled(middle), short_time = scaled(short_time);
  }

  // One standard deviation, in seconds, of the noise that does not shrink with the time. Valid while time() is not 0.
  double deviation() const { return 1.4826 * short_error * short_time; }

  // T0 in seconds; 0 where noise is relative, or not known.
  double time() const {
    constexpr double enough = 32, beyond_doubt = 6, least_error = 1e-2;
    const double relative = std::max<double>(long_error, least_error);
    if (seen < enough || !(short_error > beyond_doubt * relative)) return 0;
    const double ratio = short_error / relative;
    return std::min<double>(short_time * std::sqrt(ratio * ratio - 1), middle);
  }
};

}  // namespace weir
