#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <weir/threads/primitives.hpp>
#include "runtime/engine/entity.hpp"
#include "runtime/placed/hosted_home.hpp"
#include "runtime/placed/hosted_homes.hpp"
#include "runtime/record/per_shape.hpp"
#include "runtime/remote/session.hpp"
#include "runtime/streams/channel.hpp"

namespace weir::detail {

// Sends results of a part that this rank runs to their home, or to the next rank on its route. The stream in front is
// the credit for that.
class hosted_exit_entity final : public entity {
 public:
  hosted_exit_entity(run_environment& run, std::string path, remote::session& ranks);
  ~hosted_exit_entity();
  std::string name() const override { return "output"; }
  entity* step(record_body*&, context&) override { return nullptr; }  // never fused: records leave through inlet()
  channel& inlet() override { return gives_; }
  bool is_always_head() const override { return true; }
  std::vector<entity*> successors() const override { return {}; }

  std::uint64_t gave() const { return gave_.load(std::memory_order_relaxed); }
  void has_more_credit() { gives_.space.notify(); }

  const hosted_homes* homes = nullptr;  // once the entry of the part is there

 private:
  class gives final : public channel {
   public:
    explicit gives(hosted_exit_entity& of) : of_(of) {}
    std::size_t push(record_body* const* records, std::size_t count) override { return of_.give(records, count); }
    bool has_room() const override { return of_.homes->has_credit(); }

   private:
    hosted_exit_entity& of_;
  };

  std::size_t give(record_body* const* records, std::size_t count);
  std::size_t give_some(hosted_home& to, record_body* const* records, std::size_t count);
  void give_back(hosted_home& to, std::size_t records);
  void send(hosted_home& to, remote::rank_message_writer&& message, const std::vector<record_body*>& sent);
  bool pack(remote::rank_message_writer& into, hosted_home& to, record_body& r, bool shares_with_next);

  remote::session& ranks_;
  gives gives_{*this};
  per_shape<remote::packing> packings_;
  threads::atomic<std::uint64_t> gave_{0};  // relaxed: a number only
};

}  // namespace weir::detail
