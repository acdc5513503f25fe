#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tests/runtime/process/worker_boxes.hpp"

namespace weir::testing {
namespace {

using namespace std::chrono_literals;

// The same boxes here, in a worker of C++, in a host of this program, and in a worker of Python.
enum class place { cpp, host, python };

std::vector<std::string> arguments_of(place where) {
  if (where == place::python) return {"python3", WEIR_PYTHON_WORKER};
  return {WEIR_CPP_WORKER};
}

template <class... L, class Out>
worker_network<L...> there(place where, const box_network<L...>& here, const detail::takes_list<L...>& in,
                           const Out& out) {
  if (where == place::host) return isolated(here);
  return worker(detail::spec_of(here).name, in, out, arguments_of(where));
}

class in_every_place : public ::testing::TestWithParam<place> {
 protected:
  void SetUp() override {
    if (GetParam() == place::python && std::system("python3 -c 'import sys; sys.exit(sys.version_info < (3, 9))'") != 0)
      GTEST_SKIP() << "there is no Python 3.9";
  }
};

options keeping_on() {
  options o;
  o.on_error = on_error::collect;
  return o;
}

auto all_labels() { return takes(n, integer, small, flag, number, single, text, file, raw, numbers, table); }
auto all_results() { return gives(n, integer, small, flag, number, single, text, file, raw, numbers, table); }

record a_record(std::size_t size) {
  grid g{size / 8 + 1, 8, {}};
  for (std::size_t i = 0; i < g.rows * g.columns; ++i) g.entries.push_back(static_cast<float>(i) / 3);
  std::vector<double> v;
  std::vector<std::byte> b;
  for (std::size_t i = 0; i < size; ++i) v.push_back(1.0 / static_cast<double>(i + 1)), b.push_back(std::byte(i * 7));
  return record{n = std::numeric_limits<std::int64_t>::min(),
                integer = std::int64_t{1} << 62,
                small = std::uint8_t{255},
                flag = true,
                number = 0.1,
                single = 1.0f / 3,
                text = std::string(size, 'x') + "\0\"\xff" + "ä",
                file = std::filesystem::path("/tmp/a b"),
                raw = b,
                numbers = v,
                table = g};
}

TEST_P(in_every_place, values_of_every_type_come_back_as_they_were_sent) {
  const network net = there(GetParam(), echo(), all_labels(), all_results());
  execution run = start(net);
  std::vector<record> sent;
  for (const std::size_t size : {0, 1, 1000, 8191, 8192, 70000, 300000, 10}) sent.push_back(a_record(size));
  for (const record& r : sent) run.send(r);
  run.close();
  std::size_t at = 0;
  for (const record& r : run) {
    const record& s = sent.at(at++);
    EXPECT_EQ(r[n], s[n]);
    EXPECT_EQ(r[integer], s[integer]);
    EXPECT_EQ(r[small], s[small]);
    EXPECT_EQ(r[flag], s[flag]);
    EXPECT_EQ(r[number], s[number]);
    EXPECT_EQ(r[single], s[single]);
    EXPECT_EQ(r[text], s[text]);
    EXPECT_EQ(r[file], s[file]);
    EXPECT_EQ(r[raw], s[raw]);
    EXPECT_EQ(r[numbers], s[numbers]);
    EXPECT_EQ(r[table], s[table]);
  }
  EXPECT_EQ(at, sent.size());
}

INSTANTIATE_TEST_SUITE_P(
    , in_every_place, ::testing::Values(place::cpp, place::host, place::python), [](const auto& p) {
      return std::string(p.param == place::cpp ? "cpp" : p.param == place::host ? "host" : "python");
    });

}  // namespace
}  // namespace weir::testing

int main(int argc, char** argv) {
  using namespace weir::testing;
  weir::host(echo(), greet(), count(), misbehave(), remember(), swallow(), see_cores());
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
