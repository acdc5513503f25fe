#pragma once

#include <optional>
#include <string>

#include <weir/network/box_spec.hpp>
#include "runtime/process/child.hpp"
#include "runtime/process/command_files.hpp"
#include "runtime/process/command_plan.hpp"
#include "runtime/process/lane_place.hpp"
#include "runtime/process/launch.hpp"
#include "runtime/process/output_pipe.hpp"
#include "runtime/process/text_tail.hpp"

namespace weir::detail::processes {

// One process of a command, for one record. The destructor leaves neither a process nor files.
class command_call {
 public:
  command_call(const command_plan& plan, const lane_place& place, invocation& i);

  // Starts the process and waits for its end. Throws command_failed, timed_out_error, stopped, std::system_error, and
  // what the emitter of a line throws.
  void run();

  // Once it has run well: gives the invocation its values. True as box_code::call. Throws command_failed where a file
  // is missing, and std::runtime_error for bytes that are no such value.
  bool give();
  invocation_use use() const;  // of the process

 private:
  void open_streams();
  void wait(child& running);
  bool sends_while_running() const;
  void read_output();
  void make_room(std::size_t bytes);  // in `gathered_`; throws without_memory
  void read_error();
  void send_lines(std::size_t unseen);  // the bytes of `gathered_` before it have no newline
  void send(std::string&& line);
  void judge() const;
  slot_word value_of(const label_info* label);

  const command_plan& plan_;
  const command_settings& settings_;
  const lane_place& place_;
  invocation& invocation_;
  command_files files_;
  launch launch_;
  descriptor input_;
  // The process's ends stay open here, so that the thread is woken once by the end of the process, not by that of each
  // stream.
  output_pipe output_, error_;
  std::optional<scratch_file> output_file_;  // none: the output is gathered
  std::string gathered_;
  text_tail stderr_;
  ending ending_;
  child::clock::time_point started_, ended_;
  child::clock::duration elsewhere_{0};  // in boxes behind, while lines were sent on
};

}  // namespace weir::detail::processes
