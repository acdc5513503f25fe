#include "model/estimator.hpp"

#include <cmath>
#include <sstream>

namespace weir {

std::string in_words(const description& learnt) {
  std::ostringstream out;
  out.precision(3);
  if (learnt.observations == 0) return "nothing observed yet";
  out << "Tseq(x) =";
  bool first = true;
  for (int i = static_cast<int>(learnt.coefficients.size()) - 1; i >= 0; --i) {
    const double c = learnt.coefficients[i];
    if (c == 0) continue;
    out << (first ? (c < 0 ? " -" : " ") : (c < 0 ? " - " : " + ")) << std::abs(c);
    if (i > 0) out << " x";
    if (i > 1) out << '^' << i;
    first = false;
  }
  if (first) out << " 0";
  out << ", alpha " << learnt.alpha << (learnt.alpha_known ? " (known)" : " (assumed)");
  if (learnt.contention > 0) out << ", contention " << learnt.contention << " a core";
  if (learnt.fork_join > 0) out << ", fork-join " << learnt.fork_join << " s a core";
  out << ", " << learnt.observations << (learnt.observations == 1 ? " observation" : " observations");
  out.precision(2);
  if (100 * learnt.scatter >= 0.01) out << ", scatter " << 100 * learnt.scatter << " %";
  return out.str();
}

}  // namespace weir
