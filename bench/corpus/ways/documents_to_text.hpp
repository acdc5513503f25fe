#pragma once

#include <cstdint>

#include <weir/network/network.hpp>
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

}  // namespace weir::corpus
