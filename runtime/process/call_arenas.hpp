#pragma once

#include <functional>
#include <memory>

namespace weir::detail::processes {

// Arenas of oneTBB in which boxes run that are called from another process: one for each number of cores. One thread at
// a time.
class call_arenas {
 public:
  call_arenas();
  ~call_arenas();
  call_arenas(const call_arenas&) = delete;

  // Calls f in an arena of this many cores, on the calling thread. Throws what f throws.
  void run(int cores, const std::function<void()>& f);

 private:
  struct arenas;
  std::unique_ptr<arenas> arenas_;
};

}  // namespace weir::detail::processes
