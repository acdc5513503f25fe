#include "examples/images/picture_files.hpp"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <random>
#include <stdexcept>
#include <system_error>

#include "components/images/jpeg_codec.hpp"

namespace examples::images {
namespace {

namespace fs = std::filesystem;

bool is_named_jpeg(const fs::path& path) {
  std::string ending = path.extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(), [](unsigned char c) { return std::tolower(c); });
  return ending == ".jpg" || ending == ".jpeg";
}

}  // namespace

picture_files picture_files::of(const fs::path& folder) {
  picture_files found;
  found.folder_ = folder;
  std::size_t others = 0;
  std::error_code error;
  for (fs::directory_iterator each(folder, error), end; !error && each != end; each.increment(error)) {
    std::error_code unknown;  // a link to nothing is kept: reading it reports the fault
    if (is_named_jpeg(each->path()) && !each->is_directory(unknown))
      found.names_.push_back(each->path().filename().string());
    else
      ++others;
  }
  if (error) throw std::runtime_error("cannot read the folder " + folder.string() + ": " + error.message());
  if (found.names_.empty())
    throw std::runtime_error("no picture in " + folder.string() + ": expected files that end in .jpg or .jpeg, found " +
                             std::to_string(others) + " others");
  std::sort(found.names_.begin(), found.names_.end());
  return found;
}

picture_files picture_files::drawn(int count, std::uint64_t seed) {
  picture_files all;
  std::mt19937_64 random(seed);
  for (int i = 0; i < count; ++i) {
    const int width = 320 + static_cast<int>(random() % 960);
    const std::string number = std::to_string(i + 1);
    all.names_.push_back("drawn" + std::string(number.size() < 4 ? 4 - number.size() : 0, '0') + number + ".jpg");
    all.drawn_.push_back(components::encoded_jpeg(
        components::random_image(width, width * 3 / 4, seed + static_cast<std::uint64_t>(i)), 90));
  }
  return all;
}

picture_file picture_files::read(std::size_t number) const {
  if (!drawn_.empty()) return {names_[number], drawn_[number]};
  errno = 0;
  std::ifstream file(folder_ / names_[number], std::ios::binary);
  picture_file result{names_[number], {std::istreambuf_iterator<char>(file), {}}};
  if (!file.is_open() || file.bad())
    throw std::runtime_error(names_[number] + ": cannot be read: " + std::generic_category().message(errno));
  return result;
}

}  // namespace examples::images
