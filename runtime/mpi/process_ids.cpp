#include "runtime/mpi/process_ids.hpp"

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>

namespace weir::detail::mpi {

process_ids::id process_ids::own() {
  id made;
  std::ifstream("/proc/sys/kernel/random/boot_id").read(made.machine.data(), made.machine.size() - 1);
  struct stat s {};
  if (stat("/proc/self/ns/pid", &s) == 0) made.name_space = s.st_ino;
  made.number = getpid();
  return made;
}

bool process_ids::has_ended(int rank) const {
  const id& its = all_[static_cast<std::size_t>(rank)];
  if (its.machine != own_.machine || its.name_space != own_.name_space || !its.name_space) return false;
  return kill(static_cast<pid_t>(its.number), 0) != 0 && errno == ESRCH;
}

}  // namespace weir::detail::mpi
