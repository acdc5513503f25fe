#pragma once

#include <memory>
#include <string>

#include <weir/threads/primitives.hpp>
#include "runtime/engine/entity.hpp"
#include "runtime/network/filter_program.hpp"

namespace weir::detail {

// A filter at its place.
class filter_entity final : public entity {
 public:
  filter_entity(run_environment& run, std::string path, std::shared_ptr<const filter_spec> spec);
  std::string name() const override { return to_string(*spec_); }
  entity* step(record_body*& r, context& c) override;
  entity* step_all(std::span<record_body*>& batch, context& c) noexcept override;
  bool emits() const override { return !gives_one_; }
  std::uint64_t sent_to(const entity& to, std::uint64_t arrived) const override;
  flow_count passed_to(const entity& to) const override;

 private:
  const std::shared_ptr<const filter_spec> spec_;
  const filter_program program_;
  const bool gives_one_;                                // for each record: then nothing is counted
  threads::atomic<std::uint64_t> taken_{0}, given_{0};  // relaxed: numbers only
};

}  // namespace weir::detail
