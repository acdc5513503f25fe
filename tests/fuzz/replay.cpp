// Gives every file in the named folders to a parser, as the fuzzer would, so that old findings are tested again. After
// `--mutations N`, it also gives N changed texts of each file; they are the same each time.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/fuzz/json_mutation.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

void give(const std::string& text) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
}

}  // namespace

int main(int count, char** arguments) {
  int first = 1, mutations = 0;
  if (count > 2 && std::strcmp(arguments[1], "--mutations") == 0) {
    mutations = std::atoi(arguments[2]);
    first = 3;
  }
  int files = 0;
  for (int i = first; i < count; ++i)
    for (const auto& entry : std::filesystem::directory_iterator(arguments[i])) {
      if (!entry.is_regular_file()) continue;
      std::ifstream file(entry.path(), std::ios::binary);
      const std::string text{std::istreambuf_iterator<char>(file), {}};
      give(text);
      constexpr std::size_t longest = 20'000;  // bytes; longer ones take long to change, and have no other keys
      for (int k = 0; k < mutations && text.size() < longest; ++k) {
        const std::string changed = weir::fuzz::mutated(text, static_cast<std::uint64_t>(k));
        // For debugging a crash: the text is the one that the file and the number give.
        if (std::getenv("WEIR_SHOW_MUTATIONS"))
          std::fprintf(stderr, "%s %d %s\n", entry.path().c_str(), k, changed.c_str());
        give(changed);
      }
      ++files;
    }
  std::printf("%d files\n", files);
  return files > 0 ? 0 : 1;  // a missing folder is not a corpus
}
