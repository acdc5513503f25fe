#pragma once

#include <stdexcept>
#include <string>

namespace weir::detail::processes {

// The other side sent no message of the protocol. The sentence says why; nothing more on the connection can be trusted.
class protocol_error : public std::runtime_error {
 public:
  explicit protocol_error(const std::string& why) : std::runtime_error(why) {}
};

}  // namespace weir::detail::processes
