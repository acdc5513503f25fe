#include <unistd.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>

#include "tests/bench/weir/command.hpp"
#include "tests/bench/weir/made_observations.hpp"
#include "tests/support/sanitizers.hpp"

// `weir check` and `run` with a file of boxes: what the text and the file have to agree in, and programs as boxes.
namespace weir::testing {
namespace {

using namespace std::string_literals;

class boxes_of_a_text : public ::testing::Test {
 protected:
  std::string file(const std::string& name, const std::string& text) const {
    return write_file(folder_.at(name), text);
  }
  // The errors of `weir check`, without the lines of the text and the carets.
  std::string errors(const std::string& net, const std::string& boxes) const {
    const outcome o = run_weir("check " + file("n.snet", net) + " --boxes " + file("b.json", boxes));
    EXPECT_EQ(o.code, o.err.empty() ? 0 : 1);
    std::string all;
    for (const std::string& line : lines_of(o.err))
      if (line.starts_with(folder_.at(""))) all += line.substr(folder_.at("").size()) + "\n";
    return all;
  }
  outcome run(const std::string& net, const std::string& boxes, const std::string& lines,
              const std::string& options = "") const {
    return run_weir("run " + file("n.snet", net) + " --boxes " + file("b.json", boxes) + " --input " +
                    file("in.jsonl", lines) + " " + options);
  }

