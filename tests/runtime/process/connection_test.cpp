#include "runtime/process/connection.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <random>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include <weir/process.hpp>
#include <weir/weir.hpp>
#include "tests/runtime/process/open_descriptors.hpp"
#include "tests/support/gives_all_back.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/sanitizers.hpp"

namespace weir::detail::processes {
namespace {

using weir::testing::fewer;
using weir::testing::open_descriptors;

struct socket_pair {
  socket_pair() {
    std::array<int, 2> ends{};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
      throw std::system_error(errno, std::generic_category());
    one = descriptor(ends[0]);
    other = descriptor(ends[1]);
  }
  descriptor one, other;
};

std::vector<std::byte> bytes_of(const std::string& text) {
  const auto all = std::as_bytes(std::span(text));
  return {all.begin(), all.end()};
}
// A whole message of this head and body.
std::vector<std::byte> message_of(const std::string& head, std::size_t body = 0) {
  std::vector<std::byte> all(message_prefix::bytes);
  write_prefix({head.size(), body}, all.data());
  const auto text = bytes_of(head);
  all.insert(all.end(), text.begin(), text.end());
  all.resize(all.size() + body);
  return all;
}
void send_raw(const descriptor& to, const std::vector<std::byte>& all) {
  ASSERT_EQ(send(to.get(), all.data(), all.size(), MSG_NOSIGNAL), static_cast<ssize_t>(all.size()));
}
void pass_raw(const descriptor& to, const std::vector<std::byte>& all, int file) {
  iovec part{const_cast<std::byte*>(all.data()), all.size()};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
  msghdr m{};
  m.msg_iov = &part;
  m.msg_iovlen = 1;
  m.msg_control = control.data();
  m.msg_controllen = control.size();
  cmsghdr* const c = CMSG_FIRSTHDR(&m);
  c->cmsg_level = SOL_SOCKET;
  c->cmsg_type = SCM_RIGHTS;
  c->cmsg_len = CMSG_LEN(sizeof(int));
  std::memcpy(CMSG_DATA(c), &file, sizeof(int));
  ASSERT_EQ(sendmsg(to.get(), &m, MSG_NOSIGNAL), static_cast<ssize_t>(all.size()));
}
TEST(connections, blocks_of_every_size_arrive_as_they_were_sent_in_the_body_or_in_a_file) {
  for (const bool with_files : {true, false}) {
    socket_pair p;
    connection from(std::move(p.one)), to(std::move(p.other));
    if (!with_files) from.pass_no_files();
    std::mt19937_64 random(1);
    for (int call = 0; call < 40; ++call) {
      std::vector<std::vector<std::byte>> sent;
      from.reset_sent();
      message_writer m(message_kind::call);
      for (std::uint64_t i = random() % 5; i > 0; --i) {
        std::vector<std::byte> block(random() % (call % 4 == 0 ? 1'000'000 : 2000));
        for (std::byte& b : block) b = static_cast<std::byte>(random());
        sent.push_back(std::move(block));
      }
      for (const auto& b : sent) m.block(std::span<const std::byte>(b));
      std::thread sender([&] { from.send(m); });
      const received r = to.receive();
      sender.join();
      ASSERT_EQ(r.blocks.size(), sent.size());
      for (std::size_t i = 0; i < sent.size(); ++i)
        EXPECT_TRUE(std::equal(sent[i].begin(), sent[i].end(), r.blocks[i].bytes.begin(), r.blocks[i].bytes.end()));
    }
  }
}

TEST(connections, a_message_that_is_too_long_costs_the_next_one_no_block) {
  socket_pair p;
  connection from(std::move(p.one)), to(std::move(p.other));
  const std::vector<std::byte> block(connection::block_in_file, std::byte{7});
  message_writer too_long(message_kind::call);
  too_long.block(std::span<const std::byte>(block));
  too_long.text("too_long", std::string(message_prefix::most_head, 'a'));
  EXPECT_THROW(from.send(too_long), std::length_error);
  from.reset_sent();
  message_writer m(message_kind::call);
  m.block(std::span<const std::byte>(block));
  from.send(m);
  const received r = to.receive();
  ASSERT_EQ(r.blocks.size(), 1u);
  EXPECT_TRUE(std::ranges::equal(r.blocks[0].bytes, block));
}

TEST(connections, several_messages_that_come_together_or_byte_by_byte_are_received_one_by_one) {
  socket_pair p;
  connection to(std::move(p.other));
  std::vector<std::byte> all;
  for (int i = 0; i < 5; ++i) {
    const auto one = message_of("{\"kind\":\"call\",\"cores\":" + std::to_string(i) + ",\"blocks\":[8]}", 8);
    all.insert(all.end(), one.begin(), one.end());
  }
  send_raw(p.one, all);
  for (std::uint64_t i = 0; i < 5; ++i) EXPECT_EQ(to.receive().head.number("cores"), i);
  std::thread slowly([&] {
    for (const std::byte b : all) send_raw(p.one, {b});
  });
  for (std::uint64_t i = 0; i < 5; ++i) EXPECT_EQ(to.receive().head.number("cores"), i);
  slowly.join();
}

TEST(connections, a_socket_that_is_closed_before_or_within_a_message_is_told_as_such) {
  for (const std::size_t length : {0u, 1u, 16u, 30u}) {
    socket_pair p;
    connection to(std::move(p.other));
    auto all = message_of("{\"kind\":\"stop\"}");
    all.resize(std::min<std::size_t>(length, all.size() - 1));
    if (!all.empty()) send_raw(p.one, all);
    p.one.close();
    EXPECT_THROW(to.receive(), connection_closed);
    message_writer m(message_kind::stop);
    EXPECT_THROW(to.send(m), connection_closed);
  }
}

TEST(connections, a_file_that_may_shrink_or_is_too_short_or_did_not_come_is_refused) {
  const std::string one = R"({"kind":"call","blocks":[[4096,0,3]],"files":[3]})";
  const auto refused_with = [&](int file, const std::string& head) {
    socket_pair p;
    connection to(std::move(p.other));
    if (file >= 0)
      pass_raw(p.one, message_of(head), file);
    else
      send_raw(p.one, message_of(head));
    try {
      to.receive();
      return std::string();
    } catch (const protocol_error& e) {
      return std::string(e.what());
    }
  };
  const descriptor sealed(memfd_create("sealed", MFD_ALLOW_SEALING | MFD_CLOEXEC));
  ASSERT_EQ(fcntl(sealed.get(), F_ADD_SEALS, F_SEAL_SHRINK), 0);
  EXPECT_NE(refused_with(sealed.get(), one).find("of a file that has 0"), std::string::npos);
  ASSERT_EQ(ftruncate(sealed.get(), 4096), 0);
  EXPECT_EQ(refused_with(sealed.get(), one), "");
  EXPECT_NE(refused_with(-1, one).find("did not come"), std::string::npos);
  EXPECT_NE(refused_with(-1, R"({"kind":"call","blocks":[[4096,0,3]]})").find("not passed"), std::string::npos);
  const descriptor open(memfd_create("open", MFD_CLOEXEC));
  ASSERT_EQ(ftruncate(open.get(), 4096), 0);
  EXPECT_NE(refused_with(open.get(), one).find("not sealed"), std::string::npos);
}

// The system would end the process by SIGXFSZ, though no file is on a disk.
TEST(connections, memory_for_blocks_that_is_larger_than_a_file_may_be_is_refused_and_what_fits_is_sent) {
  constexpr std::size_t most = std::size_t{3} << 20;
  const std::vector<std::byte> fits(most), longer(most + 1);
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  rlimit small = before;
  small.rlim_cur = most;
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  shared_area area;
  const auto refused = [](const auto& make) { return weir::testing::refusal<std::system_error>(make); };
  const std::string of_area = refused([&] { area.put(longer); }), of_file = refused([] { memory_file(most + 1); });
  EXPECT_EQ(area.put(fits), 0u);
  EXPECT_EQ(memory_file(most).number() >= 0, true);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  for (const std::string& why : {of_area, of_file})
    EXPECT_NE(why.find("a file of shared memory cannot grow: a file would have more bytes than `ulimit -f`"),
              std::string::npos)
        << why;
}

TEST(connections, random_bytes_are_refused_and_leave_no_descriptor) {
  const int before = open_descriptors();
  std::mt19937_64 random(3);
  const descriptor file(memfd_create("any", MFD_ALLOW_SEALING | MFD_CLOEXEC));
  for (int i = 0; i < fewer(400); ++i) {
    socket_pair p;
    connection to(std::move(p.other));
    std::vector<std::byte> all =
        message_of(R"({"kind":"done","values":[[0]],"blocks":[[70000,0,0],8],"files":[0]})", 8);
    for (std::uint64_t change = random() % 4; change > 0; --change)
      all[random() % all.size()] = static_cast<std::byte>(random());
    all.resize(random() % 2 ? all.size() : random() % all.size() + 1);
    random() % 2 ? pass_raw(p.one, all, file.get()) : send_raw(p.one, all);
    p.one.close();
    try {
      for (;;) to.receive();
    } catch (const protocol_error&) {
    } catch (const connection_closed&) {
    }
  }
  EXPECT_EQ(open_descriptors(), before + 1);
}

// ---- the serving side ----

inline constexpr tag n{"n"};
inline constexpr field<std::vector<double>> numbers{"numbers"};

class serving : public weir::testing::gives_all_back {
 protected:
  // The exit code of serve() for these bytes.
  static int code_for(const std::vector<std::vector<std::byte>>& messages) {
    socket_pair p;
    const auto total = box("total", takes(n, numbers), gives(n), [](std::int64_t x, const std::vector<double>& v) {
      return x + static_cast<std::int64_t>(v.size());
    });
    int code = -1;
    std::thread worker([&, socket = dup(p.other.get())] { code = serve_on(socket, {total}); });
    p.other.close();
    for (const auto& m : messages) {
      std::size_t sent = 0;
      for (ssize_t now; sent < m.size(); sent += static_cast<std::size_t>(now))
        if ((now = send(p.one.get(), m.data() + sent, m.size() - sent, MSG_NOSIGNAL)) <= 0) break;
    }
    shutdown(p.one.get(), SHUT_WR);
    std::array<char, 4096> answer;
    while (read(p.one.get(), answer.data(), answer.size()) > 0) {
    }
    worker.join();
    return code;
  }
  static std::vector<std::byte> hello() { return message_of(R"({"kind":"greeting","version":1,"box":"total"})"); }
};

TEST_F(serving, a_worker_ends_well_when_it_is_stopped_or_its_socket_is_closed) {
  EXPECT_EQ(code_for({}), 0);
  EXPECT_EQ(code_for({hello()}), 0);
  EXPECT_EQ(code_for({hello(), message_of(R"({"kind":"stop"})")}), 0);
  EXPECT_EQ(
      code_for({hello(),
                message_of(R"({"kind":"call","call":1,"cores":1,"values":[3,[0,"float64",2]],"blocks":[16]})", 16)}),
      0);
}

TEST_F(serving, a_worker_ends_with_code_2_for_another_version_another_box_or_no_message) {
  EXPECT_EQ(code_for({message_of(R"({"kind":"greeting","version":2,"box":"total"})")}), 2);
  EXPECT_EQ(code_for({message_of(R"({"kind":"greeting","version":1,"box":"other"})")}), 2);
  EXPECT_EQ(code_for({message_of(R"({"kind":"stop"})")}), 2);
  EXPECT_EQ(code_for({bytes_of("GET / HTTP/1.1\r\n\r\n")}), 2);
  for (const char* call :
       {R"({"kind":"call","cores":1,"values":[3,[0,"float64",2]],"blocks":[16]})",
        R"({"kind":"call","call":"1","cores":1,"values":[3,[0,"float64",2]],"blocks":[16]})",
        R"({"kind":"call","call":1,"values":[3]})", R"({"kind":"call","call":1,"cores":1,"values":[3]})",
        R"({"kind":"call","call":1,"cores":1,"values":["x",[0,"float64",2]],"blocks":[16]})",
        R"({"kind":"call","call":1,"cores":1,"values":[3,[1,"float64",2]],"blocks":[16]})",
        R"({"kind":"call","call":1,"cores":1,"values":[3,[0,"float32",4]],"blocks":[16]})",
        R"({"kind":"call","call":1,"cores":1,"values":[3,[0,"float64",3]],"blocks":[16]})",
        R"({"kind":"call","call":1,"cores":1,"values":[3,[0,"float64",2305843009213693954]],"blocks":[16]})",
        R"({"kind":"call","call":1,"cores":1,"values":[9223372036854775808,[0,"float64",2]],"blocks":[16]})",
        R"({"kind":"result","values":[]})"})
    EXPECT_EQ(code_for({hello(), message_of(call, std::strstr(call, "blocks") ? 16 : 0)}), 2) << call;
}

TEST_F(serving, random_calls_end_a_worker_and_leave_nothing) {
  std::mt19937_64 random(9);
  const auto call = message_of(R"({"kind":"call","call":1,"cores":1,"values":[3,[0,"float64",2]],"blocks":[16]})", 16);
  for (int i = 0; i < fewer(200); ++i) {
    auto changed = call;
    for (std::uint64_t change = random() % 4; change > 0; --change)
      changed[random() % changed.size()] = static_cast<std::byte>(random());
    const int code = code_for({hello(), changed});
    EXPECT_TRUE(code == 0 || code == 2) << code;
  }
}

}  // namespace
}  // namespace weir::detail::processes
