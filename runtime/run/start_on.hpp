#pragma once

#include <memory>
#include <optional>

#include <weir/network/network.hpp>
#include <weir/options/options.hpp>
#include <weir/report/report.hpp>
#include <weir/run/execution.hpp>
#include "runtime/remote/transport.hpp"
#include "runtime/remote/window.hpp"

namespace weir::detail {

// The result of start_on(): at rank 0 the run, at the others the report of their part, which is over.
struct started {
  std::optional<execution> run;
  std::optional<run_report> report;
  static started at_first(std::unique_ptr<run_state> run);
};

// The credit of each cut and direction by these options: as many records as streams hold.
remote::window_limits limits_of(const options& o);

// Runs the network on all ranks of the transport, each of which calls this with the same network. At rank 0 it returns
// the run; at the others it serves until that has ended, and throws run_error if an error ended it.
//
// Throws as weir::start does. Also type_error when two ranks have different networks or versions, or when a field that
// crosses a cut has no codec. run_error when a rank is lost, std::invalid_argument for a machine without threads.
started start_on(std::shared_ptr<remote::transport> over, const network& net, options o,
                 const remote::window_limits& limits);
// The same with limits_of(o), for the other libraries of weir.
[[gnu::visibility("default")]] started start_on(std::shared_ptr<remote::transport> over, const network& net, options o);

}  // namespace weir::detail