  const scratch_folder folder_;
};

TEST_F(boxes_of_a_text, are_those_of_the_file_and_no_others) {
  EXPECT_EQ(errors("net x {\n  box copy((a) -> (b));\n  box other((a) -> (b));\n  box idle((a) -> (b));\n}\n"
                   "connect copy | ([{c} -> {a = c}] .. other);\n",
                   "{\"fields\": {\"a\": \"text\", \"b\": \"text\"}, \"boxes\": {\n"
                   "\"copy\": {\"command\": [\"cat\"], \"input\": \"a\", \"output\": \"b\"},\n"
                   "\"idle\": {\"command\": [\"cat\"], \"output\": \"b\"},\n"
                   "\"othr\": {\"command\": [\"cat\"], \"output\": \"b\"}\n}}"),
            "b.json:3:1: error: box idle is not used by the network of " + folder_.at("n.snet") +
                "\nb.json:4:1: error: " + folder_.at("n.snet") + " declares no box othr (did you mean other?)\n");
  EXPECT_EQ(errors("net x {\n  box copy((a) -> (b));\n  box other((b) -> (c));\n} connect copy .. other;\n",
                   "{\"fields\": {\"a\": \"text\", \"b\": \"text\"}, \"boxes\": {\n"
                   "\"copy\": {\"command\": [\"cat\"], \"input\": \"a\", \"output\": \"b\"}}}"),
            "n.snet:3:7: error: box other is not registered (known: copy); add \"other\": {\"command\": [..]} to the "
            "\"boxes\" of " +
                folder_.at("b.json") + "\n");
}

TEST_F(boxes_of_a_text, are_told_with_the_mistakes_of_both_files) {
  EXPECT_EQ(errors("net x { box copy((a) -> (b)); } connect copy .. ;\n", "{\"boxes\": {\n\"copy\": {}}}"),
            "n.snet:1:49: error: expected a network: a name, (, [ or [|, found ';'\n"
            "b.json:2:9: error: box \"copy\" is one of command, worker and library, found none\n");
}

// A run lays the network out before its first record, and check does as much of that.
TEST_F(boxes_of_a_text, are_checked_where_they_stand_in_the_network) {
  const std::string boxes =
      R"({"fields": {"a": "text"}, "boxes": {"f": {"command": ["cat"], "input": "a", "output": "a", "priority": "<z>"}}})";
  const std::string box = "net x { box f((a) -> (a)); } connect ";
  EXPECT_EQ(errors(box + "f;\n", boxes),
            "n.snet: error: box f: priority(<z>) in a place where records keep their order, expected one in a split or "
            "a star\n");
  EXPECT_EQ(errors(box + "f ! <k>;\n", boxes), "");
}

TEST_F(boxes_of_a_text, have_the_labels_that_the_file_uses) {
  const std::string net = "net x { box f((a, <n>) -> (b, c)); } connect f;\n";
  const auto errors_of = [&](const std::string& fields, const std::string& box) {
    return errors(net, "{\"fields\": {" + fields + "}, \"boxes\": {\n\"f\": {" + box + "}}}");
  };
  const std::string fields = R"("a": "text", "b": "text", "c": "text")";
  // A program of POSIX with a short name.
  const std::string given = R"("command": ["[", {"out": "b"}], "output": "c")";
  EXPECT_EQ(errors_of(fields, given), "");
  EXPECT_EQ(errors_of(fields, given + R"(, "input": "<n>", "predictor": {"value": "<n>"})"), "");
  EXPECT_EQ(
      errors_of(R"("a": "text")", given),
      "b.json:2:1: error: box f: \"fields\" has no type for b, c; write \"b\": \"text\", or another of bytes, file, "
      "integer, integers, number, numbers, path, text\n");
  EXPECT_EQ(errors_of(fields, R"("command": ["[", {"out": "b"}])"),
            "b.json:2:1: error: nothing of box f gives c: say {\"out\": \"c\"} in an argument, or \"output\": \"c\"\n");
  EXPECT_EQ(errors_of(fields,
                      R"("command": ["[", {"value": "b"}, {"in": "<a>"}, {"out": "a"}, {"out": "b"}], "output": "b")"),
            "b.json:2:34: error: box f of the text takes no b (it has: a, <n>)\n"
            "b.json:2:47: error: box f of the text takes no <a> (it has: a, <n>)\n"
            "b.json:2:63: error: box f of the text gives no a (it has: b, c)\n"
            "b.json:2:94: error: b is given twice\n");
  EXPECT_EQ(
      errors_of(R"("a": "bytes", "b": "path", "c": "numbers")",
                R"("command": ["[", {"value": "a"}, {"out": "b"}], "output": "c")"),
      "b.json:2:34: error: a is bytes, no text: say {\"in\": \"a\"}\n"
      "b.json:2:48: error: b is path, which the command's output cannot become; let it be text, bytes, integer or "
      "number, or file\n"
      "b.json:2:65: error: c is numbers, and a command knows bytes, file, integer, number, path, text\n");
  EXPECT_EQ(errors_of(fields, R"("command": ["[", {"out": "b"}], "lines": "c")"),
            "b.json:2:48: error: with lines, a box gives one label, and f gives more\n");
  EXPECT_EQ(errors_of(fields, given + R"(, "predictor": {"file_size": "<n>"})"),
            "b.json:2:81: error: <n> names no file: it is a tag, not path or file\n");
  EXPECT_EQ(errors_of(fields, given + R"(, "predictor": {"value": "a"})"),
            "b.json:2:77: error: a is no number: it is text\n");
  EXPECT_EQ(errors_of(fields, given + R"(, "predictor": [{"kind": "<n>"}, {"length": "a"}])"), "");
  EXPECT_EQ(errors_of(fields, given + R"(, "predictor": {"kind": "a"})"),
            "b.json:2:76: error: a has no kinds: it is text, not integer\n");
  EXPECT_EQ(errors_of(fields, given + R"(, "predictor": {"length": "b"})"),
            "b.json:2:78: error: box f of the text takes no b\n");
  EXPECT_EQ(errors("net x { box f((a) -> (b) | (c)); } connect f;\n",
                   "{\"fields\": {" + fields + "}, \"boxes\": {\n\"f\": {" + given + "}}}"),
            "b.json:2:7: error: a command gives one sort of record, and box f of the text gives 2\n");
}

TEST_F(boxes_of_a_text, run_programs_with_values_of_every_type) {
  const std::string net =
      "net x {\n  box show((text, whole, real, path, <t>) -> (shown));\n  box pass((bytes) -> (bytes));\n"
      "  box count((bytes) -> (<size>, half));\n  box split((shown) -> (line));\n  box ends((line) -> ());\n}\n"
      "connect show .. pass .. [{bytes} -> {bytes, kept = bytes}] .. count .. [{kept} -> {bytes = kept}] .. split .. "
      "[{line} -> {line, same = line}] .. ends;\n";
  const std::string boxes = R"({
    "fields": {"text": "text", "whole": "integer", "real": "number", "path": "path", "shown": "text", "bytes": "bytes",
               "half": "number", "line": "text"},
    "boxes": {
      "show": {"command": ["printf", "%s|%s|%s|%s\n%s\n", {"value": "text"}, {"value": "whole"}, {"value": "real"},
                           ["p=", {"value": "path"}], {"value": "<t>"}], "output": "shown",
               "predictor": [{"length": "text"}, {"kind": "<t>"}]},
      "pass": {"command": ["cp", {"in": "bytes"}, {"out": "bytes"}]},
      "count": {"command": ["sh", "-c", "wc -c > \"$1\"; echo 2.5", "sh", {"out": "<size>"}], "input": "bytes",
                "output": "half", "predictor": {"length": "bytes"}},
      "split": {"command": ["cat", {"in": "shown", "ending": ".txt"}], "lines": "line"},
      "ends": {"command": ["test", {"value": "line"}], "retries": 1, "width": 2, "cores": 1}
    }})";
  const outcome o = run(
      net, boxes,
      R"({"text": "a b", "whole": -3, "real": 0.25, "path": "x y", "<t>": 7, "bytes": {"base64": "AAEC/w=="}, "id": [1]})"
      "\n");
  EXPECT_EQ(o.err, "");
  EXPECT_EQ(o.out,
            "{\"bytes\": {\"base64\": \"AAEC/w==\"}, \"half\": 2.5, \"id\": [1], \"same\": \"a b|-3|0.25|p=x y\", "
            "\"<size>\": 4}\n"
            "{\"bytes\": {\"base64\": \"AAEC/w==\"}, \"half\": 2.5, \"id\": [1], \"same\": \"7\", \"<size>\": 4}\n");
}

TEST_F(boxes_of_a_text, are_not_run_without_their_programs) {
  const std::string net = "net x { box f((a) -> ()); box g((a) -> ()); } connect f | ([{b} -> {a = b}] .. g);\n";
  const std::string boxes =
      "{\"fields\": {\"a\": \"text\"}, \"boxes\": {\n"
      "\"f\": {\"command\": [\"no-such-program\"]},\n\"g\": {\"worker\": [\"./none/prog\"]}}}";
  run(net, boxes, "");  // makes the files
  const outcome checked =
      run_weir("check " + folder_.at("n.snet") + " --boxes " + folder_.at("b.json"), "PATH=/usr/bin:/bin ");
  EXPECT_EQ(checked.code, 1);
  EXPECT_EQ(
      lines_of(checked.err).front(),
      folder_.at("b.json") +
          ":2:19: error: there is no program \"no-such-program\" in PATH=/usr/bin:/bin: No such file or directory");
  EXPECT_NE(
      checked.err.find("b.json:3:18: error: the program \"./none/prog\" does not run: No such file or directory\n"),
      std::string::npos)
      << checked.err;
  const outcome o = run(net, boxes, "");
  EXPECT_EQ(o.code, 1);
  EXPECT_NE(o.err.find("b.json:2:19: error: there is no program"), std::string::npos) << o.err;
  EXPECT_EQ(run_weir("dot " + folder_.at("n.snet") + " --boxes " + folder_.at("b.json")).code, 0) << "it starts none";
}

// A run refuses no text that the check accepts, and an option replaces the amounts of the files.
TEST_F(boxes_of_a_text, of_two_files_agree_in_what_they_share) {
  const std::string net =
      file("n.snet", "net x { box f((a) -> ()); box g((a) -> ()); } connect f .. [{b} -> {a = b}] .. g;\n");
  const auto boxes = [&](const std::string& box, const std::string& shared, const std::string& needs) {
    return " --boxes " +
           file(box + ".json", "{\"fields\": {\"a\": \"text\", \"b\": \"text\"}, " + shared + ", \"boxes\": {\"" + box +
                                   R"(": {"command": ["true"])" + needs + "}}}");
  };
  for (const auto& [key, needs, option, words] :
       {std::array{R"("resources": {"gpu": )", R"(, "needs": {"gpu": 1})", "--resource", ""},
        std::array{R"("devices": {"gpu": )", "", "--device", "slots "}}) {
    const auto with = [&](const std::string& of_f, const std::string& of_g) {
      return net + boxes("f", key + of_f + "}", needs) + boxes("g", key + of_g + "}", needs);
    };
    const std::string refused = "weir: --boxes: \"" + folder_.at("g.json") + "\" has 3 " + words +
                                "of \"gpu\", and \"" + folder_.at("f.json") + "\" 2; expected was one number, or " +
                                option + "\n";
    for (const char* command : {"check ", "run "}) {
      const outcome differ = run_weir(command + with("2", "3"));
      EXPECT_EQ(differ.code, 2) << command << key;
      EXPECT_EQ(differ.err, refused) << command;
      for (const auto& [of_g, options] : {std::pair{"2"s, ""s}, std::pair{"3"s, " "s + option + " gpu=4"}}) {
        const outcome agree = run_weir(command + with("2", of_g) + options);
        EXPECT_EQ(agree.code, 0) << command << of_g << options << "\n" << agree.err;
      }
    }
  }
}

// The reader of a file of boxes would use up such a stack, which ends a process by a signal.
TEST_F(boxes_of_a_text, are_not_read_on_a_stack_that_is_too_small) {
  if (sanitized) GTEST_SKIP() << "sanitizers need more stack before main";
  const std::string net = file("n.snet", "net x { box f((a) -> ()); } connect f;\n");
  const std::string boxes = file("b.json", R"({"fields": {"a": "text"}, "boxes": {"f": {"command": ["true"]}}})");
  for (const char* command : {"check ", "run "}) {
    const outcome o = run_weir(command + net + " --boxes " + boxes, "ulimit -s 64; exec ");
    EXPECT_EQ(o.code, 1) << command;
    EXPECT_EQ(o.err, "weir: the stack is limited to 64 kB, expected are 256 kB or more (ulimit -s)\n") << command;
  }
}

TEST_F(boxes_of_a_text, come_from_one_file_each) {
  const std::string net =
      file("n.snet", "net x { box f((a) -> ()); box g((a) -> ()); } connect f | ([{b} -> {a = b}] .. g);\n");
  const std::string f = R"("f": {"command": ["true"]})", g = R"("g": {"command": ["true"]})";
  const auto boxes = [&](const std::string& name, const std::string& all) {
    return " --boxes " + file(name, R"({"fields": {"a": "text"}, "boxes": {)" + ("\n" + all) + "}}");
  };
  const std::string check = "check " + net;
  EXPECT_EQ(run_weir(check + boxes("f.json", f) + boxes("g.json", g)).err, "");
  const outcome both = run_weir(check + boxes("f.json", f) + boxes("fg.json", f + ",\n" + g));
  EXPECT_EQ(both.code, 1);
  EXPECT_EQ(lines_of(both.err).front(),
            folder_.at("fg.json") + ":2:1: error: box f is in another file or library of --boxes, too");
  const outcome twice = run_weir(check + boxes("f.json", f) + boxes("f.json", f));
  EXPECT_EQ(twice.code, 2);
  EXPECT_EQ(twice.err, "weir: --boxes: \"" + folder_.at("f.json") + "\" is given twice\n");
  const outcome over = run_weir("run " + net + boxes("f.json", f) + " --output " + folder_.at("./f.json"));
  EXPECT_EQ(over.code, 2) << over.err;
  EXPECT_NE(contents(folder_.at("f.json")).find("true"), std::string::npos) << "it is not written over";
  std::filesystem::rename(folder_.at("f.json"), folder_.at("f.txt"));
  EXPECT_NE(run_weir(check + " --boxes " + folder_.at("f.txt")).err.find("; the name of a file of boxes ends in .json"),
            std::string::npos);
  const outcome none = run_weir("run " + net);
  EXPECT_EQ(none.code, 1);
  EXPECT_EQ(lines_of(none.err).front(), net +
                                            ":1:13: error: box f is not registered; --boxes names a library, or a file "
                                            "that says what the boxes are (*.json)");
}

TEST_F(boxes_of_a_text, leave_the_output_as_it_was_where_they_do_not_start) {
  const std::string net = "net x { box f((a) -> (b)); } connect f;\n";
  const auto boxes = [](const std::string& more) {
    return R"({"fields": {"a": "text", "b": "text"}, "boxes": {"f": {"output": "b", )" + more + "}}}";
  };
  const std::string no_program = boxes(R"("command": ["no-such-program"])"), fails = boxes(R"("command": ["false"])"),
                    too_wide = boxes(R"("command": ["true"], "cores": [60000, 65536])"), line = "{\"a\": \"x\"}\n";
  const std::string out = folder_.at("out.jsonl"), options = "--output " + out;
  EXPECT_EQ(run(net, no_program, line, options).code, 1);
  EXPECT_EQ(run(net, too_wide, line, options).code, 2);
  EXPECT_FALSE(std::filesystem::exists(out));
  file("out.jsonl", "kept\n");
  EXPECT_EQ(run(net, no_program, line, options).code, 1);
  EXPECT_EQ(run(net, too_wide, line, options).code, 2);
  EXPECT_EQ(contents(out), "kept\n");
  EXPECT_EQ(run(net, fails, line, options).code, 1);
  EXPECT_EQ(contents(out), "") << "it ran, and had no result";
  const outcome no_folder = run(net, fails, line, "--output " + folder_.at("none/out.jsonl"));
  EXPECT_EQ(no_folder.code, 2);
  EXPECT_EQ(no_folder.err,
            "weir: --output: \"" + folder_.at("none/out.jsonl") + "\" cannot be written: No such file or directory\n");
  const outcome full = run(net, boxes(R"("command": ["true"])"), line, "--output /dev/full");
  EXPECT_EQ(full.code, 1);
  EXPECT_EQ(full.err, "weir: \"/dev/full\" could not be written: No space left on device\n");
}

TEST_F(boxes_of_a_text, take_the_size_of_a_file_from_a_text_that_may_be_its_path) {
  const std::string net = "net x { box f((a) -> (b)); } connect f;\n";
  const auto errors_of = [&](const std::string& box) {
    return errors(net, R"({"fields": {"a": "text", "b": "text"}, "boxes": {)"
                       "\n\"f\": {\"predictor\": {\"file_size\": \"a\"}, \"output\": \"b\", " +
                           box + "}}}");
  };
  EXPECT_EQ(errors_of(R"("command": ["cat", {"value": "a"}])"), "");
  const std::string expected =
      "b.json:2:34: error: a is text that the program gets as the content of a file, and names none: say \"length\": "
      "\"a\"\n";
  EXPECT_EQ(errors_of(R"("command": ["cat"], "input": "a")"), expected);
  EXPECT_EQ(errors_of(R"("command": ["cat", ["x=", {"in": "a"}]])"), expected);
}

TEST_F(boxes_of_a_text, have_their_standard_output_in_a_file) {
  const std::string net =
      "net x { box f((a) -> (b)); box g((b) -> (c)); box h((b) -> (path)); } connect f .. [{b} -> {b, kept = b}] .. g "
      ".. [{kept} -> {b = kept}] .. h;\n";
  const std::string fields = R"({"fields": {"a": "text", "b": "file", "c": "text", "path": "text"}, "boxes": {)";
  const outcome o = run(net, fields + R"("f": {"command": ["printf", "%s!", {"value": "a"}], "output": "b"},
      "g": {"command": ["cat"], "input": "b", "output": "c"},
      "h": {"command": ["test", "-f", {"value": "b"}], "output": "path"}}})",
                        "{\"a\": \"foo\"}\n{\"a\": \"\"}\n");
  EXPECT_EQ(o.err, "");
  EXPECT_EQ(o.out, "{\"c\": \"foo!\", \"path\": \"\"}\n{\"c\": \"!\", \"path\": \"\"}\n");
  EXPECT_EQ(
      errors("net x { box f((a) -> (b)); } connect f;\n",
             fields + "\n\"f\": {\"command\": [\"cat\"], \"lines\": \"b\"}}}"),
      "b.json:2:36: error: b is file, which the command's output cannot become; let it be text, bytes, integer or "
      "number\n");
}

