#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <weir/network/network.hpp>
#include <weir/record/label.hpp>
#include "bench/measurements/emulated_corpus/documents.hpp"

namespace weir::emulated_corpus {

inline constexpr tag number{"number"};    // of a document, from 0
inline constexpr tag arrived{"arrived"};  // steady_clock nanoseconds; 0: latency counts from when `load` takes it

// How the times of the stages are emulated.
struct emulation {
  double read_alpha = 0;  // the part of `read` that its cores divide; two cores gained nothing for tesseract
  double scale = 1;       // of all times
};

// The pages that came through, in order. `gather` alone writes it.
struct page_log {
  std::vector<double> latencies;  // seconds
  std::int64_t last = -1;         // page, counted over all documents
  bool in_order = true;           // each exactly one after the one before
};

// The network of `weir corpus` with the same components. Components that take a tenth of a millisecond or more sleep
// for the measured time. load, normalise, compare and gather take less, which a sleep cannot do: they return
// immediately. A record in is a document, a record out is a shard. The log must outlive its runs.
network documents_to_text(std::shared_ptr<const std::vector<document>> documents, const emulation& how, page_log& log);

}  // namespace weir::emulated_corpus
