#include "scheduler/control/decision_log.hpp"

#include <utility>

#include "model/number_text.hpp"
#include "scheduler/control/indexing.hpp"

namespace weir {
namespace {

std::string words_of_share(const allotment& given, int component) {
  const auto cores = [](int n) { return "on " + std::to_string(n) + (n == 1 ? " core" : " cores"); };
  if (component < 0) return cores(given.shared.size());
  const share& s = at(given, component);
  if (s.outside) return "outside the cores";
  if (s.cores.empty()) return "in the shared group";
  std::string text = cores(s.cores.size());
  if (s.width > 1) text += " in " + std::to_string(s.width) + " lanes";
  if (given.shared_host() == component) text += " with the shared group";
  return text;
}

}  // namespace

std::string decision_log::rationale::words(const policy& rule, const allotment& from, const allotment& to) const {
  const int who = now.critical;
  std::string text = who >= 0 ? name : name.empty() ? "the shared group" : "the shared group, most of it " + name + ",";
  if (const std::string cost = rule.words(now); cost.empty())
    text += " is the bottleneck: ";
  else
    text = cost + ", " + rule.words(next) + " after the move; " + text + " counts most: ";
  text += in_digits(now.seconds_of(who) * 1e3, 3) + " ms a record " + words_of_share(from, who);
  if (who >= 0 || !to.shared.empty())
    text += ", " + in_digits(next.seconds_of(who) * 1e3, 3) + " ms " + words_of_share(to, who);
  if (caution > 1) text += "; records were late, so times count as " + in_digits(caution, 3) + " times as long";
  return text + limits;
}

void decision_log::add(decision made) {
  if (list_.size() == most) {
    ++forgotten_.decisions;
    forgotten_.reverted += list_[1].reverted;
    list_.erase(list_.begin() + 1);
  }
  list_.push_back(std::move(made));
}

void decision_log::write_words(const policy& rule) {
  if (pending_) last().why = pending_->words(rule, last().from, last().to);
  pending_.reset();
}

std::vector<decision> decision_log::all(const policy& rule) const {
  auto copy = list_;
  if (pending_) copy.back().why = pending_->words(rule, copy.back().from, copy.back().to);
  return copy;
}

}  // namespace weir
