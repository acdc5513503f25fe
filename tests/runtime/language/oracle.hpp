#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <vector>

#include "tests/runtime/language/plan.hpp"

// A second implementation of the meaning of networks: an interpreter that follows the rules of the coordination
// language literally, one record after the other and depth first.
namespace weir::testing::language {

// The network is too much work for a test, or would never end.
struct too_much : std::runtime_error {
  using runtime_error::runtime_error;
};

using group = std::vector<plain_record>;

// One run of a network by the rules. Each input passes the whole network before the next one. The states of star
// stages, split values and synchrocells stay.
class oracle {
 public:
  explicit oracle(plan_ptr p, std::int64_t most_steps = 20000);
  ~oracle();

  std::vector<group> start();                       // the initialisers' results
  std::vector<group> push(const plain_record& in);  // the results of the next input
  std::int64_t failed() const { return failed_; }
  std::int64_t held() const { return held_; }          // records that wait in synchrocells
  std::int64_t observed() const { return observed_; }  // records that left an `observed` network

 private:
  struct place;
  std::vector<group> run(const plan& p, place& at, const plain_record& r);
  std::vector<group> run_box(const plain_box& b, const plain_record& r);
  std::vector<group> run_filter(const plan& p, const plain_record& r);
  std::vector<group> run_sync(const plan& p, place& at, const plain_record& r);
  std::vector<group> run_serial(const plan& p, place& at, const plain_record& r);
  void run_star(const plan& p, place& at, std::size_t depth, const plain_record& r, std::vector<group>& out);
  void run_feedback(const plan& p, place& at, const plain_record& r, std::vector<group>& out);
  void start(const plan& p, place& at, std::vector<group>& out);

  plan_ptr plan_;
  std::unique_ptr<place> root_;
  std::int64_t steps_left_;
  std::int64_t failed_ = 0, held_ = 0, observed_ = 0;
};

}  // namespace weir::testing::language
