#include "model/papers/paper_estimator.hpp"

#include <algorithm>

namespace weir {

paper_estimator::paper_estimator(double format, std::string_view name, std::span<const word_option> options, degree k)
    : words_(read_words(name, options)),
      name_(canonical_name(plain_name(name), options, words_)),
      kind_{format, 0, static_cast<double>(k.value)} {
  for (const int word : words_) kind_[1] = 8 * kind_[1] + word;
}

prediction paper_estimator::predict(double x, int cores) const {
  return seen().observations == 0 ? nothing_known() : predicted(usable_x(x), std::max(cores, 1));
}

description paper_estimator::describe() const {
  const coverage all = seen();
  description out;
  out.estimator = name_;
  out.alpha = optimistic_alpha;
  out.observations = all.observations;
  out.smallest_cores = all.smallest_cores;
  out.largest_cores = all.largest_cores;
  out.smallest_x = all.smallest_x;
  out.largest_x = all.largest_x;
  out = described(std::move(out));
  out.words = in_words(out);
  return out;
}

std::vector<double> paper_estimator::state() const {
  std::vector<double> out = kind_;
  const std::vector<double> rest = numbers();
  out.insert(out.end(), rest.begin(), rest.end());
  return out;
}

// Numbers may each be possible, and together give no law.
bool paper_estimator::restore(const std::vector<double>& state) {
  if (state.size() < kind_.size() || !std::ranges::equal(std::span(state).first(kind_.size()), kind_)) return false;
  const auto rest = std::span(state).subspan(kind_.size());
  const std::unique_ptr<estimator> tried = clone();
  auto& next = static_cast<paper_estimator&>(*tried);
  return next.assign(rest) && next.predicts_soundly() && assign(rest);
}

bool paper_estimator::predicts_soundly() const {
  const coverage all = seen();
  if (all.observations == 0) return true;
  return is_sound_everywhere([this](double x, int cores) { return predict(x, cores); }, all);
}

}  // namespace weir
