#pragma once

#include <string>
#include <vector>

#include "bench/corpus/generate/random_draws.hpp"
#include "bench/corpus/generate/random_text.hpp"

namespace weir::corpus {

// The form in which a document is drawn.
enum class document_form {
  digital,  // a PDF with its text in it
  scan,     // a PDF of pictures
  picture   // one page as a PNG or JPEG file
};

std::string to_string(document_form form);

// A sheet as it lies on a scanner: its margins and how fine it is scanned.
struct scanned_sheet {
  int dpi = 150;
  bool whole_page = false;  // of A4, whatever is written on it; else as large as its text
};

// The bytes of a file, drawn by cairo. Same draws, same bytes. Scans are grey, a little turned, with noise and specks.
// Throw std::runtime_error if cairo or leptonica fail.
std::string digital_pdf(random_draws& draw, const std::vector<page_lines>& pages);
std::string scanned_pdf(random_draws& draw, const std::vector<page_lines>& pages, const scanned_sheet& sheet);
std::string mixed_pdf(random_draws& draw, const std::vector<page_lines>& pages, int scan_every,
                      const scanned_sheet& sheet);  // the scan_every-th, the one twice as far, .. are scans
std::string scanned_picture(random_draws& draw, const page_lines& page, const scanned_sheet& sheet);

}  // namespace weir::corpus
