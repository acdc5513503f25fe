#include <algorithm>
#include <cctype>

#include "bench/weir/manual/manual.hpp"

namespace weir::program {
namespace {

// Text as roff prints it. A backslash starts an escape, and a plain hyphen may be printed as another character. A dot
// or an apostrophe at the start of a line would be a request.
std::string plain(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if ((c == '.' || c == '\'') && (result.empty() || result.back() == '\n')) result += "\\&";
    if (c == '\\')
      result += "\\e";
    else if (c == '-')
      result += "\\-";
    else if (c == '\'')
      result += "\\(aq";
    else if (c == '`')
      result += "\\(ga";
    else if (c == '^')
      result += "\\(ha";
    else if (c == '~')
      result += "\\(ti";
    else
      result += c;
  }
  return result;
}

std::string bold(std::string_view text) { return "\\fB" + plain(text) + "\\fR"; }
std::string italic(std::string_view text) { return "\\fI" + plain(text) + "\\fR"; }

// "--sizes TEXT", "-h, --help", "FILE ...".
std::string heading(const CLI::Option& o) {
  std::string names;
  if (o.get_positional()) names = italic(o.get_name(true));
  for (const std::string& s : o.get_snames()) names += (names.empty() ? "" : ", ") + bold("-" + s);
  for (const std::string& l : o.get_lnames()) names += (names.empty() ? "" : ", ") + bold("--" + l);
  if (o.get_type_name().empty()) return names;
  if (!o.get_positional()) {
    const std::string value = italic(o.get_type_name());
    names += o.get_expected_min() == 0 ? " [" + value + "]" : " " + value;
  }
  return names + (o.get_expected_max() == CLI::detail::expected_max_vector_size ? " ..." : "");
}

std::string entry(const CLI::Option& o) {
  std::string about = o.get_description();
  about.erase(about.find_last_not_of(" \n.") + 1);
  std::string text = ".TP\n" + heading(o) + "\n" + plain(about) + ".";
  const bool says_default = about.find("default") != std::string::npos;
  if (!o.get_default_str().empty() && !says_default) text += " Default: " + bold(o.get_default_str()) + ".";
  if (o.get_required()) text += " Required.";
  return text + "\n";
}

std::string entries(const CLI::App& app) {
  std::string text;
  for (const CLI::Option* o : options_of(app)) text += entry(*o);
  return text;
}

// "weir view [OPTION ...] FILE".
std::string usage(const CLI::App& app, const CLI::App& sub) {
  std::string text = bold(app.get_name() + " " + sub.get_name()) + " [" + italic("OPTION") + " ...]";
  for (const CLI::Option* o : options_of(sub))
    if (o->get_positional())
      text += o->get_required() ? " " + italic(o->get_name(true)) : " [" + italic(o->get_name(true)) + "]";
  return text;
}

}  // namespace

std::vector<const CLI::Option*> options_of(const CLI::App& app) {
  return app.get_options([](const CLI::Option* o) { return !o->get_group().empty(); });
}

std::vector<const CLI::App*> subcommands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App* sub) { return !sub->get_group().empty() && !sub->get_name().empty(); });
}

std::string man_page(const CLI::App& app, std::string_view version) {
  const std::string name = app.get_name();
  std::string title = name, about = app.get_description();
  std::transform(title.begin(), title.end(), title.begin(), [](unsigned char c) { return char(std::toupper(c)); });
  if (about.starts_with(name + ": ")) about.erase(0, name.size() + 2);
  std::string text = ".TH " + title + " 1 \"\" \"" + name + " " + std::string(version) + "\" \"User Commands\"\n";
  text += ".SH NAME\n" + plain(name) + " \\- " + plain(about) + "\n";
  text += ".SH SYNOPSIS\n" + bold(name) + " " + italic("SUBCOMMAND") + " [" + italic("OPTION") + " ...]\n";
  text += ".SH OPTIONS\n" + entries(app);
  text += ".SH SUBCOMMANDS\n";
  for (const CLI::App* sub : subcommands_of(app))
    text += ".SS " + plain(sub->get_name()) + "\n" + usage(app, *sub) + "\n.PP\n" + plain(sub->get_description()) +
            ".\n" + entries(*sub);
  text +=
      ".SH EXIT STATUS\n.TP\n.B 0\nDone.\n.TP\n.B 1\nSomething failed during the run.\n.TP\n.B 2\n"
      "The input cannot be used; a line on standard error says why.\n.TP\n.BI 128+ N\n"
      "Signal\n.I N\nended it, as in shells.\n";
  return text;
}

}  // namespace weir::program
