// Makes small, blurred copies of JPEG files, by a weir network or by a oneTBB pipeline of the same components.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>

#include <CLI/CLI.hpp>

#include "examples/images/comparison.hpp"
#include "examples/images/ways.hpp"

namespace {

namespace fs = std::filesystem;
using namespace examples::images;

// The folder for the copies, made if it is missing. Copies have the names of their originals.
fs::path prepared(const fs::path& output, const fs::path& input) {
  std::error_code error;
  fs::create_directories(output, error);
  if (!fs::is_directory(output))
    throw std::runtime_error("cannot make the folder " + output.string() + ": " +
                             (error ? error : std::make_error_code(std::errc::not_a_directory)).message());
  if (!input.empty() && fs::equivalent(output, input, error))
    throw std::runtime_error("--output is the folder of the originals, which the copies would replace: " +
                             output.string());
  return output;
}

void write_file(const fs::path& path, const std::vector<std::uint8_t>& bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (!file.flush()) throw std::runtime_error("cannot write " + path.string());
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Makes small, blurred copies of JPEG files.", "images");
  fs::path folder, output;
  std::string way = "weir";
  int drawn = 12, rounds = 0;
  std::uint64_t seed = 1;
  settings with;
  app.add_option("folder", folder, "with the pictures, *.jpg and *.jpeg; without it, pictures are drawn");
  app.add_option("-o,--output", output, "folder for the copies; without it, they are thrown away");
  app.add_option("--by", way, "how: weir or pipeline (oneTBB)")
      ->check(CLI::IsMember({"weir", "pipeline"}))
      ->capture_default_str();
  app.add_option("--draw", drawn, "number of pictures to draw")->check(CLI::Range(1, 10000))->capture_default_str();
  app.add_option("--seed", seed, "of what is drawn")->capture_default_str();
  app.add_option("--radius", with.radius, "of the blur, in pixels")->check(CLI::Range(0, 12))->capture_default_str();
  app.add_option("--shrink", with.factor, "by which the sides are divided")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  app.add_option("--quality", with.quality, "of the copies")->check(CLI::Range(1, 100))->capture_default_str();
  app.add_option("--compare", rounds, "measure both ways in N interleaved rounds, and write nothing")
      ->check(CLI::Range(1, 1000))
      ->excludes("--output")
      ->excludes("--by");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }

  try {
    const picture_files pictures = folder.empty() ? picture_files::drawn(drawn, seed) : picture_files::of(folder);
    if (rounds > 0) {
      print_comparison(std::cout, pictures, with, rounds);
      return 0;
    }
    if (!output.empty()) output = prepared(output, folder);
    std::size_t copied = 0;
    std::vector<std::string> failures = (way == "weir" ? by_weir : by_pipeline)(
        pictures, with, [&](std::size_t i, const std::vector<std::uint8_t>& copy) {
          if (!output.empty()) write_file(output / pictures.name(i), copy);
          ++copied;
        });
    std::sort(failures.begin(), failures.end());  // by name: weir lists them as they happen
    std::cout << copied << " copied, " << failures.size() << " failed\n";
    for (const std::string& each : failures) std::cout << each << '\n';
    return failures.empty() ? 0 : 1;
  } catch (const std::exception& error) {
    std::cerr << "images: " << error.what() << '\n';
    return 2;
  }
}
