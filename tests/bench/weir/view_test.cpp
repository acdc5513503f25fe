#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <string>

#include <weir/page/page.hpp>
#include "tests/bench/weir/command.hpp"

// --report, --trace and weir view: their output, and that it reads back.
namespace weir::testing::view_test {
namespace {

using nlohmann::json;

void write(const std::string& path, const std::string& text) { std::ofstream(path) << text; }

// The data that a page carries.
json data_of(const std::string& page) {
  const std::string begin = R"(id="weir-data">)";
  const auto from = page.find(begin) + begin.size();
  return parsed(page.substr(from, page.find("</script>", from) - from));
}

// A short run of emulated boxes on a synthetic machine, in which cores move.
const std::string emulated = "matmul --kernel emulated --sizes 1:3:1 --repeat 6 ";

TEST(weir_report, of_matmul_has_the_numbers_of_each_policy_and_view_makes_its_page) {
  const scratch_folder folder;
  const outcome o = run_weir(emulated + "--policy adaptive --policy equal --json --report " + folder.at("run.json"));
  ASSERT_EQ(o.code, 0) << o.err;
  const json data = parsed(contents(folder.at("run.json")));
  EXPECT_EQ(data.at("format"), "weir page");
  ASSERT_EQ(data.at("runs").size(), 2u);
  EXPECT_EQ(data.at("runs")[0].at("name"), "adaptive");
  EXPECT_EQ(data.at("runs")[1].at("name"), "equal");
  for (const json& run : data.at("runs")) {
    const json& report = run.at("report");
    EXPECT_EQ(report.at("results"), 18);
    EXPECT_EQ(report.at("ended"), true);
    EXPECT_FALSE(report.at("graph").at("nodes").empty());
    EXPECT_FALSE(report.at("history").at("time").empty());
    EXPECT_GE(report.at("decisions").size(), 1u);
  }
  EXPECT_EQ(data.at("tables")[0].at("rows").size(), 2u);
  if (!has_page()) GTEST_SKIP() << "weir is built without its page";
  const outcome shown = run_weir("view " + folder.at("run.json"));
  EXPECT_EQ(shown.code, 0) << shown.err;
  EXPECT_NE(shown.out.find("run.html: 2 runs"), std::string::npos) << shown.out;
  EXPECT_EQ(data_of(contents(folder.at("run.html"))), data);
}

TEST(weir_report, of_matmul_is_a_page_by_the_name_of_the_file) {
  if (!has_page()) GTEST_SKIP() << "weir is built without its page";
  const scratch_folder folder;
  const outcome o = run_weir(emulated + "--report " + folder.at("run.html"));
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_EQ(data_of(contents(folder.at("run.html"))).at("runs")[0].at("report").at("results"), 18);
}

TEST(weir_report, of_simulate_has_the_runs_of_the_first_seed_and_all_policies) {
  const scratch_folder folder;
  write(folder.at("s.json"), R"({"cores": 4, "records": 300, "components": [
    {"name": "a", "cost": {"coefficients": [0.01, 1e-4], "alpha": 0.9}, "x": {"uniform": [50, 150]}},
    {"name": "b", "cost": {"coefficients": [0.05]}}]})");
  const outcome o = run_weir("simulate " + folder.at("s.json") +
                             " --policy adaptive,best-fixed,equal --repeat 2 --json --report " + folder.at("r.json"));
  ASSERT_EQ(o.code, 0) << o.err;
  const json data = parsed(contents(folder.at("r.json"))), printed = o.json();
  ASSERT_EQ(data.at("runs").size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    const json& report = data.at("runs")[i].at("report");
    const json& row = printed.at("policies")[i];
    EXPECT_EQ(data.at("runs")[i].at("name"), row.at("name"));
    EXPECT_EQ(report.at("seconds"), row.at("seconds"));
    EXPECT_EQ(report.at("decisions").size(), row.at("moves").get<std::size_t>() + 1);
    std::uint64_t left = 0;
    for (const json& n : report.at("history").at("results")) left += n.get<std::uint64_t>();
    EXPECT_LE(left, 300u);
    EXPECT_GE(left, 290u) << "the course covers the run but for its last stretch";
    EXPECT_EQ(report.at("graph").at("nodes").size(), 4u);
    EXPECT_EQ(report.at("graph").at("edges").size(), 3u);
  }
  EXPECT_EQ(data.at("tables")[0].at("rows").size(), 3u);
}

