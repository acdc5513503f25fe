#pragma once

#include <filesystem>
#include <iosfwd>
#include <memory>

namespace [[gnu::visibility("default")]] weir {

// A file that is removed when the last copy of this value is gone: what a command writes, as a field, without being
// read into memory.
//
//   inline constexpr field<scratch_file> video{"video"};
//
// Copies share the file. Any thread may use a copy of its own.
class scratch_file {
 public:
  // Takes over an existing file. `keeper` is kept as long as the file. Throws std::bad_alloc.
  explicit scratch_file(std::filesystem::path file, std::shared_ptr<void> keeper = nullptr);

  const std::filesystem::path& path() const { return *path_; }  // as long as a copy exists

 private:
  std::shared_ptr<const std::filesystem::path> path_;
};

std::ostream& operator<<(std::ostream& to, const scratch_file& file);  // its path

}  // namespace weir
