#pragma once

#include <cstdint>
#include <string>

#include <weir/model/observation.hpp>
#include "runtime/entities/box_invocation.hpp"
#include "runtime/entities/box_predictors.hpp"

namespace weir::detail {

// An invocation that is timed and told to the model of its component, from before the call to after it.
class timed_invocation {
 public:
  // The box is that of the component, at its place, and is called for this record and `records - 1` others, whose
  // predictors have these values. The box is called next, with `timing`.
  timed_invocation(entity& at, component_state& of, record_body& r, context& c, const predictor_values_read& of_record,
                   std::uint32_t records);
  timed_invocation(const timed_invocation&) = delete;

  // After the call. The record may be gone. kept: what the box keeps, or null.
  void end(const void* kept);

  // Seconds of a record, once it has ended; 0: it has not begun.
  double seconds() const { return timing.seconds > 0 ? observed_.seconds : 0; }
  bool is_after_move() const { return observed_.after_move; }

  // Whether reading CPU times takes little of an invocation of this component on that number of cores, as last learnt.
  static bool pays_for_usage(const component_state& component, int cores);

  invocation_timing timing;

 private:
  bool reads_usage() const;
  bool reads_delays() const;
  void write_usage();
  void note_use(const invocation_use& use);
  void trace();

  entity& at_;
  component_state& component_;
  context& context_;
  observation observed_;
  bool checks_thread_;  // whether the state of the thread is compared before and after
  std::uint32_t releases_;
  std::string path_;  // of the record; empty: nothing is traced
};

}  // namespace weir::detail
