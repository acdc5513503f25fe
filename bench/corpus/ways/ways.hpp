#pragma once

#include <filesystem>
#include <string>

#include <weir/options/options.hpp>
#include <weir/report/report.hpp>
#include "bench/corpus/common/corpus_job.hpp"

namespace weir::corpus {

// The ways from documents to shards. All make the same steps, give the same output to the byte, and end a document or
// page that cannot be read alone. Each returns when everything is written, or after Ctrl-C when what was begun is.
// Throws std::runtime_error when the output cannot be written.

// One page after the other.
void run_sequential(corpus_job& job);

// oneTBB's parallel_pipeline: pages in parallel, of which four for each core are under way at most.
void run_pipeline(corpus_job& job);

// oneTBB's flow graph, a node for each step, with two documents for each core under way at most.
void run_flow_graph(corpus_job& job);

// `xargs -P`, a process for each document; `self` is the program to start, `input` its folder, `scratch` a folder for
// what the processes find.
void run_xargs(corpus_job& job, const std::filesystem::path& self, const std::filesystem::path& input,
               const std::filesystem::path& scratch);
// Writes the pages of one document to a file, as such a process does.
void write_pages_of(const listed_document& document, const std::filesystem::path& to);

// The network of documents_to_text.hpp under a policy. Returns the report of the run.
run_report run_weir(corpus_job& job, const options& how);

}  // namespace weir::corpus
