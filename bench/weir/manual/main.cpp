// weir_manual DIR: writes DIR/weir.1, the man page of `weir`, and DIR/weir, its completion for bash.
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <string>

#include <weir/version.hpp>

#include "bench/weir/manual/manual.hpp"
#include "bench/weir/subcommands.hpp"

namespace {

void write(const std::filesystem::path& path, const std::string& text) {
  std::ofstream out;
  out.exceptions(std::ios::failbit | std::ios::badbit);
  out.open(path, std::ios::binary);
  out << text;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 2) {
    std::fputs("usage: weir_manual DIR\n", stderr);
    return 2;
  }
  CLI::App app;
  weir::program::describe_command(app);
  const std::filesystem::path folder = argv[1];
  std::filesystem::create_directories(folder);
  write(folder / "weir.1", weir::program::man_page(app, weir::linked_version()));
  write(folder / "weir", weir::program::bash_completion(app));
} catch (const std::exception& e) {
  std::fprintf(stderr, "weir_manual: %s\n", e.what());
  return 1;
}
