#include <filesystem>
#include <string>

#include "tests/bench/weir/command.hpp"
#include "tests/bench/weir/made_observations.hpp"

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
            "n.snet:3:7: error: box other is not registered (known: copy)\n");
}

TEST_F(boxes_of_a_text, are_told_with_the_mistakes_of_both_files) {
  EXPECT_EQ(errors("net x { box copy((a) -> (b)); } connect copy .. ;\n", "{\"boxes\": {\n\"copy\": {}}}"),
            "n.snet:1:49: error: expected a network: a name, (, [ or [|, found ';'\n"
            "b.json:2:9: error: box \"copy\" is one of command, worker and library, found none\n");
}

TEST_F(boxes_of_a_text, have_the_labels_that_the_file_uses) {
  const std::string net = "net x { box f((a, <n>) -> (b, c)); } connect f;\n";
  const auto errors_of = [&](const std::string& fields, const std::string& box) {
    return errors(net, "{\"fields\": {" + fields + "}, \"boxes\": {\n\"f\": {" + box + "}}}");
  };
  const std::string fields = R"("a": "text", "b": "text", "c": "text")";
  const std::string given = R"("command": ["x", {"out": "b"}], "output": "c")";
  EXPECT_EQ(errors_of(fields, given), "");
  EXPECT_EQ(errors_of(fields, given + R"(, "input": "<n>", "predictor": {"value": "<n>"})"), "");
  EXPECT_EQ(
      errors_of(R"("a": "text")", given),
      "b.json:2:1: error: box f: \"fields\" has no type for b, c; write \"b\": \"text\", or another of bytes, file, "
      "integer, integers, number, numbers, path, text\n");
  EXPECT_EQ(errors_of(fields, R"("command": ["x", {"out": "b"}])"),
            "b.json:2:1: error: nothing of box f gives c: say {\"out\": \"c\"} in an argument, or \"output\": \"c\"\n");
  EXPECT_EQ(errors_of(fields,
                      R"("command": ["x", {"value": "b"}, {"in": "<a>"}, {"out": "a"}, {"out": "b"}], "output": "b")"),
            "b.json:2:34: error: box f of the text takes no b (it has: a, <n>)\n"
            "b.json:2:47: error: box f of the text takes no <a> (it has: a, <n>)\n"
            "b.json:2:63: error: box f of the text gives no a (it has: b, c)\n"
            "b.json:2:94: error: b is given twice\n");
  EXPECT_EQ(
      errors_of(R"("a": "bytes", "b": "path", "c": "numbers")",
                R"("command": ["x", {"value": "a"}, {"out": "b"}], "output": "c")"),
      "b.json:2:34: error: a is bytes, no text: say {\"in\": \"a\"}\n"
      "b.json:2:48: error: b is path, which the command's output cannot become; let it be text, bytes, integer or "
      "number, or file\n"
      "b.json:2:65: error: c is numbers, and a command knows bytes, file, integer, number, path, text\n");
  EXPECT_EQ(errors_of(fields, R"("command": ["x", {"out": "b"}], "lines": "c")"),
            "b.json:2:48: error: with lines, a box gives one label, and f gives more\n");
  EXPECT_EQ(errors_of(fields, given + R"(, "predictor": {"file_size": "<n>"})"),
            "b.json:2:81: error: it names no file: it is a tag, not path or file\n");
  EXPECT_EQ(errors_of(fields, given + R"(, "predictor": {"value": "a"})"),
            "b.json:2:77: error: its value is no number: it is text\n");
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
                           ["p=", {"value": "path"}], {"value": "<t>"}], "output": "shown"},
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
  const outcome o = run("net x { box f((a) -> ()); } connect f;\n",
                        R"({"fields": {"a": "text"}, "boxes": {"f": {"command": ["no-such-program"]}}})", "");
  EXPECT_EQ(o.code, 2);
  EXPECT_NE(o.err.find("no-such-program"), std::string::npos) << o.err;
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

}  // namespace
}  // namespace weir::testing
