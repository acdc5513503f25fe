#include "bench/weir/output_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <stdexcept>

#include "bench/weir/bad_input.hpp"

namespace weir::command {
namespace fs = std::filesystem;

output_file::output_file(std::string option, const std::string& path) : option_(std::move(option)), path_(path) {
  std::error_code failed;
  if (path.empty() || fs::is_directory(path_, failed))
    throw bad_input(fmt::format("{}: \"{}\" is not a file that can be written", option_, path));
  if (const fs::path real = fs::canonical(path_, failed); !failed) path_ = real;  // keep a link, replace its target
  directly_ = fs::exists(path_, failed) && !fs::is_regular_file(path_, failed);
  if (directly_) return;
  errno = 0;
  const bool opened = std::ofstream(beside()).is_open();
  const std::string why = errno ? std::strerror(errno) : "it cannot be opened";
  fs::remove(beside(), failed);
  if (!opened) throw bad_input(fmt::format("{}: {} cannot be written: {}", option_, path, why));
}

fs::path output_file::beside() const {
  fs::path name = path_;
  return name += fmt::format(".{}.partial", ::getpid());
}

void output_file::write(const std::string& text) const {
  const fs::path to = directly_ ? path_ : beside();
  std::ofstream file(to, std::ios::binary);
  file << text;
  file.close();
  std::error_code failed;
  if (file && !directly_) fs::rename(to, path_, failed);
  if (file && !failed) return;
  std::error_code ignored;
  if (!directly_) fs::remove(to, ignored);
  throw std::runtime_error(fmt::format("{}: {} could not be written", option_, path_.string()));
}

}  // namespace weir::command
