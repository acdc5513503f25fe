#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "bench/weir/common/named_policy.hpp"
#include "bench/weir/snet/snet_text.hpp"

namespace weir::program {

struct snet_run_request {
  snet_files files;
  std::string input;      // "": no records; "-": standard input; a folder: its files
  std::string ending;     // of the names of a folder's files
  std::string output;     // "": standard output
  std::string resume;     // the label by whose value inputs are left out that the output has; "": none
  bool json = false;      // standard input and output
  bool progress = false;  // also where standard error is no terminal
  std::string policy = "adaptive";
  std::optional<std::string> report;
  std::optional<int> live;             // a port
  std::vector<std::string> resources;  // NAME=AMOUNT
  std::vector<std::string> devices;    // NAME=SLOTS
  int cores = 0;                       // 0: this computer's
  bool mpi = false;                    // on all ranks

  // As options of these names. A stage of a star takes a hundred bytes and more, and is made in a third of a
  // microsecond. A star without end fails after some seconds and a gigabyte or so. State chains that are meant take a
  // stage for each record.
  std::size_t max_depth = 10'000'000;
  std::size_t max_held = 10'000'000;
};

// Runs the network and prints its results as they come. Gives the exit code. Throws bad_input before anything runs.
int run_snet(const snet_run_request& asked);

}  // namespace weir::program
