#include "model/estimator.hpp"

#include <sstream>
#include <stdexcept>

#include "model/extended_amdahl_online.hpp"
#include "model/rank_one_law.hpp"
#include "model/weir_estimator.hpp"

namespace weir {

std::string in_words(const description& learnt) {
  std::ostringstream out;
  out.precision(3);
  if (learnt.observations == 0) return "nothing observed yet";
  out << "Tseq(x) =";
  const char* separator = " ";
  for (int i = static_cast<int>(learnt.coefficients.size()) - 1; i >= 0; --i) {
    if (learnt.coefficients[i] == 0) continue;
    out << separator << learnt.coefficients[i];
    if (i > 0) out << " x";
    if (i > 1) out << '^' << i;
    separator = " + ";
  }
  if (separator[1] == '\0') out << " 0";
  out << ", alpha " << learnt.alpha << (learnt.alpha_known ? " (known), " : " (assumed), ") << learnt.observations
      << (learnt.observations == 1 ? " observation" : " observations");
  return out.str();
}

std::vector<std::string> estimator_names() { return {"weir", "extended-amdahl-online"}; }

std::unique_ptr<estimator> make_estimator(std::string_view name, degree k) {
  if (k.value < 0 || k.value > rank_one_law::max_degree)
    throw std::invalid_argument("estimator degree " + std::to_string(k.value) + " is outside 0.." +
                                std::to_string(rank_one_law::max_degree));
  if (name == "weir") return std::make_unique<weir_estimator>(k);
  if (name == "extended-amdahl-online") return std::make_unique<extended_amdahl_online>(k);
  std::string message = "no estimator is named '" + std::string(name) + "'; there are";
  for (const auto& known : estimator_names()) message += " '" + known + "'";
  throw std::invalid_argument(message);
}

}  // namespace weir