TEST(weir_trace, has_a_process_for_each_run_and_view_shows_all_its_spans) {
  const scratch_folder folder;
  const outcome o = run_weir(emulated + "--policy adaptive --policy equal --json --trace " + folder.at("trace.json"));
  ASSERT_EQ(o.code, 0) << o.err;
  const json trace = parsed(contents(folder.at("trace.json")));
  std::set<int> processes;
  std::set<std::string> names;
  std::size_t spans = 0;
  for (const json& e : trace.at("traceEvents")) {
    processes.insert(e.at("pid").get<int>());
    spans += e.at("ph") == "X";
    if (e.at("name") == "process_name") names.insert(e.at("args").at("name").get<std::string>());
  }
  EXPECT_EQ(processes.size(), 2u);
  EXPECT_EQ(names, (std::set<std::string>{"adaptive", "equal"}));
  if (!has_page()) GTEST_SKIP() << "weir is built without its page";
  const outcome shown = run_weir("view " + folder.at("trace.json"));
  ASSERT_EQ(shown.code, 0) << shown.err;
  const json page = data_of(contents(folder.at("trace.html")));
  EXPECT_EQ(page.at("kind"), "trace");
  EXPECT_EQ(page.at("trace").at("spans").at("start").size(), spans);
  EXPECT_EQ(page.at("trace").at("dropped"), 0);
  const json& starts = page.at("trace").at("spans").at("start");
  EXPECT_TRUE(std::is_sorted(starts.begin(), starts.end()));
  for (const json& track : page.at("trace").at("tracks"))
    EXPECT_TRUE(track.get<std::string>().starts_with("adaptive: ") || track.get<std::string>().starts_with("equal: "))
        << track;
}

TEST(weir_view, of_observations_has_a_model_of_each_component) {
  if (!has_page()) GTEST_SKIP() << "weir is built without its page";
  const scratch_folder folder;
  std::string csv = "component,x,cores,seconds\n";
  for (int i = 0; i < 5000; ++i)
    csv += "work," + std::to_string(100 + i % 7) + "," + std::to_string(1 + i % 3) + ",0.5\nother,1,1,0.001\n";
  write(folder.at("o.csv"), csv);
  const outcome o = run_weir("view " + folder.at("o.csv") + " --out " + folder.at("costs.html"));
  ASSERT_EQ(o.code, 0) << o.err;
  const json page = data_of(contents(folder.at("costs.html")));
  EXPECT_EQ(page.at("kind"), "observations");
  ASSERT_EQ(page.at("components").size(), 2u);
  EXPECT_EQ(page.at("components")[0].at("name"), "work");
  EXPECT_EQ(page.at("components")[0].at("curves").at("over_x").size(), 3u);
  EXPECT_LE(page.at("components")[0].at("curves").at("points").size(), 1000u);
}

// A file that is invalid, and the words that the one line about it has.
TEST(weir_view, refuses_a_bad_file_in_one_line_and_writes_nothing) {
  struct bad_file {
    const char *name, *text, *words;
  };
  for (const bad_file& bad :
       {bad_file{"damaged.json", R"({"format": "weir page", "runs": [)",
                 "damaged.json: invalid JSON at line 1, column "},
        {"empty.json", "", "empty.json: invalid JSON at line 1, column 1"},
        {"list.json", "[1, 2]", "neither the data of a page nor a report"},
        {"other.json", R"({"a": 1})", "neither the data of a page nor a report"},
        {"newer.json", R"({"format": "weir page", "version": 2})", "of version \"2\"; this weir reads version 1"},
        {"unversioned.json", R"({"format": "weir page"})", "of version \"null\""},
        {"report.json", R"({"format": 7, "components": []})", "a report of version \"7\""},
        {"trace.json", R"({"traceEvents": []})", "no complete event"},
        {"broken.json", R"({"traceEvents": [{"ph": "X", "name": "a", "ts": "x"}]})",
         "traceEvents[0]: \"ts\" is no number"},
        {"o.csv", "component,x\n", "cores"},
        {"page.html", "<html>", "is a page already"}}) {
    const scratch_folder folder;
    write(folder.at(bad.name), bad.text);
    const outcome o = run_weir("view " + folder.at(bad.name));
    EXPECT_EQ(o.code, 2) << bad.name;
    EXPECT_EQ(lines_of(o.err).size(), 1u) << o.err;
    EXPECT_NE(o.err.find(bad.words), std::string::npos) << bad.name << ": " << o.err;
    EXPECT_NE(o.err.find(bad.name), std::string::npos) << o.err;
    const auto files = std::distance(std::filesystem::directory_iterator(folder.at(".")), {});
    EXPECT_EQ(files, 1) << bad.name;
  }
}

