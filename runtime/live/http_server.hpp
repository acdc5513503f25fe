#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/live/update_feed.hpp"

namespace weir::detail {

// The answer of a server to a GET.
struct http_answer {
  int status = 200;
  std::string_view type = "text/plain; charset=utf-8";
  std::shared_ptr<const std::string> body;          // not empty; or
  std::shared_ptr<update_feed::listener> events{};  // what comes of it, as server-sent events without an end
};

struct http_place {
  std::string address;
  int port;
  std::vector<std::string> hosts;
};

struct http_limits {
  int connections;
  std::chrono::milliseconds patience;  // with a request, and with each write
};

// Answers GET and HEAD, over HTTP/1.1 and one request a connection. Everything is bounded: connections, the size of a
// request, and the time that a client takes. Requests for a foreign host are refused. By httplib, which is in no
// header.
class http_server {
 public:
  // `get` is called with a path, on any of the server's threads; what it throws becomes an answer of status 500. Throws
  // as live_page does.
  http_server(const http_place& where, http_limits limits, std::function<http_answer(const std::string& path)> get);
  ~http_server();  // drops all connections. REQUIRES: `get` and what it returned do not wait any more

  int port() const noexcept;
  const std::string& host() const noexcept;  // "127.0.0.1:9464"

 private:
  class inside;
  std::unique_ptr<inside> inside_;
};

}  // namespace weir::detail
