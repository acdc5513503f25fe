#include "runtime/snet/fault_list.hpp"

#include <algorithm>
#include <utility>

namespace weir::detail::snet {
namespace {

bool is_shown(char c) { return c >= ' ' && c <= '~'; }

// The line with a caret below the column, both cut to what surrounds the column.
std::string excerpt(const source_text& of, line_and_column at) {
  constexpr std::size_t before = 60, after = 50;  // bytes: both fit a line of a terminal with the number in front
  const std::string_view line = of.line(at.line);
  const std::size_t column = std::min(at.column - 1, line.size());
  const std::size_t from = column > before ? column - before : 0;
  std::string cut(line.substr(from, column - from + after));
  for (char& c : cut)
    if (!is_shown(c)) c = c == '\t' ? ' ' : '?';
  const std::string head = from ? "..." : "";
  const std::string tail = from + cut.size() < line.size() ? "..." : "";
  std::string number = std::to_string(at.line);
  number.insert(0, number.size() < 5 ? 5 - number.size() : 0, ' ');
  return number + " | " + head + cut + tail + "\n" + std::string(number.size(), ' ') + " | " +
         std::string(head.size() + column - from, ' ') + "^\n";
}

}  // namespace

void fault_list::add(offset place, std::string words, std::vector<remark> notes) {
  const auto same = [&](const fault& f) {
    return f.what.place == place;
  };  // one place, one error: others follow from it
  if (std::any_of(faults_.begin(), faults_.end(), same)) return;
  ++count_;
  if (!is_full()) faults_.push_back({{place, std::move(words)}, std::move(notes)});
}

std::string fault_list::to_string(const source_text& of, const std::string& kind) const {
  std::vector<const fault*> sorted;
  for (const fault& f : faults_) sorted.push_back(&f);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const fault* a, const fault* b) { return a->what.place < b->what.place; });
  std::string text;
  const auto add = [&](const remark& r, const std::string& its) {
    const line_and_column at = of.at(r.place);
    text +=
        shown(of.name(), 4096) + ":" + std::to_string(at.line) + ":" + std::to_string(at.column) + ": " + its + ": ";
    constexpr std::size_t longest = 1000;  // bytes
    std::string words = r.words.substr(0, longest);
    for (char& c : words)
      if (!is_shown(c) && c != '\n') c = '?';
    text += words + "\n" + excerpt(of, at);
  };
  for (const fault* f : sorted) {
    add(f->what, kind);
    for (const remark& n : f->notes) add(n, "note");
  }
  if (count_ > faults_.size()) text += "and " + std::to_string(count_ - faults_.size()) + " more " + kind + "s\n";
  return text;
}

std::string shown(std::string_view text, std::size_t most) {
  std::string cut(text.substr(0, most));
  for (char& c : cut)
    if (!is_shown(c)) c = '?';
  return cut + (text.size() > most ? "..." : "");
}

}  // namespace weir::detail::snet
