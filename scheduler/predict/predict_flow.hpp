#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "scheduler/expect/passage.hpp"
#include "scheduler/predict/core_sharing.hpp"
#include "scheduler/predict/mapping.hpp"
#include "scheduler/predict/network_model.hpp"

namespace [[gnu::visibility("default")]] weir {

// What is asked of a prediction.
struct flow_options {
  double rate = 0;  // records that are offered a second; 0: as many as can enter
  // Queues get so many places that no more than this part of the records finds them taken: one in twenty, as a run
  // sizes its own streams.
  double blocking = 0.05;
  sharing rule = sharing::work_conserving;

  // Throws std::invalid_argument naming the field, the value and what was expected.
  void validate() const;
};

// What a network does on a mapping, by the model. Plain data; seconds, and records a second.
struct network_prediction {
  struct component {
    double visits = 0;        // invocations for each record that enters
    double gain = 0;          // records given for one invocation
    double rate = 0;          // invocations a second
    double service_rate = 0;  // the most its lanes could do if nobody shared their cores: mu
    double utilisation = 0;   // rate / service_rate
    double load = 0;          // that, or how busy its cores are with what shares them, whichever is more
    double sojourn = 0;       // seconds that it holds a record, waiting included
  };
  struct stream {
    int from = -1, to = -1;  // components; -1: the network's input and output
    double records = 0;      // a second
    double held = 0;         // of those, what piles up before a join whose other streams bring less
    std::size_t places = 0;  // in the queue of its reader, the one in work included; 0: the output
  };

  bool feasible = true;          // the mapping can be, and carries the rate that was asked for
  std::string why_not;           // a sentence, where it is not
  double throughput = 0;         // records that can enter a second, by the rule that was asked for
  double throughput_shared = 0;  // by the work-conserving rule
  double throughput_mu_n = 0;    // by mu/n
  double rate = 0;               // at which all that follows is: the one asked for, or the most there can be
  double latency = 0;            // seconds until all that a record causes has left; without a rate, of one alone
  std::string bottleneck;        // "component multiply", "cores {0-1} of generate and check"
  std::vector<component> components;
  std::vector<stream> streams;     // as all_links()
  std::vector<double> cores;       // utilisation of each
  std::vector<std::string> notes;  // what nobody measured or said, and what will not last; one sentence each
};

// Predicts by flow, cores and queues: the way of Beard, Chamberlain and Franklin (Simple Analytic Performance Models
// for Streaming Data Applications, WUCSE-2013-2) with sum of out = gain x sum of in, sum of in <= mu, and the capacity
// of queueing.hpp.
//
// - Throughput: the least limit of any component or set of shared cores (core_sharing.hpp).
// - Latency: L(i) = S(i) + the way on, S being T plus the wait of M/G/1 or M/G/w. Links on which together no more
//   records leave than come exclude each other, and the way on is their mean; where more leave, copies travel side by
//   side and the slowest count first, as in passage.hpp; copies on one link follow one another. A loop is a linear
//   system. A join counts once, after the slowest.
// - Components that share cores are one queue of mixed services with as many servers as fit, but none waits less than
//   it would alone. Copies of one record that are on common cores at once wait for each other.
// - Places: queue_capacity at the load of the reader, 4096 at most, and no fewer than 1.
//
// An infeasible mapping has `why_not` and nothing else. A rate beyond the throughput is not feasible either, but flows
// are those of the throughput, to which back-pressure brings the source; the latency is then infinite.
//
// Throws std::invalid_argument as network.validate() and options.validate() do.
network_prediction predict_flow(const network_model& network, const mapping& given, int cores,
                                const flow_options& options = {});

// The same where many mappings of one network are looked at: what does not depend on the mapping is found once.
// Refers to the network, which must outlive it. Const calls may run concurrently.
class flow_predictor {
 public:
  explicit flow_predictor(const network_model& network);

  const network_flow& flow() const { return flow_; }
  // Seconds until all that a record causes has left while `rate` enter a second; 0: alone. Infinite beyond the limits.
  double latency(const mapping& given, const capacity& limits, double rate) const;
  // The same of components of which each holds a record so long.
  double latency(const std::vector<double>& sojourn) const { return paths_.seconds(sojourn); }
  // Seconds that every component holds a record.
  std::vector<double> sojourns(const mapping& given, const capacity& limits, double rate) const;

 private:
  double with_copies_beside(const mapping& given, std::size_t i) const;
  double wait(const mapping& given, std::size_t i, double rate) const;

  const network_model& network_;
  network_flow flow_;
  record_paths paths_;
  std::vector<std::vector<std::size_t>> beside_;  // components at which other copies of a record can be at once
};

}  // namespace weir
