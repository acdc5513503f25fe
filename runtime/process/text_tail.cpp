#include "runtime/process/text_tail.hpp"

#include <algorithm>

#include <weir/process/field_bytes.hpp>

namespace weir::detail::processes {
namespace {

constexpr std::size_t most_bytes = 800;  // a message has room for a thousand
constexpr int most_lines = 10;

}  // namespace

void text_tail::add(std::string_view piece) {
  kept_.append(piece);
  if (kept_.size() <= 2 * most_bytes) return;
  kept_.erase(0, kept_.size() - most_bytes);
  is_cut_ = true;
}

std::string text_tail::lines() const {
  std::string_view all = trimmed(kept_);
  bool is_cut = is_cut_;
  if (all.size() > most_bytes) {
    all.remove_prefix(all.size() - most_bytes);
    is_cut = true;
  }
  const std::size_t first_newline = all.find('\n');
  if (is_cut && first_newline != all.npos) all.remove_prefix(first_newline + 1);  // a part of a line
  std::size_t begin = all.size();
  for (int n = 0; n < most_lines && begin != all.npos; ++n) begin = begin == 0 ? all.npos : all.rfind('\n', begin - 1);
  if (begin != all.npos) {
    all.remove_prefix(begin + 1);
    is_cut = true;
  }
  std::string shown((is_cut ? "... " : "") + std::string(trimmed(all)));
  std::replace(shown.begin(), shown.end(), '\0', ' ');  // what() ends at a zero byte
  return shown;
}

}  // namespace weir::detail::processes
