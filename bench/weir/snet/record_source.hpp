#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include <weir/run/execution.hpp>
#include "bench/weir/snet/input_folder.hpp"
#include "bench/weir/snet/record_format.hpp"
#include "bench/weir/snet/resumed_output.hpp"

namespace weir::program {

// The first lines on standard error; the rest is counted.
class complaints {
 public:
  static constexpr std::uint64_t most = 4096;                                     // as options.max_failures_kept
  void add(const std::string& line);                                              // one that is printable
  std::uint64_t count() const { return count_.load(std::memory_order_relaxed); }  // any thread

 private:
  std::atomic<std::uint64_t> count_{0};  // alone
};

// The records that a run is sent: the lines of a file or of standard input, or the files of a folder. A file is a
// record such as {name=a/b.pdf, path=scans/a/b.pdf}: the name within the folder, and where the file is.
class record_source {
 public:
  // Throws bad_input when the input cannot be read. `ending` is of the names of a folder's files; what else is in the
  // folder is said on standard error. With `resumed`, inputs whose key it has are left out. Refers to all of these.
  record_source(const std::string& path, const std::string& ending, const record_format& format,
                resumed_output* resumed, const std::string& key);

  // Until a stop is requested. Complains of records that are refused.
  void send_all(execution& run, const std::stop_token& stop);

  // Numbers for people, each alone. Any thread.
  std::uint64_t refused() const { return refused_.count(); }
  std::uint64_t left_out() const { return left_out_.load(std::memory_order_relaxed); }  // done in an earlier run

  // How much there is to send, and has been sent: bytes of a file, files of a folder; 0 of a pipe.
  std::uint64_t total() const { return total_; }
  std::uint64_t sent() const { return sent_.load(std::memory_order_relaxed); }

  // The number of all records but the skipped ones. 0: the last line is not read yet.
  std::uint64_t inputs() const;

 private:
  struct run_has_ended {};

  void tell_left_out(const input_folder& found, const std::string& ending) const;
  void send_lines(execution& run, const std::stop_token& stop);
  void send_files(execution& run, const std::stop_token& stop);
  void send(execution& run, const std::string& place, const std::function<record()>& make);
  void refuse(const std::string& place, const std::string& why);

  std::string path_, key_;
  const record_format& format_;
  resumed_output* resumed_;
  std::vector<std::filesystem::path> files_;
  bool is_folder_ = false;
  std::uint64_t total_ = 0;
  std::atomic<std::uint64_t> sent_{0}, left_out_{0}, records_{0};
  std::atomic<bool> is_read_{false};  // to its end
  complaints refused_;
};

}  // namespace weir::program
