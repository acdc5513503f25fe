#include "bench/weir/snet/snet_run.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <set>
#include <stdexcept>
#include <stop_token>
#include <system_error>
#include <thread>
#include <unordered_set>
#include <utility>

#include <weir/network/combinators.hpp>
#include <weir/network/signature.hpp>
#include <weir/record/label.hpp>
#include <weir/run/execution.hpp>
#include "bench/support/bad_input.hpp"
#include "bench/support/interruption.hpp"
#include "bench/support/output_file.hpp"
#include "bench/support/readable.hpp"
#include "bench/support/standard_output.hpp"
#include "bench/weir/common/live_runs.hpp"
#include "bench/weir/common/rank_runs.hpp"
#include "bench/weir/common/report_file.hpp"
#include "bench/weir/snet/declared_amounts.hpp"
#include "bench/weir/snet/exit_watch.hpp"
#include "bench/weir/snet/json_values.hpp"
#include "bench/weir/snet/label_text.hpp"
#include "bench/weir/snet/line_values.hpp"
#include "bench/weir/snet/record_format.hpp"
#include "bench/weir/snet/record_source.hpp"
#include "bench/weir/snet/result_writer.hpp"
#include "bench/weir/snet/resumed_output.hpp"
#include "bench/weir/snet/run_progress.hpp"
#include "runtime/network/node.hpp"
#include "runtime/process/variables.hpp"

namespace weir::program {
namespace {

// Says which records failed and which results cannot be written, and keeps the results of their inputs out of a file
// that is resumed.
class failures_told {
 public:
  failures_told(execution& run, resumed_output* resumed) : run_(run), resumed_(resumed) {}

  // Tells the failures since the last call.
  void tell() {
    for (const failure& f : run_.take_errors()) {
      told_.add("weir: " + to_string(f));
      if (resumed_) resumed_->leave_out(f);
    }
  }
  void write(result_writer& to, const record& result) {
    if (resumed_) tell();
    tell_without_text(result);
    try {
      to.write(result);
    } catch (const unwritten_result& why) {
      unwritten_.add(fmt::format("weir: a result is left out: {}", why.what()));
    }
  }
  std::uint64_t unwritten() const { return unwritten_.count(); }
  bool has_values_without_text() const { return !fields_without_text_.empty(); }

 private:
  void tell_without_text(const record& result) {
    if (!result.body() || !shapes_seen_.insert(result.body()->shape).second) return;
    const detail::shape& shape = *result.body()->shape;
    for (int i = 0; i < shape.size(); ++i)
      if (const auto& [type, name] = std::pair(shape[i].type, std::string(shape[i].name));
          type && !has_text(*type) && fields_without_text_.insert(name).second)
        told_.add(
            fmt::format("weir: the values of field {} are lost in the results, which have the name of their type, "
                        "{}, in place of them: it has no operator<<",
                        name, type_name(*type)));
  }

