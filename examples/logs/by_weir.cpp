// The network. A record is a block of lines, then the counts of one shard in it. Each shard has a state of its own, so
// different paths are counted at the same time; at the end each gives its summary, and the last fold joins them.
#include <weir/weir.hpp>

#include "examples/logs/ways.hpp"

using namespace weir;

namespace examples::logs {
namespace {

constexpr field<std::string> block{"block"};
constexpr tag shard{"shard"};
constexpr field<error_counts> counts{"counts"};
constexpr field<summary> result{"summary"};

network errors_by_path(const std::filesystem::path& log, std::size_t most) {
  const auto read = source("read", gives(block), blocks_of(log, block_size));
  const auto parse = box("parse", takes(block), gives(shard, counts),
                         [](const std::string& lines, emitter& emit) {
                           std::int64_t i = 0;
                           for (error_counts& each : counted(lines)) emit(shard = i++, counts = std::move(each));
                         })
                         .predicted_by([](const std::string& lines) { return lines.size(); }, degree{1})
                         .sequential();
  const auto count = fold(
      "count", takes(counts), gives(result), error_counts{},
      [](error_counts& all, error_counts&& more) { add(all, std::move(more)); },
      [most](error_counts& all, emitter& emit) { emit(result = summarised(all, most)); });
  const auto merge = fold(
      "merge", takes(result), gives(result), summary{},
      [most](summary& all, const summary& more) { add(all, more, most); },
      [](summary& all, emitter& emit) { emit(result = std::move(all)); });
  return read >> parse >> split(count, shard) >> merge;
}

}  // namespace

summary by_weir(const std::filesystem::path& log, std::size_t most) {
  execution run = start(errors_by_path(log, most));
  summary all;
  for (const record& r : run) all = r[result];  // there is one
  return all;
}

}  // namespace examples::logs
