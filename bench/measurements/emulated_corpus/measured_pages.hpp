#pragma once

#include <span>

namespace weir::emulated_corpus {

// A scanned page and the CPU time that it took on one core. Plain data.
struct measured_page {
  int letters;     // counted by `clean`: what predicts `read`
  int kilopixels;  // what predicts `render` and `clean`
  double render_ms, clean_ms, read_ms;
};

// The scanned pages of `weir corpus generate --pages 300 --seed 2`, in the order of their documents.
std::span<const measured_page> measured_pages();

// The times of the other stages, in milliseconds on one core.
inline constexpr double extract_least_ms = 1.27, extract_most_ms = 1.69;  // a page: the 5th and 95th percentile
inline constexpr double open_pdf_ms = 0.9, split_page_ms = 0.11;          // a PDF, and each page that has its text
inline constexpr double pack_ms = 86;                                     // a shard

// How fast `clean` gets on more cores: whole pages took 135 ms on one core and 103 ms on two.
inline constexpr double clean_alpha = 0.47;

}  // namespace weir::emulated_corpus
