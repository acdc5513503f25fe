#pragma once

#include <memory>
#include <string>

#include "runtime/engine/stage.hpp"
#include "runtime/patterns/pattern_matcher.hpp"
#include "runtime/threads/primitives.hpp"

namespace weir::detail {

class feedback_again_stage;

// The entry of a feedback's body. New records come through the region's stream, returning ones through its unbounded
// inlet, which is served first.
class feedback_entry_stage final : public stage {
 public:
  using stage::stage;
  std::string name() const override { return "feedback"; }
  stage* step(record_body*&, context&) override;
  int max_width() const override { return 1; }
  bool is_always_head() const override { return true; }
  void make_region(std::size_t capacity) override;
  std::uint64_t sent_to(const stage&, std::uint64_t) const override { return entered_.load(std::memory_order_relaxed); }
  flow_count passed_to(const stage& to) const override;
  flow_count passed_once_to(const stage&) const override { return {}; }
  std::uint64_t entered() const { return entered_.load(std::memory_order_relaxed); }

  feedback_again_stage* again = nullptr;

 private:
  threads::atomic<std::uint64_t> entered_{0};
};

// Where returning records enter the body once more.
class feedback_again_stage final : public stage {
 public:
  feedback_again_stage(run_environment& run, std::string path, feedback_entry_stage& of)
      : stage(run, std::move(path)), entry_(of) {}
  std::string name() const override { return "feedback"; }
  stage* step(record_body*&, context&) override;
  channel& inlet() override { return *entry_.own_region->unbounded(); }
  void make_region(std::size_t) override {}
  std::uint64_t sent_to(const stage&, std::uint64_t) const override { return entered(); }
  flow_count passed_to(const stage&) const override { return {0, 0, 0}; }  // counted at the entry
  std::uint64_t entered() const { return entered_.load(std::memory_order_relaxed); }
  const feedback_entry_stage& entry() const { return entry_; }

 private:
  feedback_entry_stage& entry_;
  threads::atomic<std::uint64_t> entered_{0};
};

// Behind the body: sends records that match back.
class feedback_exit_stage final : public stage {
 public:
  feedback_exit_stage(run_environment& run, std::string path, const pattern_list& back, feedback_again_stage& again)
      : stage(run, std::move(path)), back_(back), again_(again) {}
  std::string name() const override { return "feedback"; }
  stage* step(record_body*& r, context& c) override;
  std::vector<stage*> successors() const override { return {&again_, next}; }
  std::uint64_t sent_to(const stage& to, std::uint64_t arrived) const override;
  flow_count passed_to(const stage& to) const override;
  flow_count passed_once_to(const stage& to) const override;
  const stage* loop_left_to(const stage& to) const override { return &to == next ? &again_.entry() : nullptr; }

 private:
  const pattern_list_matcher back_;
  feedback_again_stage& again_;
  threads::atomic<std::uint64_t> left_{0}, returned_{0};  // relaxed, as all counts of records: numbers only
};

}  // namespace weir::detail