TEST_F(boxes_of_a_text, write_their_files_as_results_also_where_a_run_is_resumed) {
  const std::string net = "net x { box f((a) -> (b)); } connect f;\n";
  const std::string boxes = R"({"fields": {"a": "text", "b": "file"},
                                "boxes": {"f": {"command": ["cp", {"in": "a"}, {"out": "b", "ending": ".x"}]}}})";
  EXPECT_EQ(run(net, boxes, "{\"a\": \"foo\"}\n").out, "{\"b\": {\"base64\": \"Zm9v\"}}\n");
  const std::string out = folder_.at("out.jsonl"), options = "--resume id --output " + out;
  EXPECT_EQ(run(net, boxes, "{\"a\": \"foo\", \"id\": 1}\n", options).code, 0);
  EXPECT_EQ(run(net, boxes, "{\"a\": \"foo\", \"id\": 1}\n{\"a\": \"\", \"id\": 2}\n", options).code, 0);
  EXPECT_EQ(contents(out), "{\"b\": {\"base64\": \"Zm9v\"}, \"id\": 1}\n{\"b\": {\"base64\": \"\"}, \"id\": 2}\n");
}

TEST_F(boxes_of_a_text, run_where_the_command_inherits_that_sigchld_is_ignored) {
  const std::string net = file("n.snet", "net x { box copy((a) -> (b)); } connect copy;\n");
  const std::string boxes = file("b.json", R"({"fields": {"a": "text", "b": "text"}, "boxes": {)"
                                           R"("copy": {"command": ["cat"], "input": "a", "output": "b"}}})");
  const outcome o = run_weir("run " + net + " --boxes " + boxes + " --input " + file("in.jsonl", "{\"a\": \"x\"}\n"),
                             "env --ignore-signal=CHLD ");
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_EQ(o.out, "{\"b\": \"x\"}\n");
}

