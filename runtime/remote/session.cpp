#include "runtime/remote/session.hpp"

#include <new>
#include <optional>
#include <stdexcept>
#include <utility>

#include <weir/record/errors.hpp>
#include "runtime/remote/greeting.hpp"

namespace weir::detail::remote {

namespace {

std::string named(int rank) { return "rank " + std::to_string(rank); }

}  // namespace

session::session(transport& over, const network& net, std::string version, const window_limits& limits)
    : over_(over),
      rank_(over.rank()),
      limits_(limits),
      plan_(net, over.size()),
      packer_(plan_),
      fars_(plan_.cuts().size()),
      peers_(static_cast<std::size_t>(over.size())) {
  over_.open(*this);
  try {
    greet(net, std::move(version));
  } catch (...) {
    over_.close();
    throw;
  }
}

// Memory that a lost rank was sending to may still be written to, and is kept.
session::~session() {
  close();
  for (peer& one : peers_)
    if (!one.placed.empty()) static_cast<void>(new std::deque<rank_message>(std::move(one.placed)));
}

void session::greet(const network& net, std::string version) {
  std::vector<std::optional<greeting>> all(peers_.size());
  const greeting& mine =
      all[static_cast<std::size_t>(rank_)].emplace(greeting{std::move(version), fingerprint_of(net, plan_), limits_});
  tell_all(topic::hello, texts_of(mine));
  wait_for([](const peer& p) { return p.has_greeted; });
  {
    const lock_guard lock(mutex_);
    for (std::size_t r = 0; r < peers_.size(); ++r)
      if (static_cast<int>(r) != rank_) all[r] = greeting_of(std::exchange(peers_[r].hello, {}));
  }
  limits_ = agreed(all, rank_);
  for (const auto& one : all) cores_.push_back(one->limits.cores);
}

void session::attach(session_owner& to) {
  const lock_guard lock(mutex_);
  owner_ = &to;
}

void session::ready() {
  tell_all(topic::ready);
  wait_for([](const peer& p) { return p.is_ready; });
}

void session::refuse(const std::string& why) noexcept { tell_all(topic::refused, {why}); }

void session::wait_for(bool (*is_there)(const peer&)) {
  unique_lock lock(mutex_);
  int other = -1;
  const auto all = [&] {
    for (std::size_t r = 0; r < peers_.size(); ++r) {
      const peer& p = peers_[r];
      if (static_cast<int>(r) == rank_) continue;
      if (p.is_lost || !p.refused.empty()) return other = static_cast<int>(r), true;
    }
    for (std::size_t r = 0; r < peers_.size(); ++r)
      if (static_cast<int>(r) != rank_ && !is_there(peers_[r])) return false;
    return true;
  };
  changed_.wait(lock, all);
  if (other < 0) return;
  const peer& p = peers_[static_cast<std::size_t>(other)];
  throw run_error({failure_kind::rank_lost, "", named(other), "", p.refused});
}

void session::tell(int to, topic what, const std::vector<std::string>& texts, std::uint64_t number) {
  rank_message_writer p(static_cast<std::uint32_t>(what), 0, 0);
  if (number) p.add(number, 0);
  for (const std::string& t : texts) p.add(t);
  send(to, std::move(p));
}

void session::tell_all(topic what, const std::vector<std::string>& texts) noexcept {
  for (int r = 0; r < ranks(); ++r)
    if (r != rank_) try {
        tell(r, what, texts);
      } catch (const std::bad_alloc&) {
      }
}

void session::cannot_read(int from, const std::exception& why) {
  peers_[static_cast<std::size_t>(from)].is_unreadable = true;
  lost(from, std::string("its message cannot be read: ") + why.what());
}

bool session::is_quick(std::size_t bytes) const {
  constexpr std::size_t few = std::size_t{256} << 10;  // 0.1 ms to make and to copy
  return bytes <= few && packer_.has_only_library_types();
}

std::vector<std::span<std::byte>> session::place(int from, std::uint32_t, std::span<const std::byte> head,
                                                 std::span<const std::size_t> sizes) {
  peer& one = peers_[static_cast<std::size_t>(from)];
  if (one.is_unreadable) return {};
  std::vector<std::span<std::byte>> places;
  try {
    one.placed.push_back(packer_.read(head, sizes, places));
    return places;
  } catch (const std::exception& why) {
    cannot_read(from, why);
    return {};
  }
}

void session::received(int from, std::uint32_t kind, std::span<const std::byte> head) {
  peer& one = peers_[static_cast<std::size_t>(from)];
  if (one.is_unreadable) return;
  try {
    rank_message p;
    if (kind & with_blobs && !one.placed.empty()) {  // it was read when they were placed
      p = std::move(one.placed.front());
      one.placed.pop_front();
    } else {
      std::vector<std::span<std::byte>> none;
      p = packer_.read(head, {}, none);
    }
    dispatch(from, static_cast<topic>(kind & ~with_blobs), std::move(p));
  } catch (const std::exception& why) {
    cannot_read(from, why);
  }
}

void session::dispatch(int from, topic what, rank_message&& p) {
  const auto hand_to = [&](const std::vector<link_end*>& ends, std::uint32_t which) {
    if (which < ends.size() && ends[which]) ends[which]->receive(from, what, std::move(p));
  };
  switch (what) {
    case topic::hello:
    case topic::ready:
    case topic::refused: {
      session_owner* owner;
      std::string why;
      {
        const lock_guard lock(mutex_);
        peer& one = peers_[static_cast<std::size_t>(from)];
        if (what == topic::refused)
          why = one.refused = "it does not run: " + (p.texts.empty() ? "it does not say why" : p.texts.front());
        if (what == topic::ready) one.is_ready = true;
        if (what == topic::hello && !std::exchange(one.has_greeted, true)) one.hello = std::move(p.texts);
        owner = owner_;
        changed_.notify_all();
      }
      // Once this rank has begun, a rank that does not run counts as lost, so that its callers hear of it.
      if (what == topic::refused && owner) lost(from, std::move(why));
      return;
    }
    case topic::call:
    case topic::start:
    case topic::finish:
    case topic::scope_ended:
    case topic::gives_credit:
    case topic::forward:
    case topic::forwards_credit:
    case topic::asks_calls_credit:
    case topic::asks_forwards_credit:
      return hand_to(fars_, p.cut);
    case topic::give:
    case topic::opened:
    case topic::part_over:
    case topic::failed:
    case topic::calls_credit:
    case topic::asks_gives_credit:
      return hand_to(homes_, p.home);
    default: {
      session_owner* owner;  // a rank that fails to start may say so before this one has attached its own
      {
        const lock_guard lock(mutex_);
        owner = owner_;
      }
      if (owner) owner->told(from, what, std::move(p));
    }
  }
}

void session::lost(int rank, std::string why) {
  session_owner* owner;
  {
    const lock_guard lock(mutex_);
    peer& one = peers_[static_cast<std::size_t>(rank)];
    if (std::exchange(one.is_lost, true)) return;
    if (one.refused.empty()) one.refused = why;
    owner = owner_;
    changed_.notify_all();
  }
  if (!owner) return;
  owner->lost(rank, why);
  if (!goes_on_without(rank)) return;
  for (link_end* const end : homes_) end->lost(rank);
  for (link_end* const end : fars_)
    if (end) end->lost(rank);
}

}  // namespace weir::detail::remote
