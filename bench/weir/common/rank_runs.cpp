#include "bench/weir/common/rank_runs.hpp"

#include <exception>
#include <string>
#include <utility>

#include "bench/support/bad_input.hpp"
#ifdef WEIR_HAS_MPI
#include <weir/mpi/session.hpp>
#include <weir/mpi/start.hpp>
#endif

namespace weir::program {

#ifdef WEIR_HAS_MPI

struct rank_runs::ranks {
  mpi::session session{};
};

rank_runs::rank_runs(bool with_mpi) {
  try {
    if (with_mpi) ranks_ = std::make_unique<ranks>();
  } catch (const std::exception& e) {
    throw bad_input(std::string("--mpi: ") + e.what());
  }
}

int rank_runs::count() const { return ranks_ ? ranks_->session.size() : 1; }
bool rank_runs::is_first() const { return !ranks_ || ranks_->session.rank() == 0; }

std::optional<execution> rank_runs::start(const network& net, options o) const {
  if (!ranks_) return weir::start(net, std::move(o));
  return mpi::start(net, std::move(o)).run;
}

#else

struct rank_runs::ranks {};
rank_runs::rank_runs(bool with_mpi) {
  if (with_mpi) throw bad_input("--mpi: this weir was built without weir::mpi, for which MPI was not found");
}
int rank_runs::count() const { return 1; }
bool rank_runs::is_first() const { return true; }
std::optional<execution> rank_runs::start(const network& net, options o) const {
  return weir::start(net, std::move(o));
}

#endif

rank_runs::~rank_runs() = default;

}  // namespace weir::program
