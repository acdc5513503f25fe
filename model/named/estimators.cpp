#include <weir/model/named/estimators.hpp>

#include <algorithm>
#include <array>
#include <stdexcept>

#include "model/law/component_law.hpp"
#include "model/papers/estimator_words.hpp"
#include "model/papers/extended_amdahl.hpp"
#include "model/papers/extended_amdahl_online.hpp"
#include "model/papers/parallel_penalty.hpp"
#include "model/papers/simple_amdahl.hpp"
#include "model/predictors/joint_estimator.hpp"
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

constexpr std::array<std::string_view, 3> words_of_forms{"number", "kind", "candidate"};

std::vector<predictor_form> forms_in(std::string_view name, std::string_view list) {
  const auto refuse = [&](const std::string& why) {
    throw std::invalid_argument("estimator '" + std::string(name) + "': " + why + ", expected was a list of 1 to " +
                                std::to_string(most_predictors) + " of number, kind and candidate");
  };
  std::vector<predictor_form> out;
  for (bool more = true; more;) {
    const auto comma = list.find(',');
    more = comma != list.npos;
    std::string_view word = list.substr(0, comma);
    while (!word.empty() && word.front() == ' ') word.remove_prefix(1);
    const auto at = std::ranges::find(words_of_forms, word);
    if (at == words_of_forms.end()) refuse("unknown predictor '" + std::string(word) + "'");
    out.push_back(static_cast<predictor_form>(at - words_of_forms.begin()));
    if (more) list.remove_prefix(comma + 1);
  }
  if (out.size() > most_predictors) refuse(std::to_string(out.size()) + " predictors");
  return out;
}

}  // namespace

std::string joint_name(std::string_view name, const std::vector<predictor_form>& forms) {
  std::string out(name);
  for (std::size_t i = 0; i < forms.size(); ++i)
    out.append(i == 0 ? "(" : ", ").append(words_of_forms[static_cast<std::size_t>(forms[i])]);
  return out + ")";
}

std::unique_ptr<estimator> make_estimator(std::string_view name, degree k) {
  if (const auto open = name.find('('); open != name.npos && name.back() == ')') {
    const std::string one(name.substr(0, open));
    const auto forms = forms_in(name, name.substr(open + 1, name.size() - open - 2));
    return std::make_unique<joint_estimator>(joint_name(one, forms), forms,
                                             [one](degree of) { return make_estimator(one, of); });
  }
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
