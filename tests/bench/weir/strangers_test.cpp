#include <sys/resource.h>

#include <filesystem>
#include <string>

#include "tests/bench/weir/command.hpp"

namespace weir::testing {
namespace {

// Malicious or corrupt files. "FILE" stands for the file in `arguments`.
struct strange_file {
  const char* what;
  const char* arguments;
  std::string (*text)();
  const char* names;
};

void PrintTo(const strange_file& c, std::ostream* to) { *to << c.what; }

// One line of a few hundred bytes with the error, exit code 2, nothing printed and little memory used.
void expect_refused(const std::string& arguments, const std::string& path, const std::string& names) {
  std::string given = arguments;
  given.replace(given.find("FILE"), 4, path);
  const outcome o = run_weir(given);
  EXPECT_EQ(o.code, 2);
  EXPECT_EQ(o.out, "");
  EXPECT_EQ(lines_of(o.err).size(), 1u) << o.err.substr(0, 1000);
  EXPECT_LT(o.err.size(), 1000u);
  EXPECT_NE(o.err.find(names), std::string::npos) << o.err.substr(0, 1000);
  rusage used{};
  getrusage(RUSAGE_CHILDREN, &used);
  EXPECT_LT(used.ru_maxrss, 1 << 20)
      << "kB";  // a GB: a parser reads at most 64 MB, which need about ten times that as a tree
}

class a_strange_file : public ::testing::TestWithParam<strange_file> {};

TEST_P(a_strange_file, is_refused_in_one_line_and_little_memory) {
  const scratch_folder folder;
  std::ofstream(folder.at("strange"), std::ios::binary) << GetParam().text();
  expect_refused(GetParam().arguments, folder.at("strange"), GetParam().names);
}

std::string rows(const std::string& row) { return "component,x,cores,seconds\n" + row; }
std::string long_name() { return rows(std::string((1 << 20) + 1, 'a') + ",1,1,1\n"); }
std::string long_number() { return rows("a," + std::string(1 << 20, '1') + ",1,1\n"); }
std::string many_fields() { return std::string(3 << 20, ','); }
std::string beyond_double() { return rows("a,1e999,1,1\n"); }
std::string below_double() { return rows("a,1e-9999,1,1\n"); }
std::string no_number() { return rows("a,nan,1,1\n"); }
std::string deep() { return std::string(1'000'000, '['); }
std::string deep_trace() { return "{\"traceEvents\":" + std::string(1'000'000, '['); }
std::string deep_and_closed() { return std::string(1'000'000, '[') + std::string(1'000'000, ']'); }
std::string long_token() { return "{\"weir_models\": \"" + std::string(5 << 20, 'a'); }
std::string beyond_double_json() { return "{\"weir_models\": 1, \"cores\": 1e999}"; }
std::string beyond_double_trace() { return "{\"traceEvents\": [{\"ts\": 1e999}]}"; }
std::string nan_json() { return "{\"weir_models\": NaN}"; }

const strange_file strange_files[] = {
    {"fit_long_name", "fit FILE", long_name, "line 2: it is longer than 1 MB"},
    {"fit_long_number", "fit FILE", long_number, "line 2"},
    {"fit_many_fields", "fit FILE", many_fields, "line 1: it has more than a million fields"},
    {"fit_beyond_double", "fit FILE", beyond_double, "line 2: column x: \"1e999\" is not a finite number"},
    {"fit_below_double", "fit FILE", below_double, "line 2: column x: \"1e-9999\" is not a finite number"},
    {"fit_no_number", "fit FILE", no_number, "line 2: column x: \"nan\" is not a finite number"},
    {"explain_long_name", "explain FILE", long_name, "line 2: it is longer than 1 MB"},
    {"explain_deep", "explain FILE", deep_trace, "is no trace"},
    {"explain_beyond_double", "explain FILE", beyond_double_trace, "1e999"},
    {"explain_long_token", "explain FILE", long_token, "is no trace"},
    {"predict_deep", "predict FILE --x 1 --cores 1", deep, "saved models"},
    {"predict_deep_and_closed", "predict FILE --x 1 --cores 1", deep_and_closed, "saved models"},
    {"predict_long_token", "predict FILE --x 1 --cores 1", long_token, "saved models"},
    {"predict_beyond_double", "predict FILE --x 1 --cores 1", beyond_double_json, "1e999"},
    {"predict_no_number", "predict FILE --x 1 --cores 1", nan_json, "saved models"},
    {"simulate_deep", "simulate FILE", deep, "invalid JSON at line 1, column 1000001: "},
    {"simulate_deep_and_closed", "simulate FILE", deep_and_closed, "expected was an object"},
    {"simulate_long_token", "simulate FILE", long_token, "invalid JSON at line 1, column 5242898: "},
    {"simulate_beyond_double", "simulate FILE", beyond_double_json, "1e999"},
    {"simulate_no_number", "simulate FILE", nan_json, "invalid JSON at line 1, column 17: "},
    {"flow_deep", "flow FILE", deep, "invalid JSON at line 1, column 1000001: "},
    {"flow_deep_and_closed", "flow FILE", deep_and_closed, "expected was an object"},
    {"flow_long_token", "flow FILE", long_token, "invalid JSON at line 1, column 5242898: "},
    {"flow_beyond_double", "flow FILE", beyond_double_json, "1e999"},
    {"flow_no_number", "flow FILE", nan_json, "invalid JSON at line 1, column 17: "}};

INSTANTIATE_TEST_SUITE_P(weir, a_strange_file, ::testing::ValuesIn(strange_files),
                         [](const auto& one) { return std::string(one.param.what); });

// A GB of zeros, as in a file with a hole.
TEST(a_gigabyte_of_nothing, is_refused_without_reading_it_all) {
  const scratch_folder folder;
  const std::string path = folder.at("hole");
  std::ofstream(path).close();
  std::filesystem::resize_file(path, std::uintmax_t{1} << 30);
  expect_refused("fit FILE", path, "line 1: it holds a NUL byte");
  expect_refused("explain FILE", path, "line 1: it holds a NUL byte");
  expect_refused("predict FILE --x 1 --cores 1", path, "is longer than 64 MB");
  expect_refused("simulate FILE", path, "is longer than 64 MB");
}

}  // namespace
}  // namespace weir::testing
