#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace examples::images {

// A file as it is read: its bytes are not checked yet.
struct picture_file {
  std::string name;  // without a folder
  std::vector<std::uint8_t> bytes;
};

// JPEG files in a fixed order, by number. Immutable, so any thread may read.
class picture_files {
 public:
  // The files of a folder whose names end in .jpg or .jpeg, in any case, sorted by name. Throws std::runtime_error if
  // there is no such folder, if it cannot be read, or if no name ends so.
  static picture_files of(const std::filesystem::path& folder);

  // `count` pictures of 320x240 to 1279x959 pixels, drawn from a seed and encoded, in memory.
  static picture_files drawn(int count, std::uint64_t seed);

  std::size_t size() const { return names_.size(); }
  const std::string& name(std::size_t number) const { return names_[number]; }

  // Throws std::runtime_error, naming the file, if it cannot be read.
  picture_file read(std::size_t number) const;

 private:
  std::filesystem::path folder_;
  std::vector<std::string> names_;
  std::vector<std::vector<std::uint8_t>> drawn_;  // empty if the files are in a folder
};

}  // namespace examples::images
