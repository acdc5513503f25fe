#pragma once

#include <memory>
#include <string>

#include <weir/threads/primitives.hpp>
#include "runtime/engine/entity.hpp"
#include "runtime/patterns/pattern_matcher.hpp"

namespace weir::detail {

class feedback_again_entity;

// The entry of a feedback's body. New records come through the region's stream, returning ones through its unbounded
// inlet, which is served first.
class feedback_entry_entity final : public entity {
 public:
  using entity::entity;
  std::string name() const override { return "feedback"; }
  entity* step(record_body*&, context&) override;
  int max_width() const override { return 1; }
  bool is_always_head() const override { return true; }
  void make_region(std::size_t capacity) override;
  std::uint64_t sent_to(const entity&, std::uint64_t) const override {
    return entered_.load(std::memory_order_relaxed);
  }
  flow_count passed_to(const entity& to) const override;
  flow_count passed_once_to(const entity&) const override { return {}; }
  std::uint64_t entered() const { return entered_.load(std::memory_order_relaxed); }

  feedback_again_entity* again = nullptr;

 private:
  threads::atomic<std::uint64_t> entered_{0};
};

// Where returning records enter the body once more.
class feedback_again_entity final : public entity {
 public:
  feedback_again_entity(run_environment& run, std::string path, feedback_entry_entity& of)
      : entity(run, std::move(path)), entry_(of) {}
  std::string name() const override { return "feedback"; }
  entity* step(record_body*&, context&) override;
  channel& inlet() override { return *entry_.own_region->unbounded(); }
  void make_region(std::size_t) override {}
  std::uint64_t sent_to(const entity&, std::uint64_t) const override { return entered(); }
  flow_count passed_to(const entity&) const override { return {0, 0, 0}; }  // counted at the entry
  std::uint64_t entered() const { return entered_.load(std::memory_order_relaxed); }
  const feedback_entry_entity& entry() const { return entry_; }

 private:
  feedback_entry_entity& entry_;
  threads::atomic<std::uint64_t> entered_{0};
};

// Behind the body: sends records that match back.
class feedback_exit_entity final : public entity {
 public:
  feedback_exit_entity(run_environment& run, std::string path, const pattern_list& back, feedback_again_entity& again)
      : entity(run, std::move(path)), back_(back), again_(again) {}
  std::string name() const override { return "feedback"; }
  entity* step(record_body*& r, context& c) override;
  std::vector<entity*> successors() const override { return {&again_, next}; }
  std::uint64_t sent_to(const entity& to, std::uint64_t arrived) const override;
  flow_count passed_to(const entity& to) const override;
  flow_count passed_once_to(const entity& to) const override;
  const entity* loop_left_to(const entity& to) const override { return &to == next ? &again_.entry() : nullptr; }

 private:
  const pattern_list_matcher back_;
  feedback_again_entity& again_;
  threads::atomic<std::uint64_t> left_{0}, returned_{0};  // relaxed, as all counts of records: numbers only
};

}  // namespace weir::detail
