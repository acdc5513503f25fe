#pragma once

#include <string>

#include <weir/report/report.hpp>
#include "runtime/remote/transport.hpp"

namespace weir::detail {

// Serialises the report of one rank for rank 0, and parses it: counts, components with their models, streams, notes and
// causes of waiting, without the last timed invocations.
std::string text_of(const run_report& r);
run_report report_of_text(const std::string& text);  // throws std::runtime_error

// One rank in the report of a whole run.
rank_report rank_of(int rank, const run_report& of, const remote::link_cost& link);

// Removes the counts of records from the report of a rank that was lost, or has not ended in time. Records that it took
// and did not give back are then `away`.
void clear_record_counts(run_report& r);

// Adds what a rank did to the report of rank 0. Components of one name are one, whose counts add up; the place of one
// that runs elsewhere names the rank.
void add_rank(run_report& to, int rank, const run_report& of);

}  // namespace weir::detail
