#include "runtime/snet/nearest_names.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "runtime/snet/fault_list.hpp"

namespace weir::detail::snet {
namespace {

constexpr std::size_t longest_compared = 100;  // bytes of a name: comparing longer ones takes long

// The distance of Levenshtein: how many letters to change, add or leave out. Beyond `most` any number beyond it.
std::size_t distance(std::string_view a, std::string_view b, std::size_t most) {
  if (a.size() > b.size()) std::swap(a, b);
  if (b.size() - a.size() > most) return most + 1;
  std::vector<std::size_t> row(a.size() + 1);
  for (std::size_t i = 0; i <= a.size(); ++i) row[i] = i;
  for (std::size_t j = 1; j <= b.size(); ++j) {
    std::size_t diagonal = std::exchange(row[0], j);
    for (std::size_t i = 1; i <= a.size(); ++i) {
      const std::size_t changed = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[i];
      row[i] = std::min({changed, row[i] + 1, row[i - 1] + 1});
    }
  }
  return row[a.size()];
}

}  // namespace

std::string nearest_to(std::string_view name, const std::vector<std::string_view>& known) {
  constexpr std::size_t shown_names = 3, looked_at = 10'000;
  if (name.size() > longest_compared) return "";
  const std::size_t most = std::min<std::size_t>(3, (name.size() + 1) / 3);  // of a single letter none is near
  std::vector<std::pair<std::size_t, std::string_view>> near;
  for (std::size_t i = 0; i < std::min(known.size(), looked_at); ++i)
    if (const std::size_t d = distance(name, known[i], most); d <= most) near.emplace_back(d, known[i]);
  std::sort(near.begin(), near.end());
  near.erase(std::unique(near.begin(), near.end()), near.end());
  std::string text;
  for (std::size_t i = 0; i < std::min(near.size(), shown_names); ++i)
    text += (i == 0 ? "" : i + 1 == std::min(near.size(), shown_names) ? " or " : ", ") + std::string(near[i].second);
  return text.empty() ? "" : " (did you mean " + text + "?)";
}

std::string did_you_mean(std::string_view name, const std::vector<std::string_view>& known) {
  if (std::string near = nearest_to(name, known); !near.empty() || name.size() > longest_compared) return near;
  constexpr std::size_t few = 8;
  std::vector<std::string_view> all(known);
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  if (all.empty() || all.size() > few) return "";
  std::string text;
  for (const std::string_view k : all) text += (text.empty() ? "" : ", ") + shown(k, 30);
  return " (known: " + text + ")";
}

}  // namespace weir::detail::snet