// The limit does not hold for root, so there the command is of another user.
TEST_F(boxes_of_a_text, end_with_the_limit_in_words_where_there_are_too_few_processes) {
  if (sanitized) GTEST_SKIP() << "sanitizers have threads of their own";
  const std::string net = file("n.snet", "net x { box copy((a) -> (b)); } connect copy;\n");
  const std::string boxes = file("b.json", R"({"fields": {"a": "text", "b": "text"}, "boxes": {)"
                                           R"("copy": {"command": ["cat"], "input": "a", "output": "b"}}})");
  const std::string input = file("in.jsonl", "{\"a\": \"x\"}\n");
  std::filesystem::permissions(folder_.path(), std::filesystem::perms(0755));
  const std::string user =
      ::geteuid() == 0 ? "setpriv --reuid 65534 --clear-groups --inh-caps=-all --bounding-set=-all " : "env ";
  if (run_weir("--version", user).code != 0) GTEST_SKIP() << "no other user can run the command";
  for (int limit = 1; limit <= 5; ++limit) {
    const outcome o = run_weir("run " + net + " --boxes " + boxes + " --input " + input,
                               "timeout 60 prlimit --nproc=" + std::to_string(limit) + " " + user);
    EXPECT_NE(o.code, 124) << "it hangs with " << limit;
    if (o.code == 0) continue;  // that many are enough
    EXPECT_TRUE(o.err.find("no thread could be started") != std::string::npos ||
                o.err.find("as many processes exist as `ulimit -u`") != std::string::npos)
        << limit << ": " << o.err;
  }
}

