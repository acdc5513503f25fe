#pragma once

#include <cstdint>

#include <weir/network/network.hpp>
#include <weir/options/options.hpp>
#include <weir/record/label.hpp>
#include "bench/corpus/common/corpus_job.hpp"

namespace weir::corpus {

// Documents in, shards of text out. Inputs are the numbers of documents of the job, with their times of arrival. Pages
// keep the order of the documents, whatever runs concurrently.
inline constexpr tag document{"document"};  // its number
inline constexpr tag page{"page"};          // of the document, from 0
inline constexpr tag arrived{"arrived"};    // steady_clock nanoseconds
inline constexpr field<packed_shard> packed_lines{"packed_lines"};

// The network. The job must outlive it.
network documents_to_text(corpus_job& job);

// Throws std::invalid_argument for options that a run of the network refuses.
void require_accepted(const options& how, bool has_images);

}  // namespace weir::corpus
