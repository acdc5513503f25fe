#pragma once

#include <string>
#include <string_view>

namespace weir::detail {

// The part of a request that a server reads before it answers: the lines up to the first empty one.
struct request_head {
  static constexpr std::size_t most_bytes = 16384, most_lines = 100;  // browsers send 20 lines in 2 KB, and cookies

  int refused = 0;     // the status to answer with, when it is not well formed
  std::string passed;  // the request line and the Host lines: no other one matters to us
};

// REQUIRES: `lines` ends with an empty line.
request_head head_of(std::string_view lines);

}  // namespace weir::detail
