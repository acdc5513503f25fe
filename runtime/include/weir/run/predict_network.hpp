#pragma once

#include <map>
#include <string>

#include <weir/machine/machine.hpp>
#include <weir/network/network.hpp>
#include <weir/options/options.hpp>
#include <weir/report/report.hpp>
#include <weir/scheduler/policies/fixed_shares.hpp>
#include <weir/scheduler/predict/mapping_search.hpp>

namespace [[gnu::visibility("default")]] weir {

// An empty report: no run is known. A function, since a default argument `{}` would make every caller's compiler build
// run_report's constructor and destructor.
const run_report& no_report();

// A network as predictions take it: its components with the costs of their models and the bounds of their boxes.
// Components are in the order of their first appearance, as in an allotment.
//
// With the report of a run, records go where that run counted them: by its visits and links. Without one their ways are
// assumed. A box gives one record for each that it takes; a sink gives none. Each branch of a choice gets an equal
// part. A record goes once through the body of a star or a feedback. The result's `assumed` names these where they
// matter. A filter gives as many records as its first clause has outputs. The box behind a synchrocell joins the
// streams that lead there. Each predictor value is the middle of those that the model has seen.
//
// A tag by which a box takes records (box_network::priority(tag)) is left out, and `assumed` says so. While times do
// not depend on it, it leaves the mean wait as it is (Kleinrock's conservation law, 1965), and latencies here are
// means. The wait of records of one value depends on the rates of all values, which neither models nor reports have.
//
// Resources whose box says a constant amount and a total bound the invocations at a time; others do not.
//
// Throws std::invalid_argument naming the component: it has no model, its model cannot be restored or has seen nothing,
// or the report does not have it.
network_model model_of(const network& net, const std::map<std::string, saved_model>& models,
                       const run_report& seen = no_report());

// Predicts a network on an allotment: throughput, bottleneck, latency, flow and places of every stream, utilisation of
// components and cores (<weir/scheduler/predict/predict_flow.hpp>). Nothing runs. Throws as model_of does, and
// std::invalid_argument when the allotment has another number of components or `at` is not valid.
//
// Boxes that ran on a device in the run of the report run there as well, by the costs and inputs in the report. The
// division of their records is the best one, or that of box_network::device_from(). Each adds a component to the
// prediction, the box on its device, after all boxes and in the order of the report. Without a report, and where a join
// follows, boxes run on cores alone.
network_prediction predict_network(const network& net, const std::map<std::string, saved_model>& models,
                                   const allotment& given, const run_report& seen = no_report(),
                                   const flow_options& at = {});

// The same with shares by name, which fixed_shares makes into an allotment of the machine's cores. It also throws as
// its decide() does.
network_prediction predict_network(const network& net, const std::map<std::string, saved_model>& models,
                                   const fixed_shares& shares, const machine& on, const run_report& seen = no_report(),
                                   const flow_options& at = {});

}  // namespace weir
