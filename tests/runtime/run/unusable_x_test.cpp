#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "tests/runtime/language/labels.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/gives_all_back.hpp"
#include "tests/support/log_lines.hpp"

// A predictor with values that no model can use is named once; the records pass, and the model learns from the others.
namespace weir {
namespace {

using namespace testing;

class a_predictor : public gives_all_back {
 protected:
  static options on_one_core() {
    options o;
    o.machine = machine::synthetic("core:1 pu:1");
    o.policy = fixed_shares{{"f", 1}};
    return o;
  }
  // Gives `odd` for odd numbers, else the number.
  static network with(double odd) {
    return box("f", takes(n), gives(n), plus_one)
        .predicted_by([odd](std::int64_t v) { return v % 2 ? odd : static_cast<double>(v); }, degree{1});
  }
  log_lines logged;
};

TEST_F(a_predictor, that_gives_nan_infinity_or_a_negative_number_is_named_once) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const auto& [odd, text] : std::vector<std::pair<double, std::string>>{
           {std::nan(""), "nan"}, {infinity, "inf"}, {-infinity, "-inf"}, {-2.5, "-2.5"}}) {
    SCOPED_TRACE(text);
    execution run = start(with(odd), on_one_core());
    for (int i = 0; i < 100; ++i) run.send(n = i);
    run.close();
    EXPECT_EQ(all_of(run).size(), 100u);
    const run_report r = run.report();
    const std::string expected = "the predictor of f gave " + text +
                                 ", expected is a finite number that is not negative: its model learns nothing from "
                                 "such invocations";
    EXPECT_EQ(r.notes, std::vector<std::string>{expected});
    EXPECT_TRUE(eventually([&] { return logged.with(expected).size() == 1; }));
    EXPECT_EQ(r.components[0].observations, 100u) << "they count all the same";
    for (const invocation_sample& s : r.components[0].recent) EXPECT_EQ(std::fmod(s.x, 2), 0) << "even numbers alone";
    EXPECT_EQ(r.components[0].recent.size(), 49u) << "all but the first on its grant";
    EXPECT_TRUE(std::isfinite(run.predict("f", 10, cores{1}).mean));
  }
}

TEST_F(a_predictor, that_gives_what_models_can_use_is_not_named) {
  execution run = start(with(0), on_one_core());
  for (int i = 0; i < 100; ++i) run.send(n = i);
  run.close();
  EXPECT_EQ(all_of(run).size(), 100u);
  EXPECT_TRUE(run.report().notes.empty());
}

}  // namespace
}  // namespace weir
