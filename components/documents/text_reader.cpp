#include "components/documents/text_reader.hpp"

#include <leptonica/allheaders.h>
#include <tesseract/baseapi.h>

#include <stdexcept>
#include <utility>

namespace components {

text_reader::text_reader(const std::string& language) : engine_(std::make_unique<tesseract::TessBaseAPI>()) {
  engine_->SetVariable("debug_file", "/dev/null");  // its remarks on pictures
  if (engine_->Init(nullptr, language.c_str(), tesseract::OEM_LSTM_ONLY) != 0)
    throw std::runtime_error("tesseract has no data for the language \"" + language + "\" (package tesseract-ocr-" +
                             language + ", or a folder named by TESSDATA_PREFIX)");
  engine_->SetVariable("debug_file", "/dev/null");
  engine_->SetPageSegMode(tesseract::PSM_AUTO);
}

text_reader::~text_reader() = default;
text_reader::text_reader(text_reader&&) noexcept = default;
text_reader& text_reader::operator=(text_reader&&) noexcept = default;

std::string text_reader::read(const picture& page) {
  engine_->SetImage(page.get());
  if (pixGetXRes(page.get()) < 50) engine_->SetSourceResolution(150);  // below 50 tesseract would guess
  const std::unique_ptr<char[]> text(engine_->GetUTF8Text());
  engine_->Clear();
  return text ? text.get() : "";
}

}  // namespace components
