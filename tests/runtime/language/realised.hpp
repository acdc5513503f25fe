#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <weir/weir.hpp>

#include "tests/runtime/language/oracle.hpp"

// Makes networks of the runtime from plans, and its records from plain records.
namespace weir::testing::language {

// The behaviour of boxes in realised plans apart from their results.
struct behaviour {
  std::atomic<bool> delays{false};  // some invocations take a few microseconds, at random
};
behaviour& boxes_behave();

// Makes networks from plans: the same network for the same plan, and the same box for the same name. Throws type_error.
// Different objects may be used by different threads at the same time.
class realiser {
 public:
  realiser() = default;
  // `change` gives the network that stands for a box.
  explicit realiser(std::function<network(const network&)> change) : change_(std::move(change)) {}

  network of(const plan_ptr& p);
  std::vector<input_variant> inputs_of(const plan_ptr& p);  // as inferred

  // Counts the records that come out of the observed parts of these networks.
  const std::shared_ptr<std::atomic<std::int64_t>>& observed() const { return observed_; }

 private:
  network made(const plan& p);
  network box_of(const plain_box& b);
  std::function<network(const network&)> change_;
  std::map<plan_ptr, network> networks_;                 // keeps the plans, so that no address is reused
  std::map<std::string, std::optional<network>> boxes_;  // and folds, by name
  int groups_ = 0;
  std::shared_ptr<std::atomic<std::int64_t>> observed_ = std::make_shared<std::atomic<std::int64_t>>(0);
};

record realised(const plain_record& r);
std::string printed(const record& r);  // as to_string(plain_record) prints it

}  // namespace weir::testing::language
