#include "runtime/live/request_head.hpp"

#include <strings.h>

namespace weir::detail {

request_head head_of(std::string_view lines) {
  constexpr std::string_view end = "\r\n", host = "host:";
  request_head head;
  std::size_t count = 0;
  while (!lines.starts_with(end)) {
    const std::size_t size = lines.find(end);
    const std::string_view line = lines.substr(0, size);
    lines.remove_prefix(size + end.size());
    if (++count > request_head::most_lines) return {431, {}};
    if (line.find_first_of(std::string_view("\r\n\0", 3)) != std::string_view::npos) return {400, {}};
    if (count == 1 || (line.size() > host.size() && strncasecmp(line.data(), host.data(), host.size()) == 0))
      head.passed.append(line).append(end);
  }
  if (count == 0) return {400, {}};
  head.passed += end;
  return head;
}

}  // namespace weir::detail
