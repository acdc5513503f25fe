#pragma once

namespace weir::detail {

// While this exists the calling thread is in the middle of a call of the user's code, made for a run or for an
// observer: what that call waits for must not be the same run or observer. Calls nest.
class inside_call {
 public:
  explicit inside_call(const void* made_for) noexcept;
  ~inside_call();
  inside_call(const inside_call&) = delete;

  static bool any() noexcept;
  static bool of(const void* made_for) noexcept;

 private:
  const void* const made_for_;
  const inside_call* const around_;
};

// A thread that runs boxes on cores which it was granted, and can give them back for a while.
class core_holder {
 public:
  virtual bool is_on_cores() const noexcept = 0;
  virtual void leave_cores() noexcept = 0;
  virtual void return_to_cores() noexcept = 0;  // waits for the same ones

 protected:
  ~core_holder() = default;
};

// While this exists the calling thread is this holder of cores.
class working_as {
 public:
  explicit working_as(core_holder& w) noexcept;
  ~working_as();
  working_as(const working_as&) = delete;

  static bool any() noexcept;  // the calling thread holds cores, and is on them

 private:
  core_holder* const was_;
};

// While this exists the calling thread, in the middle of an invocation, has given its cores back: other threads of its
// run, and other runs, use them meanwhile. Stands around every wait for a run, and for what another invocation holds.
// The destructor waits for the same cores. On a thread without cores of ours it does nothing.
class off_cores {
 public:
  off_cores() noexcept;
  ~off_cores();
  off_cores(const off_cores&) = delete;

 private:
  core_holder* const left_;  // null: it has no cores, or has given them back already
};

}  // namespace weir::detail
