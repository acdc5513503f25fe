#pragma once

#include <signal.h>
#include <sys/wait.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "tests/bench/weir/command.hpp"

namespace weir::testing {

inline outcome run_corpus(const std::string& arguments, const std::string& before = "") {
  return run_weir("corpus " + arguments, before);
}

// The smallest set: drawn once for all tests of a process. A third scans, with a broken file and a near-duplicate.
inline const std::string& small_corpus() {
  static const scratch_folder folder;
  static const std::string path = [] {
    const std::string made = folder.at("corpus");
    const outcome o = run_corpus("generate " + made + " --pages 24 --seed 36");
    EXPECT_EQ(o.code, 0) << o.err;
    return made;
  }();
  return path;
}

// The content of the files of a folder, without run.json.
inline std::string files_of(const std::string& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    files[entry.path().filename()] = contents(entry.path());
  files.erase("run.json");
  std::string all;
  for (const auto& [name, text] : files) all += name + "\n" + text;
  return all;
}

inline void write_file(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

}  // namespace weir::testing
