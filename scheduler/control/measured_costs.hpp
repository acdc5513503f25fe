#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "scheduler/policies/policy.hpp"
#include "scheduler/view/allotment.hpp"
#include "scheduler/view/system_view.hpp"

namespace weir {

// The cost of the last allotments as it was measured, whatever models say about them now. So the one in force can be
// held against those before it.
//
// A cost is what the rule assesses (assessment::cost) with the times of the components as measured. It is taken from
// batches of about `batch` records, and of each component the median over a batch, so that a late invocation does not
// count. A cost is for the inputs and the routing of its time. Where they differ now, it is corrected by the ratio
// that the models expect.
//
// Rules come in pairs: `rule` is asked about the view itself, and `aside`, a copy of it, about views with other times
// or inputs. So what a rule keeps of the view (policy::keeping) is not lost to these. They may be the same.
//
// Not thread-safe.
class measured_costs {
 public:
  static constexpr std::size_t batch = 8;       // records: half of them may be late and the median holds
  static constexpr std::size_t batches = 32;    // that count of the allotment in force: 256 records
  static constexpr std::size_t allotments = 8;  // the last ones, besides the one in force

  // Takes in what was invoked since the last call. Call it at every step.
  void look(const system_view& view, const policy& rule, const policy& aside);

  // Forgets all: other components, or other cores.
  void clear();

  struct cost {
    double mean = 0;     // as assessment::cost
    double error = 0;    // the standard error of the mean, relative to it
    double records = 0;  // that were measured
  };

  // The records that were measured of the allotment in force.
  double records(const system_view& view) const;

  // The cost of the allotment in force. Before the first batch is complete it is as close to what the models expect as
  // the few records allow. Nothing with less than two.
  std::optional<cost> of_current(const system_view& view, const policy& aside) const;

  // The cost of an allotment that was in force before, for the inputs of now; nothing if it is not kept.
  std::optional<cost> of(const allotment& before, const system_view& view, const policy& rule,
                         const policy& aside) const;

  // The allotments that are kept, without the one in force; oldest first.
  std::vector<allotment> before() const;

 private:
  // The invocations of a component in one batch.
  struct invocations {
    std::vector<double> ratios;  // of measured to expected seconds, of the first ones
    std::uint64_t count = 0;     // of all
  };
  // What the models need to know of the stream of some time, by component.
  struct stream {
    std::vector<typical_input> inputs;
    double visits;
  };
  struct entry {
    allotment given;
    cost seen;
    std::vector<stream> with;
  };

  static std::vector<stream> stream_of(const system_view& view);
  static double ratio(const allotment& given, const system_view& now, const std::vector<stream>& then,
                      const policy& rule, const policy& aside);
  void begin(const system_view& view, const policy& aside);
  double cost_of_open(const system_view& view, const policy& aside, bool is_doubted) const;
  std::optional<cost> of_batches(const system_view& view, const policy& aside, bool is_doubted) const;

  allotment current_;                              // the one in force
  std::vector<std::uint64_t> seen_, inputs_seen_;  // by component
  std::vector<invocations> open_;                  // the batch that is not complete
  std::vector<double> costs_;                      // of the complete ones, oldest first
  std::vector<stream> with_;                       // of the first of these
  std::vector<entry> entries_;                     // oldest first
};

}  // namespace weir
