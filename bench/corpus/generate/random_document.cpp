#include "bench/corpus/generate/random_document.hpp"

#include <cairo-pdf.h>
#include <cairo.h>
#include <leptonica/allheaders.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <new>
#include <stdexcept>

namespace weir::corpus {
namespace {

using surface = std::unique_ptr<cairo_surface_t, decltype(&cairo_surface_destroy)>;
using canvas = std::unique_ptr<cairo_t, decltype(&cairo_destroy)>;

constexpr double letter_points = 10, line_points = 12.5, margin_points = 28;
constexpr double a4_width = 595, a4_height = 842;  // points
constexpr const char* font_names[] = {"DejaVu Serif", "DejaVu Sans"};

struct paper {
  double width, height;  // points
};

surface owned(cairo_surface_t* made) {
  surface s(made, &cairo_surface_destroy);
  if (const auto status = cairo_surface_status(made); status != CAIRO_STATUS_SUCCESS)
    throw std::runtime_error(std::string("cairo: ") + cairo_status_to_string(status));
  return s;
}

canvas canvas_on(const surface& s) { return {cairo_create(s.get()), &cairo_destroy}; }

void choose_font(const canvas& c, const char* font) {
  cairo_select_font_face(c.get(), font, CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
  cairo_set_font_size(c.get(), letter_points);
}

// As large as the text with its margins.
paper paper_of(const page_lines& page, const char* font) {
  const surface s = owned(cairo_recording_surface_create(CAIRO_CONTENT_ALPHA, nullptr));
  const canvas c = canvas_on(s);
  choose_font(c, font);
  double width = 0;
  for (const std::string& line : page) {
    cairo_text_extents_t extents;
    cairo_text_extents(c.get(), line.c_str(), &extents);
    width = std::max(width, extents.x_advance);
  }
  return {width + 2 * margin_points, static_cast<double>(page.size()) * line_points + 2 * margin_points};
}

void write(const canvas& c, const page_lines& page, const char* font) {
  choose_font(c, font);
  double y = margin_points;
  for (const std::string& line : page) {
    y += line_points;
    cairo_move_to(c.get(), margin_points, y);
    cairo_show_text(c.get(), line.c_str());
  }
}

cairo_status_t append(void* to, const unsigned char* data, unsigned length) {
  static_cast<std::string*>(to)->append(reinterpret_cast<const char*>(data), length);
  return CAIRO_STATUS_SUCCESS;
}

// A PDF that is written to `bytes` by the end of `draw_pages(surface)`.
template <class F>
std::string pdf_of(F draw_pages) {
  std::string bytes;
  const surface pdf = owned(cairo_pdf_surface_create_for_stream(append, &bytes, a4_width, a4_height));
  cairo_pdf_surface_set_metadata(pdf.get(), CAIRO_PDF_METADATA_CREATE_DATE, "2026-01-01T00:00:00Z");
  draw_pages(pdf);
  cairo_surface_finish(pdf.get());
  if (const auto status = cairo_surface_status(pdf.get()); status != CAIRO_STATUS_SUCCESS)
    throw std::runtime_error(std::string("cairo: ") + cairo_status_to_string(status));
  return bytes;
}

using grey_picture = std::unique_ptr<Pix, void (*)(Pix*)>;

// A page as a scanner sees it.
grey_picture scanned(random_draws& draw, const page_lines& page, const scanned_sheet& sheet) {
  const char* const font = font_names[draw.between(0, 1)];
  const paper size = sheet.whole_page ? paper{a4_width, a4_height} : paper_of(page, font);
  const double scale = sheet.dpi / 72.0;
  const int width = static_cast<int>(size.width * scale), height = static_cast<int>(size.height * scale);
  const surface ink = owned(cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height));
  const canvas c = canvas_on(ink);
  cairo_set_source_rgb(c.get(), 0.93, 0.93, 0.93);
  cairo_paint(c.get());
  cairo_set_source_rgb(c.get(), 0.1, 0.1, 0.1);
  cairo_translate(c.get(), width / 2.0, height / 2.0);
  cairo_rotate(c.get(), draw.normal() * 0.008);  // half a degree
  cairo_translate(c.get(), -width / 2.0, -height / 2.0);
  cairo_scale(c.get(), scale, scale);
  write(c, page, font);
  cairo_surface_flush(ink.get());

  const unsigned char* const from = cairo_image_surface_get_data(ink.get());
  const int stride = cairo_image_surface_get_stride(ink.get());
  Pix* const made = pixCreate(width, height, 8);
  if (!made) throw std::bad_alloc();
  grey_picture out(made, [](Pix* p) { pixDestroy(&p); });
  pixSetResolution(out.get(), sheet.dpi, sheet.dpi);
  const double noise = 6 + 10 * draw.part();
  for (int y = 0; y < height; ++y) {
    l_uint32* const to = pixGetData(out.get()) + std::ptrdiff_t{y} * pixGetWpl(out.get());
    for (int x = 0; x < width; ++x) {
      const double grey = from[std::ptrdiff_t{y} * stride + 4 * x] + noise * draw.normal();
      SET_DATA_BYTE(to, x, static_cast<l_uint8>(std::clamp(grey, 0.0, 255.0)));
    }
  }
  for (int specks = width * height / 2500; specks > 0; --specks)
    pixSetPixel(out.get(), draw.between(0, width - 1), draw.between(0, height - 1), 40);
  return out;
}

std::string encoded(const grey_picture& p, l_int32 format) {
  l_uint8* data = nullptr;
  std::size_t size = 0;
  if (pixWriteMem(&data, &size, p.get(), format)) throw std::runtime_error("leptonica cannot write a picture");
  const std::unique_ptr<l_uint8, void (*)(void*)> bytes(data, &lept_free);
  return {reinterpret_cast<const char*>(data), size};
}

// Puts the JPEG file itself on a page of the PDF.
void add_scan(const surface& pdf, const grey_picture& scan, int dpi) {
  const int width = pixGetWidth(scan.get()), height = pixGetHeight(scan.get());
  const std::string file = encoded(scan, IFF_JFIF_JPEG);
  auto* const kept = new std::string(file);
  const surface image = owned(cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height));
  cairo_surface_set_mime_data(
      image.get(), CAIRO_MIME_TYPE_JPEG, reinterpret_cast<const unsigned char*>(kept->data()), kept->size(),
      [](void* s) { delete static_cast<std::string*>(s); }, kept);
  const double scale = 72.0 / dpi;
  cairo_pdf_surface_set_size(pdf.get(), width * scale, height * scale);
  const canvas c = canvas_on(pdf);
  cairo_scale(c.get(), scale, scale);
  cairo_set_source_surface(c.get(), image.get(), 0, 0);
  cairo_paint(c.get());
  cairo_show_page(c.get());
}

void add_text(const surface& pdf, const page_lines& page, const char* font) {
  const paper size = paper_of(page, font);
  cairo_pdf_surface_set_size(pdf.get(), size.width, size.height);
  const canvas c = canvas_on(pdf);
  write(c, page, font);
  cairo_show_page(c.get());
}

}  // namespace

