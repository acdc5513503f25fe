#include <algorithm>
#include <string>
#include <vector>

#include "bench/corpus/common/jxl_picture.hpp"
#include "bench/corpus/corpus_score.hpp"
#include "tests/bench/corpus/corpus.hpp"

namespace weir::testing {
namespace {

// Sequential, pipeline, flow graph, xargs and the network under several policies give the same bytes, and the right
// ones. Without the limit tesseract's threads would take the time of the test.
TEST(all_ways, give_the_same_and_it_is_right) {
  const std::vector<std::string> ways{"sequential limited", "pipeline limited", "flow-graph limited",
                                      "xargs limited",      "weir adaptive",    "weir equal",
                                      "weir shared",        "weir fixed:read=1"};
  const scratch_folder folder;
  std::string arguments =
      "compare " + small_corpus() + " --rounds 1 --shard-kb 20 --json --trace " + folder.at("trace.json");
  for (const std::string& way : ways) arguments += " --way '" + way + "'";
  const outcome o = run_corpus(arguments);
  ASSERT_EQ(o.code, 0) << o.err;
  const nlohmann::json all = o.json();
  ASSERT_EQ(all.at("runs").size(), ways.size());
  for (const nlohmann::json& run : all.at("runs")) {
    SCOPED_TRACE(run.at("way"));
    EXPECT_EQ(run.at("same_output"), true);
    EXPECT_GE(run.at("pages"), 24);
    EXPECT_GT(run.at("seconds"), 0);
    EXPECT_GE(run.at("latency_seconds").at("p99"), run.at("latency_seconds").at("p50"));
    EXPECT_GT(run.at("cpu_seconds"), 0);
    EXPECT_GT(run.at("peak_mb"), 10);
    const nlohmann::json& right = run.at("accuracy");
    EXPECT_EQ(right.at("characters_in_digital"), 1.0);
    EXPECT_GE(right.at("characters_in_scans"), 0.99);
    EXPECT_EQ(right.at("pages_missing"), 0);
    EXPECT_GT(right.at("duplicates").at("planted"), 0);
    EXPECT_EQ(right.at("duplicates").at("found"), right.at("duplicates").at("planted"));
    EXPECT_EQ(right.at("duplicates").at("wrong"), 0);
    EXPECT_GT(right.at("broken").at("planted"), 0);
    EXPECT_EQ(right.at("broken").at("listed"), right.at("broken").at("planted"));
    EXPECT_EQ(right.at("broken").at("wrong"), 0);
    EXPECT_EQ(run.at("failed"), right.at("broken").at("planted"));
  }
  // The trace is of the first way that is weir.
  const nlohmann::json trace = nlohmann::json::parse(contents(folder.at("trace.json")));
  const nlohmann::json& events = trace.at("traceEvents");
  EXPECT_GT(std::count_if(events.begin(), events.end(), [](const auto& e) { return e.at("ph") == "X"; }), 24);
  const auto named = [](const nlohmann::json& e) { return e.at("name") == "process_name"; };
  ASSERT_EQ(std::count_if(events.begin(), events.end(), named), 1);
  EXPECT_NE(std::find_if(events.begin(), events.end(), named)->dump().find("adaptive"), std::string::npos);
  const auto names = all.at("ways").get<std::vector<std::string>>();
  EXPECT_NE(std::find(names.begin(), names.end(), "weir best-fixed"), names.end());
}

TEST(the_generator, gives_the_same_for_a_seed) {
  const scratch_folder folder;
  for (const char* name : {"a", "b", "c"})
    ASSERT_EQ(run_corpus("generate " + folder.at(name) + " --pages 5 --seed " + (*name == 'c' ? "8" : "7")).code, 0);
  EXPECT_TRUE(files_of(folder.at("a") + "/documents") == files_of(folder.at("b") + "/documents"));
  EXPECT_EQ(contents(folder.at("a") + "/truth.jsonl"), contents(folder.at("b") + "/truth.jsonl"));
  EXPECT_NE(contents(folder.at("a") + "/truth.jsonl"), contents(folder.at("c") + "/truth.jsonl"));
}

// With --scan-every each third page is a scan, and --seconds ends a comparison with the runs that it has, code 0.
TEST(documents_alike, are_compared_until_the_time_is_over) {
  const scratch_folder folder;
  const outcome drawn = run_corpus("generate " + folder.at("alike") + " --pages 12 --scan-every 3");
  EXPECT_NE(drawn.out.find("12 pages, 4 of them scanned, 0 near-duplicates"), std::string::npos) << drawn.out;
  const outcome o = run_corpus("compare " + folder.at("alike") + " --way 'pipeline limited' --seconds 0.01 --json");
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_EQ(o.json().at("interrupted"), true);
  EXPECT_EQ(o.json().at("runs").size(), 1u);
}

// Pictures that are given together all come through, as text and as a file of JPEG XL each, the same in every way; a
// picture without text is listed.
TEST(pictures, are_kept_and_read_and_none_is_lost) {
  const scratch_folder folder;
  const std::string corpus = folder.at("corpus"), out = folder.at("out");
  ASSERT_EQ(run_corpus("generate " + corpus + " --pages 3 --pictures").code, 0);
  write_file(corpus + "/documents/blank.pgm", "P5 200 100 255\n" + std::string(200 * 100, '\xff'));
  const std::string images = "run " + corpus + " " + out + " --images";
  if (!corpus::has_jxl()) {
    EXPECT_EQ(run_corpus(images).code, 2);
    GTEST_SKIP() << "weir-corpus was built without libjxl";
  }
  std::string arguments = "compare " + corpus + " --images --rounds 1 --json";
  for (const std::string way : {"pipeline limited onetbb", "flow-graph limited", "weir adaptive"})
    arguments += " --way '" + way + "'";
  const outcome compared = run_corpus(arguments);
  ASSERT_EQ(compared.code, 0) << compared.err;
  for (const nlohmann::json& run : compared.json().at("runs")) {
    SCOPED_TRACE(run.at("way"));
    EXPECT_EQ(run.at("pages"), 3);
    EXPECT_EQ(run.at("failed"), 1);
    EXPECT_EQ(run.at("same_output"), true);
    EXPECT_EQ(run.at("accuracy").at("pages_missing"), 0);
  }
  const outcome full =
      run_corpus("run " + corpus + " " + folder.at("full") + " --images", "trap '' XFSZ; ulimit -f 1; ");
  EXPECT_EQ(full.code, 1) << "a picture that is not written is no fault of its page";
  EXPECT_EQ(lines_of(full.err).size(), 1u) << full.err;
  EXPECT_NE(full.err.find("cannot write " + folder.at("full")), std::string::npos) << full.err;
  ASSERT_EQ(run_corpus(images).code, 0);
  for (int document = 1; document <= 4; ++document) {
    const std::string name = out + "/image-0000" + std::to_string(document) + "-0001.jxl";
    EXPECT_TRUE(contents(name).starts_with("\xff\x0a")) << name << " is no codestream of JPEG XL";
  }
  EXPECT_EQ(contents(out + "/failed.jsonl"),
            "{\"document\":\"blank.pgm\",\"page\":1,\"cause\":\"no text was found in it\"}\n");
  const outcome without = run_corpus("run " + corpus + " " + out);
  EXPECT_EQ(without.code, 2) << "a run without pictures does not go on with one that keeps them";
  EXPECT_NE(without.err.find("with other options"), std::string::npos) << without.err;
}

// Every page without text is listed, also where one document has more of them than a run keeps failures by default.
TEST(pages_without_text, are_listed_whatever_their_number) {
  constexpr int pages = 70;
  std::string pdf = "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n", kids;
  for (int page = 0; page < pages; ++page) {
    const std::string name = std::to_string(3 + page) + " 0 ";
    pdf += name + "obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 36 36]>>endobj\n";
    kids += name + "R ";
  }
  pdf += "2 0 obj<</Type/Pages/Kids[" + kids + "]/Count " + std::to_string(pages) +
         ">>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n";
  const scratch_folder folder;
  std::filesystem::create_directories(folder.at("documents"));
  write_file(folder.at("documents/blank.pdf"), pdf);
  const outcome o = run_corpus("run " + folder.at("documents") + " " + folder.at("out") + " --json");
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_EQ(o.json().at("failed"), pages);
  EXPECT_EQ(lines_of(contents(folder.at("out/failed.jsonl"))).size(), std::size_t{pages});
}

// Documents that arrive one after the other take at least as long as they arrive; latency counts from the arrival.
TEST(a_rate, holds_documents_back) {
  const scratch_folder folder;
  const std::string corpus = folder.at("corpus");
  ASSERT_EQ(run_corpus("generate " + corpus + " --pages 6 --seed 36").code, 0);
  const auto count = std::distance(std::filesystem::directory_iterator(corpus + "/documents"), {});
  for (const std::string way : {"weir adaptive", "pipeline limited"}) {
    std::filesystem::remove_all(folder.at("out"));
    const outcome o = run_corpus("run " + corpus + " " + folder.at("out") + " --json --latency 1000 --rate 8" +
                                 " --way '" + way + "'");
    ASSERT_EQ(o.code, 0) << o.err;
    EXPECT_GE(o.json().at("seconds").get<double>(), double(count - 1) / 8);
    EXPECT_EQ(o.json().at("latency_seconds").at("within_bound"), true);
  }
}

// Plain dynamic programming over the whole table.
std::size_t distance_by_table(const std::string& a, const std::string& b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i)
    for (std::size_t j = 0; j <= b.size(); ++j)
      d[i][j] = i == 0 || j == 0
                    ? i + j
                    : std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
  return d[a.size()][b.size()];
}

TEST(levenshtein_distance, is_that_of_the_whole_table) {
  std::uint64_t state = 1;
  const auto draw = [&](std::uint64_t below) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % below;
  };
  for (int trial = 0; trial < 400; ++trial) {
    std::string a(draw(80), ' '), b;
    for (char& c : a) c = char('a' + draw(3));
    for (const char c : a) {
      if (draw(10) < 8) b += c;
      if (draw(10) < 2) b += char('a' + draw(3));
    }
    if (trial % 4 == 0) b = std::string(draw(80), 'b');
    EXPECT_EQ(corpus::levenshtein_distance(a, b), distance_by_table(a, b)) << a << " | " << b;
  }
}

}  // namespace
}  // namespace weir::testing
