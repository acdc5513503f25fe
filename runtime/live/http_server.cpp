#include "runtime/live/http_server.hpp"

#include <fcntl.h>
#include <httplib.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <deque>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <thread>

#include "runtime/live/connection.hpp"
#include "runtime/live/host_names.hpp"
#include "runtime/live/own_threads.hpp"
#include "runtime/live/server_threads.hpp"

namespace weir::detail {
namespace {

// Bytes that the system keeps until a client takes them; it doubles this number.
constexpr int unsent_bytes = 65536;

// How often it is asked whether a listener's client is still there: so soon there is room for another one.
constexpr std::chrono::milliseconds look_for_clients_gone{100};

// A connection that has been answered keeps its thread for a moment. Meanwhile others wait in the system's queue.
constexpr std::chrono::milliseconds wait_for_a_thread{100};

// Connections that were refused and are not closed yet. By then their clients have read why.
constexpr std::size_t most_refused = 16;

// Whether the calling thread, which accepts connections, is to refuse this one.
thread_local bool is_refusing = false;

// httplib's accepting thread gives each connection to a thread of ours, or, where all are busy, refuses it itself.
class connection_tasks final : public httplib::TaskQueue {
 public:
  explicit connection_tasks(server_threads& threads) : threads_(threads) {}

  using accepted = decltype(std::declval<httplib::TaskQueue&>().enqueue({}));  // void; in newer versions bool
  accepted enqueue(std::function<void()> task) override {
    bool is_given = false;
    try {
      is_given = threads_.give(task, wait_for_a_thread);
    } catch (...) {  // no memory
    }
    if (!is_given) {
      is_refusing = true;
      task();
      is_refusing = false;
    }
    return static_cast<accepted>(true);
  }
  void shutdown() override { threads_.end(); }

 private:
  server_threads& threads_;
};

std::string refusal(int status, std::string_view reason) {
  return "HTTP/1.1 " + std::to_string(status) + " " + std::string(reason) +
         "\r\nConnection: close\r\nContent-Length: 0\r\nX-Content-Type-Options: nosniff\r\nCache-Control: "
         "no-store\r\n\r\n";
}

[[noreturn]] void throw_not_listening(const std::string& host, int error) {
  const std::string what = "weir::live_page: " + host;
  const std::error_code code(error, std::system_category());
  if (error == EADDRINUSE) throw std::system_error(code, what + " is in use");
  if (error == EADDRNOTAVAIL) throw std::system_error(code, what + ": this machine has no such address");
  if (error == 0) throw std::runtime_error(what + ": it cannot listen there");
  throw std::system_error(code, what + ": it cannot listen there");
}

}  // namespace

// httplib's constructor has the process ignore SIGPIPE. That is the program's affair: our writes raise none. One thread
// at a time constructs: a second would take what httplib has set for the program's own.
class kept_sigpipe {
 protected:
  kept_sigpipe() : lock_(std::in_place, one_at_a_time) { sigaction(SIGPIPE, nullptr, &was_); }
  ~kept_sigpipe() { restore(); }
  kept_sigpipe(const kept_sigpipe&) = delete;
  void restore() {
    if (!lock_) return;
    sigaction(SIGPIPE, &was_, nullptr);
    lock_.reset();
  }

 private:
  using mutex_type = mutex<lock_place::live>;
  static inline mutex_type one_at_a_time;
  std::optional<lock_guard<mutex_type>> lock_;
  struct sigaction was_ {};
};
class quiet_server : private kept_sigpipe, public httplib::Server {
 protected:
  quiet_server() { restore(); }
};

class http_server::inside final : private quiet_server {
 public:
  inside(const http_place& where, http_limits limits, std::function<http_answer(const std::string&)> get)
      : limits_(limits), get_(std::move(get)) {
    if (where.port < 0 || where.port > 65535)
      throw std::invalid_argument("weir::live_page: port " + std::to_string(where.port) + " is not in 0 to 65535");
    const std::string address = where.address == "localhost" ? "127.0.0.1" : where.address;
    const host_names wanted(address, where.port, {});
    open_.reserve(static_cast<std::size_t>(limits.connections));
    // Without this httplib shares the port with other servers, by SO_REUSEPORT.
    set_socket_options([](socket_t s) {
      const int on = 1;
      setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    });
    set_pre_routing_handler([this](const httplib::Request& asked, httplib::Response& to) {
      answer(asked, to);
      return HandlerResponse::Handled;
    });
    new_task_queue = [this] { return new connection_tasks(*threads_); };
    errno = 0;
    if (where.port == 0)
      port_ = bind_to_any_port(address);
    else if (bind_to_port(address, where.port))
      port_ = where.port;
    if (port_ <= 0) throw_not_listening(wanted.place(), errno);
    try {
      hosts_.emplace(address, port_, where.hosts);
      threads_.emplace(limits.connections);
      listening_ = std::thread([this] {
        begin_live_thread();
        try {
          listen_after_bind();
        } catch (...) {  // no memory
        }
        has_ended_.store(true);
      });
    } catch (const std::system_error& e) {
      close(svr_sock_.exchange(INVALID_SOCKET));
      throw std::system_error(e.code(), "weir::live_page: " + hosts_->place() + ": there is no thread to answer on");
    } catch (...) {
      close(svr_sock_.exchange(INVALID_SOCKET));
      throw;
    }
    // Before that, stop() would do nothing.
    while (!is_running() && !has_ended_.load()) std::this_thread::sleep_for(std::chrono::microseconds(20));
  }

