#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <weir/network/box.hpp>
#include <weir/network/device.hpp>
#include <weir/process/command_settings.hpp>

namespace [[gnu::visibility("default")]] weir {
namespace detail {

// The box of a worker that is started by these arguments. Throws type_error as worker() does.
network make_worker(const char* name, std::vector<const label_info*> takes,
                    std::vector<std::vector<const label_info*>> variants, std::vector<std::string> arguments);
// The box that runs in a host of this program.
network make_isolated(const network& box);
// The box that runs in `weir host` with this library.
network make_hosted(const network& box, const std::filesystem::path& library);

// Each returns the box with one setting changed; all throw type_error for a number out of range.
network worker_within(const network& box, any_time time);
network worker_with_memory(const network& box, std::uint64_t bytes);
network worker_with_retries(const network& box, int count);
network worker_batched(const network& box, int most, bool is_fixed);
network worker_on_device(const network& box, const device& where, std::vector<std::string> arguments);
network worker_restarted_for_cores(const network& box);
network worker_printing_to_error_stream(const network& box);  // its standard output, too

}  // namespace detail

// A box whose invocations run in workers. A worker is a process for one thread that runs the box: started when it is
// first needed, and kept from one invocation to the next. worker() and isolated() return such a box.
//
// A worker that crashes, hangs or sends garbage costs its record, and another takes its place. Three workers in a row
// that end before they have greeted end the run, with their last words. So does one that has not greeted after two
// minutes, or after the time of within() where that is longer. No worker outlives its run.
//
// Each call returns a new value and leaves this one as it was. All throw type_error, naming the box, for a number out
// of range. The properties of box_network apply. The cores of a lane are the affinity of all threads of its worker. At
// its start they are also in the variables that libraries read, such as OMP_NUM_THREADS.
template <class... L>
class worker_network : public network {
 public:
  // For worker() and isolated().
  explicit worker_network(network box) : network(std::move(box)) {}

  // Bounds an invocation, by any std::chrono::duration. When the time is over, the worker's process group gets SIGTERM,
  // and SIGKILL a second later; the record fails as timed out. Time that the results wait for room in the run does not
  // count.
  worker_network within(detail::any_time time) const { return worker_network{detail::worker_within(*this, time)}; }

  // Bounds the memory of a worker, in bytes, as command_network::memory() does.
  worker_network memory(std::uint64_t bytes) const { return worker_network{detail::worker_with_memory(*this, bytes)}; }

  // Tries a record up to `count` times more, 0 to 100, if its worker crashes or runs out of time. An invocation that
  // has given a record is not tried again.
  worker_network retries(int count) const { return worker_network{detail::worker_with_retries(*this, count)}; }

  // Starts the worker again when the number of its cores changes: for libraries that read it only once.
  worker_network restarts_for_cores() const { return worker_network{detail::worker_restarted_for_cores(*this)}; }

  // For a worker that takes several records in one call, as those of box_without_batch::batched(): a box of C++ whose
  // callable takes batches, or weir_worker.box(.., batched=True). A worker that takes one record at a time ends the run
  // with an error. within() bounds a call by the time for all its records. isolated() of a box keeps what that says.
  worker_network batched(int most) const { return worker_network{detail::worker_batched(*this, most, false)}; }
  worker_network batched(int size, fixed_size_t) const {
    return worker_network{detail::worker_batched(*this, size, true)};
  }

  // A second implementation, as box_network::on(): workers that these arguments start, one for each slot of the device
  // that runs the box, kept for the run. They serve a box of this name with the same labels and give one result at most
  // for a record; in batches any number, as on cores. The bounds of this box are theirs, too. A worker that crashes or
  // cannot be started is an error of the device: its records run on cores. Throws type_error without a program, with
  // blocking() and several output variants.
  worker_network on(const device& where, std::vector<std::string> arguments) const {
    return worker_network{detail::worker_on_device(*this, where, std::move(arguments))};
  }
  worker_network device_from(double x) const { return worker_network{detail::with_device_from(*this, x)}; }

