#include "runtime/remote/session.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>
#include <stdexcept>
#include <utility>

#include "runtime/record/errors.hpp"

namespace weir::detail::remote {

namespace {

std::string named(int rank) { return "rank " + std::to_string(rank); }

// The first line in which two texts differ, of each.
std::string first_difference(const std::string& a, const std::string& b) {
  std::size_t at = 0;
  while (at < a.size() && at < b.size() && a[at] == b[at]) ++at;
  const auto line = [at](const std::string& text) {
    const std::size_t before = at == 0 ? std::string::npos : text.rfind('\n', at - 1);
    const std::size_t begin = before == std::string::npos ? 0 : before + 1;
    constexpr std::size_t most = 200;
    return text.substr(begin, std::min(most, text.find('\n', begin) - begin));
  };
  return "`" + line(a) + "` and `" + line(b) + "`";
}

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

// What a lost rank was sending may still be written, and stays.
session::~session() {
  close();
  for (peer& one : peers_)
    if (!one.placed.empty()) static_cast<void>(new std::deque<parcel>(std::move(one.placed)));
}

void session::greet(const network& net, std::string version) {
  const std::vector<std::string> mine{std::move(version), fingerprint_of(net, plan_)};
  tell_all(topic::hello, {mine[0], mine[1], std::to_string(limits_.cores)});
  wait_for([](const peer& p) { return !p.hello.empty(); });
  const lock_guard lock(mutex_);
  for (std::size_t r = 0; r < peers_.size(); ++r) {
    cores_.push_back(limits_.cores);
    if (static_cast<int>(r) == rank_) continue;
    std::vector<std::string>& hello = peers_[r].hello;
    if (hello.size() > mine.size()) {
      cores_.back() = std::atoi(hello.back().c_str());
      hello.pop_back();
    }
    if (hello == mine) continue;
    const std::string& other = hello.back();
    throw type_error(named(rank_) + " and " + named(static_cast<int>(r)) +
                     (peers_[r].hello.front() != mine.front()
                          ? " run different versions of weir: " + mine.front() + " and " + peers_[r].hello.front()
                          : " run different networks: " + first_difference(mine.back(), other)));
  }
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
  parcel_writer p(static_cast<std::uint32_t>(what), 0, 0);
  if (number) p.add(number, 0);
  for (const std::string& t : texts) p.add(t);
  post(to, std::move(p));
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
  lost(from, std::string("what it sent cannot be read: ") + why.what());
}

bool session::is_quick(std::size_t bytes) const {
  constexpr std::size_t few = std::size_t{256} << 10;  // 0.1 ms to make and to copy
  return bytes <= few && packer_.knows_all_types();
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
    parcel p;
    if (kind & with_blobs && !one.placed.empty()) {  // it was read when they were placed
      p = std::move(one.placed.front());
      one.placed.pop_front();
    } else {
      std::vector<std::span<std::byte>> none;
      p = packer_.read(head, {}, none);
    }
    came(from, static_cast<topic>(kind & ~with_blobs), std::move(p));
  } catch (const std::exception& why) {
    cannot_read(from, why);
  }
}

void session::came(int from, topic what, parcel&& p) {
  const auto hand_to = [&](const std::vector<link_end*>& ends, std::uint32_t which) {
    if (which < ends.size() && ends[which]) ends[which]->came(from, what, std::move(p));
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
        if (what == topic::hello) one.hello = std::move(p.texts);
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
      return hand_to(fars_, p.cut);
    case topic::give:
    case topic::opened:
    case topic::settled:
    case topic::failed:
    case topic::calls_credit:
      return hand_to(homes_, p.home);
    default:
      if (owner_) owner_->told(from, what, std::move(p));
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
