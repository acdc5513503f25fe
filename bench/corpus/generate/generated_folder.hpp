#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>

namespace weir::corpus {

// The settings of generate_folder().
struct generated_folder {
  int pages = 120;  // at least this number can be read; the last document may have some more
  std::uint64_t seed = 1;
  bool pictures = false;  // each document is a picture of one page
  int scan_every = 0;     // n: each n-th page is a whole sheet scanned at 200 dots an inch, all others are born digital
};

// The counts of drawn documents.
struct generated_counts {
  int documents = 0, pages = 0, scanned_pages = 0, near_duplicates = 0, broken = 0;  // near_duplicates: pages
};

// Writes documents whose text is known: `folder`/documents, and `folder`/truth.jsonl, a line for each (truth.hpp). A
// third of the pages are mostly scans, the next mostly born digital, the last both, so the load changes while a run
// goes on. Most scans are small sheets, one in eight is a whole page at 300 dots an inch. Most born-digital documents
// have 2 to 8 pages, one in ten has 24 to 40. One document in eight is a near-duplicate of an earlier one, page by
// page, and one in seventeen is broken.
//
// With pictures all documents are small sheets as PNG files, none a near-duplicate or broken. With scan_every all
// documents are alike: PDFs of 12 pages, none a near-duplicate or broken.
//
// The same seed gives the same bytes with the same cairo and fonts. The folder must not exist or be empty: throws
// bad_input otherwise, and std::runtime_error when it cannot be written. Calls on_page(n) when n pages are done.
generated_counts generate_folder(const std::filesystem::path& folder, const generated_folder& what,
                                 const std::function<void(int)>& on_page);

}  // namespace weir::corpus
