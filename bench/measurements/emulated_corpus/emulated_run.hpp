#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <weir/report/report.hpp>
#include <weir/scheduler/policies/policy.hpp>
#include "bench/measurements/emulated_corpus/documents.hpp"
#include "bench/measurements/emulated_corpus/emulated_network.hpp"

namespace weir::emulated_corpus {

// The settings of a run that are common to all policies.
struct trial {
  std::shared_ptr<const std::vector<document>> documents;
  std::string machine;  // as program::parse_machine takes it
  emulation how;
  double rate = 0;          // documents a second that arrive, at random; 0: all are there
  std::uint64_t seed = 1;   // of the arrivals
  double most_seconds = 0;  // then it is stopped
};

// One run. Plain data; times in seconds.
struct outcome {
  std::string policy;
  int round = 1;
  double seconds = 0;                 // from the first document to the last shard, or until it was stopped
  std::size_t pages = 0;              // that came through
  bool stopped = false;               // before all did
  bool right = false;                 // every page left exactly once and in order; a stopped run may lack the last ones
  double mean = 0, p50 = 0, p99 = 0;  // latency of a page, from its document's arrival or, if all are there, opening
  run_report report;

  double pages_per_second() const { return static_cast<double>(pages) / seconds; }
  int moves() const;  // changes of cores after the first allotment
};

// Sends all documents, by a thread of its own, and reads all shards. Throws what the run throws.
outcome run_once(const trial& t, const std::string& name, const policy& rule);

}  // namespace weir::emulated_corpus