  // As those of box_network.
  template <class F>
  worker_network predicted_by(F f, degree power = unknown_degree) const {
    return worker_network{box_network<L...>{*this}.predicted_by(std::move(f), power)};
  }
  template <class Amount>
  worker_network needs(const resource& of, Amount amount) const {
    return worker_network{box_network<L...>{*this}.needs(of, std::move(amount))};
  }
  worker_network width(int max) const { return worker_network{detail::with_width(*this, max)}; }
  worker_network serial() const { return width(1); }
  worker_network sequential() const { return worker_network{detail::with_one_core(*this)}; }
  worker_network blocking(int max = 64) const { return worker_network{detail::with_blocking(*this, max)}; }
  worker_network cores(int min, int max) const { return worker_network{detail::with_cores(*this, min, max)}; }
  worker_network priority(int weight) const { return worker_network{detail::with_priority(*this, weight)}; }
  worker_network priority(const tag& by) const { return worker_network{detail::with_priority(*this, *by.info())}; }
};

// A box that another program runs: one in C++ that calls weir::serve, a script with weir_worker.py, or any other that
// speaks the protocol (PROTOCOL.md of runtime/process).
//
//   worker("detect", takes(image), gives(found), {"python3", "detect.py"}).within(30s)
//
// `arguments` are the program and its own arguments; it is sought in PATH, and no shell is involved. The program serves
// a box of this name. Both sides compare its labels and their types before the first record; a difference ends the run
// with one error. Values are numbers, std::string, std::filesystem::path, std::vector of numbers or
// std::byte, types with an array_layout, and, where both programs are of C++, types with a codec. Throws type_error for
// others, and as box() does.
//
// An error of the worker ends its record, as an exception of a box does. Its standard output is that of this program.
// So is its error stream, whose text comes while a call runs or with the next one; the last lines are in the message of
// a crash. A worker that writes more than a pipe holds, 64 KiB, waits until the text is passed on.
template <class... L, class Out>
requires(detail::is_gives<Out>) worker_network<L...> worker(detail::given_name name, const detail::takes_list<L...>& in,
                                                            const Out& out, std::vector<std::string> arguments) {
  return worker_network<L...>{
      detail::make_worker(name.text, detail::list_of(in), detail::variants_of(out), std::move(arguments))};
}

// The box, with its invocations in processes of their own: this program, started again as a host. main() calls
// weir::host(box) before anything else, with the same box; a host runs only this.
//
//   const auto parse = box("parse", takes(pdf), gives(text), parse_pdf);
//   int main() {
//     weir::host(parse);
//     const network net = isolated(parse).within(10s) >> index;
//
// A host runs all of main that stands before host(). Where main does not call host(), it runs on until it starts a run
// of isolated boxes, and ends there with an error.
//
// The values of each_lane() are made in the host. A callable may capture what main makes before it calls host(): the
// host gets the same command line and makes its own. If the host has another callable or other labels under this name,
// the run ends with an error before the first record. Two callables of one type that captured different values are not
// told apart. Throws type_error for a label whose type does not travel, as worker() does, for a fold and for a source.
template <class... L>
worker_network<L...> isolated(const box_network<L...>& box) {
  return worker_network<L...>{detail::make_isolated(box)};
}

// The same for a box of a shared library, by a program that comes with weir: `weir host LIBRARY`. It is for programs
// whose main() cannot call host(), such as a plugin, or a module of another language.
//
//   isolated(parse, "/usr/lib/parsers.so").within(10s)
//
// The command `weir` is sought in PATH when a run starts; start() throws std::system_error if it is not there. The
// library has a box of this name with the same labels, and defines weir_boxes (registry). Its path is taken from the
// current folder on. Throws type_error as the first form does.
template <class... L>
worker_network<L...> isolated(const box_network<L...>& box, const std::filesystem::path& library) {
  return worker_network<L...>{detail::make_hosted(box, library)};
}
// A box of a registry: isolated(*boxes.find("parse"), "parsers.so").
inline worker_network<> isolated(const network& box, const std::filesystem::path& library) {
  return worker_network<>{detail::make_hosted(box, library)};
}

}  // namespace weir
