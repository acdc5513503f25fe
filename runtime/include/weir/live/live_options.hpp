#pragma once

#include <string>
#include <vector>

namespace [[gnu::visibility("default")]] weir {

// The address and the name of a live page. Plain data.
struct live_options {
  // Where it listens: an IP address of this machine, or "localhost" for 127.0.0.1. "0.0.0.0" and "::" are all
  // addresses. The page has no password: every client that reaches the address sees it.
  std::string address = "127.0.0.1";
  int port = 9464;           // as most programs that Prometheus asks for metrics use; 0: any that is free
  std::string title{};       // of the page; empty: the name of the program
  std::string name = "run";  // of the run, on the page and in its metrics
  // Names under which browsers and Prometheus reach it, other than the address itself and localhost; without the port,
  // which may be that of a tunnel or a proxy. A request for any other name is refused, so that no website can read the
  // page by a name that leads here.
  std::vector<std::string> hosts{};
};

}  // namespace weir
