#include "runtime/process/connection.hpp"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <limits>
#include <new>
#include <string>
#include <system_error>
#include <utility>

#include <weir/threads/primitives.hpp>

namespace weir::detail::processes {

namespace {

constexpr std::size_t least_buffer = std::size_t{64} << 10;
constexpr std::size_t kept_buffer = std::size_t{16} << 20;  // a larger one goes back to the system
constexpr std::uint64_t area_number = 0;                    // of the file that each side sends its large blocks in
constexpr std::size_t most_parts = 64;                      // of one sendmsg; a record of scalars has two
constexpr std::array<std::byte, block_alignment> padding{};
// A call waits in its socket alone first, which saves a short one a system call. A stop and the end of a bound are
// noticed later by that.
constexpr timeval short_wait{0, 4000};

[[noreturn]] void throw_reason(int reason, const char* what) {
  if (reason == EPIPE || reason == ECONNRESET) throw connection_closed();
  if (reason == ENOMEM) throw std::bad_alloc();
  throw std::system_error(reason, std::generic_category(), what);
}

// How many forks lead to this process from the one that first asked: to ask for its number would be a system call.
threads::atomic<int> forks{0};
int forks_so_far() {
  static const int failed =
      pthread_atfork(nullptr, nullptr, [] { forks.fetch_add(1, std::memory_order_relaxed); });  // relaxed: one thread
  if (failed) throw std::bad_alloc();
  return forks.load(std::memory_order_relaxed);
}

}  // namespace

connection::connection(descriptor socket, socket_wait* waits)
    : socket_(std::move(socket)), waits_(waits), forks_(forks_so_far()) {
  if (waits_ && setsockopt(socket_.get(), SOL_SOCKET, SO_RCVTIMEO, &short_wait, sizeof(short_wait)) != 0)
    throw std::system_error(errno, std::generic_category(), "the socket of a worker");
}

void connection::send(message_writer& m) {
  if (forks_so_far() != forks_) _exit(1);  // a copy, made by fork(), that left the box: it has no call to answer
  if (m.blocks().size() > message::most_blocks)
    throw std::length_error("a message of " + std::to_string(m.blocks().size()) + " blocks, at most " +
                            std::to_string(message::most_blocks) + " can be sent");
  std::vector<block_place> places;
  std::vector<std::uint64_t> numbers;
  std::vector<int> passed;
  places.reserve(m.blocks().size());
  std::uint64_t body = 0;
  for (const auto& b : m.blocks()) {
    places.push_back(place_of(b, numbers, passed));
    if (places.back().file == block_place::in_body) body += aligned(b.bytes.size());
  }
  const int area = sent_.unpassed();
  if (area >= 0) {
    numbers.push_back(area_number);
    passed.push_back(area);
  }
  m.finish(places, numbers);
  if (m.head().size() > message_prefix::most_head || body > message_prefix::most_body)
    throw std::length_error("a message with a head of " + std::to_string(m.head().size()) + " bytes and a body of " +
                            std::to_string(body) + ", at most " + std::to_string(message_prefix::most_head) + " and " +
                            std::to_string(message_prefix::most_body) + " can be sent");
  std::array<std::byte, message_prefix::bytes> prefix;
  write_prefix({m.head().size(), body}, prefix.data());
  parts_.assign({prefix, std::as_bytes(std::span(m.head()))});
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (places[i].file != block_place::in_body) continue;
    const auto b = m.blocks()[i].bytes;
    parts_.push_back(b);
    if (const std::uint64_t rest = aligned(b.size()) - b.size()) parts_.push_back(std::span(padding).first(rest));
  }
  send_parts(passed);
  if (area >= 0) sent_.note_passed();
}

block_place connection::place_of(const message_writer::block_to_send& block, std::vector<std::uint64_t>& numbers,
                                 std::vector<int>& passed) {
  const std::uint64_t size = block.bytes.size();
  if (!passes_files_ || size < block_in_file) return {size};
  if (!block.file || passed.size() + 1 >= message::most_files) return {size, sent_.put(block.bytes), area_number};
  const auto offset = static_cast<std::uint64_t>(block.bytes.data() - block.file->data());
  block.file->share();
  const auto known = std::find(passed.begin(), passed.end(), block.file->number());
  if (known != passed.end()) return {size, offset, numbers[static_cast<std::size_t>(known - passed.begin())]};
  passed.push_back(block.file->number());
  numbers.push_back(next_file_++);
  return {size, offset, numbers.back()};
}

