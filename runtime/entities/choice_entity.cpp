#include "runtime/entities/choice_entity.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace weir::detail {
namespace {

bool matches(const signature::rule& r, const shape& s) {
  if (r.at_start) return false;
  for (const label_info* need : r.in.labels()) {
    const int at = s.find(need->key);
    if (at < 0 || !agree(&s[at], need)) return false;
  }
  if (r.open) return true;
  for (int i = s.first_binding_tag(); i < s.size(); ++i)
    if (!r.in.find(s[i].key)) return false;
  return true;
}

}  // namespace

choice_entity::choice_entity(run_environment& run, std::string path, std::vector<branch> branches)
    : entity(run, std::move(path)), branches_(std::move(branches)), sent_(branches_.size()) {
  std::vector<std::pair<entity*, std::size_t>> entries;
  for (std::size_t b = 0; b < branches_.size(); ++b) entries.emplace_back(branches_[b].entry, b);
  std::ranges::sort(entries, std::less<>());
  for (const auto& [entry, b] : entries) {
    if (ways_.empty() || ways_.back().entry != entry) ways_.push_back({entry, {}});
    ways_.back().branches.push_back(b);
  }
}

const choice_entity::way& choice_entity::way_to(const entity& entry) const {
  return *std::ranges::lower_bound(ways_, &entry, std::less<const entity*>(), &way::entry);
}

// The branch whose matching input variant has the most labels; among equals the leftmost.
int choice_entity::best_branch(const shape& s) const {
  int best = -1;
  std::size_t best_score = 0;
  for (std::size_t b = 0; b < branches_.size(); ++b)
    for (const signature::rule& r : branches_[b].takes)
      if (matches(r, s) && (best < 0 || r.in.size() > best_score)) {
        best = static_cast<int>(b);
        best_score = r.in.size();
      }
  return best;
}

const choice_entity::route* choice_entity::route_for(const shape* s) const {
  return routes_.find(s, [&] { return std::make_unique<route>(route{s, best_branch(*s)}); });
}

bool choice_entity::passes(const shape* s) const {
  const int b = route_for(s)->branch;
  return b >= 0 && branches_[static_cast<std::size_t>(b)].is_bypass;
}

entity* choice_entity::step(record_body*& r, context&) {
  const int b = route_for(r->shape)->branch;
  if (b < 0) {
    constexpr std::size_t shown = 8;  // a message is a few lines
    std::string candidates;
    for (std::size_t i = 0; i < std::min(shown, branches_.size()); ++i)
      for (const signature::rule& rule : branches_[i].takes)
        if (!rule.at_start)
          candidates += (candidates.empty() ? "" : ", ") + to_string(rule.in) + " of " + branches_[i].name;
    if (branches_.size() > shown) candidates += ", and " + std::to_string(branches_.size() - shown) + " more branches";
    fail(failure_kind::no_match, r, "no branch takes the record; there are " + candidates);
    return nullptr;
  }
  sent_[static_cast<std::size_t>(b)].fetch_add(1, std::memory_order_relaxed);
  return branches_[static_cast<std::size_t>(b)].entry;
}

std::vector<entity*> choice_entity::successors() const {
  std::vector<const way*> by_branch;
  for (const way& w : ways_) by_branch.push_back(&w);
  std::ranges::sort(by_branch, {}, [](const way* w) { return w->branches.front(); });
  std::vector<entity*> all;
  for (const way* w : by_branch) all.push_back(w->entry);
  return all;
}

std::uint64_t choice_entity::sent_to(const entity& to, std::uint64_t) const {
  std::uint64_t count = 0;
  for (const std::size_t b : way_to(to).branches) count += sent_[b].load(std::memory_order_relaxed);
  return count;
}

flow_count choice_entity::passed_to(const entity& to) const {
  std::uint64_t all = 0;
  for (const auto& count : sent_) all += count.load(std::memory_order_relaxed);
  const auto ways = static_cast<double>(way_to(to).branches.size());
  return {sent_to(to, 0), all, ways / static_cast<double>(branches_.size())};
}

}  // namespace weir::detail
