// The man page and the completion of bash have every subcommand and every option that the command's own help has.
#include <algorithm>
#include <iterator>

#include "tests/bench/weir/command.hpp"

namespace weir::testing {
namespace {

std::string manual_file(const std::string& name) {
  std::ifstream in(std::string(WEIR_MANUAL) + "/" + name);
  return {std::istreambuf_iterator<char>(in), {}};
}

// The first words of the lines of a section of a help: "--sizes", "-h", "--help", "matmul".
std::vector<std::string> names_in(const std::string& help, const std::string& section) {
  std::vector<std::string> names;
  bool is_in = false;
  for (const std::string& line : lines_of(help)) {
    const bool is_entry = line.starts_with("  ") && line.size() > 2 && line[2] != ' ';
    if (!line.starts_with("  ")) is_in = line == section;
    if (!is_in || !is_entry) continue;
    std::string word = line.substr(2, line.find(' ', 2) - 2);
    std::replace(word.begin(), word.end(), ',', ' ');
    std::istringstream words(word);
    std::copy(std::istream_iterator<std::string>(words), {}, std::back_inserter(names));
  }
  return names;
}

std::vector<std::string> subcommands() { return names_in(run_weir("--help").out, "Subcommands:"); }

// The output of a command of the shell; empty if it failed.
std::string printed_by(const std::string& command) {
  std::string text;
  FILE* const pipe = ::popen(command.c_str(), "r");
  if (!pipe) return text;
  char part[4096];
  for (std::size_t n; (n = std::fread(part, 1, sizeof part, pipe)) > 0;) text.append(part, n);
  return ::pclose(pipe) == 0 ? text : "";
}

// A man page's text for `name`: hyphens are escaped there.
std::string in_roff(const std::string& name) {
  std::string text;
  for (const char c : name) text += c == '-' ? std::string("\\-") : std::string(1, c);
  return text;
}

// The part of the man page that is about a subcommand, or all before the first.
std::string part_of_page(const std::string& page, const std::string& subcommand) {
  const std::size_t begin = subcommand.empty() ? 0 : page.find("\n.SS " + subcommand + "\n");
  if (begin == std::string::npos) return "";
  return page.substr(begin, page.find("\n.SS ", begin + 1) - begin);
}

std::vector<std::string> completed(const std::string& words) {
  return lines_of(printed_by("bash -c '. \"" WEIR_MANUAL "/weir\"; COMP_WORDS=(weir " + words +
                             "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _weir; printf \"%s\\n\" \"${COMPREPLY[@]}\"'"));
}

TEST(manual, man_page_has_every_subcommand_and_option) {
  const std::string page = manual_file("weir.1");
  ASSERT_GE(subcommands().size(), 10u);
  std::size_t options = 0;
  for (const std::string& sub : subcommands()) {
    const std::string part = part_of_page(page, sub);
    EXPECT_NE(part, "") << sub;
    if (sub == "corpus") continue;  // another program's
    const std::string help = run_weir(sub + " --help").out;
    for (const char* section : {"Options:", "Positionals:"})
      for (const std::string& name : names_in(help, section)) {
        ++options;
        EXPECT_NE(part.find("\\f" + std::string(name[0] == '-' ? "B" : "I") + in_roff(name) + "\\fR"),
                  std::string::npos)
            << sub << ' ' << name;
      }
  }
  EXPECT_GE(options, 80u) << "the help was not understood";
  EXPECT_NE(part_of_page(page, "").find("\\fB\\-\\-version\\fR"), std::string::npos);
}

TEST(manual, completion_has_every_subcommand_and_option) {
  std::vector<std::string> first = completed("\"\"");
  for (const std::string& sub : subcommands()) {
    EXPECT_EQ(std::count(first.begin(), first.end(), sub), 1) << sub;
    if (sub == "corpus") continue;
    EXPECT_EQ(completed(sub + " -"), names_in(run_weir(sub + " --help").out, "Options:")) << sub;
  }
  EXPECT_EQ(completed("\"\" -").size(), 1u) << "no subcommand has no options: one empty line";
}

TEST(manual, man_finds_nothing_wrong_with_the_page) {
  if (printed_by("man --version 2> /dev/null").empty()) GTEST_SKIP() << "there is no man";
  EXPECT_EQ(printed_by("LC_ALL=C.UTF-8 man --warnings --local-file " WEIR_MANUAL "/weir.1 2>&1 > /dev/null"), "");
  EXPECT_NE(printed_by("LC_ALL=C.UTF-8 man --local-file " WEIR_MANUAL "/weir.1").find("weir matmul"),
            std::string::npos);
}

}  // namespace
}  // namespace weir::testing
