#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace weir::detail {

// The host names by which a server may be reached. A request whose Host header has another one was led here by a
// foreign name: https://en.wikipedia.org/wiki/DNS_rebinding. The port in it is not compared, since a tunnel or a proxy
// has another one than the server. An immutable value.
class host_names {
 public:
  // `address`: an IP address. Every IP address reaches one that means all addresses of the machine. Throws
  // std::invalid_argument if it is none, or if one of the others is no name without a port.
  host_names(const std::string& address, int port, const std::vector<std::string>& others);

  bool includes(std::string_view host) const;          // as in the header
  const std::string& first() const { return first_; }  // with the port
  const std::string& place() const { return place_; }  // the address with the port

 private:
  std::string place_, first_;
  std::vector<std::string> names_;  // without ports, in lower case
  bool is_any_address_;
};

}  // namespace weir::detail
