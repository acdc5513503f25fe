#pragma once

#include <array>
#include <span>
#include <vector>

namespace weir {

// Learns how much components slow each other down by sharing memory bandwidth and caches.
//
// Component j has a pressure q_j for each core that it keeps busy, and component i a curve of sensitivity s_i. While
// r_j cores of other invocations run, an invocation of i takes 1 + s_i(Q) times as long as alone, Q = sum_j q_j r_j. So
// n pressures and n curves describe all sets of components, where pairs would need n^2 numbers. The other invocations
// of i itself count as well.
//
// Curves are s(Q) = a Q + b Q^2 + c Q / (1 + Q) with a, b, c >= 0: they rise, with a knee upwards or downwards. The
// scale of Q is free; the largest pressure is 1. A level for each component absorbs how far its expected times are
// those of a machine that it has for itself. Curves and pressures that do not lower the squares by a margin are 0, so
// components that do not interfere keep a slowdown of 1.
//
// With help of hardware counters, the model ASM predicts slowdowns to 10 % on average (Subramanian et al., "The
// Application Slowdown Model", MICRO 2015). This one needs times alone.
//
// Memory is constant: the last 256 observations of each component, 17 KB, allocated as they come. observe() copies one
// row of n numbers (12 ns for 8 components). fit() passes over all of them up to 40 times (0.6 ms for 64 of each of 8)
// and is for the rate of a controller. Plain data; const calls may run concurrently.
class interference_model {
 public:
  static constexpr int max_components = 16;
  static constexpr int remembered = 256;  // observations of each component

  // REQUIRES: 1 <= components <= max_components.
  explicit interference_model(int components);

  // Takes in one invocation of `component`. `ratio` is its time over the time expected of it; `running` has, for each
  // component, the mean number of cores that other invocations kept busy meanwhile. An observation with a number that
  // is not finite, a ratio of 0 or less, or negative cores is ignored. REQUIRES: one entry of `running` a component.
  void observe(int component, double ratio, std::span<const double> running);

  // Learns from the remembered observations. Until the first call no component is slowed down.
  void fit();

  // Forgets the observations, and keeps what was learnt from them.
  void forget();

  int observations(int component) const { return all_[static_cast<std::size_t>(component)].count(); }

  // Whether some component presses and some is slowed down.
  bool explains() const;

  // By how many variances of each component these curves lower the squares of another model's observations. Levels are
  // fitted to these anew. Chance gives more than 9 in one of 700. REQUIRES: as many components.
  double gain_on(const interference_model& other) const;

  // How many times as long as alone an invocation takes while others run; 1 or more. REQUIRES: one entry a component.
  double slowdown(int component, std::span<const double> running) const;

  // The pressure of each core of a component; the largest is 1, and all are 0 where none was found.
  double pressure(int component) const { return all_[static_cast<std::size_t>(component)].pressure; }

 private:
  static constexpr int shapes = 3;
  struct row {
    float ratio;
    std::array<float, max_components> running;
  };
  struct entry {
    double pressure = 0;
    double level = 1;
    std::array<double, shapes> curve{};  // a, b, c
    std::vector<row> rows;               // `remembered` at most
    std::size_t next = 0;                // the oldest of them, once they are as many
    int count() const { return static_cast<int>(rows.size()); }
  };

  double pressure_on(std::span<const float> running) const;
  static double sensitivity(const entry& of, double pressure);
  static double slope(const entry& of, double pressure);
  double squares(const entry& of) const;
  double level_of(const entry& shape, const entry& rows) const;
  double all_squares() const;
  void fit_curve(entry& of) const;
  void fit_curves();
  bool improve_pressures();
  void scale_pressures();
  void drop_what_chance_explains();

  std::vector<entry> all_;
};

}  // namespace weir
