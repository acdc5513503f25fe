#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <weir/scheduler/expect/record_paths.hpp>
#include <weir/scheduler/predict/core_sharing.hpp>
#include <weir/scheduler/predict/mapping.hpp>
#include <weir/scheduler/predict/network_model.hpp>

namespace [[gnu::visibility("default")]] weir {

// The options of a prediction. Plain data.
struct flow_options {
  double rate = 0;  // offered records a second, finite; 0: as many as can enter
  // Queues get as many places as make at most this part of the records find them all taken; in (0, 1). One in twenty is
  // how a run sizes its own streams.
  double blocking = 0.05;
  sharing rule = sharing::work_conserving;

  // Throws std::invalid_argument naming the field, the value and what was expected.
  void validate() const;
};

// The prediction for a network on a mapping, by the model. Plain data. Times are in seconds, rates in records a second.
struct network_prediction {
  // One component.
  struct component {
    std::string name;         // its name in the network
    double visits = 0;        // invocations for each record that enters
    double gain = 0;          // records given for one invocation
    double rate = 0;          // invocations a second
    double service_rate = 0;  // the most its lanes could do if they shared no core: mu
    double utilisation = 0;   // rate / service_rate
    double load = 0;          // utilisation, or how busy its cores or resources are by all users, if more
    double sojourn = 0;       // seconds that it holds a record, waiting included
  };

  // One link of all_links().
  struct stream {
    int from = -1, to = -1;  // components; -1: the network's input and output
    double records = 0;      // a second
    double held = 0;         // the part that piles up before a join whose other streams bring less
    std::size_t places = 0;  // in the queue of its reader, including the one in work; 0: the output
  };

  bool feasible = true;          // the mapping is possible, and carries the rate asked for
  std::string why_not;           // a sentence, if not feasible
  double throughput = 0;         // records that can enter a second, by flow_options::rule
  double throughput_shared = 0;  // by the work-conserving rule
  double throughput_mu_n = 0;    // by mu/n
  double rate = 0;               // for all members below: the rate asked for, or the most possible
  double latency = 0;            // seconds until all results of a record have left; without a rate: of one alone
  std::string bottleneck;        // "component multiply", "cores {0-1} of generate, check": the most work comes first
  core_set bottleneck_cores;     // that limit together; empty: a component limits alone
  std::vector<component> components;  // in network order
  std::vector<stream> streams;        // as all_links()
  std::vector<double> cores;          // utilisation of each
  std::vector<std::string> notes;     // assumptions, and flows that will not last; one sentence each
};

// Predicts throughput, latency and queues of a network on a mapping. It is the method of Beard, Chamberlain and
// Franklin (Simple Analytic Performance Models for Streaming Data Applications, WUCSE-2013-2), with the queue capacity
// of queueing.hpp. At a component, sum of out = gain x sum of in, and sum of in <= mu.
//
// Throughput is the least limit of any component or set of shared cores (core_sharing.hpp).
//
// Latency is L(i) = S(i) + the way on, where S is T plus the wait of M/G/1 or M/G/w. Links that together carry no
// more records than come exclude each other, and the way on is their mean. If more leave, copies travel side by side
// and the slowest count first, as in record_paths.hpp. Copies on one link follow one another. A loop is a linear
// system. A join counts once, after the slowest.
//
// Sharing: components that share cores are one queue of mixed services with as many servers as fit. None waits less
// than it would alone. Copies of one record that use common cores concurrently wait for each other.
//
// Places follow from queue_capacity() at the load of the reader, between 1 and 4096.
//
// For an infeasible mapping only `why_not` and the notes are set. A rate beyond the throughput is not feasible either.
// The flows are then those of the throughput, to which back-pressure slows the source, and the latency is infinite.
//
// Throws std::invalid_argument as network.validate() and options.validate() do. Any thread may call it.
network_prediction predict_flow(const network_model& network, const mapping& given, int cores,
                                const flow_options& options = {});

// The same for many mappings of one network: everything that does not depend on the mapping is computed once. Refers to
// the network, which must outlive it. Const calls may run concurrently.
class flow_predictor {
 public:
  // Throws std::invalid_argument as network.validate() does.
  explicit flow_predictor(const network_model& network);

  const network_flow& flow() const { return flow_; }  // that of flow_of()

  // Seconds until all results of a record have left, while `rate` records a second enter; 0: alone. Infinite beyond the
  // limits.
  double latency(const mapping& given, const capacity& limits, double rate) const;
  // The same from the seconds that each component holds a record.
  double latency(const std::vector<double>& sojourn) const { return paths_.seconds(sojourn); }
  // The seconds that each component holds a record.
  std::vector<double> sojourns(const mapping& given, const capacity& limits, double rate) const;

 private:
  double with_copies_beside(const mapping& given, std::size_t i) const;
  // In the queue of all that share cores with the component, for as many servers as fit there; 0: it shares none.
  double shared_wait(const mapping& given, std::size_t i, double rate) const;

  const network_model& network_;
  network_flow flow_;
  record_paths paths_;
  std::vector<std::vector<std::size_t>> beside_;  // by component: those where other copies of a record can be then
};

}  // namespace weir
