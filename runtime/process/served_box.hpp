#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <weir/network/box_spec.hpp>
#include <weir/network/emitter.hpp>
#include "runtime/process/connection.hpp"
#include "runtime/process/greeting.hpp"

namespace weir::detail::processes {

// Cores of oneTBB for the calls of a box.
class call_arenas {
 public:
  call_arenas();
  ~call_arenas();
  call_arenas(const call_arenas&) = delete;

  // Calls f(context) with this many cores.
  void run(int cores, void (*f)(void* context), void* context);

 private:
  struct arenas;
  std::unique_ptr<arenas> arenas_;
};

// A box that runs here for another process. One thread at a time.
class served_box {
 public:
  // Throws type_error for a network that is not one box, a fold, a source, and labels that do not travel.
  explicit served_box(const network& box);
  ~served_box();
  served_box(const served_box&) = delete;

  const std::string& name() const { return spec_.name; }
  const wire_labels& labels() const { return labels_; }

  // Calls the box with the values of a message, and sends what it gives and how it ended. Throws as connection does,
  // and protocol_error for a call that does not fit the box.
  void call(const received& m, connection& to);

 private:
  class emission_to;
  struct used;

  void invoke(record_body* input, int cores, connection& to);
  record_body* input_of(const received& m) const;
  void keep_value();

  const network kept_;  // owns the spec
  const box_spec& spec_;
  const wire_labels labels_;
  const shape* const takes_;
  std::vector<std::uint32_t> offsets_;
  void* value_ = nullptr;  // of each_lane()
  call_arenas arenas_;
};

}  // namespace weir::detail::processes
