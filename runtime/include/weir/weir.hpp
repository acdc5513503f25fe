#pragma once

// The whole public interface of weir. Programs include it as <weir/weir.hpp>.
//
// A program declares labels, makes boxes of its callables, and composes them to a network.
//
//   inline constexpr tag n{"n"}, square{"square"};
//   network squares = box("square", takes(n), gives(square), [](std::int64_t x) { return x * x; });
//
// Then it starts the network, sends records, and reads the results. All names are in namespace weir.
//
//   execution run = start(squares);
//   run.send(n = 3);
//   run.close();
//   for (const record& r : run) std::cout << r[square];  // 9.
//
// Labels, patterns, expressions, filters and networks are immutable values that any thread may use. `execution` says
// which of its functions several threads may call at the same time.
//
// Errors: a network that can never work throws type_error while it is built. An error of one record while the network
// runs ends that record only, and the caller meets it as run_error, or finds it in execution::errors().
//
// Names in the namespaces weir::detail and weir::pool are not part of the interface.

#ifndef __cpp_concepts
#error "weir needs C++20: compile with -std=c++20 or later"
#endif
#if !defined(__cpp_rtti) || !defined(__cpp_exceptions)
#error "weir needs exceptions and run-time type information: compile without -fno-exceptions and -fno-rtti"
#endif

#include <weir/macros_off.hpp>

#include <weir/engine/hang.hpp>
#include <weir/engine/trace.hpp>
#include <weir/machine/machine.hpp>
#include <weir/model/named/estimators.hpp>
#include <weir/network/box.hpp>
#include <weir/network/combinators.hpp>
#include <weir/network/file_sources.hpp>
#include <weir/network/filter.hpp>
#include <weir/network/fold.hpp>
#include <weir/network/network.hpp>
#include <weir/network/registry.hpp>
#include <weir/options/options.hpp>
#include <weir/options/saved_models.hpp>
#include <weir/options/saved_runs.hpp>
#include <weir/patterns/expression.hpp>
#include <weir/patterns/pattern.hpp>
#include <weir/record/errors.hpp>
#include <weir/record/label.hpp>
#include <weir/record/record.hpp>
#include <weir/report/metrics.hpp>
#include <weir/report/report.hpp>
#include <weir/report/report_page.hpp>
#include <weir/run/execution.hpp>
#include <weir/run/predict_network.hpp>

#include <weir/version.hpp>

// A library of boxes (<weir/network/registry.hpp>) defines the function. The variable is the version that it was
// compiled for; weak, so that each source may have it.
extern "C" {
[[gnu::visibility("default")]] void weir_boxes(weir::registry& boxes);
[[gnu::weak, gnu::visibility("default")]] extern const char weir_boxes_version[];
/// The version of weir that the library was compiled for.
const char weir_boxes_version[] = WEIR_VERSION;
}

#include <weir/macros_back.hpp>
