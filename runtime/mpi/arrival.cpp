#include "runtime/mpi/arrival.hpp"

#include <time.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>

#include "runtime/mpi/process_timeout.hpp"
#include "runtime/mpi/requests.hpp"
#include "runtime/mpi/tags.hpp"

namespace weir::detail::mpi {
namespace {

constexpr const char* who = "weir::mpi::session: ";

// Between two looks: short compared with what a session takes to be made, long enough to leave the core to other ranks.
constexpr timespec between_looks{0, 100'000};

// Whether the requests are complete in time.
bool all_done(std::vector<MPI_Request>& requests, std::chrono::nanoseconds within, const char* call) {
  process_timeout bound(within);
  for (int is_done = 0;;) {
    require_success(MPI_Testall(static_cast<int>(requests.size()), requests.data(), &is_done, MPI_STATUSES_IGNORE),
                    call);
    if (is_done) return true;
    if (bound.is_over()) return false;
    nanosleep(&between_looks, nullptr);
  }
}

// Memory that MPI may use until it is released, which it is when all went well.
template <class T>
class lent {
 public:
  explicit lent(T value) : at_(new T(std::move(value))) {}
  lent(const lent&) = delete;
  T& operator*() const { return *at_; }
  T* operator->() const { return at_; }
  T take_back() { return std::move(*std::unique_ptr<T>(at_)); }

 private:
  T* const at_;
};

// The memory that introduce() lends to MPI.
struct exchanged {
  introduction own;
  std::vector<introduction> all;
};

}  // namespace

std::string words_of_time(std::chrono::duration<double> time) {
  std::array<char, 32> digits;
  char* const end = std::to_chars(digits.data(), digits.data() + digits.size(), time.count()).ptr;
  return std::string(digits.data(), end) + " s";
}

MPI_Comm own_communicator(std::chrono::nanoseconds within) {
  lent made(MPI_Comm{MPI_COMM_NULL});
  std::vector<MPI_Request> request(1, MPI_REQUEST_NULL);
  require_success(MPI_Comm_idup(MPI_COMM_WORLD, &*made, request.data()), "MPI_Comm_idup");
  if (!all_done(request, within, "MPI_Comm_idup")) {
    int ranks = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    throw std::runtime_error(who + std::string("not all of the ") + std::to_string(ranks) +
                             " ranks have constructed a session within " + words_of_time(within) +
                             " (session_options::begin_within): a rank constructs none, is stopped, or has ended");
  }
  const MPI_Comm on = made.take_back();
  require_success(MPI_Comm_set_errhandler(on, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  return on;
}

std::vector<introduction> introduce(MPI_Comm on, const introduction& own, std::chrono::nanoseconds within) {
  int self = 0, ranks = 1;
  MPI_Comm_rank(on, &self);
  MPI_Comm_size(on, &ranks);
  lent told(exchanged{own, std::vector<introduction>(static_cast<std::size_t>(ranks), own)});
  constexpr int bytes = sizeof(introduction);
  std::vector<MPI_Request> requests(static_cast<std::size_t>(2 * ranks), MPI_REQUEST_NULL);  // to all, and from all
  for (int r = 0; r < ranks; ++r) {
    if (r == self) continue;
    const auto at = static_cast<std::size_t>(r);
    require_success(
        MPI_Irecv(&told->all[at], bytes, MPI_BYTE, r, introduction_tag, on, &requests[at + told->all.size()]),
        "MPI_Irecv");
    require_success(MPI_Isend(&told->own, bytes, MPI_BYTE, r, introduction_tag, on, &requests[at]), "MPI_Isend");
  }
  if (all_done(requests, within, "MPI_Testall")) return std::move(told.take_back().all);
  std::string missing;
  for (std::size_t i = told->all.size(), is_first = 1; i < requests.size(); ++i) {
    int has_come = 1;
    MPI_Test(&requests[i], &has_come, MPI_STATUS_IGNORE);
    if (!has_come) missing += (std::exchange(is_first, 0) ? "rank " : ", rank ") + std::to_string(i - told->all.size());
  }
  const std::string fault = missing.empty() ? "not every rank received the introduction of this rank"
                                            : "no introduction came from " + missing;
  throw std::runtime_error(who + fault + " within " + words_of_time(within) +
                           " (session_options::begin_within): a rank is stopped or has ended");
}

std::chrono::nanoseconds agreed_silence(const std::vector<introduction>& all) {
  std::chrono::nanoseconds longest{0};
  for (std::size_t r = 0; r < all.size(); ++r) {
    if (all[r].version != all[0].version)
      throw std::runtime_error(who + std::string("rank 0 and rank ") + std::to_string(r) +
                               " run different versions of weir: " + all[0].version.data() + " and " +
                               all[r].version.data());
    longest = std::max(longest, std::chrono::nanoseconds(all[r].silence_ns));
  }
  return longest;
}

}  // namespace weir::detail::mpi
