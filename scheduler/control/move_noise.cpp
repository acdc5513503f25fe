#include "scheduler/control/move_noise.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "scheduler/control/indexing.hpp"

namespace weir {
namespace {

// The expected mean time on a share for consecutive batches of a component's last invocations, each relative to the
// mean of all. REQUIRES: batches <= last <= c.recent.size().
std::array<double, 8> batch_means(const component_view& c, const share& on, std::size_t last, std::size_t batches) {
  std::array<double, 8> means{};
  const int cores = lane_cores(on).first;
  double all = 0;
  for (std::size_t k = 0; k < batches; ++k) {
    const std::size_t from = c.recent.size() - last + k * last / batches;
    const std::size_t to = c.recent.size() - last + (k + 1) * last / batches;
    for (std::size_t i = from; i < to; ++i) means[k] += c.model->mean(c.recent[i].x, cores);
    means[k] /= static_cast<double>(to - from);
    all += means[k] / static_cast<double>(batches);
  }
  for (double& m : means) m /= all;
  return means;
}

}  // namespace

std::pair<int, int> lane_cores(const share& s) {
  if (s.cores.empty()) return {1, 1};
  return {(s.cores.size() + s.width - 1) / s.width, s.cores.size() / s.width};
}

double relative_noise(const system_view& view, int component) {
  const component_view& c = at(view, component);
  if (c.recent.empty()) return 0;
  const prediction p = c.model->predict(c.recent.back().x, lane_cores(at(view.current, component)).first);
  const double one = p.mean > 0 && std::isfinite(p.spread) ? p.spread / p.mean : 0;
  return one / std::sqrt(static_cast<double>(std::clamp<std::uint64_t>(c.invocations_since_move, 1, 64)));
}

double ratio_noise(const component_view& a, const share& on_a, const component_view& b, const share& on_b) {
  const std::size_t last = std::min(a.recent.size(), b.recent.size());
  const std::size_t batches = std::min<std::size_t>(8, last / 2);
  if (batches < 2) return 0;
  const auto one = batch_means(a, on_a, last, batches), other = batch_means(b, on_b, last, batches);
  double square = 0;
  for (std::size_t k = 0; k < batches; ++k) square += (one[k] - other[k]) * (one[k] - other[k]);
  const auto n = static_cast<double>(batches);
  const auto behind = static_cast<double>(std::max<std::uint64_t>({last, std::min(a.inputs_seen, b.inputs_seen)}));
  return std::sqrt(square / (n - 1) / n * static_cast<double>(last) / behind);
}

}  // namespace weir
