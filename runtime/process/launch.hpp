#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <weir/network/grant.hpp>

namespace weir::detail::processes {

// Says how a child process is started. Plain data.
struct launch {
  std::vector<std::string> arguments{};  // [0] is the program: a path, or a name that is sought in PATH
  std::filesystem::path program{};       // the file itself, as find_program() has found it; empty: it is sought
  std::vector<std::pair<std::string, std::string>> environment{};  // variables set over those of this process
  std::vector<int> cpus{};                                         // its affinity; empty: that of this process
  std::filesystem::path folder{};                                  // where it works; empty: where this process does
  int input = -1, output = -1, error = -1;                         // become 0, 1 and 2; -1: /dev/null
  std::vector<std::pair<int, int>> passed{};  // {descriptor, its number in the child}: of all others it has none
  std::uint64_t memory = 0;                   // bytes; 0: no bound
  std::filesystem::path group{};              // a control group, to be made for that bound; empty: RLIMIT_DATA
  bool stays = false;                         // it outlives the thread that starts it, and this process
};

// The file of the running program, which stays its own where its name stands for another file later, or for none.
class own_program {
 public:
  // kept: a link to the file, by which the system finds it also where its name is gone.
  explicit own_program(std::filesystem::path kept = "/proc/self/exe");

  // The file's name while it stands for that file, else the link.
  std::filesystem::path path() const;

 private:
  std::filesystem::path kept_, name_;
  std::uint64_t device_ = 0, number_ = 0;  // by which the system tells files apart
};

// The file of a program: a name without a slash is sought in PATH. Throws std::system_error, which says where it was
// sought, or why the file does not run.
std::filesystem::path find_program(const std::string& name);

// A name of the program that stays right when this process goes to another folder. A path is taken from the current
// folder on; a name without a slash is returned unchanged.
std::string lasting_name(const std::string& name);

// The variables by which libraries that start threads learn how many cores are granted.
std::vector<std::pair<std::string, std::string>> variables_for(const grant& given);

}  // namespace weir::detail::processes
