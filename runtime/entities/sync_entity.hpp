#pragma once

#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <weir/record/pool.hpp>
#include <weir/threads/primitives.hpp>
#include "runtime/engine/entity.hpp"
#include "runtime/patterns/pattern_matcher.hpp"

namespace weir::detail {

// Is told when a cell is spent: a star whose stages begin with one.
class cell_chain {
 public:
  virtual void spent(scope& depth) = 0;

 protected:
  ~cell_chain() = default;
};

// The records that a synchrocell holds in one scope. A record may fill several slots.
class cell : public entity_state {
 public:
  explicit cell(std::size_t patterns) : slots(patterns) {}
  ~cell() override;
  std::uint32_t filled = 0;  // one bit a slot
  bool spent = false;        // it has emitted: the identity from now on
  boost::container::small_vector<record_body*, 8> slots;
  std::size_t held() const override;
  bool forget(run_environment&, const error_site&) override { return filled == 0 && !spent; }
  void drop() noexcept;

  static void* operator new(std::size_t) { return pool::allocate(); }
  static void operator delete(void* memory) noexcept { pool::release(memory); }
};

static_assert(sizeof(cell) <= pool::block_size && alignof(cell) <= pool::block_alignment);

// A synchrocell at its place. Run by one thread at a time: it is serial.
class sync_entity final : public entity {
 public:
  sync_entity(run_environment& run, std::string path, std::vector<pattern> patterns, std::size_t state_index);
  std::string name() const override { return "synchrocell"; }
  entity* step(record_body*& r, context& c) override;
  int max_width() const override { return 1; }
  std::uint64_t sent_to(const entity&, std::uint64_t) const override { return given_.load(std::memory_order_relaxed); }
  flow_count passed_to(const entity& to) const override;

  // The slots that a record would fill in an empty cell. Throws division_by_zero when a guard does it.
  std::uint32_t mask(const record_body& r) const;
  // step_or_fail() for a record whose mask is known.
  entity* step_or_fail_with(record_body*& r, std::uint32_t mask) noexcept;
  std::string why(const division_by_zero& e) const;  // in words
  // The cell of a scope; null when no record has come to it yet.
  const cell* peek(scope& in) const { return static_cast<const cell*>(in.state(state_index_).get()); }
  cell& in(scope& in) const;

  std::size_t held() const { return held_.load(std::memory_order_relaxed); }  // in all scopes
  // A branch has ended, and the records in its cells are dropped. left_behind(): all that were dropped so.
  void leave_behind(std::size_t records) noexcept {
    held_.fetch_sub(records, std::memory_order_relaxed);
    left_behind_.fetch_add(records, std::memory_order_relaxed);
  }
  std::uint64_t left_behind() const { return left_behind_.load(std::memory_order_relaxed); }

  // The star whose body begins with this cell and which removes a stage whose cell is spent; null elsewhere.
  cell_chain* chain = nullptr;

 private:
  // How the records of certain shapes, one a slot, become the merged record.
  struct merge {
    std::vector<const shape*> in;
    const shape* out = nullptr;
    std::vector<std::pair<std::uint16_t, std::uint16_t>> from;  // by slot of the merged record: which record, its slot
  };
  entity* fill(cell& here, record_body*& r, std::uint32_t mask);
  const merge& merge_for(const cell& c);
  record_body* merged(cell& c, record_body& last);

  const std::vector<pattern> patterns_;
  std::vector<std::unique_ptr<pattern_matcher>> matchers_;
  const std::size_t state_index_;
  std::vector<std::unique_ptr<merge>> merges_;
  threads::atomic<std::uint64_t> taken_{0}, given_{0};  // relaxed: numbers only
  threads::atomic<std::size_t> held_{0};
  threads::atomic<std::uint64_t> left_behind_{0};
};

}  // namespace weir::detail
