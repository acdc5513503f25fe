#include "runtime/snet/source_text.hpp"

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

source_text::source_text(std::string name, std::string text) : name_(std::move(name)), text_(std::move(text)) {
  lines_.push_back(0);
  for (std::size_t i = 0; i < text_.size(); ++i)
    if (text_[i] == '\n') lines_.push_back(static_cast<offset>(i + 1));
}

line_and_column source_text::at(offset place) const {
  const auto behind = std::upper_bound(lines_.begin(), lines_.end(), place);
  return {static_cast<std::size_t>(behind - lines_.begin()), place - *(behind - 1) + std::size_t{1}};
}

std::string_view source_text::line(std::size_t number) const {
  const std::size_t from = lines_[number - 1];
  std::size_t to = number < lines_.size() ? lines_[number] - 1 : text_.size();
  if (to > from && text_[to - 1] == '\r') --to;
  return std::string_view(text_).substr(from, to - from);
}

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

std::string shown(std::string_view text, std::size_t most) {
  std::string cut(text.substr(0, most));
  for (char& c : cut)
    if (!is_shown(c)) c = '?';
  return cut + (text.size() > most ? "..." : "");
}

}  // namespace weir::detail::snet
