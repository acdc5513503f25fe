#include "model/mixture/mixture_fit.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "model/mixture/mixture_assignment.hpp"
#include "model/mixture/mixture_start.hpp"

namespace weir {
namespace {

// `count` of the rows, drawn without replacement, in order (selection sampling: Knuth, TAOCP 2, 3.4.2, algorithm S).
std::vector<std::size_t> random_rows(std::size_t rows, std::size_t count, std::mt19937_64& random) {
  std::vector<std::size_t> chosen;
  for (std::size_t r = 0; r < rows && chosen.size() < count; ++r)
    if (uniform(random) * static_cast<double>(rows - r) < static_cast<double>(count - chosen.size()))
      chosen.push_back(r);
  return chosen;
}

mixture_model one_mode(const mixture_data& data) {
  const mixture_em em(data, {});
  return em.improved(em.from_labels(std::vector<std::uint8_t>(data.rows(), 0), 1));
}

bool says_more(const mixture_model& a, const mixture_model& b) { return a.time_log_likelihood > b.time_log_likelihood; }

bool is_likelier(const mixture_model& a, const mixture_model& b) { return a.log_likelihood > b.log_likelihood; }

// The data, the small sample that starts are tried on, and the residuals that one law leaves on that sample.
class start_search {
 public:
  start_search(const mixture_data& data, const mixture_model& single, const mixture_search& search)
      : data_(data), search_(search), random_(search.seed) {
    if (data.rows() > search.start_rows) few_ = data.taken(random_rows(data.rows(), search.start_rows, random_));
    residual_ = assign(few(), single).residual;
  }

  // The model with the most likely times, among those that the best starts led to.
  mixture_model best(int modes) {
    mixture_limits few_rounds;
    few_rounds.most_rounds = search_.start_rounds;
    const mixture_em quick(few(), few_rounds), slow(data_, {});
    std::vector<mixture_model> found;
    for (int i = 0; i < search_.starts; ++i) {
      const double share = i == 0 ? 0 : i % 2 == 1 ? 1 : 0.5;  // the time alone, all features, half of them, all, ..
      found.push_back(quick.improved(quick.from_labels(start_labels(few(), residual_, modes, share, random_), modes)));
    }
    // After a few rounds it is not yet clear which model will say most about the times. So the most likely model
    // overall is kept, too.
    std::stable_sort(found.begin(), found.end(), says_more);
    const auto kept = found.begin() + std::min(search_.starts, search_.kept_starts);
    if (kept != found.end()) std::iter_swap(kept - 1, std::min_element(kept - 1, found.end(), is_likelier));
    found.erase(kept, found.end());
    const mixture_em long_run(few(), {});
    for (mixture_model& model : found) model = long_run.improved(std::move(model));
    const mixture_model& most_likely = *std::min_element(found.begin(), found.end(), says_more);
    return few_.rows() ? slow.improved(most_likely) : most_likely;
  }

 private:
  const mixture_data& few() const { return few_.rows() ? few_ : data_; }

  const mixture_data& data_;
  const mixture_search& search_;
  std::mt19937_64 random_;
  mixture_data few_;  // without rows when the data are few enough
  std::vector<float> residual_;
};

// Tries numbers of modes on a sample.
class number_search {
 public:
  number_search(const mixture_data& data, const mixture_search& search)
      : data_(data), search_(search), single_(one_mode(data)), starts_(data, single_, search) {
    blind_.time = assign(data, single_).residual;
    blind_single_ = one_mode(blind_);
    tried_.push_back({1, single_.time_log_likelihood / rows(), 0});
    models_.push_back(single_);
  }

  void run() {
    if (search_.modes > 1) try_number(search_.modes);
    if (search_.modes > 0) return;
    // Noise has no gain at any number of modes. Two numbers without a gain are enough to show it.
    for (int modes = 2, idle = 0; modes <= search_.most_modes && idle < 2; ++modes) {
      const double before = best_gain();
      try_number(modes);
      idle = best_gain() > before + search_.least_gain / 2 ? 0 : idle + 1;
    }
  }

  // The model at the knee, or the model with the number of modes that was asked for.
  const mixture_model& chosen() const {
    if (search_.modes > 0) return models_.back();
    const double most = best_gain();
    std::size_t at = 0;
    if (most >= search_.least_gain)
      while (at + 1 < tried_.size() && tried_[at].gain < search_.knee * most) ++at;
    return models_[at];
  }

  const mixture_model& single() const { return single_; }
  const std::vector<mixture_candidate>& tried() const { return tried_; }

 private:
  double rows() const { return static_cast<double>(data_.rows()); }

  double best_gain() const {
    double most = 0;
    for (const mixture_candidate& c : tried_) most = std::max(most, c.gain);
    return most;
  }

  void try_number(int modes) {
    models_.push_back(starts_.best(modes));
    const mixture_model& model = models_.back();
    mixture_search few = search_;
    few.starts = 4;  // in one dimension there is little to miss
    const mixture_model blind = start_search(blind_, blind_single_, few).best(modes);
    shape_ = std::max(shape_, blind.log_likelihood - blind_single_.log_likelihood);
    const int more = mixture_model::parameters(data_, modes) - mixture_model::parameters(data_, 1) -
                     (mixture_model::parameters(blind_, modes) - mixture_model::parameters(blind_, 1));
    const double gain =
        model.time_log_likelihood - single_.time_log_likelihood - shape_ - 0.5 * more * std::log(rows());
    tried_.push_back({modes, model.time_log_likelihood / rows(), gain / rows()});
  }

  const mixture_data& data_;
  const mixture_search& search_;
  mixture_model single_;
  start_search starts_;
  mixture_data blind_;  // without features: the residuals of one law
  mixture_model blind_single_;
  double shape_ = 0;  // likelihood that the shape of the noise alone explains
  std::vector<mixture_candidate> tried_;
  std::vector<mixture_model> models_;
};

}  // namespace

mixture_fit fit_mixture(const mixture_data& data, const mixture_search& search) {
  std::mt19937_64 random(search.seed);
  const bool is_large = data.rows() > search.rows;
  mixture_data sample;
  if (is_large) sample = data.taken(random_rows(data.rows(), search.rows, random));
  number_search numbers(is_large ? sample : data, search);
  numbers.run();

  mixture_fit fit{numbers.chosen(), numbers.single(), numbers.tried()};
  if (is_large) {
    mixture_limits limits;
    limits.most_rounds = search.rounds_over_all;
    const mixture_em em(data, limits);
    fit.single = em.improved(std::move(fit.single));
    fit.model = fit.model.modes.size() == 1 ? fit.single : em.improved(std::move(fit.model));
  }
  std::stable_sort(fit.model.modes.begin(), fit.model.modes.end(),
                   [](const mixture_mode& a, const mixture_mode& b) { return a.weight > b.weight; });
  return fit;
}

}  // namespace weir
