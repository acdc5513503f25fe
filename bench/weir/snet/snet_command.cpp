#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "bench/support/bad_input.hpp"
#include "bench/support/number_range.hpp"
#include "bench/support/output_file.hpp"
#include "bench/support/readable.hpp"
#include "bench/support/standard_output.hpp"
#include "bench/weir/common/live_runs.hpp"
#include "bench/weir/common/rank_runs.hpp"
#include "bench/weir/common/report_file.hpp"
#include "bench/weir/snet/declared_amounts.hpp"
#include "bench/weir/snet/snet_run.hpp"
#include "bench/weir/snet/snet_text.hpp"
#include "bench/weir/subcommands.hpp"
#include "runtime/snet/layout.hpp"
#include "runtime/unfolding/census.hpp"

namespace weir::program {
namespace {

void add_files(CLI::App& sub, snet_files& files) {
  sub.add_option("FILE", files.text, "The network, in S-Net")->required();
  sub.add_option("--boxes", files.boxes,
                 "A shared library with boxes, or a file that says what they are (*.json); may be given several times")
      ->allow_extra_args(false);
}

// A pipe would be read to its end, and then wait for another reader.
void require_replaceable(const std::string& file) {
  std::error_code none;
  const auto status = std::filesystem::status(file, none);
  if (std::filesystem::is_other(status))
    throw bad_input(fmt::format("--write: {} is no regular file, expected was one whose text can be replaced", file));
}

int run_fmt(const std::string& file, bool write) {
  if (write) require_replaceable(file);
  const detail::snet::source_text text(file, text_of(file));
  detail::snet::fault_list faults;
  const std::string laid_out = detail::snet::laid_out(text, faults);
  if (!faults.empty()) {
    std::fputs(faults.to_string(text).c_str(), stderr);
    return 1;
  }
  if (!write)
    print_bytes(laid_out);
  else if (laid_out != text.text())
    output_file("--write", file).write(laid_out);
  return 0;
}

// Also what a run would refuse before its first record. Needs that no record can have are warnings.
int run_check(const snet_files& files, const std::vector<std::string>& resources,
              const std::vector<std::string>& devices) {
  std::map<std::string, std::int64_t> totals;
  devices_of(devices, {});
  for (const resource& one : resources_of(resources, {}))
    if (one.total()) totals[one.name()] = static_cast<std::int64_t>(*one.total());
  const bool stubs = files.boxes.empty();
  const auto read = network_of(files, stubs);
  if (!read) return 1;
  if (stubs) return 0;
  resources_of(resources, read->bound);
  devices_of(devices, read->bound);
  const network& net = read->made.net;
  try {
    detail::census(net.root()->entities, {nullptr}).walk(net, "", {}, true);
  } catch (const type_error& e) {
    std::fputs(fmt::format("{}: error: {}\n", printable(files.text), e.what()).c_str(), stderr);
    return 1;
  }
  for (const bound_boxes& b : read->bound) std::fputs(b.warnings(totals).c_str(), stderr);
  return 0;
}

}  // namespace

std::function<int()> add_check(CLI::App& app) {
  struct request {
    snet_files files;
    std::vector<std::string> resources, devices;
  };
  const auto asked = std::make_shared<request>();
  CLI::App* const sub = app.add_subcommand("check", "All errors of a network that is written as text");
  add_files(*sub, asked->files);
  sub->add_option("--resource", asked->resources,
                  "NAME=AMOUNT, as weir run is to have it: needs beyond it are warned of (default: as the boxes say)")
      ->allow_extra_args(false);
  sub->add_option("--device", asked->devices,
                  "NAME=SLOTS, as weir run is to have it (default: as the files of boxes say)")
      ->allow_extra_args(false);
  return [asked] { return run_check(asked->files, asked->resources, asked->devices); };
}

std::function<int()> add_dot(CLI::App& app) {
  const auto files = std::make_shared<snet_files>();
  CLI::App* const sub = app.add_subcommand("dot", "A network that is written as text, as a graph for Graphviz");
  add_files(*sub, *files);
  return [files] {
    const auto read = network_of(*files, true);
    if (!read) return 1;
    print(read->made.net.dot());
    return 0;
  };
}

std::function<int()> add_fmt(CLI::App& app) {
  struct request {
    std::string file;
    bool write = false;
  };
  const auto asked = std::make_shared<request>();
  CLI::App* const sub = app.add_subcommand("fmt", "A network that is written as text, in the one layout");
  sub->add_option("FILE", asked->file, "The network, in S-Net")->required();
  sub->add_flag("--write", asked->write, "Into the file");
  return [asked] { return run_fmt(asked->file, asked->write); };
}

std::function<int()> add_run(CLI::App& app) {
  const auto asked = std::make_shared<snet_run_request>();
  CLI::App* const sub = app.add_subcommand("run", "Runs a network that is written as text");
  add_files(*sub, asked->files);
  sub->add_option("--isolate", asked->files.isolated,
                  "A box of a library, to run in a process of its own, which may crash; may be given several times")
      ->allow_extra_args(false);
  sub->add_option("--input", asked->input,
                  "Records, one a line as weir prints them, {a=1, <t>=3}, or as JSON in a file *.jsonl; -: standard "
                  "input; a folder: its files, each a record with name and path (default: no record)");
  sub->add_option("--ending", asked->ending, "Of the names of the files in a folder, such as .pdf (default: all)");
  sub->add_option("--output", asked->output, "Where results go, as JSON in a file *.jsonl (default: standard output)");
  sub->add_flag("--json", asked->json, "JSON on standard input and standard output");
  sub->add_option("--resume", asked->resume,
                  "A label: inputs are left out for whose value of it --output has the results; others are added");
  sub->add_flag(
      "--progress", asked->progress,
      "How far the run is, on standard error, a line every 15 s and one at the end (default: on a terminal only)");
  sub->add_option("--policy", asked->policy, "Of the scheduler, by name; see weir compare")->capture_default_str();
  sub->add_option("--cores", asked->cores, "As on a machine of N cores, 1 to 4096, without binding (default: this one)")
      ->transform(whole_range(1, 4096));
  constexpr std::size_t most = std::size_t{1} << 30;
  sub->add_option("--resource", asked->resources,
                  "NAME=AMOUNT, how much there is of a resource that boxes need, such as memory=8GiB; may be given "
                  "several times (default: as the boxes say)")
      ->allow_extra_args(false);
  sub->add_option("--device", asked->devices,
                  "NAME=SLOTS, a device that boxes of libraries run on, such as gpu0=2; may be given several times "
                  "(default: as the files of boxes say)")
      ->allow_extra_args(false);
  sub->add_option("--max-depth", asked->max_depth, "Stages that a star may have; 0: any number")
      ->transform(whole_range(0, most))
      ->capture_default_str();
  sub->add_option("--max-held", asked->max_held, "Records that may wait at one place, such as a synchrocell")
      ->transform(whole_range(1, most))
      ->capture_default_str();
  sub->add_option("--report", asked->report, report_help);
  sub->add_option("--live", asked->live, live_help)
      ->expected(0, 1)
      ->default_str(usual_live_port)
      ->transform(whole_range(0, most_port));
  sub->add_flag("--mpi", asked->mpi, mpi_help);
  return [asked] { return run_snet(*asked); };
}

}  // namespace weir::program
