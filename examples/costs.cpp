// Models by themselves: observations in, predictions out, and from models what a network would do on cores that are not
// there. A run does the first part itself, and execution::models() gives the learnt models.
#include <cstdio>
#include <map>
#include <string>

#include <weir/weir.hpp>

namespace example {
using namespace weir;

inline constexpr tag n{"n"}, done{"done"};

void program() {
  // A component whose cost is known: cubic in n, with a twentieth that no core makes faster.
  const auto seconds = [](double x, int p) { return 4e-10 * x * x * x * (0.95 / p + 0.05); };
  const auto multiply = make_estimator("weir", degree{3});
  for (const int p : {1, 2, 4})
    for (double x = 200; x <= 800; x += 50) multiply->observe({.x = x, .cores = p, .seconds = seconds(x, p)});

  std::printf("T(1000, p):");
  for (const int p : {1, 2, 4, 8}) {
    const prediction t = multiply->predict(1000, p);
    std::printf("  p = %d %.1f ms", p, 1000 * t.mean);
  }
  std::printf("\nalpha %.2f, %s\n", multiply->describe().alpha, multiply->describe().alpha_known ? "known" : "assumed");

  // Two boxes with models, on shares of a machine of 8 cores. Nothing runs.
  const auto constant = make_estimator("weir", degree{0});
  for (int i = 0; i < 20; ++i) constant->observe({.seconds = 0.010});
  const std::map<std::string, saved_model> models{{"generate", {"weir", 0, constant->state()}},
                                                  {"multiply", {"weir", 3, multiply->state()}}};
  const auto pass = [](std::int64_t x) { return x; };
  const auto net =
      box("generate", takes(n), gives(n), pass) >> box("multiply", takes(n), gives(done), [](std::int64_t x) {
                                                     return x;
                                                   }).predicted_by([](std::int64_t x) { return x; }, degree{3});
  const machine eight = machine::synthetic("core:8 pu:1");
  for (const fixed_shares& shares :
       {fixed_shares{{"generate", 4}, {"multiply", 4}}, fixed_shares{{"generate", 1}, {"multiply", 7, 7}}}) {
    const network_prediction p = predict_network(net, models, shares, eight);
    std::printf("generate %d, multiply %d, lanes of it %d: %.0f records/s\n", shares.shares()[0].cores,
                shares.shares()[1].cores, shares.shares()[1].lanes, p.throughput);
  }
}

}  // namespace example

int main() { example::program(); }
