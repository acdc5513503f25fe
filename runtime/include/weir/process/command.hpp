#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <weir/network/box.hpp>
#include <weir/process/command_argument.hpp>
#include <weir/process/command_settings.hpp>
#include <weir/process/make_command.hpp>

namespace [[gnu::visibility("default")]] weir {
// A network of one command, on which further properties can be set. Each call returns a new value and leaves this one
// as it was. All throw type_error, naming the command, for a number out of range or a label that it does not have.
template <class... L>
class command_network : public network {
 public:
  explicit command_network(const network& of) : network(of) {}  // for command()

  // Bounds the time of one process, of any std::chrono::duration, from its start. Then its group gets SIGTERM, after a
  // second SIGKILL, and the record fails as timed out. The wait for a writer of the named pipe that is its input has
  // the same bound. While a box behind keeps the thread of a command with lines(), the time goes on.
  command_network within(detail::any_time time) const {
    return with([&](detail::command_settings& s) { s.within = detail::bounded_time("command " + s.name, time); });
  }

  // Bounds the memory of each process, in bytes. Where control groups are delegated to this program (cgroup v2), they
  // bound what the process and its own children have together, and the system ends them when they need more. Elsewhere
  // each may map so much to write (RLIMIT_DATA), and most programs then say that there is no memory, and fail.
  command_network memory(std::uint64_t bytes) const {
    return with([&](detail::command_settings& s) { s.memory = bytes; });
  }

  // How often the command is run again for a record after it failed, crashed or took too long; 0 to 100.
  command_network retries(int number) const {
    return with([&](detail::command_settings& s) { s.retries = number; });
  }

  // The exit codes of success, instead of 0.
  command_network succeeds_with(std::vector<int> codes) const {
    return with([&](detail::command_settings& s) { s.succeeds_with = std::move(codes); });
  }

  // The process reads the value of a taken label on its standard input, which is empty without it.
  template <class T>
  command_network input(const T& label) const {
    return with([&](detail::command_settings& s) { s.input = detail::bytes_label_of(label); });
  }

  // The standard output of the process becomes the value of a given label. Without it, the output is dropped.
  template <class T>
  command_network output(const T& label) const {
    return with([&](detail::command_settings& s) { s.output = detail::bytes_label_of(label), s.in_lines = false; });
  }

  // A record for each line that the process writes on its standard output, while it runs: `label` is the only given
  // one, and gets the line without its newline. Lines that came before the process failed stay; with retries() they are
  // sent on once it has succeeded.
  template <class T>
  command_network lines(const T& label) const {
    return with([&](detail::command_settings& s) { s.output = detail::bytes_label_of(label), s.in_lines = true; });
  }

  // These are as in box_network.
  template <class F>
  command_network predicted_by(F f, degree power = unknown_degree) const {
    return command_network(box_network<L...>{*this}.predicted_by(std::move(f), power));
  }
  template <class Amount>
  command_network needs(const resource& of, Amount amount) const {
    return command_network(box_network<L...>{*this}.needs(of, std::move(amount)));
  }
  command_network width(int max) const { return command_network(detail::with_width(*this, max)); }
  command_network serial() const { return width(1); }
  command_network sequential() const { return command_network(detail::with_one_core(*this)); }
  command_network cores(int min, int max) const { return command_network(detail::with_cores(*this, min, max)); }
  command_network priority(int weight) const { return command_network(detail::with_priority(*this, weight)); }
  command_network priority(const tag& by) const { return command_network(detail::with_priority(*this, *by.info())); }
  command_network blocking(int max = 64) const { return command_network(detail::with_blocking(*this, max)); }

 private:
  command_network with(const std::function<void(detail::command_settings&)>& change) const {
    return command_network(detail::with_command(*this, change));
  }
};

// A box whose work a program does, in a process for each invocation.
//
//   auto encode = command("encode", takes(clip, crf), gives(video),
//                         {"SvtAv1EncApp", "-i", in(clip), "--crf", crf, "--lp", cores_granted, "-b", out(video)})
//                     .within(5min);
//
// The first argument is the program: a path, from the current folder on, or a name that is sought in PATH when a run
// starts. start() throws std::system_error if it is not there. No shell reads the arguments. Every given label comes
// from one out(..), output(..) or lines(..), or start() throws type_error.
//
// Values are std::string, vectors of bytes, numbers as decimal text, tags, std::filesystem::path and scratch_file; the
// last two are files, whose paths are passed.
//
// The process runs on the cores of the invocation and learns their number by OMP_NUM_THREADS, OPENBLAS_NUM_THREADS,
// MKL_NUM_THREADS, NUMEXPR_NUM_THREADS, RAYON_NUM_THREADS, GOMAXPROCS and WEIR_CORES. It has the other variables of
// this program, no terminal, and no descriptors besides its streams. Meanwhile the thread of the box sleeps. Its model
// learns the time of the process, without its start; the report has its largest memory. In a control group that is of
// all its processes together, with cached parts of files.
//
// The record fails, with the last lines of the standard error, if the process ends with another code than 0 or by a
// signal. When the run stops, the process is ended as by within(). Neither a process nor its own
// children outlive the run. A kill of this program ends them as well, except children that cleared their variables.
template <class... L, class... G>
command_network<L...> command(const std::string& name, const detail::takes_list<L...>& in,
                              const detail::gives_list<G...>& out, std::vector<command_argument> arguments) {
  return command_network<L...>(
      detail::make_command({name, detail::list_of(in), detail::list_of(out), false, std::move(arguments)}));
}
// A sink: what the process does is all that comes of a record.
template <class... L>
command_network<L...> command(const std::string& name, const detail::takes_list<L...>& in,
                              const detail::gives_variants<>&, std::vector<command_argument> arguments) {
  return command_network<L...>(detail::make_command({name, detail::list_of(in), {}, true, std::move(arguments)}));
}
// For a message about several kinds of records.
template <class... L, class... Lists>
requires(sizeof...(Lists) > 0) command_network<L...> command(const std::string&, const detail::takes_list<L...>&,
                                                             const detail::gives_variants<Lists...>&,
                                                             const std::vector<command_argument>&) {
  static_assert(
      sizeof...(Lists) == 0,
      "weir::command: a command gives records of one kind, gives(..), or none, gives_none: let a box behind it "
      "tell them apart");
  __builtin_unreachable();
}

}  // namespace weir
