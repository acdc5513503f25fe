#include "components/documents/pages.hpp"

#include <leptonica/allheaders.h>
#include <poppler-document.h>
#include <poppler-font.h>
#include <poppler-global.h>
#include <poppler-image.h>
#include <poppler-page-renderer.h>
#include <poppler-page.h>

#include <climits>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <string_view>

namespace components {
namespace {

[[maybe_unused]] const bool is_quiet = [] {
  poppler::set_debug_error_function([](const std::string&, void*) {}, nullptr);
  return true;
}();

// Where a PDF's header may begin (ISO 32000, annex H, note 13 of older versions): readers look at the first kilobyte.
bool is_pdf(const std::string& file) {
  return std::string_view(file).substr(0, 1024).find("%PDF-") != std::string_view::npos;
}

std::unique_ptr<poppler::document> opened(const std::string& file) {
  if (file.size() > INT_MAX) throw std::runtime_error("it has more than 2 GB, which poppler does not read");
  std::unique_ptr<poppler::document> pdf(
      poppler::document::load_from_raw_data(file.data(), static_cast<int>(file.size())));
  if (!pdf) throw std::runtime_error("the PDF is damaged");
  if (pdf->is_locked()) throw std::runtime_error("the PDF needs a password");
  if (pdf->pages() < 1) throw std::runtime_error("the PDF has no pages");
  return pdf;
}

std::unique_ptr<poppler::page> page_of(const poppler::document& pdf, int index) {
  std::unique_ptr<poppler::page> page(pdf.create_page(index));
  if (!page) throw std::runtime_error("page " + std::to_string(index + 1) + " is damaged");
  return page;
}

std::int64_t pixels_when_rendered(const poppler::page& page) {
  const auto area = page.page_rect(poppler::media_box);
  const double inches = area.width() * area.height() / (72.0 * 72.0);
  return std::llround(inches * render_dpi * render_dpi);
}

bool has_fonts(const poppler::document& pdf, int index) {
  const std::unique_ptr<poppler::font_iterator> fonts(pdf.create_font_iterator(index));
  return fonts->has_next() && !fonts->next().empty();
}

picture drawn(const poppler::image& from) {
  const picture to = owned(pixCreateNoInit(from.width(), from.height(), 8));
  for (int y = 0; y < from.height(); ++y)
    std::memcpy(pixGetData(to.get()) + std::ptrdiff_t{y} * pixGetWpl(to.get()),
                from.const_data() + std::ptrdiff_t{y} * from.bytes_per_row(), static_cast<std::size_t>(from.width()));
  pixSetPadBits(to.get(), 0);
  pixEndianByteSwap(to.get());  // leptonica keeps the leftmost of four pixels in the highest byte of a word
  pixSetResolution(to.get(), render_dpi, render_dpi);
  return to;
}

}  // namespace

std::vector<page_source> pages_of(const file_bytes& file) {
  if (!is_pdf(*file)) {
    const std::int64_t pixels = pixels_in_header(*file);
    if (pixels <= 0) throw std::runtime_error("it is neither a PDF nor a picture");
    return {{file, 0, page_kind::image, pixels}};
  }
  const auto pdf = opened(*file);
  std::vector<page_source> pages;
  for (int i = 0; i < pdf->pages(); ++i) {
    const auto page = page_of(*pdf, i);
    pages.push_back({file, i, has_fonts(*pdf, i) ? page_kind::text : page_kind::scan, pixels_when_rendered(*page)});
  }
  return pages;
}

std::string extracted_text(const page_source& source) {
  const auto pdf = opened(*source.file);
  const auto text = page_of(*pdf, source.index)->text().to_utf8();
  return {text.begin(), text.end()};
}

picture rendered(const page_source& source) {
  if (source.kind == page_kind::image) return decoded(*source.file, most_pixels);
  if (source.pixels > most_pixels)
    throw std::runtime_error("the page would have " + std::to_string(source.pixels) + " pixels; at most " +
                             std::to_string(most_pixels) + " are drawn");
  const auto pdf = opened(*source.file);
  const auto page = page_of(*pdf, source.index);
  poppler::page_renderer renderer;
  renderer.set_image_format(poppler::image::format_gray8);
  const poppler::image image = renderer.render_page(page.get(), render_dpi, render_dpi);
  if (!image.is_valid()) throw std::runtime_error("page " + std::to_string(source.index + 1) + " cannot be drawn");
  return drawn(image);
}

}  // namespace components