std::string to_string(document_form form) {
  return form == document_form::digital ? "digital" : form == document_form::scan ? "scan" : "picture";
}

std::string digital_pdf(random_draws& draw, const std::vector<page_lines>& pages) {
  const char* const font = font_names[draw.between(0, 1)];
  return pdf_of([&](const surface& pdf) {
    for (const page_lines& page : pages) add_text(pdf, page, font);
  });
}

std::string scanned_pdf(random_draws& draw, const std::vector<page_lines>& pages, const scanned_sheet& sheet) {
  return pdf_of([&](const surface& pdf) {
    for (const page_lines& page : pages) add_scan(pdf, scanned(draw, page, sheet), sheet.dpi);
  });
}

std::string mixed_pdf(random_draws& draw, const std::vector<page_lines>& pages, int scan_every,
                      const scanned_sheet& sheet) {
  const char* const font = font_names[draw.between(0, 1)];
  return pdf_of([&](const surface& pdf) {
    int number = 0;
    for (const page_lines& page : pages)
      if (++number % scan_every == 0)
        add_scan(pdf, scanned(draw, page, sheet), sheet.dpi);
      else
        add_text(pdf, page, font);
  });
}

std::string scanned_picture(random_draws& draw, const page_lines& page, const scanned_sheet& sheet) {
  return encoded(scanned(draw, page, sheet), sheet.whole_page ? IFF_JFIF_JPEG : IFF_PNG);
}

}  // namespace weir::corpus
