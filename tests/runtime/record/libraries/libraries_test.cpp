#include <dlfcn.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/runtime/record/libraries/frame.hpp"
#include "tests/support/refusal.hpp"

// A type is one in the program and in its libraries, each of which has its own code and data for it. Code and data of
// an unloaded library are never used again.
namespace weir::testing {
namespace {

class library {
 public:
  explicit library(const char* file) : file_(file), handle_(::dlopen(file, RTLD_NOW | RTLD_LOCAL)) {
    if (!handle_) throw std::runtime_error(::dlerror());
  }
  ~library() {
    ::dlclose(handle_);
    EXPECT_EQ(::dlopen(file_, RTLD_NOW | RTLD_NOLOAD), nullptr) << file_ << " is still loaded";
  }
  library(const library&) = delete;

  network get(const char* name) const {
    const auto make = reinterpret_cast<network* (*)()>(::dlsym(handle_, name));
    return *std::unique_ptr<network>(make());
  }

 private:
  const char* file_;
  void* handle_;
};

std::vector<record> results_of(const network& net, record input) {
  execution run = start(net);
  run.send(std::move(input));
  run.close();
  std::vector<record> results;
  for (const record& r : run) results.push_back(r);
  return results;
}
std::int64_t n_of(const network& net, record input) { return results_of(net, std::move(input)).at(0)[n]; }

network makes_frame() {
  return box("make", takes(n), gives(image), [](std::int64_t k) { return frame{std::string(std::size_t(k), 'x')}; });
}

TEST(types_of_libraries, are_those_of_the_program_by_their_names) {
  const library boxes(WEIR_NARROW);
  EXPECT_EQ(n_of(makes_frame() >> boxes.get("measure"), record(n = 3)), 3);
  EXPECT_EQ(n_of(boxes.get("paint") >> boxes.get("measure"), record(n = 4)), 4);
  EXPECT_EQ(n_of(boxes.get("measure"), record(image = frame{"xx"})), 2);
  const std::vector<record> painted = results_of(boxes.get("paint"), record(n = 2));
  EXPECT_EQ(painted.at(0)[image].pixels, "xx");
}

TEST(types_of_libraries, are_others_after_the_library_was_loaded_anew) {
  for (int round = 0; round < 4; ++round) {
    const int coordinates = round % 2 == 0 ? 1 : 2;
    const library boxes(coordinates == 1 ? WEIR_NARROW : WEIR_WIDE);
    EXPECT_EQ(n_of(boxes.get("draw_and_size"), record(n = 5)), 5 * coordinates);
  }
}

TEST(types_of_libraries, that_differ_in_size_are_told_apart_in_words) {
  const library narrow(WEIR_NARROW), wide(WEIR_WIDE);
  EXPECT_EQ(n_of(narrow.get("draw_and_size"), record(n = 5)), 5);
  EXPECT_EQ(n_of(wide.get("draw_and_size"), record(n = 5)), 10);
  const std::string said = testing::refusal<type_error>([&] { narrow.get("draw") >> wide.get("size"); });
  EXPECT_NE(said.find("gives it as point (8 bytes, aligned to 8, in " WEIR_NARROW ")"), std::string::npos) << said;
  EXPECT_NE(said.find("takes it as point (16 bytes, aligned to 8, in " WEIR_WIDE ")"), std::string::npos) << said;
}

TEST(types_of_libraries, end_with_them_and_values_of_the_programs_types_do_not) {
  std::vector<record> kept;
  {
    const library boxes(WEIR_WIDE);
    kept = results_of(boxes.get("paint"), record(n = 300));
    EXPECT_EQ(kept.at(0)[image].pixels.size(), 300u);  // the program uses the type, too
  }
  {
    const library other(WEIR_NARROW);  // perhaps at the address of the first library
    EXPECT_EQ(to_string(kept.at(0)), "{image=frame " + std::string(300, 'x') + "}");
    kept.clear();
  }
}

}  // namespace
}  // namespace weir::testing
