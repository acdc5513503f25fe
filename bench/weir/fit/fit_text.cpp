#include "bench/weir/fit/fit_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bench/support/readable.hpp"

namespace weir::program {
namespace {

std::string error_row(const std::string& of, const error_summary& e) {
  std::string text =
      fmt::format("  {:<44}  {:>9}  {:>9}  {:>9}", of, percentage(e.median), percentage(e.p95), percentage(e.max));
  if (e.unpredicted) text += fmt::format("  (and {} without a prediction)", counted(e.unpredicted, "row"));
  return text + "\n";
}

std::string of_rows(const std::string& what, const error_summary& e) {
  return fmt::format("{} ({})", what, counted(e.rows, "row"));
}

std::string closely(const fit_plan& plan, const fitted_component& f) {
  const description& d = f.learnt;
  std::string text = fmt::format("{}: {}, degree {}\n  {}\n", printable(f.name), f.estimator, f.degree, d.words);
  if (d.observations > 0)
    text += fmt::format(
        "  alpha {:.4g} (serial share {:.4g}), contention {:.3g}, fork-join {}, scatter {}, confidence {:.2f}\n",
        d.alpha, 1 - d.alpha, d.contention, duration(d.fork_join), percentage(100 * d.scatter), f.confidence);
  text +=
      fmt::format("  {:<44}  {:>9}  {:>9}  {:>9}\n", "error |predicted - seen| / seen", "median", "95 % within", "max");
  text += error_row(of_rows("of what it learnt from", f.training), f.training);
  if (f.online) text += error_row(of_rows("of what it foresaw of each row", *f.online), *f.online);
  if (f.test) text += error_row(of_rows("of " + *plan.test, *f.test), *f.test);
  return text;
}

std::string block_of(const error_summary* e) {
  if (!e) return fmt::format("  {:>9}  {:>9}  {:>9}", "-", "-", "-");
  return fmt::format("  {:>9}  {:>9}  {:>9}", percentage(e->median), percentage(e->p95), percentage(e->max));
}

std::string side_by_side(const fit_plan& plan, const std::vector<fitted_component>& fitted) {
  std::size_t wide = 9;
  for (const fitted_component& f : fitted) wide = std::max(wide, f.estimator.size());
  const fitted_component& first = fitted.front();
  std::string text = fmt::format("{}: {}\n{:<{}}  {:<6}  {:<6}  {:<31}{}\n", printable(first.name),
                                 counted(first.training.rows + first.training.unpredicted, "row"), "", wide + 2, "", "",
                                 plan.online ? "error, foreseen row by row" : "error, what it learnt from",
                                 plan.test ? "  error, " + *plan.test : "");
  const std::string columns = fmt::format("  {:>9}  {:>9}  {:>9}", "median", "95 %", "max");
  text += fmt::format("  {:<{}}  {:>6}  {:>6}{}{}\n", "estimator", wide, "degree", "alpha", columns,
                      plan.test ? columns : "");
  for (const fitted_component& f : fitted)
    text += fmt::format("  {:<{}}  {:>6}  {:>6}{}{}\n", f.estimator, wide, f.degree,
                        std::isfinite(f.learnt.alpha) ? fmt::format("{:.4f}", f.learnt.alpha) : "-",
                        block_of(f.online ? &*f.online : &f.training),
                        plan.test ? block_of(f.test ? &*f.test : nullptr) : "");
  return text;
}

// A note that all estimators share is printed once, without an estimator's name.
std::string notes(const std::vector<fitted_component>& fitted) {
  std::string text;
  const auto has = [](const fitted_component& f, const std::string& note) {
    return std::find(f.notes.begin(), f.notes.end(), note) != f.notes.end();
  };
  for (const fitted_component& f : fitted)
    for (const std::string& note : f.notes) {
      const bool shared = std::all_of(fitted.begin(), fitted.end(), [&](const auto& g) { return has(g, note); });
      if (!shared)
        text += fmt::format("  {}: {}\n", f.estimator, note);
      else if (&f == &fitted.front())
        text += fmt::format("  {}\n", note);
    }
  return text;
}

}  // namespace

std::string fit_text(const fit_plan& plan, const std::vector<fitted_component>& fitted) {
  return (plan.all ? side_by_side(plan, fitted) : closely(plan, fitted.front())) + notes(fitted);
}

}  // namespace weir::program