  ~inside() override {
    stop();
    {
      const lock_guard lock(mutex_);
      is_ending_ = true;
      for (const int s : open_) shutdown(s, SHUT_RDWR);
    }
    listening_.join();
    for (const int s : refused_) close(s);
  }

  int port() const { return port_; }
  const host_names& hosts() const { return *hosts_; }

 private:
  // Called by httplib on the thread that has this connection.
  bool process_and_close_socket(socket_t s) override {
    fcntl(s, F_SETFD, FD_CLOEXEC);
    fcntl(s, F_SETFL, fcntl(s, F_GETFL) | O_NONBLOCK);
    if (is_refusing) {
      refuse(s);
      return true;
    }
    if (note(s)) {
      try {
        serve(s);
      } catch (...) {  // no memory: this client gets no answer
      }
      const lock_guard lock(mutex_);
      std::erase(open_, s);
    }
    close(s);
    return true;
  }

  // A connection that is closed while it has unread bytes is reset, and with it goes what the client has not read. The
  // accepting thread does not wait for any client, so the last ones stay open for a while.
  void refuse(int s) {
    // never destroyed: the server of a static object goes on during static destruction
    static const auto* const busy = new std::string(refusal(503, "Service Unavailable"));
    send(s, busy->data(), busy->size(), MSG_NOSIGNAL);
    shutdown(s, SHUT_WR);
    while (refused_.size() >= most_refused) {
      close(refused_.front());
      refused_.pop_front();
    }
    try {
      refused_.push_back(s);
    } catch (...) {  // no memory
      close(s);
    }
  }

  bool note(int s) {
    const lock_guard lock(mutex_);
    if (!is_ending_) open_.push_back(s);
    return !is_ending_;
  }

  void serve(int s) {
    const int on = 1;
    setsockopt(s, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    setsockopt(s, SOL_SOCKET, SO_SNDBUF, &unsent_bytes, sizeof unsent_bytes);
    connection with(s, limits_.patience);
    int refused = 0;
    if (!with.read_head(refused)) return;
    if (refused) {
      with.write(refusal(refused, refused == 431 ? "Request Header Fields Too Large" : "Bad Request"));
    } else {
      bool closed = false;
      process(with, closed);
    }
    with.finish();
  }

  // The overload of newer versions of httplib has the addresses, too.
  template <class Stream>
  void process(Stream& with, bool& closed) {
    const std::function<void(httplib::Request&)> as_it_is;
    if constexpr (requires { this->process_request(with, true, closed, as_it_is); })
      this->process_request(with, true, closed, as_it_is);
    else
      this->process_request(with, std::string(), 0, std::string(), 0, true, closed, as_it_is);
  }

  void answer(const httplib::Request& asked, httplib::Response& to) {
    to.set_header("X-Content-Type-Options", "nosniff");
    to.set_header("Cache-Control", "no-store");
    to.set_header("Referrer-Policy", "no-referrer");
    to.set_header("Cross-Origin-Resource-Policy", "same-origin");
    to.set_header("X-Frame-Options", "DENY");
    to.set_header("Accept-Ranges", "none");  // httplib says otherwise to HEAD; each answer is of another moment
    const auto say = [&](int status, const std::string& words) {
      to.status = status;
      to.set_content(words + "\n", "text/plain; charset=utf-8");
    };
    if (asked.get_header_value_count("Host") != 1 || !hosts_->includes(asked.get_header_value("Host")))
      return say(403, "This server is reached as http://" + hosts_->first() + "/ (live_options::hosts)");
    if (asked.method != "GET" && asked.method != "HEAD") {
      to.set_header("Allow", "GET, HEAD");
      return say(405, "GET and HEAD are answered here, not " + asked.method);
    }
    http_answer a;
    try {
      a = get_(asked.path);
    } catch (const std::exception& e) {
      return say(500, e.what());
    }
    to.status = a.status;
    if (a.events)
      to.set_content_provider("text/event-stream", [events = a.events](size_t, httplib::DataSink& sink) {
        for (;;) {
          if (const auto next = events->next(look_for_clients_gone)) return sink.write(next->data(), next->size());
          if (events->is_over() || !sink.is_writable()) return false;
        }
      });
    else
      to.set_content_provider(a.body->size(), std::string(a.type),
                              [body = a.body](size_t from, size_t size, httplib::DataSink& sink) {
                                return sink.write(body->data() + from, size);
                              });
  }

  const http_limits limits_;
  const std::function<http_answer(const std::string&)> get_;
  int port_ = -1;
  std::optional<host_names> hosts_;
  std::atomic<bool> has_ended_{false};
  WEIR_LOCK(live) mutex_;
  std::vector<int> open_ WEIR_GUARDED_BY(mutex_);  // sockets
  bool is_ending_ WEIR_GUARDED_BY(mutex_) = false;
  std::deque<int> refused_;                // sockets, of the listening thread
  std::optional<server_threads> threads_;  // whose tasks use all of the above
  std::thread listening_;
};

http_server::http_server(const http_place& where, http_limits limits,
                         std::function<http_answer(const std::string& path)> get)
    : inside_(std::make_unique<inside>(where, limits, std::move(get))) {}

http_server::~http_server() = default;

int http_server::port() const noexcept { return inside_->port(); }
const std::string& http_server::host() const noexcept { return inside_->hosts().first(); }

}  // namespace weir::detail
