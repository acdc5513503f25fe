#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <string>

#include "bench/corpus/common/jxl_picture.hpp"
#include "tests/bench/corpus/corpus.hpp"

namespace weir::testing {
namespace {

// Impossible input is refused before anything runs: code 2, nothing on stdout, and one line on stderr that names it.
void expect_refused(const outcome& o, const std::string& names) {
  EXPECT_EQ(o.code, 2);
  EXPECT_EQ(o.out, "");
  EXPECT_EQ(lines_of(o.err).size(), 1u) << o.err;
  EXPECT_NE(o.err.find(names), std::string::npos) << o.err;
}

class a_bad_call : public ::testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directory(folder_.at("empty"));
    std::filesystem::create_directory(folder_.at("full"));
    write_file(folder_.at("full") + "/notes.txt", "Notes");
  }
  const scratch_folder folder_;
};

TEST_F(a_bad_call, is_refused_in_one_line) {
  const std::string out = " " + folder_.at("out"), in = " " + folder_.at("full");
  expect_refused(run_corpus(""), "subcommand");
  expect_refused(run_corpus("read"), "\"read\"");
  expect_refused(run_corpus("run " + folder_.at("nowhere")), "required");
  expect_refused(run_corpus("run " + folder_.at("nowhere") + out), "nowhere");
  expect_refused(run_corpus("run " + folder_.at("full") + "/notes.txt" + out), "it is no folder");
  expect_refused(run_corpus("run " + folder_.at("empty") + out), "there are no files in it");
  expect_refused(run_corpus("run" + in + in), "it is not empty");
  expect_refused(run_corpus("run" + in + out + " --way fastest"), "\"fastest\"");
  expect_refused(run_corpus("run" + in + out + " --way 'pipeline limited onetbb'"), "which --images asks for");
  expect_refused(run_corpus("run" + in + out + " --way xargs --images"),
                 corpus::has_jxl() ? "way xargs keeps no pictures" : "without libjxl");
  expect_refused(run_corpus("run" + in + out + " --policy adaptiv"), "adaptiv: ");
  expect_refused(run_corpus("run" + in + out + " --objective speed"), "speed");
  expect_refused(run_corpus("run" + in + out + " --shard-kb 0"), "--shard-kb: 0");
  expect_refused(run_corpus("run" + in + out + " --shard-kb -1"), "--shard-kb: -1 is not in");
  expect_refused(run_corpus("run" + in + out + " --capacity 99999999999"), "--capacity: 99999999999");
  expect_refused(run_corpus("run" + in + out + " --policy fixed:nope=1"), "--policy fixed:nope=1: ");
  expect_refused(run_corpus("run" + in + out + " --way 'weir fixed:nope=1'"), "--way \"weir fixed:nope=1\": ");
  expect_refused(run_corpus("run" + in + out + " --policy adaptiv"), "equal, shared and fixed:");
  expect_refused(run_corpus("run" + in + out + " --rate -1"), "--rate: -1");
  expect_refused(run_corpus("run" + in + out + " --latency 0"), "--latency: 0");
  expect_refused(run_corpus("compare" + in + " --rounds 0"), "--rounds: 0");
  expect_refused(run_corpus("compare" + in + " --way 'weir fixed:nope=1'"), "fixed:nope=1\": ");
  expect_refused(run_corpus("compare" + in + " --way pipeline --capacity 4"), "--capacity: way pipeline");
  expect_refused(run_corpus("generate" + out + " --seed -1"), "--seed: -1");
  expect_refused(run_corpus("compare" + in + " --way nothing"), "\"nothing\"");
  expect_refused(run_corpus("generate" + in), "is no empty folder");
  expect_refused(run_corpus("generate" + out + " --pages 0"), "--pages: 0");
  EXPECT_FALSE(std::filesystem::exists(folder_.at("out")));
}

// An option that changes nothing was meant for another call.
TEST_F(a_bad_call, with_options_without_effect_is_refused) {
  const std::string run = "run " + folder_.at("full") + " " + folder_.at("out");
  for (const std::string way : {"sequential", "pipeline", "flow-graph limited", "xargs"})
    for (const std::string option : {std::string("--policy equal"), std::string("--objective latency"),
                                     std::string("--capacity 4"), "--report " + folder_.at("r.html")})
      expect_refused(run_corpus(run + " --way '" + way + "' " + option),
                     option.substr(0, option.find(' ')) + ": way " + way + " runs without weir");
  expect_refused(run_corpus(run + " --way 'weir equal' --policy shared"), "--policy: way weir equal names its policy");
  expect_refused(run_corpus(run + " --policy equal --objective latency"),
                 "--objective latency: it is of adaptive and best-fixed-by-model, and has no effect on equal");
  EXPECT_FALSE(std::filesystem::exists(folder_.at("out")));
}

