#pragma once

#include <memory>
#include <string>
#include <utility>

#include "runtime/engine/entity.hpp"
#include "runtime/network/observer.hpp"

namespace weir::detail {

// Shows each record that passes to a function of the user's.
class observe_entity final : public entity {
 public:
  observe_entity(run_environment& run, std::string path, std::shared_ptr<observer> by)
      : entity(run, std::move(path)), by_(std::move(by)) {}
  std::string name() const override { return "observe"; }
  entity* step(record_body*& r, context& c) override;

 private:
  const std::shared_ptr<observer> by_;
};

}  // namespace weir::detail
