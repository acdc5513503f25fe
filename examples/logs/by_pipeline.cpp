// The same as filters of a oneTBB pipeline. A filter has no end of its own, so the counts are kept outside of it, and
// the work at the end stands behind the call.
#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>

#include <fstream>
#include <iostream>
#include <system_error>
#include <utility>

#include "examples/logs/ways.hpp"

namespace examples::logs {
namespace {

// Whole lines, at least block_size bytes of them unless they are the last; empty at the end.
std::string next_block(std::istream& from) {
  std::string block, rest;
  block.reserve(block_size + 4096);  // most lines are shorter
  block.resize(block_size);
  from.read(block.data(), static_cast<std::streamsize>(block.size()));
  block.resize(static_cast<std::size_t>(from.gcount()));
  if (from && block.back() != '\n' && std::getline(from, rest)) block += rest + '\n';
  if (from.bad()) throw std::system_error(errno, std::generic_category(), "cannot read the log");
  return block;
}

}  // namespace

summary by_pipeline(const std::filesystem::path& log, std::size_t most) {
  std::ifstream file;
  if (log != "-") file.open(log, std::ios::binary);
  if (!file) throw std::system_error(errno, std::generic_category(), "cannot open '" + log.string() + "'");
  std::istream& from = log == "-" ? std::cin : file;

  std::vector<error_counts> all(shards);
  const auto read =
      tbb::make_filter<void, std::string>(tbb::filter_mode::serial_in_order, [&](tbb::flow_control& control) {
        std::string block = next_block(from);
        if (block.empty()) control.stop();
        return block;
      });
  const auto parse = tbb::make_filter<std::string, std::vector<error_counts>>(
      tbb::filter_mode::parallel, [](const std::string& block) { return counted(block); });
  const auto count = tbb::make_filter<std::vector<error_counts>, void>(tbb::filter_mode::serial_out_of_order,
                                                                       [&](std::vector<error_counts> counts) {
                                                                         for (std::size_t i = 0; i < shards; ++i)
                                                                           add(all[i], std::move(counts[i]));
                                                                       });
  const auto at_once = static_cast<std::size_t>(4 * tbb::this_task_arena::max_concurrency());
  tbb::parallel_pipeline(at_once, read & parse & count);

  summary result;
  for (const error_counts& each : all) add(result, summarised(each, most), most);
  return result;
}

}  // namespace examples::logs
