#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace weir::emulated_corpus {

// A document as the emulated stages see it. Plain data.
struct document {
  enum class form {
    digital,  // a PDF with its text in it
    scan,     // a PDF of pictures
    picture   // one page as a PNG or JPEG file
  };
  form kind = form::digital;
  // One for each page: the microseconds of a digital page's extraction on one core, or a scanned page's index in
  // measured_pages().
  std::vector<std::int64_t> pages;

  bool is_scanned() const { return kind != form::digital; }
};

// Documents with at least `pages` pages, the forms and lengths drawn as `weir corpus generate` draws them. A third of
// the pages are mostly scans (60 %), the next mostly digital (5 % scans), the last both (25 % scans). Scanned pages are
// drawn from measured_pages(), each as likely. The same seed gives the same documents.
std::vector<document> draw_documents(std::size_t pages, std::uint64_t seed);

std::size_t pages_in(const std::vector<document>& documents);
std::size_t scanned_pages_in(const std::vector<document>& documents);

}  // namespace weir::emulated_corpus