void connection::send_parts(std::span<const int> passed) {
  std::size_t at = 0;
  std::array<iovec, most_parts> vectors;
  for (;;) {
    while (at < parts_.size() && parts_[at].empty()) ++at;
    if (at == parts_.size()) return;
    std::size_t count = 0;
    for (std::size_t i = at; i < parts_.size() && count < most_parts; ++i)
      vectors[count++] = {const_cast<std::byte*>(parts_[i].data()), parts_[i].size()};
    msghdr m{};
    m.msg_iov = vectors.data();
    m.msg_iovlen = count;
    alignas(cmsghdr) std::array<char, CMSG_SPACE(message::most_files * sizeof(int))> control;
    if (!passed.empty()) {  // with the first bytes
      control.fill(0);
      m.msg_control = control.data();
      m.msg_controllen = CMSG_SPACE(passed.size_bytes());
      cmsghdr* const c = CMSG_FIRSTHDR(&m);
      c->cmsg_level = SOL_SOCKET;
      c->cmsg_type = SCM_RIGHTS;
      c->cmsg_len = CMSG_LEN(passed.size_bytes());
      std::memcpy(CMSG_DATA(c), passed.data(), passed.size_bytes());
    }
    const ssize_t sent = sendmsg(socket_.get(), &m, MSG_NOSIGNAL | (waits_ ? MSG_DONTWAIT : 0));
    if (sent < 0) {
      if (errno == EINTR) continue;
      if (waits_ && (errno == EAGAIN || errno == EWOULDBLOCK)) {
        waits_->wait(socket_.get(), POLLOUT);
        waits_->look();
        continue;
      }
      throw_reason(errno, "a message cannot be sent");
    }
    passed = {};
    for (auto left = static_cast<std::size_t>(sent); left > 0;) {
      const std::size_t now = std::min(left, parts_[at].size());
      parts_[at] = parts_[at].subspan(now);
      left -= now;
      if (parts_[at].empty()) ++at;
    }
  }
}

void connection::read_some(std::size_t room) {
  if (buffer_.size() - end_ < room) buffer_.resize(end_ + room);
  for (;;) {
    iovec into{buffer_.data() + end_, buffer_.size() - end_};
    msghdr m{};
    m.msg_iov = &into;
    m.msg_iovlen = 1;
    alignas(cmsghdr) std::array<char, CMSG_SPACE(message::most_files * sizeof(int))> control;
    m.msg_control = control.data();
    m.msg_controllen = control.size();
    const ssize_t got = recvmsg(socket_.get(), &m, MSG_CMSG_CLOEXEC);
    if (got < 0) {
      if (errno == EINTR) continue;
      if (waits_ && (errno == EAGAIN || errno == EWOULDBLOCK)) {
        waits_->wait(socket_.get(), POLLIN);
        continue;
      }
      throw_reason(errno, "no message can be received");
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
  for (bool is_first = true; end_ - begin_ < bytes; is_first = false) {
    if (waits_ && !is_first) waits_->look();
    const std::size_t missing = bytes - (end_ - begin_);
    read_some(std::min(std::max(missing, least_buffer), std::max(end_, least_buffer)));
  }
}

void connection::keep_passed(const message& m) {
  for (const std::uint64_t number : m.files) {
    if (arrived_.empty()) throw protocol_error("it names a file that did not come with it");
    descriptor came = std::move(arrived_.front());
    arrived_.pop_front();
    files_[number] = std::make_shared<memory_file>(std::move(came));
    if (files_.size() > message::most_files) throw protocol_error("it passes too many files");
  }
}

std::vector<arrived_block> connection::blocks_of(const message& m, const std::byte* body) {
  struct used_file {
    std::uint64_t end = 0;
    const std::byte* begin = nullptr;
    std::shared_ptr<memory_file> file{};
  };
  std::map<std::uint64_t, used_file> files;
  for (const block_place& p : m.blocks)
    if (p.file != block_place::in_body) {
      std::uint64_t& end = files[p.file].end;
      end = std::max(end, p.offset + p.size);
    }
  for (auto& [number, used] : files) {
    const auto at = files_.find(number);
    if (at == files_.end())
      throw protocol_error("a block is in file " + std::to_string(number) + ", which was not passed");
    used.begin = at->second->at(0, used.end).data();
    if (number != area_number) used.file = at->second;
  }
  std::vector<arrived_block> all;
  all.reserve(m.blocks.size());
  for (const block_place& p : m.blocks) {
    if (p.file == block_place::in_body) {
      all.push_back({{body + p.offset, p.size}});
    } else {
      const used_file& f = files[p.file];
      all.push_back({{f.begin + p.offset, p.size}, f.file});
    }
  }
  return all;
}

received connection::receive() {
  begin_ += std::exchange(given_, 0);
  std::erase_if(files_, [](const auto& f) { return f.first != area_number; });
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
