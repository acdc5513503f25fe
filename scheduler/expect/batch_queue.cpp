#include "scheduler/expect/batch_queue.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "scheduler/expect/queueing.hpp"

namespace weir {

batched_record in_batches(const batch_queue& of) {
  const auto seconds = [&](double records) { return of.start + of.each * records; };
  // The records that come during an invocation for that number. Their mean is approached from below.
  const auto coming = [&](double records) { return of.rate * seconds(records) / of.servers; };
  double mean = 1;
  for (int round = 0; round < 200; ++round) {
    const double a = coming(mean), next = std::min(of.most, a + std::exp(-a));
    if (std::abs(next - mean) <= 1e-9 * mean) break;
    mean = next;
  }
  const double a = coming(mean);
  batched_record out;
  out.together = std::min(of.most, (a * a + a + std::exp(-a)) / mean);  // a larger one has more of the records
  out.service = seconds(out.together);
  const double full = seconds(of.most) / of.most, utilisation = of.rate * full / of.servers;
  if (!(of.rate > 0)) return out;
  if (utilisation >= 1) {
    out.wait = std::numeric_limits<double>::infinity();
    return out;
  }
  const double square = of.start * of.start + 2 * of.start * of.each * mean + of.each * of.each * out.together * mean;
  const double rest = busy_probability(std::min(1.0, a / mean), of.servers) * square * (1 + of.variation) /
                      (2 * seconds(mean) * of.servers);
  const double beyond_one = std::pow(utilisation, 1 + std::log2(of.most));
  out.wait = rest + beyond_one * waiting_time({of.rate, full, of.variation * of.most}, of.servers);
  return out;
}

}  // namespace weir
