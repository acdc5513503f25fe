// Gives every file in the named folders to the parser of that name, as its fuzzer would, so that old findings are
// tested again. After `--mutations N`, it also gives N changed texts of each file; they are the same each time.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/fuzz/json_mutation.hpp"

// All of them in one unit, which shares their headers.
#define LLVMFuzzerTestOneInput give_observations
#include "tests/fuzz/fuzz_observations.cpp"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput give_trace
#include "tests/fuzz/fuzz_trace.cpp"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput give_models
#include "tests/fuzz/fuzz_models.cpp"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput give_scenario
#include "tests/fuzz/fuzz_scenario.cpp"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput give_network
#include "tests/fuzz/fuzz_network.cpp"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput give_boxes
#include "tests/fuzz/fuzz_boxes.cpp"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput give_topology
#include "tests/fuzz/fuzz_topology.cpp"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput give_options
#include "tests/fuzz/fuzz_options.cpp"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput give_snet
#include "tests/fuzz/fuzz_snet.cpp"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput give_messages
#include "tests/fuzz/fuzz_messages.cpp"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput give_rank_message
#include "tests/fuzz/fuzz_rank_message.cpp"
#undef LLVMFuzzerTestOneInput

namespace {

using parser = int (*)(const std::uint8_t*, std::size_t);

parser named(const std::string& name) {
  if (name == "boxes") return give_boxes;
  if (name == "messages") return give_messages;
  if (name == "models") return give_models;
  if (name == "network") return give_network;
  if (name == "observations") return give_observations;
  if (name == "options") return give_options;
  if (name == "rank_message") return give_rank_message;
  if (name == "scenario") return give_scenario;
  if (name == "snet") return give_snet;
  if (name == "topology") return give_topology;
  if (name == "trace") return give_trace;
  return nullptr;
}

}  // namespace

int main(int count, char** arguments) {
  const parser parse = count > 1 ? named(arguments[1]) : nullptr;
  if (!parse) return std::fprintf(stderr, "replay PARSER [--mutations N] FOLDER...\n"), 2;
  const auto give = [parse](const std::string& text) {
    parse(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
  };
  int first = 2, mutations = 0;
  if (count > 3 && std::strcmp(arguments[2], "--mutations") == 0) {
    mutations = std::atoi(arguments[3]);
    first = 4;
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
