#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/json.hpp"
#include "tests/support/scratch_folder.hpp"

namespace weir::testing {

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// The outcome of one call of the command.
struct outcome {
  int code = -1;  // -1: it did not exit by itself
  std::string out, err;

  nlohmann::json json() const { return parsed(out); }
};

// Equal to the last bit; null if it is not finite.
inline void expect_number(const nlohmann::json& got, double expected) {
  EXPECT_EQ(got.is_number(), std::isfinite(expected)) << got;
  if (got.is_number() && std::isfinite(expected)) {
    EXPECT_EQ(got.get<double>(), expected);
  }
}

// Runs the built command with arguments as in a shell; `before` is shell text before the command.
inline outcome run_weir(const std::string& arguments, const std::string& before = "") {
  const scratch_folder folder;
  outcome result;
  const std::string err = folder.at("err");
  FILE* const pipe = ::popen((before + WEIR_COMMAND + " " + arguments + " 2> " + err + " < /dev/null").c_str(), "r");
  if (!pipe) return result;
  char part[4096];
  for (std::size_t n; (n = std::fread(part, 1, sizeof part, pipe)) > 0;) result.out.append(part, n);
  const int status = ::pclose(pipe);
  if (WIFEXITED(status)) result.code = WEXITSTATUS(status);
  // On a slow machine the command may report its progress, every 15 s.
  const std::regex progress("^([^\n]*: )?[0-9]+ %(, done in [^\n]*)?\n",
                            std::regex::ECMAScript | std::regex::multiline);
  result.err = std::regex_replace(contents(err), progress, "");
  return result;
}

// The arguments with the path of each word in place of the word.
inline std::string with_paths(std::string arguments, const std::vector<std::pair<std::string, std::string>>& paths) {
  for (const auto& [word, path] : paths)
    for (std::size_t at = 0; (at = arguments.find(word, at)) != std::string::npos; at += path.size())
      arguments.replace(at, word.size(), path);
  return arguments;
}

// A command with invalid input is refused in one line of weir that contains `part`, with no other output.
inline void expect_refused(const std::string& arguments, const std::string& part) {
  const outcome got = run_weir(arguments);
  EXPECT_EQ(got.code, 2) << arguments;
  EXPECT_EQ(std::count(got.err.begin(), got.err.end(), '\n'), 1) << got.err;
  EXPECT_EQ(got.out, "");
  EXPECT_EQ(got.err.rfind("weir: ", 0), 0u) << got.err;
  EXPECT_NE(got.err.find(part), std::string::npos) << part << "\n" << got.err;
}

}  // namespace weir::testing
