#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <weir/record/record.hpp>
#include "runtime/remote/session.hpp"
#include "runtime/remote/window.hpp"

namespace weir::detail {

struct run_environment;

// A cut as one of its homes sees it: its constants, and the credit of each rank that runs the part.
class call_link {
 public:
  // One rank where the part may run.
  struct far {
    explicit far(const remote::window_limits& l) : credit(l), owed(l) {}
    remote::sending_window credit;  // for calls
    std::uint32_t gives = 0;        // the cut there that results come from
    remote::owed_credit owed;       // for results; the lock of the home's calls guards it
  };

  // path: of the part, as in errors.
  call_link(run_environment& run, remote::session& ranks, std::size_t number, const std::string& path);

  const remote::cut& cut() const { return cut_; }
  bool is_route() const { return route_.size() > 1; }
  bool moves() const { return moves_; }              // a lost rank's calls go to others
  std::string name() const;                          // of all cuts on its route
  const std::string& path() const { return path_; }  // of the element around the part

  // The value of the tag that places the record's branch; nothing: it lacks the tag. REQUIRES: a tag places the part.
  std::optional<std::int64_t> value_of(const record_body& r) const;

  // Before the run starts: who hears what these ranks send back.
  void attach(remote::link_end& to) { home_ = ranks.attach_home(to); }
  // A message of this home about the part, or about the cut that results come from.
  remote::rank_message_writer message(remote::topic what) const { return message(what, number_); }
  remote::rank_message_writer message(remote::topic what, std::uint32_t cut) const {
    return {static_cast<std::uint32_t>(what), cut, home_};
  }

  std::map<int, far>& fars() { return fars_; }
  std::vector<int> far_ranks() const;
  far& far_at(int rank);      // throws std::runtime_error: the part does not run there
  bool lacks_credit() const;  // some record was refused
  std::vector<int> without_credit() const;

  run_environment& run;
  remote::session& ranks;

 private:
  const std::uint32_t number_;  // of the cut
  std::uint32_t home_ = 0;      // of this home among those of its rank
  const remote::cut& cut_;
  const bool moves_;
  const std::string path_;
  std::vector<std::size_t> route_;  // cuts, from this one on
  std::map<int, far> fars_;
};

}  // namespace weir::detail
