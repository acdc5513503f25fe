#include "runtime/process/launch.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string_view>
#include <system_error>
#include <utility>

namespace weir::detail::processes {
namespace {

// 0, or the reason why the file does not run.
int why_not(const std::string& file) {
  struct stat s {};
  if (stat(file.c_str(), &s) != 0) return errno;
  if (S_ISDIR(s.st_mode)) return EISDIR;
  return access(file.c_str(), X_OK) == 0 ? 0 : errno;
}

std::string in_quotes(const std::string& name) { return '"' + name + '"'; }

}  // namespace

own_program::own_program(std::filesystem::path kept) : kept_(std::move(kept)) {
  std::error_code none;
  std::filesystem::path name = std::filesystem::read_symlink(kept_, none);
  struct stat s {};
  if (none || stat(name.c_str(), &s) != 0) return;
  name_ = std::move(name);
  device_ = s.st_dev;
  number_ = s.st_ino;
}

std::filesystem::path own_program::path() const {
  struct stat s {};
  const bool is_same = !name_.empty() && stat(name_.c_str(), &s) == 0 && s.st_dev == device_ && s.st_ino == number_;
  return is_same ? name_ : kept_;
}

std::filesystem::path find_program(const std::string& name) {
  if (name.empty()) throw std::system_error(ENOENT, std::generic_category(), "the name of the program is empty");
  if (name.find('/') != std::string::npos) {
    if (const int why = why_not(name); why != 0)
      throw std::system_error(why, std::generic_category(), "the program " + in_quotes(name) + " does not run");
    return name;
  }
  const char* const set = std::getenv("PATH");
  const std::string path = set ? set : "/usr/local/bin:/usr/bin:/bin";
  int reason = ENOENT;
  std::string found;  // which does not run
  for (std::string_view rest = path;;) {
    const std::size_t end = rest.find(':');
    const std::string_view folder = rest.substr(0, end);
    std::string file = (folder.empty() ? std::string(".") : std::string(folder)) + '/' + name;
    const int why = why_not(file);
    if (why == 0) return file;
    if (why != ENOENT && why != ENOTDIR && found.empty()) {
      reason = why;
      found = std::move(file);
    }
    if (end == std::string_view::npos) break;
    rest.remove_prefix(end + 1);
  }
  if (!found.empty())
    throw std::system_error(reason, std::generic_category(), "the program " + in_quotes(found) + " does not run");
  throw std::system_error(reason, std::generic_category(),
                          "there is no program " + in_quotes(name) + " in PATH=" + path);
}

std::string lasting_name(const std::string& name) {
  if (name.find('/') == std::string::npos) return name;
  std::error_code none;  // the current folder may be gone
  const std::filesystem::path whole = std::filesystem::absolute(name, none);
  return none ? name : whole.string();
}

std::vector<std::pair<std::string, std::string>> variables_for(const grant& given) {
  const std::string cores = std::to_string(given.size());
  return {{"OMP_NUM_THREADS", cores},     {"OPENBLAS_NUM_THREADS", cores}, {"MKL_NUM_THREADS", cores},
          {"NUMEXPR_NUM_THREADS", cores}, {"RAYON_NUM_THREADS", cores},    {"GOMAXPROCS", cores},
          {"WEIR_CORES", cores}};
}

}  // namespace weir::detail::processes
