#include "runtime/placed/hosted_homes.hpp"

#include <algorithm>
#include <new>

namespace weir::detail {

using remote::item;
using remote::topic;

hosted_home& hosted_homes::find_or_make(int rank, std::uint32_t number) {
  std::unique_ptr<hosted_home> made;  // destroyed without the lock where there is no memory to list it
  const lock_guard lock(mutex_);
  const auto at = homes_.find({rank, number});
  if (at != homes_.end()) return *at->second;
  made = std::make_unique<hosted_home>(run_, ranks_, cut_, rank, number);
  return *homes_.try_emplace({rank, number}, std::move(made)).first->second;
}

void hosted_homes::lost(int rank) {
  const lock_guard lock(mutex_);
  for (auto& [name, from] : homes_)
    if (name.first == rank) from->credit.returned(remote::endless, remote::endless);
}

bool hosted_homes::has_credit() const {
  const lock_guard lock(mutex_);
  return std::none_of(homes_.begin(), homes_.end(), [](const auto& one) { return one.second->credit.holds_up(); });
}

std::vector<int> hosted_homes::without_credit() const {
  std::vector<int> ranks;
  const lock_guard lock(mutex_);
  for (const auto& [name, from] : homes_)
    if (from->credit.holds_up()) ranks.push_back(from->gives_to());
  return ranks;
}

void hosted_homes::ask_for_credit() {
  const lock_guard lock(mutex_);
  for (const auto& [name, of] : homes_)
    if (of->credit.holds_up())
      ranks_.send(of->gives_to(), of->result_message(topic::asks_gives_credit, topic::asks_forwards_credit));
}

void hosted_homes::arrived(hosted_home& from, const std::vector<item>& items) {
  const lock_guard lock(mutex_);
  for (const item& i : items)
    if (i.record) untaken_.arrived(from.owed, i.bytes);
}

void hosted_homes::taken(std::uint64_t all) {
  bool is_told;
  {
    const lock_guard lock(mutex_);
    untaken_.taken(all);
    is_told = tell_credit();
  }
  if (!is_told) run_.out_of_memory();
}

void hosted_homes::refused(hosted_home& from, std::size_t bytes) {
  bool is_told;
  {
    const lock_guard lock(mutex_);
    from.owed.add(1, bytes);
    is_told = tell_credit();
  }
  if (!is_told) run_.out_of_memory();
}

void hosted_homes::answer(hosted_home& to) {
  const lock_guard lock(mutex_);
  to.tell_credit(true);
}

// False: there was no memory for it.
bool hosted_homes::tell_credit() {
  bool is_told = true;
  for (const auto& [name, from] : homes_) {
    if (!from->owed.is_due()) continue;
    try {
      from->tell_credit(false);
    } catch (const std::bad_alloc&) {
      is_told = false;
    }
  }
  return is_told;
}

}  // namespace weir::detail
