#include "bench/weir/snet/snet_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <stop_token>
#include <system_error>
#include <thread>
#include <utility>

#include <weir/network/file_sources.hpp>
#include <weir/run/execution.hpp>
#include "bench/support/bad_input.hpp"
#include "bench/support/input_file.hpp"
#include "bench/support/interruption.hpp"
#include "bench/support/output_file.hpp"
#include "bench/support/readable.hpp"
#include "bench/support/standard_output.hpp"
#include "bench/weir/common/rank_runs.hpp"
#include "bench/weir/common/report_file.hpp"
#include "runtime/snet/record_text.hpp"

namespace weir::program {
namespace {

constexpr std::uint64_t most_complaints = 20;  // lines on standard error; the rest is counted

void complain(const std::string& line) { std::fputs((printable(line) + "\n").c_str(), stderr); }

// Sends the records of a file, a line each.
class record_sender {
 public:
  record_sender(const std::string& path, const detail::snet::record_notation& notation)
      : path_(path), notation_(notation) {
    std::error_code unknown;
    if (path != "-" && !std::filesystem::is_fifo(path, unknown)) open_input(path);
  }

  // Until a stop is requested.
  void send_all(execution& run, const std::stop_token& stop) {
    std::uint64_t number = 0;
    try {
      const lines_of lines{path_};
      lines([&](std::string line) { send(run, std::move(line), ++number); }, stop);
    } catch (const run_has_ended&) {
    } catch (const std::system_error&) {
      refuse("", "the file could not be read to its end");
    }
  }

  std::uint64_t refused() const { return refused_; }

 private:
  struct run_has_ended {};

  void send(execution& run, std::string line, std::uint64_t number) {
    if (number == 1 && line.starts_with("\xef\xbb\xbf")) line.replace(0, 3, 3, ' ');  // UTF-8's byte order mark
    const std::size_t from = line.find_first_not_of(" \t\r");
    if (from == std::string::npos || line[from] == '#' || line.compare(from, 2, "//") == 0) return;
    try {
      run.send(notation_.read(line));
    } catch (const detail::snet::record_fault& e) {
      refuse(fmt::format(":{}:{}", number, e.column), e.what());
    } catch (const send_error& e) {
      if (e.details().kind == failure_kind::closed) throw run_has_ended{};
      refuse(fmt::format(":{}:{}", number, from + 1), e.details().cause);
    } catch (const run_error&) {  // it says so itself
      throw run_has_ended{};
    }
  }

  void refuse(const std::string& place, const std::string& why) {
    if (refused_++ < most_complaints)
      complain(fmt::format("{}{}: error: {}", path_ == "-" ? "standard input" : path_, place, why));
  }

  std::string path_;
  const detail::snet::record_notation& notation_;
  std::uint64_t refused_ = 0;
};

// Where results go.
class record_writer {
 public:
  record_writer(const std::string& path, const detail::snet::record_notation& notation) : notation_(notation) {
    if (path.empty()) return;
    file_.open(path, std::ios::binary | std::ios::trunc);
    if (!file_) throw bad_input(fmt::format("--output: {} cannot be written", excerpt(path)));
    path_ = path;
  }
  void write(const record& r) {
    const std::string line = notation_.written(r) + "\n";
    if (path_.empty())
      print(line);
    else
      file_ << line;
  }
  void close() {
    if (path_.empty()) return;
    file_.close();
    if (!file_) throw std::runtime_error(fmt::format("{} could not be written", excerpt(path_)));
  }

 private:
  const detail::snet::record_notation& notation_;
  std::string path_;
  std::ofstream file_;
};

// Reports failures and leftover records; gives the exit code.
int tell(const execution& run, std::uint64_t refused) {
  const run_report report = run.report();
  std::uint64_t said = 0;
  for (const failure& f : run.errors())
    if (said++ < most_complaints) complain("weir: " + to_string(f));
  if (report.failed > most_complaints) complain(fmt::format("weir: {} failed", counted(report.failed, "record")));
  if (refused > most_complaints) complain(fmt::format("weir: {} refused", counted(refused, "record")));
  if (report.held) {
    std::string where;
    for (const held_report& h : report.held_at)
      where += (where.empty() ? " at " : ", ") + (h.path.empty() ? "the top" : h.path);
    complain(fmt::format("weir: {} left in synchrocells{}", counted(report.held, "record"),
                         where.size() > 300 ? where.substr(0, 300) + "..." : where));
  }
  return report.failed || refused ? 1 : 0;
}

bool is_closed(const network& net) {
  const auto& rules = net.signature().rules;
  return !rules.empty() && std::all_of(rules.begin(), rules.end(), [](const signature::rule& r) { return r.at_start; });
}

// Only the first rank writes files and standard output.
snet_run_request of_rank(snet_run_request asked, const rank_runs& ranks) {
  if (ranks.is_first()) return asked;
  asked.input = asked.output = "";
  asked.report = std::nullopt;
  return asked;
}

}  // namespace

int run_snet(const snet_run_request& by_user) {
  const rank_runs ranks(by_user.mpi);
  const snet_run_request asked = of_rank(by_user, ranks);
  const registry known = boxes_of(asked.files);
  const named_policy policy = parse_policy(asked.policy);
  const auto given = [](const std::string& path) {
    return path.empty() || path == "-" ? std::nullopt : std::optional(path);
  };
  require_different({{"the text", asked.files.text},
                     {"--input", given(asked.input)},
                     {"--output", given(asked.output)},
                     {"--report", asked.report}});
  std::optional<report_file> report;
  if (asked.report) report.emplace(*asked.report);
  const auto net = network_of(asked.files, known, false);
  if (!net) return 1;
  const detail::snet::record_notation notation(net->fields, known);
  std::optional<record_sender> sender;
  if (!asked.input.empty()) sender.emplace(asked.input, notation);
  record_writer writer(asked.output, notation);

  options o;
  o.policy = policy.rule;
  o.on_error = on_error::collect;
  o.max_depth = asked.max_depth;
  o.max_held = asked.max_held;
  if (asked.cores) o.machine = machine::synthetic(fmt::format("core:{} pu:1", asked.cores));
  const interruption interrupted;
  std::optional<execution> started;
  try {
    started = ranks.start(net->net, std::move(o));
  } catch (const std::invalid_argument& e) {
    throw bad_input(fmt::format("{}: {}", asked.files.text, in_short(e.what())));
  }
  if (!started) return 0;
  execution& run = *started;
  {
    std::jthread sending([&](std::stop_token over) {
      if (sender) sender->send_all(run, over);
      if (!is_closed(net->net)) run.close();
    });
    std::jthread watch([&](std::stop_token over) {
      while (!over.stop_requested()) {
        if (interruption::asked()) {
          sending.request_stop();
          return run.stop();
        }
        std::fflush(stdout);  // results are seen soon, also while the input pauses
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
      }
    });
    for (const record& r : run) writer.write(r);
  }
  writer.close();
  const int code = tell(run, sender ? sender->refused() : 0);
  if (report) report->write(asked.files.text, {named_report{asked.policy, run.report().json()}});
  return interruption::asked() ? interruption::exit_code() : code;
}

}  // namespace weir::program
