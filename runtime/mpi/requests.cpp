#include "runtime/mpi/requests.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <stdexcept>
#include <utility>

#include "runtime/mpi/frame.hpp"
#include "runtime/mpi/tags.hpp"

namespace weir::detail::mpi {
namespace {

// Open MPI looks at its sockets at every eighth call (opal_progress).
constexpr int calls_until_sockets = 8;

// Bytes of pieces that MPI has of each peer and direction, at most. The window for sending starts at one minimum piece,
// grows by one per fast piece and halves after a slow one (AIMD). So a slow link still delivers pieces regularly. A
// piece is half a window: while one is on its way, the next one is requested.
constexpr std::size_t most_bytes = 2 * most_piece_bytes;
static_assert(most_piece_bytes <= std::numeric_limits<int>::max(), "MPI counts in int");

bool is_part(const operation& o) { return o.what == operation::kind::part_in || o.what == operation::kind::part_out; }

// Calls f for each piece of a part.
template <class Byte, class F>
std::size_t each_piece(std::span<Byte> part, std::size_t piece, const F& f) {
  std::size_t pieces = 0;
  for (; !part.empty(); part = part.subspan(std::min(part.size(), piece)), ++pieces)
    f(part.first(std::min(part.size(), piece)));
  return pieces;
}

}  // namespace

std::string text_of(int error) {
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  if (MPI_Error_string(error, text.data(), &length) != MPI_SUCCESS) return "MPI error " + std::to_string(error);
  return {text.data(), static_cast<std::size_t>(length)};
}

void require_success(int error, const char* call) {
  if (error != MPI_SUCCESS)
    throw std::runtime_error(std::string("weir::mpi::session: ") + call + ": " + text_of(error));
}

void requests::end() {
  for (std::size_t i = 0; i < requests_.size(); ++i)
    if (operations_[i].what == operation::kind::batch_in) {  // that nothing comes for
      MPI_Cancel(&requests_[i]);
      MPI_Request_free(&requests_[i]);
    }
  requests_.clear();
  auto* const kept = new std::vector<operation>(std::move(operations_));  // never freed: MPI may still use its memory
  static_cast<void>(kept);
}

void requests::add(operation o, MPI_Request request, int error) {
  if (error != MPI_SUCCESS) {
    o.error = error;
    failed_.push_back(std::move(o));
    return;
  }
  if (is_part(o)) ++parts_;
  requests_.push_back(request);
  operations_.push_back(std::move(o));
}

void requests::remove(std::size_t i) {
  if (is_part(operations_[i])) --parts_;
  operations_[i] = std::move(operations_.back());
  operations_.pop_back();
  requests_[i] = requests_.back();
  requests_.pop_back();
}

requests::lanes::lanes() {
  out.allowed = least_piece_bytes;
  in.allowed = most_bytes;
}

requests::lane& requests::lane_of(const operation& o) {
  lanes& both = lanes_[o.peer];
  return o.what == operation::kind::part_out ? both.out : both.in;
}

std::size_t requests::piece_bytes(int peer) const {
  const auto l = lanes_.find(peer);
  return l == lanes_.end() ? least_piece_bytes : std::max(l->second.out.allowed / 2, least_piece_bytes);
}

std::size_t requests::receive_part(int peer, std::uint64_t message, std::span<std::byte> into, std::size_t piece) {
  return each_piece(into, piece, [&](std::span<std::byte> p) {
    put({operation::kind::part_in, peer, message}, p.data(), p.size());
  });
}

std::size_t requests::send_part(int peer, std::span<const std::byte> part, std::shared_ptr<const void> keeps,
                                std::size_t piece) {
  return each_piece(part, piece, [&](std::span<const std::byte> p) {
    // MPI only reads it.
    put({.what = operation::kind::part_out, .peer = peer, .keeps = keeps, .whole = part.size()},
        const_cast<std::byte*>(p.data()), p.size());
  });
}

void requests::put(operation o, std::byte* at, std::size_t bytes) {
  lane& l = lane_of(o);
  o.bytes = bytes;
  l.waiting.push_back({std::move(o), at});
  go_on(l);
}

void requests::go_on(lane& l) {
  for (; !l.waiting.empty() && (!l.with_mpi || l.with_mpi + l.waiting.front().what.bytes <= l.allowed);
       l.waiting.pop_front()) {
    auto& [what, at] = l.waiting.front();
    const int count = static_cast<int>(what.bytes), peer = what.peer;
    l.with_mpi += what.bytes;
    MPI_Request r = MPI_REQUEST_NULL;
    int error = MPI_SUCCESS;
    {
      const call_watch::call inside(watch_);
      if (what.what == operation::kind::part_out) {
        what.begun = std::chrono::steady_clock::now();
        error = MPI_Isend(at, count, MPI_BYTE, peer, part_tag, on_, &r);
      } else {
        error = MPI_Irecv(at, count, MPI_BYTE, peer, part_tag, on_, &r);
      }
    }
    add(std::move(what), r, error);
  }
}

// A piece is done: the next one goes to MPI.
void requests::is_done(const operation& o) {
  lane& l = lane_of(o);
  l.with_mpi -= o.bytes;
  if (o.what == operation::kind::part_out)
    l.allowed = std::chrono::steady_clock::now() - o.begun < soon_ ? std::min(l.allowed + least_piece_bytes, most_bytes)
                                                                   : std::max(l.allowed / 2, least_piece_bytes);
  go_on(l);
}

void requests::receive_batch(int peer, std::span<std::byte> into) {
  MPI_Request r = MPI_REQUEST_NULL;
  const call_watch::call inside(watch_);
  const int error = MPI_Irecv(into.data(), static_cast<int>(into.size()), MPI_BYTE, peer, batch_tag, on_, &r);
  add({operation::kind::batch_in, peer}, r, error);
}

void requests::send_batch(int peer, std::vector<std::byte> frames) {
  MPI_Request r = MPI_REQUEST_NULL;
  const call_watch::call inside(watch_);
  const int error = MPI_Isend(frames.data(), static_cast<int>(frames.size()), MPI_BYTE, peer, batch_tag, on_, &r);
  add({operation::kind::batch_out, peer, 0, std::move(frames)}, r, error);
}

std::vector<operation>& requests::poll() {
  done_ = std::exchange(failed_, {});
  const int all = static_cast<int>(requests_.size());
  if (!all) return done_;
  indices_.resize(requests_.size());
  statuses_.resize(requests_.size());
  int count = 0;
  int result = MPI_SUCCESS;
  for (int i = 0; i < calls_until_sockets && count == 0 && result == MPI_SUCCESS; ++i) {
    const call_watch::call inside(watch_);
    result = MPI_Testsome(all, requests_.data(), &count, indices_.data(), statuses_.data());
  }
  if (count == MPI_UNDEFINED || count <= 0) return done_;
  // In the order of their indices, so that the last can take the place of one that is removed.
  std::vector<int> order(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) order[static_cast<std::size_t>(i)] = i;
  std::sort(order.begin(), order.end(), [&](int a, int b) {
    return indices_[static_cast<std::size_t>(a)] > indices_[static_cast<std::size_t>(b)];
  });
  for (const int o : order) {
    const auto i = static_cast<std::size_t>(indices_[static_cast<std::size_t>(o)]);
    const MPI_Status& status = statuses_[static_cast<std::size_t>(o)];
    operation& what = operations_[i];
    if (result == MPI_ERR_IN_STATUS && status.MPI_ERROR != MPI_ERR_PENDING) what.error = status.MPI_ERROR;
    if (what.what == operation::kind::batch_in || what.what == operation::kind::part_in) {
      int bytes = 0;
      MPI_Get_count(&status, MPI_BYTE, &bytes);
      const auto came = static_cast<std::size_t>(bytes);
      if (what.what == operation::kind::batch_in)
        what.bytes = came;
      else if (what.error == MPI_SUCCESS && came != what.bytes)
        what.error = MPI_ERR_TRUNCATE;  // a piece is shorter than was said
    }
    done_.push_back(std::move(what));
    remove(i);
  }
  for (const operation& o : done_)
    if (is_part(o) && o.error == MPI_SUCCESS) is_done(o);
  return done_;
}

void requests::give_up(int peer) {
  lanes_.erase(peer);
  auto* const kept = new std::vector<operation>;  // never freed, as the requests
  for (std::size_t i = operations_.size(); i-- > 0;)
    if (operations_[i].peer == peer) {
      kept->push_back(std::move(operations_[i]));
      remove(i);
    }
}

}  // namespace weir::detail::mpi
