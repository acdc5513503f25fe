#pragma once

#include <cstdint>
#include <deque>
#include <exception>
#include <span>
#include <string>
#include <vector>

#include <weir/network/box_spec.hpp>
#include <weir/network/network.hpp>
#include "runtime/process/connection.hpp"
#include "runtime/process/greeting.hpp"
#include "runtime/process/served_emitter.hpp"
#include "runtime/process/worker_plan.hpp"

namespace weir::detail::processes {

// A box that runs here for another process. One thread at a time.
class served_box {
 public:
  // Throws type_error for a network that is not one box, a fold, a source, and labels that do not travel.
  explicit served_box(const network& box);
  served_box(const network& box, std::string name);  // that it is called by, instead of its own
  ~served_box();
  served_box(const served_box&) = delete;

  const std::string& name() const { return name_; }
  const wire_labels& labels() const { return labels_; }
  std::string code() const { return code_place(spec_); }
  bool is_elsewhere() const { return runs_in_workers(spec_); }
  bool takes_batches() const { return spec_.code->call_batch != nullptr; }

  // Calls the box with the values of a message and this many cores, and sends its results and its end. Throws as
  // connection does, and protocol_error for a call that does not fit the box.
  void call(const received& m, int cores, connection& to);

 private:
  class emission_to;
  class given_words;
  struct used;

  message_writer answer(message_kind kind) const;
  record_body* input_of(const json_value& values, std::span<const arrived_block> blocks) const;
  std::vector<owned_body> inputs_of(const received& m) const;
  void invoke(std::span<const owned_body> inputs, int cores, connection& to);
  template <class Word>
  void write_values(message_writer& to, std::size_t variant, const Word& word) const;
  void fail(connection& to, const used& timing, const std::exception_ptr& thrown) const;

  const network kept_;  // owns the spec
  const box_spec& spec_;
  const std::string name_;
  const wire_labels labels_;
  const shape* const takes_;
  std::vector<std::uint32_t> offsets_;
  void* value_ = nullptr;                // of each_lane()
  std::deque<served_emitter> emitters_;  // of the records of a call; as many as a call has had
  bool is_batch_ = false;                // the call that is answered is for several records
  std::uint64_t call_ = 0;               // the number of the call that is answered
  double cpu_seconds_ = 0;               // of this process, at the end of the last call
};

}  // namespace weir::detail::processes
