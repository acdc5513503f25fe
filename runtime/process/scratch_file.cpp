#include <weir/process/scratch_file.hpp>

#include <ostream>
#include <system_error>
#include <utility>

namespace weir {
namespace {

struct owned_file {
  owned_file(std::filesystem::path p, std::shared_ptr<void> k) : path(std::move(p)), keeper(std::move(k)) {}
  owned_file(const owned_file&) = delete;
  ~owned_file() {
    std::error_code ignored;
    std::filesystem::remove(path, ignored);
  }

  const std::filesystem::path path;
  const std::shared_ptr<void> keeper;
};

}  // namespace

scratch_file::scratch_file(std::filesystem::path file, std::shared_ptr<void> keeper) {
  const auto owned = std::make_shared<owned_file>(std::move(file), std::move(keeper));
  path_ = {owned, &owned->path};
}

std::ostream& operator<<(std::ostream& to, const scratch_file& file) { return to << file.path(); }

}  // namespace weir