// Where standard input is no terminal, a live page ends with its runs.
// The default of --out would be /dev/stdin.html, which root can make.
TEST(weir_view, asks_where_the_page_of_a_descriptor_goes) {
  for (const std::string file : {"/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"})
    expect_refused("view " + file, "\"" + file + "\" is in a folder of the system; expected --out PAGE.html");
  EXPECT_FALSE(std::filesystem::exists("/dev/stdin.html"));
}

// Its first page cannot be read.
TEST(weir_view, names_a_file_whose_reading_fails) {
  const scratch_folder folder;
  expect_refused("view /proc/self/mem --out " + folder.at("x.html"), "/proc/self/mem could not be read to its end");
}

TEST(weir_live, says_where_its_page_is_and_refuses_a_port_that_is_taken_or_none) {
  const outcome o = run_weir(emulated + "--live 0 --json");
  if (o.err.find("this weir was built without") != std::string::npos) GTEST_SKIP() << o.err;
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_EQ(o.err.rfind("live: http://127.0.0.1:", 0), 0u) << o.err;
  EXPECT_EQ(o.json().at("records"), 18);

  const scratch_folder folder;
  const std::string net = write_file(folder.at("n.snet"), "net x connect [{<n>} -> {<n>}];\n"),
                    in = write_file(folder.at("in.txt"), "{<n>=1}\n");
  const outcome text = run_weir("run " + net + " --input " + in + " --live 0");
  EXPECT_EQ(text.code, 0);
  EXPECT_EQ(text.err.rfind("live: http://127.0.0.1:", 0), 0u) << text.err;
  EXPECT_EQ(text.out, "{<n>=1}\n");

  const int taken = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof at;
  ASSERT_EQ(::bind(taken, reinterpret_cast<const sockaddr*>(&at), sizeof at), 0);
  ASSERT_EQ(::listen(taken, 1), 0);
  ASSERT_EQ(::getsockname(taken, reinterpret_cast<sockaddr*>(&at), &size), 0);
  const std::string port = std::to_string(ntohs(at.sin_port));
  for (const std::string& bad : {port, std::string("70000"), std::string("-1"), std::string("here")}) {
    const outcome refused = run_weir(emulated + "--live " + bad);
    EXPECT_EQ(refused.code, 2) << bad;
    EXPECT_EQ(lines_of(refused.err).size(), 1u) << refused.err;
    EXPECT_NE(refused.err.find("--live"), std::string::npos) << refused.err;
    EXPECT_NE(refused.err.find(bad), std::string::npos) << refused.err;
  }
  ::close(taken);
}

TEST(weir_report, refuses_a_file_that_it_cannot_write_before_anything_runs) {
  const scratch_folder folder;
  for (const auto& [arguments, words] : std::vector<std::pair<std::string, std::string>>{
           {"matmul --report " + folder.at("run.svg"), "ends in neither .html (a page) nor .json"},
           {"compare --report " + folder.at("run"), "ends in neither .html"},
           {"matmul --report /none/run.json", "--report: /none/run.json cannot be written"},
           {"matmul --trace /none/run.json", "--trace: /none/run.json cannot be written"},
           {"matmul --trace " + folder.at("x.json") + " --report " + folder.at("x.json"), "both are"},
           {"view /none.json", "/none.json cannot be read"}}) {
    expect_refused(arguments, words);
  }
  EXPECT_TRUE(folder.is_empty());
}

}  // namespace
}  // namespace weir::testing::view_test
