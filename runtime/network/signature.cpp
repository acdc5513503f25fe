#include <weir/network/signature.hpp>

#include <algorithm>
#include <ostream>

namespace weir {
namespace {

std::string to_string(const std::vector<signature::outcome>& out) {
  if (out.empty()) return "nothing";
  std::vector<variant_type> said;  // two outcomes may differ only in their inherited labels
  std::string text;
  for (const auto& o : out) {
    if (std::find(said.begin(), said.end(), o.produced) != said.end()) continue;
    said.push_back(o.produced);
    text += (text.empty() ? "" : " | ") + to_string(o.produced);
  }
  return text;
}

}  // namespace

std::string to_string(const signature& s) {
  std::string text;
  for (const auto& r : s.rules)
    text += (text.empty() ? "" : ", ") + (r.at_start ? "at start" : to_string(r.in)) + " -> " + to_string(r.out);
  return text;
}

std::ostream& operator<<(std::ostream& to, const signature& s) { return to << to_string(s); }

}  // namespace weir
