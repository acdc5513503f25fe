// For the tests: draws a log into a file, or prints what `logs` is to print of one, by a loop that shares nothing with
// it.
//
//   logs_plain_count draw FILE MB SEED
//   logs_plain_count count FILE TOP
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <map>
#include <regex>
#include <string>
#include <vector>

#include "examples/logs/random_log.hpp"

namespace {

void count(const std::string& name, std::size_t most) {
  const std::regex format("[^\"]*\"((?:[^\"\\\\]|\\\\.)*)\" ([1-5][0-9][0-9])(?:[^0-9].*)?");
  const std::regex with_path("[^ ]* ([^ ?]*).*");
  std::ifstream file(name, std::ios::binary);
  std::map<std::string, long> by_path;
  long errors = 0, skipped = 0;
  for (std::string line; std::getline(file, line);) {
    std::smatch parts, path;
    if (!std::regex_match(line, parts, format)) {
      ++skipped;
    } else if (parts.str(2) >= "400") {
      ++errors;
      const std::string request = parts.str(1);
      ++by_path[std::regex_match(request, path, with_path) ? path.str(1) : request];
    }
  }
  std::vector<std::pair<std::string, long>> top(by_path.begin(), by_path.end());
  std::stable_sort(top.begin(), top.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  std::cout << errors << " errors, " << skipped << " lines skipped\n";
  for (std::size_t i = 0; i < std::min(most, top.size()); ++i)
    std::cout << std::setw(9) << top[i].second << "  " << top[i].first << '\n';
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() == 4 && words[0] == "draw") {
    std::FILE* const file = std::fopen(words[1].c_str(), "wb");
    if (!file) return 2;
    examples::logs::draw_log(file, std::stoll(words[2]) * 1'000'000, std::stoull(words[3]));
    return std::fclose(file) == 0 ? 0 : 2;
  }
  if (words.size() != 3 || words[0] != "count") return 2;
  count(words[1], std::stoul(words[2]));
  return 0;
}
