#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <weir/network/network.hpp>
#include <weir/report/report.hpp>
#include "runtime/remote/session.hpp"
#include "runtime/remote/transport.hpp"
#include "runtime/threads/locks.hpp"

namespace weir::detail {

// The run of one rank, as the others make it act.
class run_of_rank {
 public:
  virtual run_report report() = 0;
  virtual bool has_drained() const = 0;
  virtual void close() = 0;
  virtual void stop() noexcept = 0;
  virtual void wind_down() = 0;
  virtual void end_by(failure f) noexcept = 0;  // soon; under any lock
  virtual void note(const std::string& sentence) = 0;

 protected:
  ~run_of_rank() = default;
};

// The other ranks of a run, and what they tell each other of it as a whole. Rank 0 has the network's input and output;
// it says when the run has drained or stops, and the others end then. A rank that ends by an error tells rank 0. A lost
// rank ends the run on every other.
class ranks final : public remote::session_owner {
 public:
  // Waits until all ranks have said which network they run. Throws as session.
  ranks(std::shared_ptr<remote::transport> over, const network& net, std::string version,
        const remote::window_limits& limits);
  ~ranks();
  ranks(const ranks&) = delete;

  remote::session& session() { return *session_; }
  int rank() const { return session_->rank(); }

  // Waits until all are ready to run. Throws run_error when one is not.
  void ready(run_of_rank& of);

  // By the run. The first also for a part of it that has ended by itself.
  void drained() noexcept;
  void stopping(const std::optional<failure>& by) noexcept;

  // At rank 0: waits until the others have ended; then nothing comes any more. REQUIRES: the run is over.
  void finish() noexcept;

  // At the others: answers rank 0 until the run is over.
  void serve();

  // The cost to reach each rank from rank 0, by rank, as far as it was measured.
  std::vector<remote::link_cost> links() const;

  // The last reports of the other ranks, by rank; empty for rank 0 and for a rank that sent none. Rank 0 asks for new
  // ones while the run goes on, and waits a moment for them.
  std::vector<std::optional<run_report>> reports();

 private:
  void told(int from, remote::topic what, remote::rank_message&& p) override;
  void lost(int rank, const std::string& why) override;
  struct other {
    bool has_ended = false, is_lost = false;
    std::uint64_t reports = 0;
    std::optional<run_report> last;
  };

  const std::shared_ptr<remote::transport> over_;
  std::unique_ptr<remote::session> session_;
  run_of_rank* run_ = nullptr;

  WEIR_LOCK(ranks) mutex_;
  condition changed_;
  std::vector<other> others_;
  bool is_ready_ = false, is_over_ = false, is_asked_ = false, is_told_to_stop_ = false;
};

}  // namespace weir::detail
