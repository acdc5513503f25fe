#include "tests/schedules/places.hpp"

#include <dlfcn.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <sstream>

namespace weir::testing {

std::string place_of(const void* address) {
  if (!address) return "";
  std::ostringstream plain, command;
  plain << " at " << address;
  Dl_info found;
  if (!dladdr(address, &found)) return plain.str();
  const auto offset = reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(found.dli_fbase) - 1;
  command << "addr2line -Cifsp -e '" << found.dli_fname << "' 0x" << std::hex << offset << " 2>/dev/null";
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.str().c_str(), "r"), &pclose);
  if (!pipe) return plain.str();
  std::string text;
  std::array<char, 512> line;
  int lines = 0;
  while (std::fgets(line.data(), line.size(), pipe.get()) && ++lines < 6) {
    text += "\n      " + std::string(line.data());
    if (text.back() == '\n') text.pop_back();
  }
  return text.empty() || text.find("?? ??:0") != std::string::npos ? plain.str() : text;
}

const char* words(detail::scheduled::operation what) {
  using detail::scheduled::operation;
  switch (what) {
    case operation::load:
      return "reads an atomic";
    case operation::store:
      return "writes an atomic";
    case operation::change:
      return "changes an atomic";
    case operation::fence:
      return "fence";
    case operation::lock:
      return "locks a mutex";
    case operation::unlock:
      return "unlocks a mutex";
    case operation::wait:
      return "waits to be woken";
    case operation::notify:
      return "wakes others";
    case operation::start:
      return "starts";
    case operation::join:
      return "joins a thread";
    case operation::spin:
      return "spins";
  }
  return "goes on";
}

}  // namespace weir::testing
