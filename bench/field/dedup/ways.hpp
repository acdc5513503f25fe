#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <weir/scheduler/policies/policy.hpp>
#include "bench/field/dedup/stages.hpp"

namespace weir::field_bench::dedup {

// The archive of an input, in ways that call the same stages and give the same bytes.
bytes by_loop(const bytes& input, const job& what);
bytes by_threads(const bytes& input, const job& what, int threads);   // by hand: each takes a block through all stages
bytes by_pipeline(const bytes& input, const job& what, int threads);  // oneTBB, 4 tokens a thread
bytes by_taskflow(const bytes& input, const job& what, int threads);  // as by_pipeline; where its headers were found
bytes by_fastflow(const bytes& input, const job& what, int threads);  // workers a farm; where its headers were found
bytes by_weir(const bytes& input, const job& what, const policy& rule);

// The report of a run of by_weir under adaptive, as JSON.
std::string weir_report(const bytes& input, const job& what);

// The names of the boxes of by_weir, and of its serial boxes.
std::vector<std::string> weir_components(const job& what);
std::vector<std::string> serial_components();

// A program that compresses a file to standard output, such as "pbzip2 -c -p2". Plain data.
struct command {
  std::string name, line;
};

// The installed ones for plain compression by `compressor`, on this many threads; blocks of 900 kB as ours.
std::vector<command> installed_commands(const std::string& compressor, int threads);
std::vector<std::string> missing_commands(const std::string& compressor);

// Its output for a file. Throws std::runtime_error when it fails.
bytes by_command(const command& by, const std::filesystem::path& file, const std::filesystem::path& result);

}  // namespace weir::field_bench::dedup
