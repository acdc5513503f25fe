#include "runtime/entities/box_predictors.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/record/thrown.hpp"

namespace weir::detail {
namespace {

// The size that value_size says; NaN where it throws, from which no model learns.
double size_of(const value_type& type, const slot_word& word) noexcept {
  try {
    return type.extent(word);
  } catch (...) {
    stop_forced_unwind();
    return std::numeric_limits<double>::quiet_NaN();
  }
}

}  // namespace

box_predictors::box_predictors(const box_spec& box) : box_(box) {
  if (box.predict || box.initialiser) return;
  const std::size_t looked_at = std::min<std::size_t>(box.takes.size(), std::numeric_limits<std::uint8_t>::max());
  for (std::size_t i = 0; i < looked_at && candidates_ < taken_.size(); ++i)
    if (const value_type* const type = box.takes[i]->type; !type || type->extent)
      taken_[candidates_++] = static_cast<std::uint8_t>(i);
}

std::vector<predictor_form> box_predictors::forms() const {
  if (!are_several()) return {};
  if (!box_.predict) return std::vector<predictor_form>(candidates_ + 1u, predictor_form::candidate);  // x is the first
  std::vector<predictor_form> all{box_.first_form};
  for (const box_predictor& p : box_.further) all.push_back(p.form);
  return all;
}

void box_predictors::name_uses(description& of) const {
  if (box_.predict || of.uses.empty()) return;
  for (std::size_t i = 0; i < of.uses.size(); ++i) {
    const auto at = static_cast<std::size_t>(of.uses[i]);
    if (at == 0 || at > candidates_) continue;  // the first is x, which is 1
    const label_info& label = *box_.takes[taken_[at - 1]];
    std::string& name = of.use_names[i];
    const std::string number = std::to_string(at + 1);
    name.replace(0, number.size(), label.type ? "size of " + label.name : "<" + label.name + ">");
  }
  of.words = in_words(of);
}

predictor_values_read box_predictors::read(const invocation& i) const {
  predictor_values_read out;
  if (box_.predict) out.x = box_.predict(box_.predictor.get(), i);
  std::size_t at = 0;
  for (const box_predictor& p : box_.further) out.further[at++] = p.call(p.function.get(), i);
  for (std::size_t c = 0; c < candidates_; ++c) {
    const slot_word& word = i.taken(taken_[c]);
    const value_type* const type = box_.takes[taken_[c]]->type;
    out.further[at++] = type ? size_of(*type, word) : static_cast<double>(static_cast<std::int64_t>(word));
  }
  return out;
}

predictor_values_read box_predictors::mean_of(std::span<const predictor_values_read> each) const {
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  const int degree = std::max(1, box_.degree);
  const auto count = static_cast<double>(each.size());
  predictor_values_read out{.x = 0};
  for (const predictor_values_read& one : each) {
    out.x += one.x >= 0 ? std::pow(one.x, degree) : unknown;
    for (std::size_t j = 0; j < out.further.size(); ++j) out.further[j] += one.further[j] / count;
  }
  out.x = std::pow(out.x / count, 1.0 / degree);
  const std::vector<predictor_form> forms = this->forms();
  for (std::size_t f = 0; f < forms.size(); ++f) {
    if (forms[f] != predictor_form::kind) continue;
    const auto value = [&](const predictor_values_read& of) { return f == 0 ? of.x : of.further[f - 1]; };
    const bool is_one = std::all_of(each.begin(), each.end(), [&](auto& e) { return value(e) == value(each[0]); });
    (f == 0 ? out.x : out.further[f - 1]) = is_one ? value(each[0]) : unknown;
  }
  return out;
}

}  // namespace weir::detail
