#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>

namespace examples::logs {

// Writes whole lines of a web server's log in the combined format, drawn from a seed, until they are `bytes` or more.
// One request in 13 ends with a status of 400 or more; of 20000 paths the n-th is asked for about 1/n times as often as
// the first. Throws std::runtime_error when they cannot be written.
void draw_log(std::FILE* to, std::int64_t bytes, std::uint64_t seed);

// Such lines in a temporary file without a name, which is gone when the program ends, whatever ends it.
class random_log {
 public:
  random_log(std::int64_t bytes, std::uint64_t seed);  // throws std::runtime_error when it cannot be made
  std::filesystem::path path() const;                  // opens it at its beginning, any number of times

 private:
  struct close_file {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::unique_ptr<std::FILE, close_file> file_;
};

}  // namespace examples::logs
