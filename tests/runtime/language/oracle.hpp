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
// stages, split values, synchrocells and folds stay.
//
// Folds finish in rounds, once their input has ended: that of the whole network, or that of a branch. In a round the
// instances of one fold finish which have passed as many stages of each star around it, in the order in which they were
// made. It is the first that a reader of the network meets. All that they give goes through before the next round.
class oracle {
 public:
  explicit oracle(plan_ptr p, std::int64_t most_steps = 20000);
  ~oracle();

  std::vector<group> start();                       // the initialisers' results
  std::vector<group> push(const plain_record& in);  // the results of the next input
  std::vector<group> finish();                      // the results of the end of all input
  std::int64_t failed() const { return failed_; }
  std::int64_t held() const { return held_; }          // records that wait in synchrocells
  std::int64_t observed() const { return observed_; }  // records that left an `observed` network
  std::int64_t folded() const { return folded_; }      // records that folds took
  std::int64_t finished() const { return finished_; }  // ends of a fold's input
  std::int64_t anew() const { return anew_; }          // folds that took a record after they had finished
  std::int64_t ended() const { return ended_; }        // branches, before the end of all input

 private:
  struct place;
  struct fold_state;
  struct step;
  struct instance;
  struct search;
  std::vector<group> run(const plan& p, place& at, const plain_record& r);
  std::vector<group> run_box(const plain_box& b, const plain_record& r);
  std::vector<group> run_filter(const plan& p, const plain_record& r);
  std::vector<group> run_sync(const plan& p, place& at, const plain_record& r);
  std::vector<group> run_fold(const plain_fold& f, place& at, const plain_record& r);
  std::vector<group> run_serial(const plan& p, place& at, std::size_t from, std::vector<group> now);
  std::vector<group> run_split(const plan& p, place& at, const plain_record& r);
  void run_star(const plan& p, place& at, std::size_t depth, const plain_record& r, std::vector<group>& out);
  void run_feedback(const plan& p, place& at, const plain_record& r, std::vector<group>& out);
  void come_out(const plan& p, place& at, const plain_record& r, std::vector<group>& out);
  void start(const plan& p, place& at, std::vector<group>& out);

  std::vector<group> finish_all(const plan& p, place& at, bool is_outermost);  // the rounds
  void look(const plan& p, place& at, bool is_outermost, search& s);
  std::vector<group> finish(const plain_fold& f, const fold_state& state);
  std::vector<group> go_on(const step& from, std::vector<group> out);

  plan_ptr plan_;
  std::unique_ptr<place> root_;
  std::int64_t steps_left_;
  std::int64_t failed_ = 0, held_ = 0, observed_ = 0, folded_ = 0, finished_ = 0, anew_ = 0, ended_ = 0;
  std::int64_t made_ = 0;  // states of folds
};

}  // namespace weir::testing::language
