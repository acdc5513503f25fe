#include "runtime/process/command_files.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <stdexcept>
#include <stop_token>
#include <string_view>

#include <weir/record/errors.hpp>
#include "runtime/process/child.hpp"
#include "runtime/process/command_failed.hpp"
#include "runtime/process/refusal.hpp"
#include "runtime/process/wake.hpp"
#include "runtime/record/without_memory.hpp"
#include "runtime/threads/write_all.hpp"

namespace weir::detail::processes {
namespace {

void write(int to, std::string_view bytes, const std::string& name) {
  most_bytes_of_file(bytes.size(), "cannot write " + name);
  if (const int failed = write_all(to, bytes)) refuse(failed, "cannot write " + name);
}

// A file with holes may be larger than all memory, and a string of that size may end this process as it is filled.
std::string string_for(std::uint64_t size, const std::filesystem::path& file, const label_info& label) {
  return with_memory(
      size, [&] { return std::string(size, '\0'); },
      [&](const std::string& why) {
        return "the file of out(" + label.name + "), " + file.string() + ", has " + std::to_string(size) +
               " bytes, and " + why + "; a field of type scratch_file is not read";
      });
}

std::string contents(const std::filesystem::path& file, const label_info& label) {
  // A fifo is refused below: to open it would wait for a writer.
  const descriptor from(open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  struct stat s {};
  if (!from || fstat(from.get(), &s) != 0) {
    if (errno == ENOENT) throw command_failed("the process wrote no file for out(" + label.name + ")");
    refuse(errno, "cannot read the file of out(" + label.name + ")");
  }
  if (!S_ISREG(s.st_mode)) throw command_failed("what the process left for out(" + label.name + ") is no file");
  std::string all = string_for(static_cast<std::uint64_t>(s.st_size), file, label);
  std::size_t size = 0;
  while (size < all.size()) {
    const ssize_t n = ::read(from.get(), all.data() + size, all.size() - size);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) refuse(errno, "cannot read the file of out(" + label.name + ")");
    if (n == 0) break;
    size += static_cast<std::size_t>(n);
  }
  all.resize(size);
  return all;
}

// A fifo is opened without a wait for a writer, which no stop could end. Until one has written, or has gone, a process
// would find the end of its input there. Throws stopped, and timed_out_error after `within`.
void wait_for_writer(const descriptor& file, const std::filesystem::path& path, const std::stop_token& stop,
                     const std::optional<std::chrono::nanoseconds>& within) {
  struct stat s {};
  if (fstat(file.get(), &s) != 0 || !S_ISFIFO(s.st_mode)) return;
  const auto deadline = within ? child::after(child::clock::now(), *within) : child::never;
  const wake stopped_run(stop);
  std::array<pollfd, 2> both{{{file.get(), POLLIN, 0}, {stopped_run.get(), POLLIN, 0}}};
  if (poll_until(both, deadline) == 0)
    throw timed_out_error("no process has written to the standard input, " + path.string() + ", within " +
                          words_of_time(*within));
  if (both[1].revents) throw stopped{};
}

}  // namespace

command_files::command_files(const command_plan& plan, guardian& guard, int lane, const invocation& i)
    : plan_(plan), guardian_(guard), lane_(lane), invocation_(i) {}

command_files::~command_files() {
  if (folder_.empty()) return;
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

std::vector<std::string> command_files::arguments() {
  std::vector<std::string> all;
  all.reserve(plan_.settings.arguments.size());
  for (const command_argument& a : plan_.settings.arguments) all.push_back(text_of(a));
  return all;
}

std::string command_files::text_of(const command_argument& argument) {
  if (argument.parts().size() == 1) return text_of(argument.parts().front());
  std::string all;
  for (const command_part& p : argument.parts()) all += text_of(p);
  return all;
}

std::string command_files::text_of(const command_part& part) {
  switch (part.is) {
    case command_part::kind::text:
      return part.text;
    case command_part::kind::value: {
      const slot_word& value = taken(part.label);
      if (part.label.as->path) return part.label.as->path(value);
      std::string room;
      std::string text(part.label.as->bytes(value, room));
      if (text.find('\0') != text.npos)
        throw std::runtime_error("the value of " + part.label.label->name +
                                 " has a zero byte, which no argument can have");
      return text;
    }
    case command_part::kind::in_file:
      return path_of_value(part);
    case command_part::kind::out_file:
      return path_to_write(part);
    case command_part::kind::cores:
      return std::to_string(invocation_.granted->size());
    case command_part::kind::cpus: {
      std::string list;
      for (const int unit : invocation_.granted->cpus()) list += (list.empty() ? "" : ",") + std::to_string(unit);
      return list;
    }
    case command_part::kind::lane:
      return std::to_string(lane_);
    case command_part::kind::scratch:
      return folder();
  }
  return {};
}

std::string command_files::path_of_value(const command_part& part) {
  const slot_word& value = taken(part.label);
  if (part.label.as->path) return part.label.as->path(value);
  const std::filesystem::path file = folder() / ("in-" + part.label.label->name + part.text);
  const descriptor to(open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (!to) refuse(errno, "cannot write " + file.string());
  std::string room;
  write(to.get(), part.label.as->bytes(value, room), file);
  return file;
}

std::string command_files::path_to_write(const command_part& part) {
  outputs_.push_back({part.label, folder() / ("out-" + part.label.label->name + part.text)});
  return outputs_.back().path;
}

const std::filesystem::path& command_files::folder() {
  if (folder_.empty()) folder_ = guardian_.new_folder();
  return folder_;
}

const slot_word& command_files::taken(const bytes_label& label) const {
  return invocation_.taken(plan_.place_of_taken(label.label));
}

descriptor command_files::opened(const bytes_label& label) const {
  const slot_word& value = taken(label);
  if (label.as->path) {
    const std::filesystem::path path = label.as->path(value);
    descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
    if (!file) refuse(errno, "cannot open " + path.string() + " for the standard input");
    wait_for_writer(file, path, invocation_.granted->stop(), plan_.settings.within);
    fcntl(file.get(), F_SETFL, fcntl(file.get(), F_GETFL) & ~O_NONBLOCK);  // the process reads as it pleases
    return file;
  }
  descriptor memory(memfd_create(label.label->name.c_str(), MFD_CLOEXEC));
  if (!memory) refuse(errno, "no memory for the standard input");
  std::string room;
  write(memory.get(), label.as->bytes(value, room), "the standard input");
  if (lseek(memory.get(), 0, SEEK_SET) != 0) refuse(errno, "the standard input");
  return memory;
}

std::optional<slot_word> command_files::value(const label_info* label) {
  for (const written& w : outputs_) {
    if (w.label.label != label) continue;
    if (!w.label.as->from_file) return w.label.as->from_bytes(contents(w.path, *label));
    struct stat s {};
    if (lstat(w.path.c_str(), &s) == 0 && !S_ISREG(s.st_mode))
      throw command_failed("what the process left for out(" + label->name + ") is no file");
    const std::filesystem::path kept = guardian_.new_file(w.path.extension());
    if (rename(w.path.c_str(), kept.c_str()) != 0) {
      if (errno == ENOENT) throw command_failed("the process wrote no file for out(" + label->name + ")");
      refuse(errno, "cannot keep the file of out(" + label->name + ")");
    }
    return w.label.as->from_file(scratch_file(kept, guardian_.shared_from_this()));
  }
  return std::nullopt;
}

scratch_file command_files::new_output() { return scratch_file(guardian_.new_file(""), guardian_.shared_from_this()); }

}  // namespace weir::detail::processes