TEST_F(boxes_of_a_text, may_be_of_libraries_and_crash_and_hang_in_processes_of_their_own) {
  const std::string net = "net x { box halve((<n>) -> (<half>)); } connect halve;\n";
  std::filesystem::copy(WEIR_SNET_LIBRARIES "/snet_crashing.so", folder_.at("c.so"));
  const std::string lines = "{\"<n>\": 8}\n{\"<n>\": 0}\n{\"<n>\": -1}\n{\"<n>\": 6}\n";
  const outcome o =
      run(net, R"({"boxes": {"halve": {"library": "c.so", "isolated": true, "within": "300 ms", "width": 1}}})", lines);
  EXPECT_EQ(o.code, 1) << "width is of the library";
  const outcome isolated =
      run(net, R"({"boxes": {"halve": {"library": "c.so", "isolated": true, "within": "300 ms"}}})", lines);
  EXPECT_EQ(isolated.code, 1);
  EXPECT_EQ(isolated.out, "{\"<half>\": 4}\n{\"<half>\": 3}\n") << isolated.err;
  EXPECT_NE(isolated.err.find("SIGABRT"), std::string::npos) << isolated.err;
  EXPECT_NE(isolated.err.find("was ended after"), std::string::npos) << isolated.err;

  const outcome by_option =
      run_weir("run " + folder_.at("n.snet") + " --boxes " + folder_.at("c.so") + " --isolate halve --input " +
               file("in.jsonl", "{\"<n>\": 8}\n{\"<n>\": 0}\n{\"<n>\": 6}\n"));
  EXPECT_EQ(by_option.code, 1);
  EXPECT_EQ(by_option.out, "{\"<half>\": 4}\n{\"<half>\": 3}\n") << by_option.err;
  EXPECT_EQ(run_weir("run " + folder_.at("n.snet") + " --boxes " + folder_.at("c.so") + " --isolate other").code, 2);
  EXPECT_EQ(errors(net, R"({"boxes": {"halve": {"library": "none.so"}}})").find("b.json:1:22: error: "), 0u);
}

