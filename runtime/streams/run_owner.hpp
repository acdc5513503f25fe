#pragma once

#include <string>

namespace weir {
struct observation;
}

namespace weir::detail {

struct worker;

// The run as a whole, as its parts call it. None of these calls is on a record's usual way.
class run_owner {
 public:
  virtual void stop() noexcept = 0;             // ends the run and wakes all that sleep. REQUIRES: no lock is held
  virtual void end_soon() noexcept = 0;         // the same soon, by the controller's thread. Under any lock
  virtual bool finish_more() noexcept = 0;      // nothing is left to do: lets folds finish; false when none is left
  virtual void drained() noexcept = 0;          // nothing is left to do and nothing will come: wakes readers
  virtual void wind_down() = 0;                 // it is over: stopped threads end, and callbacks hear everything
  virtual void complete_fusion() noexcept = 0;  // carries on with a change of fusion (placing)
  virtual void request_layout() noexcept = 0;   // an entity is to head a region of its own: see entity::was_deep
  virtual void observe(worker& by, const observation& o) noexcept = 0;
  virtual bool help() = 0;  // on a machine without threads: runs something; false when there is nothing
  virtual void note(const std::string& sentence) = 0;  // for the report and the log, once. Throws std::bad_alloc

 protected:
  ~run_owner() = default;
};

}  // namespace weir::detail
