#pragma once

#include <memory>
#include <string>

#include <weir/run/execution.hpp>

namespace weir::program {

// The help of the option, whose value may be left out.
inline constexpr const char* live_help =
    "A page of the runs while they go on, at 127.0.0.1; the port, 9464 if none is given, 0: any that is free";
inline constexpr const char* usual_live_port = "9464";
inline constexpr int most_port = 65535;

// `--live`: a page of the runs while they go on, at 127.0.0.1. For use by one thread.
class live_runs {
 public:
  // Port: from 0, any that is free, to most_port. Throws bad_input where weir was built without its page or without
  // weir::live.
  explicit live_runs(int port);
  ~live_runs();
  live_runs(live_runs&&) noexcept;
  live_runs& operator=(live_runs&&) noexcept;

  // Shows one more run. The first time it says on stderr where. Throws bad_input if the port cannot be had.
  void watch(const execution& run, const std::string& name);

  // At the end, where standard input is a terminal: the page stays until the user interrupts.
  void stay() const;

 private:
  struct site;
  std::unique_ptr<site> site_;
};

}  // namespace weir::program