TEST_F(boxes_of_a_text, that_a_library_lacks_are_refused_with_the_names_of_those_that_it_has) {
  std::filesystem::copy(WEIR_SNET_LIBRARIES "/snet_crashing.so", folder_.at("c.so"));
  const std::string said = errors("net x { box other((<n>) -> (<half>)); } connect other;\n",
                                  R"({"boxes": {"other": {"library": "c.so"}}})");
  EXPECT_NE(said.find("c.so\" has no box other, but halve"), said.npos) << said;
}

TEST_F(boxes_of_a_text, may_be_of_a_library_in_a_host_of_the_command) {
  const std::string net = "net x { box halve((<n>) -> (<half>)); } connect halve;\n";
  std::filesystem::copy(WEIR_SNET_LIBRARIES "/snet_crashing.so", folder_.at("c.so"));
  const std::string lines = "{\"<n>\": 8}\n{\"<n>\": 0}\n{\"<n>\": 6}\n";
  const outcome o = run(net,
                        "{\"boxes\": {\"halve\": {\"worker\": [\"" WEIR_COMMAND
                        "\", \"host\", {\"file\": \"c.so\"}], \"width\": 1}}}",
                        lines);
  EXPECT_EQ(o.code, 1);
  EXPECT_EQ(o.out, "{\"<half>\": 4}\n{\"<half>\": 3}\n") << o.err;
  EXPECT_NE(o.err.find("SIGABRT"), std::string::npos) << o.err;
}

TEST_F(boxes_of_a_text, keep_what_workers_print_apart_from_the_results) {
  file("talk.py",
       "import sys\nsys.path.insert(0, '" WEIR_PYTHON_FOLDER
       "')\nimport weir_worker\n"
       "@weir_worker.box(takes='<n>', gives='<n>')\ndef talk(n):\n  print('at', n, flush=True)\n  return n + 1\n"
       "weir_worker.serve()\n");
  const outcome o = run("net x { box talk((<n>) -> (<n>)); } connect talk;\n",
                        R"({"boxes": {"talk": {"worker": ["python3", {"file": "talk.py"}], "width": 1}}})",
                        "{\"<n>\": 1}\n{\"<n>\": 5}\n");
  EXPECT_EQ(o.out, "{\"<n>\": 2}\n{\"<n>\": 6}\n");
  EXPECT_NE(o.err.find("at 1\n"), std::string::npos) << o.err;
}

// The worker of a device is another call of the script, which says where it is; --device gives the device.
TEST_F(boxes_of_a_text, may_have_workers_on_a_device) {
  file("add.py", "import sys\nsys.path.insert(0, '" WEIR_PYTHON_FOLDER
                 "')\nimport weir_worker\nprint('here on', sys.argv[1], flush=True)\n"
                 "@weir_worker.box(takes='<n>', gives='<n>')\ndef add(n):\n  return n + 1\n"
                 "weir_worker.serve()\n");
  std::string lines, expected;
  for (int i = 0; i < 40; ++i) {
    lines += "{\"<n>\": " + std::to_string(i) + "}\n";
    expected += "{\"<n>\": " + std::to_string(i + 1) + "}\n";
  }
  const auto with = [](const std::string& devices) {
    return "{" + devices +
           R"("boxes": {"add": {"worker": ["python3", {"file": "add.py"}, "cores"], "width": 1,
                     "on": {"gpu0": ["python3", {"file": "add.py"}, "gpu0"]}}}})";
  };
  const std::string net = "net x { box add((<n>) -> (<n>)); } connect add;\n";
  const outcome there = run(net, with(R"("devices": {"gpu0": 1}, )"), lines);
  EXPECT_EQ(there.out.size(), expected.size()) << there.err;
  EXPECT_NE(there.err.find("here on gpu0"), std::string::npos) << "it is tried there first" << there.err;
  const outcome here = run(net, with(""), lines);
  EXPECT_EQ(here.out, expected) << here.err;
  EXPECT_EQ(here.err.find("here on gpu0"), std::string::npos) << "there is no device";
}

