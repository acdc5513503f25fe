#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>

#include "bench/support/bad_input.hpp"
#include "bench/support/readable.hpp"
#include "bench/support/standard_output.hpp"
#include "bench/weir/common/named_estimator.hpp"
#include "bench/weir/common/report_file.hpp"
#include "bench/weir/subcommands.hpp"
#include "bench/weir/view/observed_costs.hpp"
#include "bench/weir/view/saved_json.hpp"

namespace weir::program {
namespace {

struct view_options {
  std::string file;
  std::string out;
  std::string estimator = "weir";
};

// Whether the name is of a descriptor or device, such as /dev/stdin or /dev/fd/63. A page has no place in its folder.
bool is_of_system(const std::string& file) {
  std::error_code none;
  const std::filesystem::path folder = std::filesystem::canonical(std::filesystem::path(file).parent_path(), none);
  return folder == "/dev" || folder.string().starts_with("/proc/");
}

// "run.json": "run.html".
std::string page_beside(const std::string& file) {
  if (is_of_system(file))
    throw bad_input(fmt::format("view: {} is in a folder of the system; expected --out PAGE.html", excerpt(file)));
  for (const char* known : {".json", ".csv"})
    if (file.ends_with(known)) return file.substr(0, file.rfind('.')) + ".html";
  return file + ".html";
}

int run_view(const view_options& typed) {
  require_estimator("--estimator", typed.estimator, 0);
  if (typed.file.ends_with(".html"))
    throw bad_input(fmt::format("{} is a page already: open it in a browser", excerpt(typed.file)));
  const std::string out = typed.out.empty() ? page_beside(typed.file) : typed.out;
  if (!out.ends_with(".html")) throw bad_input(fmt::format("--out: {} does not end in .html", excerpt(out)));
  const page_data data =
      typed.file.ends_with(".csv") ? page_of_csv(typed.file, typed.estimator, true) : page_of_json(typed.file);
  report_file(out, "--out").write(data.title, data.json);
  print(fmt::format("{}: {}, to be opened in a browser\n", out, data.what));
  return 0;
}

}  // namespace

std::function<int()> add_view(CLI::App& app) {
  const auto typed = std::make_shared<view_options>();
  CLI::App* const sub = app.add_subcommand("view", "What was saved becomes a page: a report, a trace, observations");
  sub->add_option("FILE", typed->file,
                  "Of --report FILE.json, --trace FILE or matmul --out FILE.csv, or run_report::json()")
      ->required();
  sub->add_option("--out", typed->out, "The page (default: FILE with .html)");
  sub->add_option("--estimator", typed->estimator, "That learns the observations of a CSV file, by name")
      ->capture_default_str();
  return [typed] { return run_view(*typed); };
}

}  // namespace weir::program
