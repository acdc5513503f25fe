// One frame to two branches, and their answers joined again, with at most eight frames in the network.
#include <algorithm>
#include <iostream>
#include <numeric>
#include <vector>

#include <weir/weir.hpp>

using namespace weir;
using frame = std::vector<int>;

inline constexpr field<frame> image{"image"}, left{"left"}, right{"right"};
inline constexpr tag sum{"sum"}, largest{"largest"};

int main() {
  const auto both = filter(takes(image)).emit(left = image).emit(right = image);  // they share a frame
  const auto add = box("add", takes(left), gives(sum),
                       [](const frame& f) { return std::accumulate(f.begin(), f.end(), std::int64_t{0}); });
  const auto find = box("find", takes(right), gives(largest), [](const frame& f) {
    int most = 0;
    for (const int pixel : f) most = std::max(most, pixel);
    return std::int64_t{most};
  });
  const auto join = star(sync({pattern{sum}, pattern{largest}}), pattern{sum, largest});  // k-th with k-th

  execution run = start(both >> (add | find) >> join, {.max_in_flight = 8});
  for (int i = 1; i <= 20; ++i) run.send(image = frame(1000, i));
  run.close();
  for (const record& r : run) std::cout << r[sum] << '/' << r[largest] << ' ';
  std::cout << (run.report().in_flight.peak <= 8 ? "\nat most 8 in flight\n" : "\nmore than 8 in flight\n");
}