// A need is learnt, an amount, or by a number of the input.
TEST_F(boxes_of_a_text, need_resources_that_the_file_has) {
  const std::string net = "net x { box f((a, <n>) -> (b)); } connect f;\n";
  const auto with = [](const std::string& resources, const std::string& needs) {
    return "{\"fields\": {\"a\": \"text\", \"b\": \"text\"}, \"resources\": " + resources +
           ",\n\"boxes\": {\"f\": {\"command\": [\"cat\"], \"input\": \"a\", \"output\": \"b\",\n\"needs\": " + needs +
           "}}}";
  };
  EXPECT_EQ(
      errors(net, with("{\"licence\": 2, \"disk\": \"1.5 GiB\"}",
                       R"({"memory": "learnt", "licence": 1, "disk": {"length": "a", "times": 2.5, "plus": "1 MB"}})")),
      "");
  EXPECT_EQ(
      errors(net, with("{\"licence\": 0}", R"({"memory": "lernt", "licence": -1})")),
      "b.json:1:65: error: found 0, expected an amount: an integer from 1 on, or bytes with their unit, \"8 GiB\"\n"
      "b.json:3:21: error: found the text \"lernt\", expected an amount: an integer from 0 on, or bytes with their "
      "unit, "
      "\"8 GiB\"\n"
      "b.json:3:41: error: found -1, expected an amount: an integer from 0 on, or bytes with their unit, "
      "\"8 GiB\"\n");
  EXPECT_EQ(errors(net, with("{}", R"({"licence": 1})")),
            "b.json:3:11: error: \"resources\" has no licence: say how much of it there is, \"licence\": 2\n");
  EXPECT_EQ(errors(net, with("{}", R"({"memory": {"length": "<n>"}})")),
            "b.json:3:32: error: <n> has no length: it is a tag\n");
  EXPECT_EQ(errors(net, with("{}", R"({"memory": {"times": -2}})")),
            "b.json:3:21: error: expected one of value, file_size and length\n"
            "b.json:3:31: error: found -2, expected a number of 0 or more\n");
}

// Invariant: an amount beyond the total, of the file or of --resource, is a warning at its place: the total may be
// raised.
TEST_F(boxes_of_a_text, are_warned_of_needs_that_no_record_can_have) {
  const std::string net = file("n.snet", "net x { box f((a, <n>) -> (b)); } connect f;\n");
  const auto checked = [&](const std::string& needs, const std::string& more = "") {
    const std::string boxes = file("w.json",
                                   "{\"fields\": {\"a\": \"text\", \"b\": \"text\"}, \"resources\": {\"licence\": 2},\n"
                                   "\"boxes\": {\"f\": {\"command\": [\"cat\"], \"input\": \"a\", \"output\": \"b\",\n"
                                   "\"needs\": " +
                                       needs + "}}}");
    const outcome o = run_weir("check " + net + " --boxes " + boxes + " " + more);
    EXPECT_EQ(o.code, 0) << "a warning is no error";
    return o.err;
  };
  EXPECT_EQ(checked(R"({"licence": 2})"), "");
  const std::string three = checked(R"({"licence": 3})");
  EXPECT_NE(three.find("w.json:3:11: warning: an invocation of f needs 3 of licence, of a total of 2: its records fail "
                       "unless --resource licence=.. says more\n"),
            std::string::npos)
      << three;
  EXPECT_EQ(checked(R"({"licence": 3})", "--resource licence=3"), "");
  EXPECT_NE(checked(R"({"licence": 2})", "--resource licence=1").find("2 of licence, of a total of 1"),
            std::string::npos);
  EXPECT_NE(checked(R"({"licence": {"value": "<n>", "plus": 5}})").find("needs at least 5 of licence"),
            std::string::npos);
  EXPECT_EQ(checked(R"({"memory": 9000000000000000000})"), "") << "its total is that of the machine";
  EXPECT_NE(checked(R"({"memory": "8 GiB"})", "--resource memory=4GiB").find("of memory"), std::string::npos);
  expect_refused("check " + net + " --resource licence", "--resource: \"licence\" is not NAME=AMOUNT");
}

// A device has from 1 to 1024 slots and a name; anything else is named with its place.
TEST_F(boxes_of_a_text, may_have_devices_with_slots) {
  const std::string net = "net x { box f((a) -> (b)); } connect f;\n";
  const auto with = [](const std::string& devices) {
    return "{\"fields\": {\"a\": \"text\", \"b\": \"text\"},\n\"devices\": " + devices +
           ", \"boxes\": {\"f\": {\"command\": [\"cat\"], \"input\": \"a\", \"output\": \"b\"}}}";
  };
  EXPECT_EQ(errors(net, with("{\"gpu0\": 2, \"gpu1\": 1024}")), "");
  EXPECT_EQ(errors(net, with("{\"gpu0\": 0, \"\": 2}")),
            "b.json:2:21: error: found 0, expected an integer from 1 to 1024\n"
            "b.json:2:24: error: the name of a device is empty\n");
  EXPECT_EQ(errors(net, with("[\"gpu0\"]")), "b.json:2:12: error: found a list, expected an object\n");
}