  execution& run_;
  resumed_output* resumed_;
  complaints told_, unwritten_;
  std::unordered_set<const detail::shape*> shapes_seen_;
  std::set<std::string> fields_without_text_;
};

// Reports what the run left; gives the exit code.
int tell_end(const run_report& report, const record_source* source, const failures_told& failures) {
  complaints said;
  const std::uint64_t refused = source ? source->refused() : 0;
  const auto sum_up = [&](std::uint64_t count, const char* noun, const char* verb) {
    if (count > complaints::most)
      said.add(fmt::format("weir: {} {}, of which {} are named", counted(count, noun), verb, complaints::most));
  };
  sum_up(report.failed, "record", "failed");
  sum_up(refused, "record", "refused");
  sum_up(failures.unwritten(), "result", "left out");
  if (source && source->left_out())
    said.add(fmt::format("weir: {} left out, done in an earlier run", counted(source->left_out(), "record")));
  if (report.held) {
    std::string where;
    for (const held_report& h : report.held_at)
      where += (where.empty() ? " at " : ", ") + (h.path.empty() ? "the top" : h.path);
    said.add(fmt::format("weir: {} left in synchrocells{}", counted(report.held, "record"),
                         where.size() > 300 ? where.substr(0, 300) + "..." : where));
  }
  return report.failed || refused || failures.unwritten() || failures.has_values_without_text() ? 1 : 0;
}

// Only the first rank writes files and standard output.
snet_run_request of_rank(snet_run_request asked, const rank_runs& ranks) {
  if (asked.output == "-") asked.output.clear();  // standard output
  if (ranks.is_first()) return asked;
  asked.input = asked.output = asked.ending = asked.resume = "";
  asked.report = std::nullopt;
  asked.live = std::nullopt;
  return asked;
}

// Throws bad_input where the output is also an input: the file of standard input, or in the folder of --input.
void check_output(const snet_run_request& asked) {
  if (asked.output.empty() || asked.input.empty()) return;
  std::error_code none;
  struct ::stat in = {}, out = {};
  if (asked.input == "-" && ::fstat(STDIN_FILENO, &in) == 0 && ::stat(asked.output.c_str(), &out) == 0 &&
      S_ISREG(in.st_mode) && in.st_dev == out.st_dev && in.st_ino == out.st_ino)
    throw bad_input(fmt::format("--input and --output: standard input is {} too", excerpt(asked.output)));
  if (!std::filesystem::is_directory(asked.input, none) || !asked.output.ends_with(asked.ending)) return;
  const auto folder = std::filesystem::canonical(asked.input, none);
  const auto file = std::filesystem::weakly_canonical(asked.output, none);
  if (std::mismatch(folder.begin(), folder.end(), file.begin(), file.end()).first == folder.end())
    throw bad_input(fmt::format("--output: {} is in the folder of --input, so it would be an input of the next run",
                                excerpt(asked.output)));
}

void check_resume(const snet_run_request& asked) {
  if (asked.resume.empty()) return;
  if (!parse_label(asked.resume))
    throw bad_input(fmt::format("--resume: {} is no label: a field's name, or <n> for a tag", excerpt(asked.resume)));
  if (asked.input.empty()) throw bad_input("--resume: there is no --input to leave records out of");
  if (asked.output.empty()) throw bad_input("--resume: there is no --output to resume");
}

// Throws bad_input when no result can have the label of --resume, since a box or filter takes it.
void check_key(const snet_run_request& asked, const network& net) {
  if (asked.resume.empty()) return;
  const label_parts label = *parse_label(asked.resume);
  const std::uint64_t key = detail::label_key(detail::kept_name(label.name), label.kind);
  for (const signature::rule& r : net.signature().rules)
    for (const signature::outcome& o : r.out)
      if (o.produced.find(key) || (o.inherited != signature::inherits::none && !o.consumed.find(key))) return;
  throw bad_input(fmt::format("--resume: no result of {} has {}, since a box or filter takes it and does not give it",
                              excerpt(asked.files.text), asked.resume));
}

// Says that standard input is not read, where it may hold the records of the network.
void note_unread_input(const snet_run_request& asked, const network& net) {
  struct ::stat in = {};
  if (!asked.input.empty() || net.root()->is_closed() || ::fstat(STDIN_FILENO, &in) != 0) return;
  const auto has_more = [&] {
    if (S_ISREG(in.st_mode)) return in.st_size > ::lseek(STDIN_FILENO, 0, SEEK_CUR);
    pollfd end{STDIN_FILENO, POLLIN, 0};  // of a pipe that is empty and whose writers have gone, only POLLHUP is told
    return S_ISFIFO(in.st_mode) && (::poll(&end, 1, 0) == 0 || (end.revents & POLLIN) != 0);
  };
  if (has_more())
    std::fputs("weir: standard input is not read, and the network has no records: --input - reads it\n", stderr);
}

// The options of the run, without its policy. They are the same on all ranks.
options options_of(const snet_run_request& by_user, const snet_network& read) {
  options o;
  o.resources = resources_of(by_user.resources, read.bound);
  o.devices = devices_of(by_user.devices, read.bound);
  o.max_depth = by_user.max_depth;
  o.max_held = by_user.max_held;
  o.on_error = on_error::collect;
  // All failures of an input must be known when its last result arrives.
  if (!by_user.resume.empty()) o.max_failures_kept = o.max_failed_records_kept = std::size_t{1} << 30;
  if (by_user.cores) o.machine = machine::synthetic(fmt::format("core:{} pu:1", by_user.cores));
  return o;
}

// Whether progress is shown. Progress on a terminal must not stand between results on the same terminal.
bool shows_progress(const snet_run_request& asked) {
  if (asked.progress) return true;
  return ::isatty(STDERR_FILENO) == 1 && !(asked.output.empty() && ::isatty(STDOUT_FILENO) == 1);
}

// A thread of the command next to the run. Where there is none the run is stopped, so no other thread waits for it.
template <class F>
std::jthread thread_that(const char* task, execution& run, F body) {
  try {
    return std::jthread(std::move(body));
  } catch (const std::system_error& e) {
    run.stop();
    throw std::runtime_error(
        fmt::format("no thread could be started that {}: memory (`ulimit -v`), or the number of threads and processes "
                    "(`ulimit -u`, the control group), is at its limit: {}",
                    task, e.code().message()));
  }
}

// Sends what the source has, if there is one, and takes all results, until the run has ended or is interrupted.
void pass_records(execution& run, bool is_closed, record_source* source, bool shows_progress,
                  const std::function<void(const record&)>& take) {
  run_progress shown(run, source, shows_progress);
  std::jthread sending = thread_that("sends the input", run, [&](std::stop_token over) {
    if (source) source->send_all(run, over);
    if (!is_closed) run.close();
  });
  std::jthread watch = thread_that("watches the run", run, [&](std::stop_token over) {
    while (!over.stop_requested()) {
      flush_standard_output();  // results are seen soon, also while the input pauses
      if (interruption::asked() || has_standard_output_failed()) {
        sending.request_stop();
        return run.stop();
      }
      shown.draw_if_due();
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  });
  for (const record& r : run) take(r);
  watch.request_stop();
  watch.join();
  shown.end();
}

}  // namespace

int run_snet(const snet_run_request& by_user) {
  // A process that runs an isolated box is no rank: network_of() does not return in it.
  const rank_runs ranks(by_user.mpi && !std::getenv(detail::processes::host_variable));
  const snet_run_request asked = of_rank(by_user, ranks);
  const named_policy policy = parse_policy(asked.policy);
  const auto given = [](const std::string& path) {
    return path.empty() || path == "-" ? std::nullopt : std::optional(path);
  };
  const std::pair output{"--output", given(asked.output)};
  require_different(
      {{"the text", asked.files.text}, {"--input", given(asked.input)}, output, {"--report", asked.report}});
  for (const std::string& file : asked.files.boxes)
    require_different({{"--boxes", file}, output, {"--report", asked.report}});
  check_output(asked);
  check_resume(asked);
  std::optional<report_file> report;
  if (asked.report) report.emplace(*asked.report);
  std::optional<live_runs> live;
  if (asked.live) live.emplace(*asked.live);
  const auto read = network_of(asked.files, false);
  if (!read) return 1;
  const network net = by_user.resume.empty() ? read->made.net : ordered(read->made.net);  // the same on all ranks

  check_key(asked, net);
  const record_notations notations{{read->made.fields, read->known, line_values}, {read->made.fields, read->known}};
  const record_format in(notations, asked.input == "-" ? asked.json : has_json_lines(asked.input));
  const record_format out(
      notations, asked.output.empty() ? asked.json || has_json_lines(asked.input) : has_json_lines(asked.output));
  std::optional<resumed_output> resumed;
  if (!asked.resume.empty()) resumed.emplace(asked.output, asked.resume, out);
  std::optional<record_source> source;
  if (!asked.input.empty()) source.emplace(asked.input, asked.ending, in, resumed ? &*resumed : nullptr, asked.resume);
  result_writer writer(asked.output, out, resumed ? &*resumed : nullptr);
  if (ranks.is_first()) note_unread_input(by_user, net);

  options o = options_of(by_user, *read);
  o.policy = policy.rule;
  const interruption interrupted;
  const exit_watch watched;
  std::optional<execution> started;
  try {
    started = ranks.start(net, std::move(o));
  } catch (const std::invalid_argument& e) {
    if (is_about_shares(e)) refuse(policy, e);
    throw bad_input(fmt::format("{}: {}", asked.files.text, in_short(e.what())));
  } catch (const std::system_error& e) {  // a box's program is not there
    throw bad_input(e.what());
  }
  if (!started) return 0;
  execution& run = *started;
  if (live) live->watch(run, asked.files.text);
  writer.begin();
  failures_told failures(run, resumed ? &*resumed : nullptr);
  pass_records(run, net.root()->is_closed(), source ? &*source : nullptr, shows_progress(asked),
               [&](const record& r) { failures.write(writer, r); });
  failures.tell();
  if (!interruption::asked()) writer.close();
  const int code = tell_end(run.report(), source ? &*source : nullptr, failures);
  if (report) report->write(asked.files.text, {named_report{asked.policy, run.report().json()}});
  if (live) live->stay();
  return interruption::asked() ? interruption::exit_code() : code;
}

}  // namespace weir::program
