#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include <weir/options/options.hpp>
#include <weir/options/saved_models.hpp>
#include <weir/record/errors.hpp>
#include <weir/report/report.hpp>
#include <weir/run/run_view.hpp>
#include "runtime/engine/run_environment.hpp"
#include "runtime/machine/machine_user.hpp"
#include "runtime/machine/this_process.hpp"
#include "runtime/options/run_plan.hpp"
#include "runtime/ranks/ranks.hpp"
#include "runtime/run/callers.hpp"
#include "runtime/run/control_loop.hpp"
#include "runtime/run/learning.hpp"
#include "runtime/run/messenger.hpp"
#include "runtime/run/placing.hpp"
#include "runtime/run/result_reader.hpp"
#include "runtime/run/run_input.hpp"
#include "runtime/run/run_link.hpp"
#include "runtime/run/run_notes.hpp"
#include "runtime/run/run_watches.hpp"
#include "runtime/run/written_network.hpp"
#include "runtime/streams/results.hpp"
#include "runtime/streams/run_owner.hpp"
#include "runtime/unfolding/unfold.hpp"

namespace weir::detail {

// One running network, which an execution hides. Owns the parts of a run, starts them and ends them.
class run_state final : public run_owner, public machine_user, public run_of_rank {
 public:
  // others: the other ranks that run the network, if there are any.
  run_state(const network& net, options o, std::unique_ptr<ranks> others = nullptr);
  ~run_state();
  run_state(const run_state&) = delete;

  // ---- the caller's side: as execution ----
  void send(record r) { input_.send(std::move(r)); }
  bool try_send(const record& r) { return input_.try_send(r); }
  void close() override;
  std::shared_ptr<reading> begin_reading();
  bool next(record& into) { return reader_.next(into); }
  void wait();
  void stop() noexcept override;
  std::vector<failure> errors() const { return env_.errors.kept(); }
  std::vector<failure> take_errors() { return env_.errors.take(); }
  run_report report() override;
  run_view view() { return run_view(link_); }
  prediction predict(const std::string& component, std::span<const double> values, int cores);
  std::map<std::string, saved_model> models();

  // ---- for its parts ----
  void end_soon() noexcept override;
  bool finish_more() noexcept override;
  void drained() noexcept override;
  void wind_down() override;
  void complete_fusion() noexcept override;
  void request_layout() noexcept override;
  void observe(worker& by, const observation& o) noexcept override;
  bool help() override;
  void note(const std::string& sentence) override;

  // ---- for other ranks ----
  bool has_drained() const override { return env_.life.has_drained(); }
  void end_by(failure f) noexcept override;

  // ---- for the machine and the process ----
  void set_partition(core_set cores) noexcept override;
  // The constructor makes the first step itself.
  bool is_step_requested() const override { return env_.life.has_begun() && control_.is_step_requested(); }
  void step_or_end() noexcept override;
  double seconds_to_look() const override;
  void step_if_overdue() noexcept override;
  bool watch(const process_threads& threads) override;
  void see_to_messages() noexcept override;
  bool shares_cores() const override { return plan_.shares_cores; }
  core_gain gain(const core_set& all) override { return control_.gain(all); }
  std::stop_source freeze() noexcept override;
  void thaw() noexcept override;
  const void* identity() const noexcept override { return static_cast<const run_owner*>(this); }

  // Makes a step. The machine's controller does so in time; tests do it themselves. Throws std::bad_alloc.
  void step();

  run_environment& environment() { return env_; }
  ranks* others() { return others_.get(); }  // null: there are none

 private:
  run_report numbers();  // the report without the network's graph
  void start_sources();
  bool is_first_rank() const;
  void wind_up() noexcept;
  bool has_views() const;
  void drop_all() noexcept;
  bool wake_all() noexcept;
  void join_workers() noexcept;
  void tell_all();
  // On a machine without threads: tells callbacks what a call by the user found, once that call has released its locks.
  struct telling {
    run_state& run;
    explicit telling(run_state& r) : run(r) {}
    ~telling() {
      if (!run.env_.platform.has_threads()) run.messages_.tell_here();
    }
    telling(const telling&) = delete;
  };

  machine_state& on() const { return *options_.machine.state(); }

  written_network written_;
  const options options_;
  const run_plan plan_;
  run_environment env_;
  const std::unique_ptr<ranks> others_;
  messenger messages_;
  run_notes notes_;
  results results_;
  unfolded network_;
  callers callers_;
  result_reader reader_;
  placing placing_;
  run_input input_;
  learning learning_;
  control_loop control_;
  run_watches watches_;
  const std::shared_ptr<run_link> link_;  // shared with each view
  std::optional<std::stop_callback<std::function<void()>>> on_stop_;
  // Whether no invocation runs any more, and none will. release and acquire: who sees `joined` sees all they did.
  enum : int { not_joined, joining, joined };
  threads::atomic<int> joined_{not_joined};
  const this_process::with in_process_;
};

}  // namespace weir::detail
