#include "bench/weir/snet/input_folder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "bench/support/bad_input.hpp"
#include "bench/support/readable.hpp"

namespace weir::program {
namespace {

namespace fs = std::filesystem;

// In words why it is no file that is read; null where it is one, or a folder, which is read itself.
const char* why_not(const fs::directory_entry& entry) {
  std::error_code unknown;
  switch (entry.status(unknown).type()) {
    case fs::file_type::regular:
      return nullptr;
    case fs::file_type::directory:
      return entry.is_symlink(unknown) ? "a link to a folder" : nullptr;
    case fs::file_type::not_found:
      return "a link that leads nowhere";
    case fs::file_type::fifo:
      return "a pipe";
    case fs::file_type::socket:
      return "a socket";
    case fs::file_type::block:
    case fs::file_type::character:
      return "a device";
    default:
      return entry.is_symlink(unknown) ? "a link that cannot be followed" : "of an unknown kind";
  }
}

}  // namespace

input_folder read_folder(const fs::path& folder, const std::string& ending) {
  input_folder found;
  try {
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
      std::error_code unknown;
      const bool is_folder = entry.is_directory(unknown), fits = entry.path().filename().string().ends_with(ending);
      if (const char* const why = why_not(entry); why && (fits || is_folder))
        found.left_out.push_back(fmt::format("{} ({})", entry.path().lexically_relative(folder).string(), why));
      else if (!why && fits && !is_folder)
        found.files.push_back(entry.path());
    }
  } catch (const fs::filesystem_error& e) {
    throw bad_input(fmt::format("--input: the folder {} cannot be read: {}",
                                excerpt((e.path1().empty() ? folder : e.path1()).string()), e.code().message()));
  }
  std::sort(found.files.begin(), found.files.end());
  std::sort(found.left_out.begin(), found.left_out.end());
  return found;
}

}  // namespace weir::program
