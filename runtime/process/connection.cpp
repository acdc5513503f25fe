#include "runtime/process/connection.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <limits>
#include <string>
#include <system_error>
#include <utility>

namespace weir::detail::processes {

namespace {

constexpr std::size_t least_buffer = std::size_t{64} << 10;
constexpr std::size_t kept_buffer = std::size_t{16} << 20;  // a larger one goes back to the system
constexpr std::uint64_t area_number = 0;                    // of the file that each side sends its large blocks in
constexpr std::size_t most_parts = 1024;                    // of one sendmsg: IOV_MAX
constexpr std::array<std::byte, block_alignment> padding{};

[[noreturn]] void throw_reason(int reason, const char* what) {
  if (reason == EPIPE || reason == ECONNRESET) throw connection_closed();
  if (reason == ENOMEM) throw std::bad_alloc();
  throw std::system_error(reason, std::generic_category(), what);
}

}  // namespace

connection::connection(descriptor socket, socket_wait* waits) : socket_(std::move(socket)), waits_(waits) {}

void connection::send(message_writer& m) {
  std::vector<block_place> places;
  places.reserve(m.blocks().size());
  if (m.blocks().size() > message::most_blocks)
    throw std::length_error("a message of " + std::to_string(m.blocks().size()) + " blocks, at most " +
                            std::to_string(message::most_blocks) + " can be sent");
  std::uint64_t body = 0;
  for (const auto& b : m.blocks()) {
    block_place p{b.size(), 0, block_place::in_body};
    if (passes_files_ && b.size() >= block_in_file) {
      p.offset = sent_.put(b);
      p.file = area_number;
    } else {
      body += aligned(b.size());
    }
    places.push_back(p);
  }
  std::array<std::uint64_t, 1> number{area_number};
  std::array<int, 1> file{sent_.is_empty() ? -1 : sent_.to_pass()};
  const std::size_t passed = file[0] >= 0 ? 1 : 0;
  m.finish(places, std::span(number).first(passed));
  if (m.head().size() > message_prefix::most_head || body > message_prefix::most_body)
    throw std::length_error("a message with a head of " + std::to_string(m.head().size()) + " bytes and a body of " +
                            std::to_string(body) + ", at most " + std::to_string(message_prefix::most_head) + " and " +
                            std::to_string(message_prefix::most_body) + " can be sent");
  std::array<std::byte, message_prefix::bytes> prefix;
  write_prefix({m.head().size(), body}, prefix.data());
  std::vector<std::span<const std::byte>> parts{prefix, std::as_bytes(std::span(m.head()))};
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (places[i].file != block_place::in_body) continue;
    const auto b = m.blocks()[i];
    parts.push_back(b);
    if (const std::uint64_t rest = aligned(b.size()) - b.size()) parts.push_back(std::span(padding).first(rest));
  }
  send_all(std::move(parts), std::span(file).first(passed));
}

void connection::send_all(std::vector<std::span<const std::byte>> parts, std::span<const int> passed) {
  std::size_t at = 0;
  std::vector<iovec> vectors;
  for (;;) {
    while (at < parts.size() && parts[at].empty()) ++at;
    if (at == parts.size()) return;
    vectors.clear();
    for (std::size_t i = at; i < parts.size() && vectors.size() < most_parts; ++i)
      vectors.push_back({const_cast<std::byte*>(parts[i].data()), parts[i].size()});
    msghdr m{};
    m.msg_iov = vectors.data();
    m.msg_iovlen = vectors.size();
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
    if (!passed.empty()) {  // with the first bytes
      m.msg_control = control.data();
      m.msg_controllen = control.size();
      cmsghdr* const c = CMSG_FIRSTHDR(&m);
      c->cmsg_level = SOL_SOCKET;
      c->cmsg_type = SCM_RIGHTS;
      c->cmsg_len = CMSG_LEN(sizeof(int));
      std::memcpy(CMSG_DATA(c), passed.data(), sizeof(int));
    }
    const ssize_t sent = sendmsg(socket_.get(), &m, MSG_NOSIGNAL | (waits_ ? MSG_DONTWAIT : 0));
    if (sent < 0) {
      if (errno == EINTR) continue;
      if (waits_ && (errno == EAGAIN || errno == EWOULDBLOCK)) {
        waits_->wait(socket_.get(), POLLOUT);
        continue;
      }
      throw_reason(errno, "a message to a worker");
    }
    passed = {};
    for (auto left = static_cast<std::size_t>(sent); left > 0;) {
      const std::size_t now = std::min(left, parts[at].size());
      parts[at] = parts[at].subspan(now);
      left -= now;
      if (parts[at].empty()) ++at;
    }
  }
}

