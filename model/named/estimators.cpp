#include <weir/model/named/estimators.hpp>

#include <stdexcept>

#include "model/law/component_law.hpp"
#include "model/papers/estimator_words.hpp"
#include "model/papers/extended_amdahl.hpp"
#include "model/papers/extended_amdahl_online.hpp"
#include "model/papers/parallel_penalty.hpp"
#include "model/papers/simple_amdahl.hpp"
#include "model/weir/weir_estimator.hpp"

namespace weir {

std::vector<std::string> estimator_names() {
  return {"weir", "simple-amdahl", "extended-amdahl", "extended-amdahl-online", "parallel-penalty"};
}

std::vector<std::string> estimator_variants() {
  return {"weir",
          "simple-amdahl",
          "extended-amdahl",
          "extended-amdahl:mean",
          "extended-amdahl:clamped-mean",
          "extended-amdahl-online",
          "parallel-penalty",
          "parallel-penalty:spline",
          "parallel-penalty:loess",
          "parallel-penalty:lm",
          "parallel-penalty:poly",
          "parallel-penalty:p",
          "parallel-penalty:farm",
          "parallel-penalty:iteration",
          "parallel-penalty:divide-and-conquer"};
}

namespace {

std::unique_ptr<estimator> make_without_words(std::string_view plain, degree k) {
  if (plain == "weir") return std::make_unique<weir_estimator>(k);
  if (plain == "simple-amdahl") return std::make_unique<simple_amdahl>(k);
  if (plain == "extended-amdahl-online") return std::make_unique<extended_amdahl_online>(k);
  return nullptr;
}

}  // namespace

std::unique_ptr<estimator> make_estimator(std::string_view name, degree k) {
  const bool unknown = k.value == unknown_degree.value;
  if (!unknown && (k.value < 0 || k.value > component_law::max_degree))
    throw std::invalid_argument("estimator degree " + std::to_string(k.value) + " is outside 0.." +
                                std::to_string(component_law::max_degree));
  const std::string_view plain = plain_name(name);
  constexpr degree usual{3};  // the papers' estimators need one
  if (unknown && plain != "weir") k = usual;
  if (plain == extended_amdahl::plain) return std::make_unique<extended_amdahl>(name, k);
  if (plain == parallel_penalty::plain) return std::make_unique<parallel_penalty>(name, k);
  if (auto made = make_without_words(plain, k)) {
    read_words(name, {});
    return made;
  }
  std::string message = "no estimator is named '" + std::string(plain) + "'; there are";
  for (const auto& known : estimator_names()) message += " '" + known + "'";
  throw std::invalid_argument(message);
}

}  // namespace weir
