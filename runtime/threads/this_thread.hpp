#pragma once

namespace weir::detail {

// Marks the calling thread, while it exists, as inside a call of the user's code that was made for a run or an
// observer. Such a call must not wait for the same run or observer. Calls nest.
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

// A thread that runs boxes on cores granted to it, and can release them for a while.
class core_holder {
 public:
  virtual bool is_on_cores() const noexcept = 0;
  virtual void leave_cores() noexcept = 0;
  // Waits for the same cores, or for `any` on which its invocations may go on.
  virtual void return_to_cores(bool any) noexcept = 0;

 protected:
  ~core_holder() = default;
};

// Makes the calling thread this holder of cores, while it exists.
class working_as {
 public:
  explicit working_as(core_holder& w) noexcept;
  ~working_as();
  working_as(const working_as&) = delete;

  static bool any() noexcept;              // the calling thread is a holder of cores and has not released them
  static core_holder* current() noexcept;  // null: the calling thread is none

 private:
  core_holder* const was_;
};

// Releases the calling thread's cores while it exists, in the middle of an invocation: other threads of its run, and
// other runs, use them meanwhile. It is placed around every wait for a run, and for something that another invocation
// holds. The destructor waits for cores. Does nothing on a thread that holds no cores of ours.
class off_cores {
 public:
  // any_cores: in the middle of an emit. The box in it may go on elsewhere, unless it knows its grant.
  enum class until { same_cores, any_cores };
  explicit off_cores(until = until::same_cores) noexcept;
  ~off_cores();
  off_cores(const off_cores&) = delete;

 private:
  core_holder* const left_;  // null: it had no cores, or had released them already
  const until until_;
};

}  // namespace weir::detail
