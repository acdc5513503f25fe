#include "bench/weir/snet/record_source.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <system_error>
#include <utility>

#include <weir/network/file_sources.hpp>
#include "bench/support/bad_input.hpp"
#include "bench/support/input_file.hpp"
#include "bench/support/readable.hpp"
#include "bench/weir/snet/json_notation.hpp"
#include "runtime/record/without_memory.hpp"
#include "runtime/threads/write_all.hpp"

namespace weir::program {
void complaints::add(const std::string& line) {
  if (count_.fetch_add(1, std::memory_order_relaxed) < most)
    static_cast<void>(detail::write_all(STDERR_FILENO, printable(line) + "\n"));
}

record_source::record_source(const std::string& path, const std::string& ending, const record_format& format,
                             resumed_output* resumed, const std::string& key)
    : path_(path), key_(key), format_(format), resumed_(resumed) {
  std::error_code unknown;
  is_folder_ = path != "-" && std::filesystem::is_directory(path, unknown);
  if (!is_folder_ && !ending.empty()) {
    if (path != "-") open_input(path);
    throw bad_input(fmt::format("--ending is of a folder, and --input {} is none", excerpt(path)));
  }
  if (is_folder_) {
    input_folder found = read_folder(path, ending);
    tell_left_out(found, ending);
    files_ = std::move(found.files);
    total_ = files_.size();
  } else if (path != "-" && !std::filesystem::is_fifo(path, unknown)) {
    open_input(path);
    const std::uintmax_t size =
        std::filesystem::is_regular_file(path, unknown) ? std::filesystem::file_size(path, unknown) : 0;
    total_ = unknown ? 0 : size;
  }
}

void record_source::tell_left_out(const input_folder& found, const std::string& ending) const {
  std::string said;
  if (!found.left_out.empty())
    said = fmt::format("{} {} no file and left out: {}", found.left_out.size(),
                       found.left_out.size() == 1 ? "entry is" : "entries are", listed(found.left_out));
  if (found.files.empty())
    said = fmt::format("there is no file{}{}{}", ending.empty() ? "" : " whose name ends in " + excerpt(ending),
                       said.empty() ? "" : "; ", said);
  if (!said.empty()) std::fputs(fmt::format("weir: --input {}: {}\n", excerpt(path_), said).c_str(), stderr);
}

void record_source::send_all(execution& run, const std::stop_token& stop) {
  try {
    if (is_folder_)
      send_files(run, stop);
    else
      send_lines(run, stop);
  } catch (const run_has_ended&) {
  } catch (const std::system_error& e) {
    refuse("", "the file could not be read to its end: " + e.code().message());
  }
}

void record_source::send_lines(execution& run, const std::stop_token& stop) {
  std::uint64_t number = 0;
  const auto take = [&](std::string line) {
    ++number;
    sent_.fetch_add(line.size() + 1, std::memory_order_relaxed);
    if (number == 1 && line.starts_with("\xef\xbb\xbf")) line.replace(0, 3, 3, ' ');  // UTF-8's byte order mark
    if (format_.is_left_out(line)) return;
    records_.fetch_add(1, std::memory_order_relaxed);
    try {
      send(run, fmt::format(":{}:{}", number, line.find_first_not_of(" \t\r") + 1), [&] { return format_.read(line); });
    } catch (const detail::snet::record_fault& e) {
      refuse(fmt::format(":{}:{}", number, e.column), e.what());
    }
  };
  try {
    lines_of{path_}(take, stop);
  } catch (const detail::without_memory& e) {
    return refuse(fmt::format(":{}", number + 1), e.what());
  }
  is_read_.store(!stop.stop_requested(), std::memory_order_relaxed);
}

std::uint64_t record_source::inputs() const {
  const bool is_known = is_folder_ || is_read_.load(std::memory_order_relaxed);
  const std::uint64_t all = is_folder_ ? total_ : records_.load(std::memory_order_relaxed);
  return is_known ? all - left_out() : 0;
}

void record_source::send_files(execution& run, const std::stop_token& stop) {
  for (const std::filesystem::path& file : files_) {
    if (stop.stop_requested()) return;
    const std::string name = file.lexically_relative(path_).string();
    try {
      if (::faccessat(AT_FDCWD, file.c_str(), R_OK, AT_EACCESS) != 0)
        refuse(": " + name, fmt::format("the file cannot be read: {}", std::strerror(errno)));
      else
        send(run, ": " + name, [&] { return format_.of_file(name, file.string()); });
    } catch (const detail::snet::record_fault& e) {
      refuse(": " + name, e.what());
    }
    sent_.fetch_add(1, std::memory_order_relaxed);
  }
}

// Sends one record, unless its key says that it was done.
void record_source::send(execution& run, const std::string& place, const std::function<record()>& make) {
  try {
    record r = make();
    if (resumed_) {
      std::string key = resumed_->key_in(r);
      if (key.empty()) return refuse(place, fmt::format("the record has no {}, the label of --resume", key_));
      if (!resumed_->add_input(key))
        return refuse(place, fmt::format("{} = {} stands twice: --resume needs inputs that differ in it", key_, key));
      if (resumed_->is_done(key)) {
        left_out_.fetch_add(1, std::memory_order_relaxed);
        return;
      }
    }
    run.send(std::move(r));
  } catch (const send_error& e) {
    if (e.details().kind == failure_kind::closed) throw run_has_ended{};
    refuse(place, e.details().cause);
  } catch (const run_error&) {  // it says so itself
    throw run_has_ended{};
  }
}

void record_source::refuse(const std::string& place, const std::string& why) {
  refused_.add(fmt::format("{}{}: error: {}", path_ == "-" ? "standard input" : path_, place, why));
}

}  // namespace weir::program
