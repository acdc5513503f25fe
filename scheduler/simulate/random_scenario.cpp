#include "scheduler/simulate/random_scenario.hpp"

#include <cmath>

#include "scheduler/view/counter_random.hpp"
#include "scheduler/view/require.hpp"

namespace weir::simulation {
namespace {

constexpr double noise = 0.05;
constexpr std::size_t phases = 4;

// Random numbers, one after another. Own code, since the standard's distributions differ between libraries.
class dice {
 public:
  explicit dice(std::uint64_t seed) : seed_(mix(seed, 0x6472617773)) {}
  double uniform(double low, double high) { return low + (high - low) * weir::uniform(mix(seed_, count_++)); }
  double log_uniform(double low, double high) { return std::exp(uniform(std::log(low), std::log(high))); }
  int whole(int low, int high) { return static_cast<int>(std::floor(uniform(low, high + 1))); }

 private:
  std::uint64_t seed_, count_ = 0;
};

law_cost draw_cost(dice& random, bool bends, int& degree) {
  law_cost cost;
  degree = random.whole(1, 3);
  const double scale = random.log_uniform(0.02, 2), highest = random.uniform(0.5, 1);
  cost.coefficients.assign(static_cast<std::size_t>(degree) + 1, 0);
  cost.coefficients.front() = scale * (1 - highest);
  cost.coefficients.back() += scale * highest * std::pow(1000, -degree);
  cost.alpha = 1 - random.log_uniform(0.001, 0.2);
  // Drawn even if they are not used, so that K2 has the same components as K1.
  const bool contends = random.uniform(0, 1) < 0.5, steps = random.uniform(0, 1) < 0.5;
  const double turning = random.log_uniform(12, 96), pieces = random.log_uniform(8, 65);
  if (bends && contends) cost.contention = cost.alpha / (turning * turning);
  if (bends && steps) cost.pieces = static_cast<int>(pieces);
  return cost;
}

}  // namespace

std::string to_string(workload::kind what) { return "K" + std::to_string(static_cast<int>(what)); }

void workload::validate() const {
  require(stages >= 1 && stages <= 1000, "stages is " + std::to_string(stages) + ", expected was 1 to 1000");
  require(records >= phases, "records is " + std::to_string(records) + ", expected was 4 or more");
  require(max_width >= 1, "width is " + std::to_string(max_width) + ", expected was 1 or more");
}

scenario random_scenario(const workload& how, std::uint64_t seed) {
  using kind = workload::kind;
  dice random(seed);
  scenario s;
  s.name = to_string(how.what);
  s.cores = how.cores;
  s.records = how.records;
  s.move_cost = how.move_cost;
  if (how.what != kind::k0)
    for (std::size_t j = 1; j < phases; ++j) s.phase_starts.push_back(how.records * j / phases);
  for (int i = 0; i < how.stages; ++i) {
    simulated_component c;
    c.name = "stage" + std::to_string(i + 1);
    c.cost = draw_cost(random, how.what == kind::k2 || how.what == kind::k4, c.degree);
    c.phases.clear();
    for (std::size_t j = 0; j < phases; ++j) {
      const double centre = random.log_uniform(500, 2000);
      if (j < s.phase_starts.size())
        c.phases.push_back({{input_range::shape::uniform, centre / 2, centre * 3 / 2, {}}, 1});
    }
    c.noise = noise;
    if (how.what == kind::k3 || how.what == kind::k4) c.late.part = 0.02;
    c.max_width = how.max_width;
    s.components.push_back(std::move(c));
  }
  return s;
}

}  // namespace weir::simulation
