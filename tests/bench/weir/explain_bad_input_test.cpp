#include <string>

#include "tests/bench/weir/command.hpp"
#include "tests/bench/weir/made_observations.hpp"
#include "tests/bench/weir/planted_runs.hpp"

namespace weir::testing {
namespace {

// Refused in one line that names the input, with exit code 2, before anything is printed. "OBS" stands for a good file
// of components f and g, "BAD" for one with `text`.
struct bad_explain {
  const char* what;
  const char* arguments;
  const char* names;
  const char* text = "component,x,cores,seconds,start,core_set\nf,1,1,1,0,0\nf,1,2,1,0,7-8\n";
};

void PrintTo(const bad_explain& c, std::ostream* to) { *to << c.arguments; }

class bad_input_of_explain : public ::testing::TestWithParam<bad_explain> {};

TEST_P(bad_input_of_explain, is_one_line_and_exit_code_2) {
  const scratch_folder folder;
  const std::string good = write_file(folder.at("good.csv"), "component,x,cores,seconds\nf,1,1,1\ng,1,1,2\n");
  const std::string bad = write_file(folder.at("bad.csv"), GetParam().text);
  std::string arguments = with_paths(GetParam().arguments, {{"OBS", good}, {"BAD", bad}});
  if (arguments.find("--machine") == std::string::npos) arguments += machine_of_runs;
  for (const char* const how : {"", " --json"}) {
    expect_refused("explain " + arguments + how, GetParam().names);
  }
}

const bad_explain bad_explains[] = {
    {"no_file", "", "TRACE_OR_CSV"},
    {"file_missing", "/no/such/file.csv", "/no/such/file.csv cannot be read: No such file"},
    {"file_is_a_folder", "/", "/ is a folder"},
    {"file_empty", "BAD", "bad.csv is empty", ""},
    {"no_rows", "BAD", "bad.csv has no rows", "component,x,cores,seconds\n"},
    {"number", "BAD", "bad.csv: line 2: column seconds: \"soon\"", "component,x,cores,seconds\nf,1,1,soon\n"},
    {"component", "OBS --component h", "--component: "},
    {"component_names_who_there_is", "OBS --component h", "no component \"h\"; there are f, g"},
    {"clusters_text", "OBS --clusters many", "--clusters: \"many\""},
    {"clusters_none", "OBS --clusters 0", "--clusters: 0"},
    {"clusters_too_many", "OBS --clusters 13", "--clusters: 13"},
    {"seed", "OBS --seed one", "--seed"},
    {"both_times", "OBS --log --linear", "--log and --linear"},
    {"machine", "OBS --machine nonsense", "--machine: \"nonsense\""},
    {"core_beyond_the_machine", "BAD", "bad.csv: line 3: column core_set: \"7-8\" is beyond the machine, which has 8"},
    {"core_set_of_another_size", "BAD", "line 2: column core_set: \"0-3\" is not a run of 2 cores",
     "component,x,cores,seconds,core_set\nf,1,2,1,0-3\n"},
    {"core_set_text", "BAD", "line 2: column core_set: \"all\" is not a run of 1 core",
     "component,x,cores,seconds,core_set\nf,1,1,1,all\n"},
    {"trace_broken", "BAD", "bad.csv begins as JSON does and is no trace", "{\"traceEvents\": [{\"ph\": \"X\""},
    {"trace_without_invocations", "BAD", "bad.csv has no invocations", "{\"traceEvents\": []}"},
    {"trace_of_other_shape", "BAD", "bad.csv has no invocations", "{\"rows\": [1, 2]}"},
    {"trace_without_time", "BAD", "bad.csv: event 1: its ts is missing",
     "{\"traceEvents\": [{\"ph\": \"X\", \"name\": \"f\", \"args\": {\"x\": 1, \"cores\": 1, \"width\": 1}}]}"},
    {"trace_beyond_the_machine", "BAD", "invocation 1 ran on cores 7-8, beyond the machine, which has 8",
     "{\"traceEvents\": [{\"ph\": \"M\", \"name\": \"thread_name\", \"tid\": 7, \"args\": {\"name\": \"core 7\"}},"
     "{\"ph\": \"X\", \"name\": \"f\", \"ts\": 1, \"dur\": 1, \"tid\": 7, "
     "\"args\": {\"x\": 1, \"cores\": 2, \"width\": 1}}]}"},
    {"unknown_option", "OBS --cluster", "--cluster"},
    {"stray_argument", "OBS OBS", "good.csv"},
};

INSTANTIATE_TEST_SUITE_P(weir_explain, bad_input_of_explain, ::testing::ValuesIn(bad_explains),
                         [](const auto& one) { return std::string(one.param.what); });

}  // namespace
}  // namespace weir::testing
