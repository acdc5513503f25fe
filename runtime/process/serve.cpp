#include <weir/process/serve.hpp>

#include <fcntl.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <set>
#include <system_error>

#include <weir/record/errors.hpp>
#include "runtime/process/call_arenas.hpp"
#include "runtime/process/served_box.hpp"
#include "runtime/process/variables.hpp"

namespace weir {
namespace {

using detail::processes::call_arenas;
using detail::processes::connection;
using detail::processes::connection_closed;
using detail::processes::descriptor;
using detail::processes::host_variable;
using detail::processes::message_kind;
using detail::processes::message_writer;
using detail::processes::protocol_error;
using detail::processes::protocol_version;
using detail::processes::received;
using detail::processes::served_box;
using detail::processes::socket_variable;

int complain(const std::string& what) {
  std::fprintf(stderr, "weir::serve: %s\n", what.c_str());
  return 2;
}

void refuse(connection& to, const std::string& why) {
  message_writer m(message_kind::error);
  m.text("text", why);
  to.send(m);
}

std::vector<std::unique_ptr<served_box>> served(const std::vector<network>& boxes) {
  std::vector<std::unique_ptr<served_box>> all;
  for (const network& b : boxes) all.push_back(std::make_unique<served_box>(b));
  return all;
}

std::string names_of(const std::vector<std::unique_ptr<served_box>>& boxes) {
  constexpr std::size_t most = 20;  // a line that can be read
  if (boxes.empty()) return "none at all";
  std::set<std::string> names;
  for (const auto& b : boxes) names.insert(b->name());
  std::string text;
  std::size_t shown = 0;
  for (auto n = names.begin(); n != names.end() && shown < most; ++n, ++shown) text += (shown ? ", " : "") + *n;
  return shown < names.size() ? text + " and " + std::to_string(names.size() - shown) + " more" : text;
}

// The box that the greeting of the peer requests; null after the peer was refused.
served_box* chosen(const std::vector<std::unique_ptr<served_box>>& boxes, connection& to) {
  const received first = to.receive();
  if (first.head.kind != message_kind::greeting) throw protocol_error("the first message is no greeting");
  if (first.head.number("version") != protocol_version) {
    refuse(to, "it speaks version " + std::to_string(protocol_version) +
                   " of the protocol, and was greeted in version " + std::to_string(first.head.number("version")));
    return nullptr;
  }
  const std::string& name = first.head.text("box");
  const auto at = std::find_if(boxes.begin(), boxes.end(), [&](const auto& b) { return b->name() == name; });
  if (at != boxes.end()) {
    // The other side compares the labels and names a difference.
    message_writer own = (*at)->labels().greeting();
    own.text("code", (*at)->code());
    if ((*at)->takes_batches()) own.json("takes_batches", "true");
    to.send(own);
    return at->get();
  }
  refuse(to, "it has no box \"" + name + "\", but " + names_of(boxes));
  return nullptr;
}

int cores_of(const received& m) {
  constexpr std::uint64_t most = 1 << 20;
  if (m.head.kind != message_kind::call) throw protocol_error("a message is neither a call nor a stop");
  const std::uint64_t cores = m.head.number("cores");
  if (cores < 1 || cores > most) throw protocol_error("a call with " + std::to_string(cores) + " cores");
  return static_cast<int>(cores);
}

int serve_over(connection& to, const std::vector<std::unique_ptr<served_box>>& boxes) {
  try {
    served_box* const box = chosen(boxes, to);
    if (!box) return 2;
    call_arenas arenas;
    for (received m = to.receive(); m.head.kind != message_kind::stop;) {
      const int cores = cores_of(m);
      arenas.run(cores, [&] {  // and stays there, since entering costs more than a short box
        do {
          box->call(m, cores, to);
          m = to.receive();
        } while (m.head.kind == message_kind::call && cores_of(m) == cores);
      });
    }
    return 0;
  } catch (const connection_closed&) {
    return 0;
  } catch (const protocol_error& e) {
    return complain(std::string("the program that called sent what is no message: ") + e.what());
  } catch (const std::bad_alloc&) {
    return complain("out of memory for a message of the program that called");
  } catch (const std::system_error& e) {
    const bool is_closed = e.code() == std::errc::bad_file_descriptor || e.code() == std::errc::not_a_socket;
    return complain((is_closed ? "this process has closed its connection to the program that called, descriptor " +
                                     std::to_string(to.socket())
                               : std::string("the connection to the program that called failed")) +
                    ": " + e.what());
  }
}

// The socket that the other program has passed; -1: there is none.
int passed_socket() {
  const char* const text = std::getenv(socket_variable);
  int number = -1;
  if (!text || std::from_chars(text, text + std::strlen(text), number).ec != std::errc()) return -1;
  if (fcntl(number, F_GETFD) < 0) return -1;
  // Neither this nor the variable goes to programs that a box starts.
  fcntl(number, F_SETFD, FD_CLOEXEC);
  unsetenv(socket_variable);
  return number;
}

int serve_passed(const std::vector<std::unique_ptr<served_box>>& boxes) {
  const int socket = passed_socket();
  if (socket < 0)
    return complain(
        "this program is a worker: it has no socket of a program that calls it; start it by weir::worker(name, "
        "takes(..), gives(..), {program, arguments..})");
  connection to{descriptor(socket)};
  return serve_over(to, boxes);
}

}  // namespace

int detail::serve_on(int socket, const std::vector<network>& boxes) {
  processes::connection to{descriptor(socket)};
  return serve_over(to, served(boxes));
}

int serve(const std::vector<network>& boxes) { return serve_passed(served(boxes)); }

int serve(const registry& boxes) {
  std::vector<std::unique_ptr<served_box>> all;
  for (const std::string& name : boxes.names()) {
    try {
      all.push_back(std::make_unique<served_box>(*boxes.find(name), name));
    } catch (const type_error&) {
      continue;  // a network, or a box whose values do not travel
    }
  }
  return serve_passed(all);
}

void host(const std::vector<network>& boxes) {
  const char* const name = std::getenv(host_variable);
  std::vector<network> named;
  for (const network& b : boxes) {
    const served_box box(b);
    if (box.is_elsewhere())
      throw type_error("weir::host: " + box.name() +
                       " is in a process of its own already, expected what isolated() got");
    if (name && box.name() == name) named.push_back(b);
  }
  if (named.empty()) return;
  unsetenv(host_variable);
  std::exit(serve(named));
}

}  // namespace weir