TEST_F(a_bad_call, without_language_data_says_which) {
  const outcome o =
      run_corpus("run " + folder_.at("full") + " " + folder_.at("out"), "TESSDATA_PREFIX=" + folder_.at("empty") + " ");
  EXPECT_EQ(o.code, 2);
  EXPECT_NE(lines_of(o.err).back().find("no data for the language \"eng\""), std::string::npos) << o.err;
  EXPECT_FALSE(std::filesystem::exists(folder_.at("out")));
}

// Two runs that write one folder would each remove the other's files.
TEST_F(a_bad_call, of_a_folder_that_another_run_writes_is_refused) {
  const std::string out = folder_.at("out"), call = "run " + folder_.at("full") + " " + out;
  std::filesystem::create_directory(out);
  const int other = ::open(out.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  ASSERT_EQ(::flock(other, LOCK_EX | LOCK_NB), 0);
  expect_refused(run_corpus(call), "another weir corpus is writing it");
  EXPECT_TRUE(std::filesystem::is_empty(out));
  ::close(other);  // as the end of its process does
  EXPECT_EQ(run_corpus(call).code, 0);
}

TEST_F(a_bad_call, of_another_folder_keeps_what_is_there) {
  const std::string out = " " + folder_.at("out");
  ASSERT_EQ(run_corpus("run " + folder_.at("full") + out).code, 0);
  const std::string before = files_of(folder_.at("out"));
  write_file(folder_.at("full") + "/more.txt", "More");
  expect_refused(run_corpus("run " + folder_.at("full") + out), "other documents");
  EXPECT_EQ(files_of(folder_.at("out")), before);
}

// Files that are no documents end only their own record, and are listed with the cause: here as nothing else is there.
TEST_F(a_bad_call, of_strange_files_lists_each) {
  const std::string in = folder_.at("full");
  write_file(in + "/empty.pdf", "");
  write_file(in + "/cut.pdf", "%PDF-1.7\n1 0 obj\n");
  write_file(in + "/huge.png", std::string("\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x9c\x40\0\0\x9c\x40\x08\0\0\0\0", 29) +
                                   std::string(100, '\0'));
  write_file(in + "/.hidden", "not looked at");
  write_file(in + "/a\xff\nname.png", "no picture");
  std::filesystem::create_directory(in + "/below");
  write_file(in + "/below/page.html", "<p>Text</p>");
  for (const std::string way : {"sequential limited", "weir adaptive", "flow-graph limited"}) {
    const std::string out = folder_.at("out " + way);
    const outcome o = run_corpus("run " + in + " '" + out + "' --json --way '" + way + "'");
    EXPECT_EQ(o.code, 0) << o.err;
    EXPECT_EQ(o.err, "");
    EXPECT_EQ(o.json().at("failed"), 6);
    const std::string listed = contents(out + "/failed.jsonl");
    EXPECT_EQ(lines_of(listed).size(), 6u) << listed;
    for (const char* part : {"{\"document\":\"empty.pdf\",\"cause\":\"it is empty\"}",
                             "{\"document\":\"cut.pdf\",\"cause\":\"the PDF is damaged\"}",
                             "\"page\":1,\"cause\":\"the picture has 1600000000 pixels; at most 100000000 are read\"",
                             "{\"document\":\"below/page.html\",\"cause\":\"it is neither a PDF nor a picture\"}",
                             "{\"document\":\"notes.txt\""})
      EXPECT_NE(listed.find(part), std::string::npos) << part << " in " << listed;
  }
}

// Where only the library and the command were built, the command says how to get the rest.
TEST(weir_corpus, that_was_not_built_is_named) {
  const scratch_folder folder;
  std::filesystem::copy_file(WEIR_COMMAND, folder.at("weir"));
  const std::string err = folder.at("err");
  const outcome o = run_weir("", folder.at("weir") + " corpus run a b 2> " + err + "; exit $?; ");
  EXPECT_EQ(o.code, 2);
  EXPECT_EQ(lines_of(contents(err)).size(), 1u) << contents(err);
  EXPECT_NE(contents(err).find("-DWEIR_CORPUS=ON"), std::string::npos) << contents(err);
}

}  // namespace
}  // namespace weir::testing
