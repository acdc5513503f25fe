#include "bench/support/self.hpp"

#include <fmt/format.h>
#include <sys/wait.h>

#include <cstdio>
#include <filesystem>
#include <stdexcept>

namespace weir::program {

std::string output_of_self(const std::string& arguments, const std::string& under) {
  const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
  const std::string command = fmt::format("{} '{}' {}", under, self, arguments);
  FILE* const from = popen(command.c_str(), "r");
  if (!from) throw std::runtime_error("cannot run " + command);
  std::string text;
  char buffer[4096];
  while (const std::size_t got = std::fread(buffer, 1, sizeof buffer, from)) text.append(buffer, got);
  const int status = pclose(from);
  if (status == 0) return text;
  const std::string signal = WIFSIGNALED(status) ? fmt::format(", signal {}", WTERMSIG(status)) : "";
  throw std::runtime_error(fmt::format("{} failed{}\n{}", arguments, signal, text));
}

}  // namespace weir::program
