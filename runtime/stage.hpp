#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "runtime/component_state.hpp"
#include "runtime/region.hpp"
#include "runtime/worker.hpp"

namespace weir::detail {

class stage;

// One activation's view of the world: who runs it, for which batch, and what it puts out.
class context {
 public:
  context(run_state& run, worker& w, region& from, std::uint64_t ticket);
  ~context();

  // Runs a record through a stage and those fused behind it, until it leaves the region or ends.
  void drive(stage* at, record_body* r);

  // While a box is emitting: passes on what has gathered, so that neither memory nor a reader in want of work waits for
  // the box to return. Blocks, off its seat, while there is no room. Throws stopped when the run is stopping.
  void pass_on();

  run_state& run;
  worker& by;
  region& from;
  const std::uint64_t ticket;
  std::vector<parcel> out;
  bool sampling = false;  // this record is timed in short boxes, too
};

// Thrown through a box that emits into a stopping run: it ends the invocation.
struct stopped {};

// One place in the unfolded network, with its path. Immutable but for how it is fused.
class stage {
 public:
  stage(std::string p) : path(std::move(p)) {}
  virtual ~stage() = default;
  virtual std::string name() const = 0;

  // Takes a record in. Returns where it goes on (then `r` is what goes on) or null when it ended here.
  virtual stage* step(record_body*& r, context& c) = 0;

  // The stream in front, when this stage is not fused to the one before it.
  virtual channel& inlet() = 0;

  const std::string path;
  stage* next = nullptr;
  stage* previous = nullptr;

  // Runs inline behind `previous`. Changes only while the region it is part of, before and after, is held and quiet;
  // that region's lock orders it for the workers.
  bool fused = false;
};

// A box at its place.
class box_stage final : public stage {
 public:
  box_stage(run_state& run, std::string path, component_state& c, std::size_t physical_capacity);
  std::string name() const override { return component.spec->name; }
  stage* step(record_body*& r, context& c) override;
  channel& inlet() override { return own_region; }

  component_state& component;
  region own_region;

  // Records in and out, counted only where a box does not give one for one.
  std::atomic<std::uint64_t> taken{0}, given{0};
  std::atomic<std::uint64_t> failed{0};

 private:
  class emitting;
  struct timing;
  // Out of line: step() is the path that must stay short.
  [[gnu::noinline]] stage* no_match(record_body* r);
  [[gnu::noinline]] stage* step_timed(record_body*& r, context& c, const box_plan& plan);
  stage* return_one(record_body*& r, context& c, const box_plan& plan, timing* timed);
  [[gnu::noinline]] stage* invoke(record_body*& r, context& c, const box_plan& plan, timing* timed);
  [[gnu::noinline]] void threw(record_body* r, const invocation& i);
  void fail(record_body* r, const std::exception_ptr& cause);

  run_state& run_;
  // Copies of what the spec says, at hand.
  bool (*const call_)(void*, invocation&);
  void* const callable_;
  const bool returns_one_;
};

}  // namespace weir::detail
