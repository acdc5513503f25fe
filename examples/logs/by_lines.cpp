// The same with a record for each line, to see what a record costs.
#include <weir/weir.hpp>

#include "examples/logs/ways.hpp"

using namespace weir;

namespace examples::logs {
namespace {

constexpr field<std::string> line{"line"}, path{"path"};
constexpr tag shard{"shard"}, skipped{"skipped"};
constexpr field<summary> result{"summary"};

network errors_by_path(const std::filesystem::path& log, std::size_t most) {
  const auto read = source("read", gives(line), lines_of(log));
  const auto parse =
      box("parse", takes(line), gives(shard, path) | gives(skipped), [](const std::string& text, emitter& emit) {
        const auto found = parsed(text);
        if (!found)
          emit(skipped = 1);
        else if (is_error(*found))
          emit(shard = static_cast<std::int64_t>(shard_of(found->path)), path = std::string(found->path));
      }).sequential();
  const auto count = fold(
      "count", takes(path), gives(result), error_counts{},
      [](error_counts& all, std::string&& p) { ++all.by_path[std::move(p)]; },
      [most](error_counts& all, emitter& emit) { emit(result = summarised(all, most)); });
  const auto skip = fold(
      "skip", takes(skipped), gives(result), summary{}, [](summary& all, std::int64_t lines) { all.skipped += lines; },
      [](summary& all, emitter& emit) { emit(result = std::move(all)); });
  const auto merge = fold(
      "merge", takes(result), gives(result), summary{},
      [most](summary& all, const summary& more) { add(all, more, most); },
      [](summary& all, emitter& emit) { emit(result = std::move(all)); });
  return read >> parse >> (split(count, shard) | skip) >> merge;
}

}  // namespace

summary by_lines(const std::filesystem::path& log, std::size_t most) {
  execution run = start(errors_by_path(log, most));
  summary all;
  for (const record& r : run) all = r[result];  // there is one
  return all;
}

}  // namespace examples::logs
