#include <CLI/CLI.hpp>
#include <memory>

#include <fmt/format.h>

#include "bench/corpus/corpus_subcommands.hpp"
#include "bench/corpus/generate/generated_folder.hpp"
#include "bench/support/number_range.hpp"
#include "bench/support/progress_bar.hpp"
#include "bench/support/standard_output.hpp"

namespace weir::corpus {

std::function<int()> add_generate(CLI::App& app) {
  struct request {
    std::string folder;
    generated_folder what;
  };
  const auto asked = std::make_shared<request>();
  CLI::App* const sub =
      app.add_subcommand("generate", "Documents whose text is known: scans, born-digital, broken ones");
  sub->add_option("folder", asked->folder, "To be made; it gets documents/ and truth.jsonl")->required();
  sub->add_option("--pages", asked->what.pages, "That can be read, at least")
      ->transform(program::whole_range(1, 1'000'000))
      ->capture_default_str();
  sub->add_option("--seed", asked->what.seed, "Same seed, same documents")
      ->transform(program::whole_range())
      ->capture_default_str();
  CLI::Option* const pictures =
      sub->add_flag("--pictures", asked->what.pictures, "Each document is a picture of one page");
  sub->add_option("--scan-every", asked->what.scan_every,
                  "Documents of 12 pages, each n-th a sheet scanned at 200 dots an inch (0: a mixture of all kinds)")
      ->check(CLI::Range(0, 12))
      ->excludes(pictures)
      ->capture_default_str();
  return [asked] {
    program::progress_bar progress(static_cast<std::size_t>(asked->what.pages), true);
    progress.label("drawing pages");
    int done = 0;
    const generated_counts counts = generate_folder(asked->folder, asked->what, [&](int pages) {
      for (; done < pages; ++done) progress.advance();
    });
    program::print(fmt::format(
        "{}: {} documents, {} of them broken; {} pages, {} of them scanned, {} near-duplicates\n", asked->folder,
        counts.documents, counts.broken, counts.pages, counts.scanned_pages, counts.near_duplicates));
    return 0;
  };
}

}  // namespace weir::corpus
