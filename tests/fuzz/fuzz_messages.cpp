// The messages of a worker to the program, and those of a program to a worker. Each is read as it is meant, or refused;
// no number that came is an index or a size unchecked. An input that begins with {, + or # has a line for each message,
// its head. Before it, the line +N gives it a body of N bytes, and #K passes file K with it. Any other input is sent as
// it is, with all files.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/process/connection.hpp"
#include "runtime/process/greeting.hpp"
#include "tests/runtime/process/worker_boxes.hpp"

using namespace weir;
using namespace weir::testing;
using namespace weir::detail::processes;

namespace {

// Takes and gives a value of every form.
network box_of_all() {
  return box(
      "all", takes(n, integer, small, flag, number, single, text, weir::testing::file, raw, numbers, table, who, image),
      gives(n, integer, small, flag, number, single, text, weir::testing::file, raw, numbers, table, who, image) |
          gives(n),
      [](std::int64_t, std::int64_t, std::uint8_t, bool, double, float, const std::string& t,
         const std::filesystem::path& p, const std::vector<std::byte>& b, const std::vector<double>& v, const grid& g,
         const person& one, const shared_array<float, 2>& a, emitter& emit) {
        emit(n = static_cast<std::int64_t>(t.size() + p.native().size() + b.size() + v.size() + g.entries.size() +
                                           one.marks.size() + a.size()));
      });
}

// Sealed with 4096 bytes, sealed and empty, and one that may shrink.
int some_file(std::size_t which) {
  const auto made = [](off_t size, bool is_sealed) {
    const int file = memfd_create("passed", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (file < 0 || ftruncate(file, size) != 0) std::abort();
    if (is_sealed && fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK) != 0) std::abort();
    return file;
  };
  static const std::array<int, 3> files{made(4096, true), made(0, true), made(4096, false)};
  return files[which % files.size()];
}

void send_all(int to, std::string_view bytes, const std::vector<int>& files) {
  iovec part{const_cast<char*>(bytes.data()), bytes.size()};
  msghdr m{};
  m.msg_iov = &part;
  m.msg_iovlen = 1;
  alignas(cmsghdr) std::array<char, CMSG_SPACE(8 * sizeof(int))> control{};
  if (!files.empty()) {
    m.msg_control = control.data();
    m.msg_controllen = CMSG_SPACE(files.size() * sizeof(int));
    cmsghdr* const c = CMSG_FIRSTHDR(&m);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(files.size() * sizeof(int));
    std::memcpy(CMSG_DATA(c), files.data(), files.size() * sizeof(int));
  }
  if (!bytes.empty() && sendmsg(to, &m, MSG_NOSIGNAL) != static_cast<ssize_t>(bytes.size())) std::abort();
}

void send_lines(int to, std::string_view lines) {
  std::vector<int> files;
  std::size_t body = 0;
  constexpr std::size_t longest = 1024;  // of a body: a socket holds all messages
  for (int left = 32; left > 0 && !lines.empty();) {
    const std::string_view line = lines.substr(0, lines.find('\n'));
    lines.remove_prefix(std::min(lines.size(), line.size() + 1));
    std::size_t count = 0;
    if (!line.empty()) std::from_chars(line.data() + 1, line.data() + line.size(), count);
    if (line.starts_with('+')) {
      body = std::min(count, longest);
    } else if (line.starts_with('#')) {
      if (files.size() < 8) files.push_back(some_file(count));
    } else {
      std::array<std::byte, message_prefix::bytes> prefix;
      write_prefix({line.size(), body}, prefix.data());
      std::string whole(reinterpret_cast<const char*>(prefix.data()), prefix.size());
      whole += line;
      whole.append(body, '\0');  // valid for codecs: texts and lists of length 0
      send_all(to, whole, files);
      files.clear();
      --left;
      body = 0;
    }
  }
}

// A socket whose other side has sent the input and sends nothing more.
struct with_input {
  explicit with_input(std::string_view input) {
    std::array<int, 2> ends{};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) std::abort();
    sends = descriptor(ends[0]);
    reads = descriptor(ends[1]);
    if (input.find_first_of("{+#") == 0)
      send_lines(sends.get(), input);
    else
      send_all(sends.get(), input, {some_file(0), some_file(1), some_file(2)});
    shutdown(sends.get(), SHUT_WR);
  }
  descriptor sends, reads;
};

// As the lane of a worker reads its answers.
void read_answer(const received& r, const wire_labels& labels) {
  if (r.head.kind == message_kind::greeting) labels.mismatch(r.head);
  if (r.head.kind == message_kind::error) r.head.text("text");
  r.head.number("call");
  if (r.head.kind == message_kind::done) r.head.seconds("seconds");
  if (!r.head.find("values")) return;
  const std::uint64_t variant = r.head.number("variant");
  if (variant >= labels.variants().size()) return;
  read_values values(labels.variants()[variant]);
  values.read(r.head.list("values"), r.blocks);
}

void read_as_program(std::string_view input) {
  static const network all = box_of_all();
  static const wire_labels labels(detail::spec_of(all));
  with_input socket(input);
  connection from(std::move(socket.reads));
  try {
    for (;;) {
      const received r = from.receive();
      try {
        read_answer(r, labels);
      } catch (const protocol_error&) {  // the next may be one
      }
    }
  } catch (const protocol_error&) {
  } catch (const connection_closed&) {
  } catch (const std::runtime_error&) {  // of a codec
  }
}

void read_as_worker(std::string_view input) {
  static const std::vector<network> boxes{box_of_all()};
  with_input socket(input);
  const int number = dup(socket.reads.get());
  socket.reads.close();
  const int code = detail::serve_on(number, boxes);
  if (code != 0 && code != 2) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t most = 8192;  // a socket holds it, and all answers to it
  if (size > most) return 0;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  read_as_program(input);
  read_as_worker(input);
  return 0;
}
