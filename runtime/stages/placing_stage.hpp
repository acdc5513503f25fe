#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/engine/stage.hpp"
#include "runtime/threads/primitives.hpp"

namespace weir::detail {

// Sends the records of a branch to the rank of its tag's value, or on to the body here.
class placing_stage final : public stage {
 public:
  placing_stage(run_environment& run, std::string path, const label_info* by, int rank, int ranks, stage& here,
                stage& elsewhere)
      : stage(run, std::move(path)), by_(by), rank_(rank), ranks_(ranks), here_(here), elsewhere_(elsewhere) {}
  std::string name() const override { return "at " + weir::to_string(*by_); }
  stage* step(record_body*& r, context& c) override;
  std::vector<stage*> successors() const override { return {&here_, &elsewhere_}; }
  std::uint64_t sent_to(const stage& to, std::uint64_t arrived) const override;
  flow_count passed_to(const stage& to) const override;

 private:
  const label_info* const by_;
  const int rank_, ranks_;
  stage& here_;
  stage& elsewhere_;
  threads::atomic<std::uint64_t> stayed_{0}, went_{0};  // relaxed: numbers only
};

}  // namespace weir::detail
