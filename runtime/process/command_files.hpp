#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <weir/network/box_spec.hpp>
#include "runtime/process/command_plan.hpp"
#include "runtime/process/descriptor.hpp"
#include "runtime/process/guardian.hpp"

namespace weir::detail::processes {

// The arguments of one process of a command, and the files that they name: those with values, and those that the
// process writes. The destructor removes them, with what else is in the folder.
class command_files {
 public:
  // `lane`: its number.
  command_files(const command_plan& plan, guardian& guard, int lane, const invocation& i);
  ~command_files();
  command_files(const command_files&) = delete;

  // Writes the files with values. Throws std::system_error.
  std::vector<std::string> arguments();

  // The value as a file that is open for reading.
  descriptor opened(const bytes_label& label) const;

  // The value of a given label, of the file that the process has written for it. nullopt: there is no file for the
  // label. Throws command_failed where the process wrote none, and std::runtime_error for bytes that are no value.
  std::optional<slot_word> value(const label_info* label);

  // A file outside of the folder, which the process writes as its output. Throws std::system_error.
  scratch_file new_output();

 private:
  struct written {
    bytes_label label;
    std::filesystem::path path;
  };

  std::string text_of(const command_argument& argument);
  std::string text_of(const command_part& part);
  std::string path_of_value(const command_part& part);
  std::string path_to_write(const command_part& part);
  const std::filesystem::path& folder();
  const slot_word& taken(const bytes_label& label) const;

  const command_plan& plan_;
  guardian& guardian_;
  const int lane_;
  const invocation& invocation_;
  std::filesystem::path folder_;  // empty: none was needed
  std::vector<written> outputs_;
};

}  // namespace weir::detail::processes
