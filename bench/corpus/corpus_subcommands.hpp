#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace weir::corpus {

// Each adds a subcommand of weir-corpus to `app`, as the functions of bench/weir/subcommands.hpp do.
std::function<int()> add_generate(CLI::App& app);  // documents whose text is known
std::function<int()> add_run(CLI::App& app);       // a folder of documents becomes shards of text, in one way
std::function<int()> add_compare(CLI::App& app);   // all ways in interleaved runs
std::function<int()> add_document(CLI::App& app);  // one document, for xargs

}  // namespace weir::corpus
