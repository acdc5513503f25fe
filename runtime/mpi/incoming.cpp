#include "runtime/mpi/incoming.hpp"

#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>

namespace weir::detail::mpi {

incoming::incoming(int from, requests& r, deliveries& tells)
    : from_(from), requests_(r), tells_(tells), posted_(batch_bytes) {}

void incoming::begin() { requests_.receive_batch(from_, posted_); }

void incoming::batch_arrived(std::size_t bytes) {
  std::vector<std::byte> next;
  if (!spare_.empty()) {
    next = std::move(spare_.back());
    spare_.pop_back();
  }
  next.resize(batch_bytes);
  std::swap(posted_, next);
  begin();
  if (!bytes) {  // a sign of life
    spare_.push_back(std::move(next));
    return;
  }
  next.resize(bytes);
  unparsed_.push_back(std::move(next));
}

void incoming::part_arrived(std::uint64_t number) { --waiting_[number - first_waiting_].missing; }

void incoming::advance(remote::peer_listener* listener, std::uint64_t opening) {
  do tell_complete();
  while (parse_one(listener, opening));
}

void incoming::tell_complete() {
  const auto goes_on = [](const message& m) { return m.missing == 0 && m.waits_for != message::places; };
  while (!waiting_.empty() && goes_on(waiting_.front())) {
    message& m = waiting_.front();
    if (m.waits_for == message::body_of_it) {
      place_blobs(m, first_waiting_);
      continue;
    }
    if (m.listener) {
      --owed_;
      tells_.received(*m.listener, from_, m.what.kind, std::move(m.body), head_at(m));
    }
    waiting_.pop_front();
    ++first_waiting_;
  }
  // Batches behind a message whose body is under way can only be received after its blobs.
  if (!waiting_.empty() && waiting_.back().waits_for == message::body_of_it && waiting_.back().missing == 0)
    place_blobs(waiting_.back(), first_waiting_ + waiting_.size() - 1);
}

// Takes the next frame. False: there is none, or it has to wait.
bool incoming::parse_one(remote::peer_listener* listener, std::uint64_t opening) {
  if (unparsed_.empty() || (!waiting_.empty() && waiting_.back().waits_for != message::nothing)) return false;
  const std::span<const std::byte> batch = unparsed_.front();
  if (parsed_ == 0) {
    head_ = mpi::head_of(batch);
    parsed_ = sizeof head_;
  }
  const std::span<const std::byte> rest = batch.subspan(parsed_);
  const frame f = frame_at(rest);
  switch (f.what) {
    case frame_kind::message:
    case frame_kind::large_message:
      if (opening_ > opening || (opening_ == opening && !listener)) return false;
      parse_message(f, rest.subspan(sizeof f, size_of(f) - sizeof f), opening_ == opening ? listener : nullptr);
      break;
    case frame_kind::closed:
      ++opening_;
      break;
    case frame_kind::left:
      has_left_ = true;
      break;
    case frame_kind::lost:
      lost_to_peer_.push_back(static_cast<int>(f.kind));
      break;
  }
  parsed_ += size_of(f);
  if (parsed_ == batch.size()) {
    spare_.push_back(std::move(unparsed_.front()));
    if (spare_.size() > 4) spare_.pop_back();  // a few batches come at a time
    unparsed_.pop_front();
    parsed_ = 0;
  }
  return true;
}

void incoming::parse_message(const frame& f, std::span<const std::byte> body, remote::peer_listener* listener) {
  if (f.what == frame_kind::message && !f.blobs && waiting_.empty()) {
    if (listener) tells_.received(*listener, from_, f.kind, body);
    return;
  }
  const std::uint64_t number = first_waiting_ + waiting_.size();
  const bool is_large = f.what == frame_kind::large_message;
  // The memory of a large body is the system's until its bytes come.
  message made{f,
               is_large ? deliveries::bytes(f.body) : deliveries::bytes(body),
               head_.piece_bytes,
               0,
               is_large ? message::body_of_it : message::nothing,
               listener};
  message& m = waiting_.emplace_back(std::move(made));
  if (listener) ++owed_;
  if (is_large)
    m.missing = requests_.receive_part(from_, number, m.body.all(), m.piece_bytes);
  else
    place_blobs(m, number);
}

void incoming::place_blobs(message& m, std::uint64_t number) {
  m.waits_for = message::nothing;
  if (!m.what.blobs) return;
  std::vector<std::size_t> sizes(m.what.blobs);
  static_assert(sizeof(std::size_t) == sizeof(std::uint64_t));
  std::memcpy(sizes.data(), m.body.data.get(), sizes.size() * sizeof(std::uint64_t));
  if (m.listener) {
    if (const auto where = tells_.place(*m.listener, from_, m.what.kind, number,
                                        deliveries::head_of(m.body, head_at(m)), std::move(sizes)))
      receive_blobs(m, number, *where);
    else
      m.waits_for = message::places;
    return;
  }
  deliveries::places nowhere;
  for (const std::size_t size : sizes) {
    m.dropped.push_back(std::make_unique_for_overwrite<std::byte[]>(size));
    nowhere.emplace_back(m.dropped.back().get(), size);
  }
  receive_blobs(m, number, nowhere);
}

void incoming::placed(std::uint64_t number, const deliveries::places& where) {
  message& m = waiting_[number - first_waiting_];
  m.waits_for = message::nothing;
  receive_blobs(m, number, where);
}

void incoming::receive_blobs(message& m, std::uint64_t number, const deliveries::places& where) {
  if (where.size() != m.what.blobs)
    throw std::runtime_error("the receiver gave memory for " + std::to_string(where.size()) + " of its " +
                             std::to_string(m.what.blobs) + " blobs");
  for (const std::span<std::byte> place : where)
    m.missing += requests_.receive_part(from_, number, place, m.piece_bytes);
}

// Places that were asked for are in vain, and the head of their message stays, too.
void incoming::give_up() {
  auto* const kept = new std::pair(std::move(waiting_), std::move(posted_));  // never freed
  static_cast<void>(kept);
  waiting_.clear();
  unparsed_.clear();
  owed_ = 0;
}

}  // namespace weir::detail::mpi
