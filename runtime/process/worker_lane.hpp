#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "runtime/network/box_processes.hpp"
#include "runtime/process/child.hpp"
#include "runtime/process/connection.hpp"
#include "runtime/process/guardian.hpp"
#include "runtime/process/wake.hpp"
#include "runtime/process/worker_plan.hpp"
#include "runtime/process/worker_stderr.hpp"

namespace weir::detail::processes {

// The worker of one lane: a process that is started when it is first needed, kept from one invocation to the next, and
// started again after it has crashed. Used by one thread at a time; destroyed on the thread that made it.
class worker_lane final : private socket_wait {
 public:
  worker_lane();  // throws std::system_error
  ~worker_lane();
  worker_lane(const worker_lane&) = delete;

  // Calls the box for one record, as box_code::call does, or for several. Several are not tried again.
  void call(const worker_box& box, std::span<invocation> each);

  void list_processes(std::shared_ptr<box_processes> in) { processes_ = std::move(in); }  // as box_code has it

  invocation_use use() const { return use_; }  // of the last invocation, as the worker says

 private:
  struct attempt {
    const worker_box& box;
    std::span<invocation> each;
    bool has_emitted = false;  // so it is not repeated
    bool is_calling = false;   // what the worker reads or sends next is of this call
  };

  void wait(int socket, short events) override;
  void look() override;
  bool try_call(attempt& a);
  void make_ready(const worker_box& box, const grant& granted);
  void start(const worker_box& box, const grant& granted);
  void greet(const worker_box& box);
  void bind(const grant& granted);
  void bound(std::chrono::nanoseconds time);
  bool send_call(attempt& a);
  void note_use(const message& end);
  void deliver_all(attempt& a, const received& end);
  void deliver(attempt& a, const json_value& result, std::span<const arrived_block> blocks);
  void end() noexcept;
  void kill() noexcept;
  [[noreturn]] void end_stopped();
  [[noreturn]] void end_late();
  std::optional<ending> ends_by_itself();
  std::string how_it_ended(const worker_box& box, const char* hint = "");

  const std::shared_ptr<guardian> guard_;
  std::optional<child> child_;
  std::shared_ptr<box_processes> processes_;  // null: no list is kept
  std::optional<box_processes::membership> at_work_;
  std::optional<connection> connection_;
  std::optional<worker_stderr> stderr_;
  std::optional<wake> stopping_;
  std::stop_token stop_;  // of the run for which stopping_ is
  std::chrono::nanoseconds bound_{0};
  child::clock::time_point deadline_ = child::never;
  int cores_ = 0;  // that the worker was last told
  std::vector<int> cpus_;
  std::uint64_t call_ = 0;  // the number of the worker's last call
  invocation_use use_;
};

}  // namespace weir::detail::processes
