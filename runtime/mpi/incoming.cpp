#include "runtime/mpi/incoming.hpp"

#include <cstring>
#include <utility>

namespace weir::detail::mpi {

incoming::incoming(int from, requests& r) : from_(from), requests_(r), posted_(batch_bytes) {}

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
  while (!waiting_.empty() && waiting_.front().missing == 0) {
    message& m = waiting_.front();
    if (m.waits_for_body) {
      m.waits_for_body = false;
      receive_blobs(m, first_waiting_);
      continue;
    }
    if (m.told) {
      --owed_;
      m.told->received(from_, m.what.kind, head_of(m));
    }
    waiting_.pop_front();
    ++first_waiting_;
  }
  // What comes behind a message whose body is under way cannot be received before its blobs are.
  if (!waiting_.empty() && waiting_.back().waits_for_body && waiting_.back().missing == 0) {
    message& m = waiting_.back();
    m.waits_for_body = false;
    receive_blobs(m, first_waiting_ + waiting_.size() - 1);
  }
}

// Takes the next frame. False: there is none, or it has to wait.
bool incoming::parse_one(remote::peer_listener* listener, std::uint64_t opening) {
  if (unparsed_.empty() || (!waiting_.empty() && waiting_.back().waits_for_body)) return false;
  if (parsed_ == 0) {
    std::memcpy(&head_, unparsed_.front().data(), sizeof head_);
    parsed_ = sizeof head_;
  }
  const std::span<const std::byte> rest = std::span<const std::byte>(unparsed_.front()).subspan(parsed_);
  frame f;
  std::memcpy(&f, rest.data(), sizeof f);
  std::size_t size = sizeof f;
  switch (f.what) {
    case frame_kind::message:
    case frame_kind::large_message:
      if (opening_ > opening || (opening_ == opening && !listener)) return false;
      if (f.what == frame_kind::message) size += f.body;
      parse_message(f, rest.subspan(sizeof f, size - sizeof f), opening_ == opening ? listener : nullptr);
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
  parsed_ += size;
  if (parsed_ == unparsed_.front().size()) {
    spare_.push_back(std::move(unparsed_.front()));
    if (spare_.size() > 4) spare_.pop_back();  // a few batches come at a time
    unparsed_.pop_front();
    parsed_ = 0;
  }
  return true;
}

void incoming::parse_message(const frame& f, std::span<const std::byte> body, remote::peer_listener* listener) {
  const std::uint64_t number = first_waiting_ + waiting_.size();
  if (f.what == frame_kind::large_message) {
    message& m = waiting_.emplace_back();
    m = {f, std::vector<std::byte>(f.body), head_.piece_bytes, 0, true, listener};
    if (listener) ++owed_;
    m.missing = requests_.receive_part(from_, number, m.body, m.piece_bytes);
  } else if (f.blobs || !waiting_.empty()) {
    message& m = waiting_.emplace_back();
    m = {f, {body.begin(), body.end()}, head_.piece_bytes, 0, false, listener};
    if (listener) ++owed_;
    receive_blobs(m, number);
  } else if (listener) {
    listener->received(from_, f.kind, body);
  }
}

std::span<const std::byte> incoming::head_of(const message& m) {
  return std::span(m.body).subspan(m.what.blobs * sizeof(std::uint64_t));
}

void incoming::receive_blobs(message& m, std::uint64_t number) {
  if (!m.what.blobs) return;
  std::vector<std::uint64_t> sizes(m.what.blobs);
  std::memcpy(sizes.data(), m.body.data(), sizes.size() * sizeof(std::uint64_t));
  std::vector<std::span<std::byte>> places;
  if (m.told) {
    const std::vector<std::size_t> asked(sizes.begin(), sizes.end());
    places = m.told->place(from_, m.what.kind, head_of(m), asked);
  } else {
    for (const std::uint64_t size : sizes) {
      m.dropped.push_back(std::make_unique<std::byte[]>(size));
      places.emplace_back(m.dropped.back().get(), size);
    }
  }
  for (const std::span<std::byte> place : places)
    m.missing += requests_.receive_part(from_, number, place, m.piece_bytes);
}

void incoming::give_up() {
  auto* const kept = new std::pair(std::move(waiting_), std::move(posted_));  // never freed
  static_cast<void>(kept);
  waiting_.clear();
  unparsed_.clear();
  owed_ = 0;
}

}  // namespace weir::detail::mpi
