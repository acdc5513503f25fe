// The predictors of a cost: two numbers and a kind, or none, where the model finds what the time follows. The times
// here are made up and shown to models by hand; a run does that itself.
#include <cmath>
#include <cstdio>
#include <string>

#include <weir/weir.hpp>

namespace example {
struct page {
  int letters = 0, pixels = 0;
};
}  // namespace example

// How large a page is, for a box without a predictor.
template <>
struct weir::value_size<example::page> {
  static double of(const example::page& p) { return p.letters; }
};

namespace example {
using namespace weir;

inline constexpr field<page> scan{"scan"};
inline constexpr field<std::string> text{"text"};
inline constexpr tag language{"language"};

// A model of this name that has seen a hundred pages. `values` makes an observation of a page and its language.
template <class Values>
saved_model learnt(const std::string& name, degree k, Values values) {
  const auto model = make_estimator(name, k);
  for (int i = 0; i < 100; ++i) {
    const page p{100 + i * 37 % 900, 10000 + i * 7919 % 90000};
    const int spoken = i % 3;
    observation seen = values(p, spoken);
    seen.seconds = 1e-6 * p.letters * std::sqrt(p.pixels) * (1 + spoken);
    model->observe(seen);
  }
  return {model->describe().estimator, k.value, model->state()};
}

void program() {
  const auto read = box("read", takes(scan, language), gives(text), [](const page& p, std::int64_t) {
    return std::string(static_cast<std::size_t>(p.letters), '?');
  });

  const auto letters = [](const page& p, std::int64_t) { return p.letters; };
  const auto pixels = [](const page& p, std::int64_t) { return p.pixels; };
  const auto by_three = read.predicted_by(letters, pixels, kind(language));
  const execution told = start(
      by_three, {.prior_models = {{"read", learnt("weir(number, number, kind)", unknown_degree,
                                                  [](const page& p, double spoken) -> observation {
                                                    return {.x = 1. * p.letters, .further = {1. * p.pixels, spoken}};
                                                  })}}});
  for (const double spoken : {0, 2}) {
    const prediction p = told.predict("read", {500, 40000, spoken}, cores{1});
    std::printf("500 letters, 40000 pixels, language %.0f: %.0f ms\n", spoken, 1000 * p.mean);
  }

  const execution untold =
      start(read, {.prior_models = {{"read", learnt("weir(candidate, candidate, candidate)", degree{0},
                                                    [](const page& p, double spoken) -> observation {
                                                      return {.further = {1. * p.letters, spoken}};
                                                    })}}});
  const run_report seen = untold.report();
  std::printf("without a predictor, the time follows");
  for (const std::string& name : seen.components[0].model.use_names) std::printf(" [%s]", name.c_str());
  std::printf("\n");
}

}  // namespace example

int main() { example::program(); }
