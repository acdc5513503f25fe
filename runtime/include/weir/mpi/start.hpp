#pragma once

#include <optional>

#include <weir/mpi/session.hpp>
#include <weir/network/network.hpp>
#include <weir/options/options.hpp>
#include <weir/report/report.hpp>
#include <weir/run/execution.hpp>

namespace [[gnu::visibility("default")]] weir {

namespace mpi {

// The result of start(): at rank 0 the run, at the others a report.
struct started {
  std::optional<execution> run;      // at rank 0 alone; to be destroyed before the session
  std::optional<run_report> report;  // at the others: of their part of the run, which is over
};

// Runs a network on all ranks of the session. Each calls it with the same network, and with options of its own: cores,
// policy and models are each rank's. Records under way between two ranks are bounded by the smallest capacity of all,
// and on_failure must be the same on all. One thread of a rank calls it at a time. Parts that `at` places on a rank run
// there, the rest at rank 0, which sends and reads. At the others it returns when the run has ended.
//
//   weir::mpi::session ranks;
//   auto [run, report] = weir::mpi::start(net);
//   if (run) {
//     run->send(n = 3);
//     run->close();
//     for (const record& r : *run) std::cout << r[square] << '\n';
//   }
//
// Throws as weir::start does. Also type_error when two ranks have different networks or versions of weir, or when a
// field that crosses ranks has a type without a codec. run_error at every rank when the run ended by an error, such as
// a lost rank. std::invalid_argument when an option differs that must not. std::logic_error when there is no session,
// or while this rank still has the execution of another run.
started start(const network& net, options o = {});

}  // namespace mpi

}  // namespace weir
