#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <weir/threads/primitives.hpp>
#include "runtime/engine/entity.hpp"
#include "runtime/entities/choice_entity.hpp"
#include "runtime/entities/sync_entity.hpp"
#include "runtime/patterns/pattern_matcher.hpp"

namespace weir::detail {

class star_return_entity;

// The entry of a star, which finds and makes its stages. Stages are scopes, one per depth; the body exists once.
// Records come back from the body through star_return_entity, which is in the same region: a region that has a state
// runs one activation at a time.
//
// A star whose body begins with a synchrocell, and has no other state, is a *chain of cells*. A stage whose cell is
// spent is removed. Then a record that the rest of the body would only pass on does not come to that stage any more;
// for another record the stage is made again. Such a record also skips the cells that would pass it on. For every set
// of slots that a record could fill, the first cell with one of them empty is known. So a thousand records that wait
// for partners cost the next one nothing.
//
// New records are not taken in while the cells hold more than a stream would and something is under way that they may
// be waiting for. So a state chain does not keep all that is sent to it.
class star_entry_entity final : public entity, public cell_chain {
 public:
  star_entry_entity(run_environment& run, std::string path, const pattern_list& exits, level& inside,
                    std::size_t state_index);
  std::string name() const override { return "star"; }
  entity* step(record_body*& r, context& c) override;
  int max_width() const override { return 1; }
  bool is_always_head() const override { return true; }
  std::vector<entity*> successors() const override { return {body, next}; }
  std::uint64_t sent_to(const entity& to, std::uint64_t arrived) const override;
  flow_count passed_to(const entity& to) const override;
  flow_count passed_once_to(const entity& to) const override;

  void make_region(std::size_t capacity) override;

  // In a chain of cells: the cell of the stage that is this scope is spent.
  void spent(scope& depth) override;

  std::uint64_t entered() const;  // records from outside

  entity* body = nullptr;  // its first stage
  star_return_entity* back = nullptr;

  // In a chain of cells: the cell, and the choice behind it, if there is one.
  sync_entity* chain_cell = nullptr;
  const choice_entity* chain_rest = nullptr;

 private:
  class stages;
  friend class star_return_entity;
  stages& stages_in(scope& outer);
  entity& place_at(std::int64_t depth);
  entity* arrive(record_body*& r, scope* outer, std::int64_t depth, threads::atomic<std::uint64_t>& left,
                 threads::atomic<std::uint64_t>& entered, const context& c);
  // The stage for a record that arrives at this depth, held once for the record; null: the record ended. In a chain of
  // cells with the record's mask there; 0: not asked for.
  struct place {
    scope* in = nullptr;
    std::uint32_t mask = 0;
  };
  place stage_for(record_body* r, scope* outer, std::int64_t depth);
  // Whether a star whose stages are all spent equals a new one but for its depth, and no limit counts that.
  bool only_its_depth_tells() const;
  scope* first_that_may_keep(stages& all, std::int64_t depth, std::uint32_t mask);

  const pattern_list_matcher exits_;
  level& inside_;
  const std::size_t state_index_;
  threads::atomic<std::uint64_t> left_{0}, entered_{0};  // of the records that came from outside
};

// Where records come from the body, with their stage's scope, to leave the star or go on to the next stage.
class star_return_entity final : public entity {
 public:
  star_return_entity(run_environment& run, std::string path, star_entry_entity& of)
      : entity(run, std::move(path)), star_(of) {}
  std::string name() const override { return "star"; }
  entity* step(record_body*& r, context& c) override;
  bool leaves_loop(const record_body& r) const noexcept override;
  channel& inlet() override { return *star_.own_region->unbounded(); }
  void make_region(std::size_t) override {}
  std::vector<entity*> successors() const override { return {star_.body, next}; }
  std::uint64_t sent_to(const entity& to, std::uint64_t arrived) const override;
  flow_count passed_to(const entity&) const override { return {0, 0, 0}; }  // counted at the entry
  flow_count passed_once_to(const entity& to) const override;
  const entity* loop_left_to(const entity& to) const override { return &to == next ? &star_ : nullptr; }

 private:
  friend class star_entry_entity;
  star_entry_entity& star_;
  threads::atomic<std::uint64_t> left_{0}, entered_{0};
};

}  // namespace weir::detail
