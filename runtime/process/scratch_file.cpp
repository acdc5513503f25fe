#include <weir/process/scratch_file.hpp>

#include <ostream>
#include <system_error>
#include <utility>

namespace weir {
namespace {

struct owned_file {
  owned_file(std::filesystem::path file, std::shared_ptr<void> with) : path(std::move(file)), keeper(std::move(with)) {}
  owned_file(const owned_file&) = delete;
  std::filesystem::path path;
  std::shared_ptr<void> keeper;
  ~owned_file() {
    std::error_code ignored;
    std::filesystem::remove(path, ignored);
  }
};

}  // namespace

scratch_file::scratch_file(std::filesystem::path file, std::shared_ptr<void> keeper) {
  const auto owned = std::make_shared<owned_file>(std::move(file), std::move(keeper));
  path_ = {owned, &owned->path};
}

std::ostream& operator<<(std::ostream& to, const scratch_file& file) { return to << file.path(); }

}  // namespace weir