// No more programs run at a time than there are licences, and the total can be said for one run.
TEST_F(boxes_of_a_text, run_as_many_as_their_resources_let) {
  const std::string net = "net x { box f((a) -> (b)); } connect f;\n";
  const std::string boxes =
      "{\"fields\": {\"a\": \"text\", \"b\": \"text\"}, \"resources\": {\"licence\": 1}, \"boxes\": {\"f\": "
      "{\"command\": "
      "[\"sh\", \"-c\", \"mkdir " +
      folder_.at("held") + " && rmdir " + folder_.at("held") +
      " && cat\"], \"input\": \"a\", \"output\": \"b\", \"blocking\": 8, \"needs\": {\"licence\": 1}}}}";
  std::string lines;
  for (int i = 0; i < 24; ++i) lines += "{\"a\": \"" + std::to_string(i) + "\"}\n";
  const outcome all = run(net, boxes, lines);
  EXPECT_EQ(all.err, "") << "two programs had the one licence at the same time";
  EXPECT_EQ(lines_of(all.out).size(), 24u);
  const outcome too_few = run(net, boxes, "{\"a\": \"1\"}\n", "--resource licence=0");
  EXPECT_EQ(too_few.code, 2);
  EXPECT_EQ(too_few.err, "weir: --resource: \"licence=0\" is not NAME=AMOUNT, such as memory=8GiB or licence=2\n");
  EXPECT_EQ(run(net, boxes, "{\"a\": \"1\"}\n", "--resource licence=3 --resource memory=8GiB").code, 0);
}

// The option that was given again is named, by `check` and by `run`, and nothing runs.
TEST_F(boxes_of_a_text, have_each_resource_and_each_option_once) {
  const std::string net = file("n.snet", "net x connect [{<n>} -> {<n=n+1>}];\n");
  const std::string twice = " --resource memory=1GB --resource memory=2GB";
  expect_refused("check " + net + twice, "--resource: \"memory\" is given twice");
  expect_refused("run " + net + twice, "--resource: \"memory\" is given twice");
  expect_refused("run " + net + " --max-depth 1 --max-depth 2",
                 "--max-depth: it is given 2 times, expected was once (try --help)");
}

// A program that writes without end costs its record, and the failure says how much it had written.
TEST_F(boxes_of_a_text, may_write_more_than_memory_holds) {
  if (sanitized) GTEST_SKIP() << "sanitizers reserve more memory than there is";
  const auto failure = [&](const std::string& output) {
    return run_weir("run " + file("n.snet", "net x { box f((a) -> (b)); } connect f;\n") + " --boxes " +
                        file("b.json",
                             "{\"fields\": {\"a\": \"text\", \"b\": \"text\"}, \"boxes\": {\"f\": {\"command\": "
                             "[\"cat\", \"/dev/zero\"], \"" +
                                 output + "\": \"b\"}}}") +
                        " --input " + file("in.jsonl", "{\"a\": \"1\"}\n"),
                    "ulimit -v 1000000; exec ");
  };
  const outcome all = failure("output");
  EXPECT_EQ(all.code, 1);
  EXPECT_NE(all.err.find("\"the standard output has more than "), std::string::npos) << all.err;
  EXPECT_NE(all.err.find(" bytes, and memory for them is refused; a field of type scratch_file is not read\""),
            std::string::npos)
      << all.err;
  const outcome line = failure("lines");
  EXPECT_EQ(line.code, 1);
  EXPECT_NE(line.err.find("\"a line of the standard output has more than "), std::string::npos) << line.err;
}

// The line is named, and what came before it runs.
TEST(a_line_of_the_input, may_be_longer_than_memory_holds) {
  if (sanitized) GTEST_SKIP() << "sanitizers reserve more memory than there is";
  const scratch_folder folder;
  const std::string net = write_file(folder.at("n.snet"), "net x connect [{<n>} -> {<n=n+1>}];\n");
  const std::string input = write_file(folder.at("in"), "{<n>=1}\n");
  std::filesystem::resize_file(input, std::uintmax_t{4} << 30);  // a hole: zeros without a line end
  const outcome o = run_weir("run " + net + " --input " + input, "ulimit -v 1000000; exec ");
  EXPECT_EQ(o.code, 1);
  EXPECT_EQ(o.out, "{<n>=2}\n");
  EXPECT_NE(o.err.find(":2: error: a line of '" + input + "' has more than "), std::string::npos) << o.err;
}

}  // namespace
}  // namespace weir::testing
