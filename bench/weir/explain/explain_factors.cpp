#include "bench/weir/explain/explain_factors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "bench/support/readable.hpp"

namespace weir::program {
namespace {

// With twenty features, some of them with levels, and a few late rows, noise passes four standard errors occasionally.
constexpr double least_certainty = 4.5;
constexpr double least_strength = 0.2;   // a hundredth of the variance; less is not an explanation
constexpr double least_part = 0.01;      // of the time; less does not matter, however exact the clock
constexpr std::size_t most_factors = 3;  // beyond x and cores

// The stated change of a feature, in words and as a difference of its raw column.
struct unit_change {
  std::string words;
  double by = 1;
};

unit_change unit_of(const feature& f) {
  if (f.is_log) return {"twice the " + f.name, std::numbers::ln2};
  if (f.kind != feature_kind::x) return {f.one_more, 1};
  const double step = std::pow(10, std::floor(std::log10(2 * f.deviation)));
  return {fmt::format("x larger by {:g}", step), step};
}

std::string level_words(const feature& f, std::size_t level) {
  switch (f.kind) {
    case feature_kind::after_move:
    case feature_kind::odd_x:
      return f.name;
    default:
      return fmt::format("on {} {} instead of {}", f.name, f.level_names[level], f.level_names[0]);
  }
}

// "adds 38 %, 4.1 ms", "takes 4.1 ms off", "takes 7.9 times as long".
std::string effect_words(bool log_time, double seconds, double percent) {
  const std::string time = duration(std::abs(seconds)), part = percentage(std::abs(percent));
  if (log_time && percent >= 100) return fmt::format("takes {:.3g} times as long, {} more", 1 + percent / 100, time);
  const std::string amount = log_time ? part + ", " + time : time;
  return seconds >= 0 ? "adds " + amount : fmt::format("takes {}{} off", amount, log_time ? "," : "");
}

std::string signed_words(bool log_time, double seconds, double percent) {
  const char sign = seconds >= 0 ? '+' : '-';
  const std::string time = sign + duration(std::abs(seconds)), part = sign + percentage(std::abs(percent));
  return log_time ? fmt::format("{} ({})", part, time) : fmt::format("{} ({})", time, part);
}

class law_reader {
 public:
  law_reader(const component_features& features, const mixture_mode& mode, double typical)
      : features_(features), mode_(mode), typical_(typical) {}

  std::vector<factor> all() const {
    std::vector<factor> found;
    for (std::size_t i = 0; i < features_.all.size(); ++i) {
      const feature& f = features_.all[i];
      if (f.law_column < 0) continue;
      if (!f.is_discrete) {
        // Within a mode, a typical difference is the mode's own.
        const double step = f.is_switch ? f.typical_step : 2 * mode_.deviation[f.column];
        const unit_change unit = unit_of(f);
        keep(found, i, f.law_column, step, unit.by / f.deviation, unit.words, false);
        continue;
      }
      for (std::size_t level = 1; level < f.level_names.size(); ++level)
        keep(found, i, f.law_column + static_cast<int>(level) - 1, 1, 1, level_words(f, level), true);
    }
    return found;
  }

 private:
  // `step`: the difference of the law's column for comparison; `unit`: the difference in the stated effect.
  void keep(std::vector<factor>& found, std::size_t index, int column, double step, double unit,
            const std::string& change, bool is_level) const {
    const auto at = static_cast<std::size_t>(column);
    factor f;
    f.feature = index;
    f.change = change;
    f.is_expected = features_.all[index].kind == feature_kind::x || features_.all[index].kind == feature_kind::cores;
    f.strength = std::abs(mode_.law[at]) * step / mode_.noise;
    f.certainty = mode_.law_error[at] > 0 ? std::abs(mode_.law[at]) / mode_.law_error[at] : 0;
    const double by_step = mode_.law[at] * step * features_.time_deviation;
    const double part = features_.log_time ? std::expm1(by_step) : by_step / typical_;
    if (!(f.certainty >= least_certainty && f.strength >= least_strength && std::abs(part) >= least_part)) return;
    const double effect = mode_.law[at] * unit * features_.time_deviation;
    f.effect_seconds = features_.log_time ? typical_ * std::expm1(effect) : effect;
    f.effect_percent = features_.log_time ? 100 * std::expm1(effect) : 100 * effect / typical_;
    const auto say = is_level ? signed_words : effect_words;
    f.words = change + (is_level ? ": " : " ") + say(features_.log_time, f.effect_seconds, f.effect_percent);
    if (!features_.all[index].together_with.empty())
      f.words +=
          fmt::format(" (or {}, which cannot be told from it)", fmt::join(features_.all[index].together_with, ", or "));
    found.push_back(std::move(f));
  }

  const component_features& features_;
  const mixture_mode& mode_;
  const double typical_;
};

}  // namespace

std::vector<factor> factors_of(const component_features& features, const mixture_mode& mode, double typical_seconds) {
  std::vector<factor> found = law_reader(features, mode, typical_seconds).all();
  std::stable_sort(found.begin(), found.end(), [](const factor& a, const factor& b) {
    return a.is_expected != b.is_expected ? b.is_expected : a.strength > b.strength;
  });
  const auto expected = std::find_if(found.begin(), found.end(), [](const factor& f) { return f.is_expected; });
  const auto beyond = static_cast<std::size_t>(expected - found.begin());
  if (beyond > most_factors) found.erase(found.begin() + static_cast<std::ptrdiff_t>(most_factors), expected);
  return found;
}

}  // namespace weir::program