void connection::read_some(std::size_t room) {
  if (buffer_.size() - end_ < room) buffer_.resize(end_ + room);
  for (;;) {
    if (waits_) waits_->wait(socket_.get(), POLLIN);
    iovec into{buffer_.data() + end_, buffer_.size() - end_};
    msghdr m{};
    m.msg_iov = &into;
    m.msg_iovlen = 1;
    alignas(cmsghdr) std::array<char, CMSG_SPACE(message::most_files * sizeof(int))> control;
    m.msg_control = control.data();
    m.msg_controllen = control.size();
    const ssize_t got = recvmsg(socket_.get(), &m, MSG_CMSG_CLOEXEC | (waits_ ? MSG_DONTWAIT : 0));
    if (got < 0) {
      if (errno == EINTR || (waits_ && (errno == EAGAIN || errno == EWOULDBLOCK))) continue;
      throw_reason(errno, "a message of a worker");
    }
    for (cmsghdr* c = CMSG_FIRSTHDR(&m); c; c = CMSG_NXTHDR(&m, c)) {
      if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS) continue;
      for (std::size_t i = 0; CMSG_LEN((i + 1) * sizeof(int)) <= c->cmsg_len; ++i) {
        int number = -1;
        std::memcpy(&number, CMSG_DATA(c) + i * sizeof(int), sizeof(int));
        arrived_.emplace_back(number);
      }
    }
    if (m.msg_flags & MSG_CTRUNC)
      throw std::system_error(EMFILE, std::generic_category(), "a file that was passed did not arrive");
    if (arrived_.size() > message::most_files) throw protocol_error("it passes files that no message names");
    if (got == 0) throw connection_closed();
    end_ += static_cast<std::size_t>(got);
    return;
  }
}

// Memory is taken as bytes arrive, not as a message announces them.
void connection::need(std::size_t bytes) {
  while (end_ - begin_ < bytes) {
    const std::size_t missing = bytes - (end_ - begin_);
    read_some(std::min(std::max(missing, least_buffer), std::max(end_, least_buffer)));
  }
}

void connection::keep_passed(const message& m) {
  for (const std::uint64_t number : m.files) {
    if (arrived_.empty()) throw protocol_error("it names a file that did not come with it");
    passed_file came(std::move(arrived_.front()));
    arrived_.pop_front();
    files_.erase(number);
    files_.emplace(number, std::move(came));
    if (files_.size() > message::most_files) throw protocol_error("it passes too many files");
  }
}

std::vector<std::span<const std::byte>> connection::blocks_of(const message& m, const std::byte* body) {
  std::map<std::uint64_t, std::pair<std::uint64_t, const std::byte*>>
      files;  // how far they are used, and where they are
  for (const block_place& p : m.blocks)
    if (p.file != block_place::in_body) {
      std::uint64_t& end = files[p.file].first;
      end = std::max(end, p.offset + p.size);
    }
  for (auto& [number, used] : files) {
    const auto at = files_.find(number);
    if (at == files_.end())
      throw protocol_error("a block is in file " + std::to_string(number) + ", which was not passed");
    used.second = at->second.at(0, used.first).data();
  }
  std::vector<std::span<const std::byte>> all;
  all.reserve(m.blocks.size());
  for (const block_place& p : m.blocks)
    all.emplace_back((p.file == block_place::in_body ? body : files[p.file].second) + p.offset, p.size);
  return all;
}

received connection::receive() {
  begin_ += std::exchange(given_, 0);
  if (begin_ == end_) {
    begin_ = end_ = 0;
    if (buffer_.size() > kept_buffer) buffer_ = {};
  } else if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= std::exchange(begin_, 0);
  }
  need(message_prefix::bytes);
  const message_prefix p =
      read_prefix(std::span<const std::byte, message_prefix::bytes>(buffer_.data(), message_prefix::bytes));
  const std::size_t head_end = message_prefix::bytes + p.head;
  need(head_end + p.body);
  const char* const text = reinterpret_cast<const char*>(buffer_.data() + message_prefix::bytes);
  received r{read_head({text, p.head}, p.body), {}};
  keep_passed(r.head);
  r.blocks = blocks_of(r.head, buffer_.data() + head_end);
  given_ = head_end + p.body;
  return r;
}

}  // namespace weir::detail::processes
