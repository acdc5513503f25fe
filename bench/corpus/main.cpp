// weir-corpus: documents to text. A program of its own, since it links poppler, which is GPL; `weir corpus` starts it.
#include <CLI/CLI.hpp>

#include "bench/corpus/corpus_subcommands.hpp"
#include "bench/support/command_app.hpp"

namespace {

weir::program::subcommands describe(CLI::App& app) {
  using namespace weir::corpus;
  app.name("weir corpus");
  app.description("weir corpus: a folder of PDFs and pictures becomes clean text");
  return {{"generate", add_generate(app)},
          {"run", add_run(app)},
          {"compare", add_compare(app)},
          {"document", add_document(app)}};
}

}  // namespace

int main(int argc, char** argv) { return weir::program::run_app("weir corpus", describe, argc, argv); }
