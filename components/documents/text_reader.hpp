#pragma once

#include <memory>
#include <string>

#include "components/documents/picture.hpp"

namespace tesseract {
class TessBaseAPI;
}

namespace components {

// Reads the text of a picture: tesseract's LSTM network for one language. For use by one thread at a time; each reader
// has a network of its own in memory. Earlier pictures do not change the text of later ones.
//
// Tesseract starts up to four OpenMP threads for each line of text and says so in its code, so omp_set_num_threads has
// no effect. The environment variable OMP_THREAD_LIMIT has, and so has a `teams` construct with a thread_limit.
class text_reader {
 public:
  // Throws std::runtime_error, naming the language, if tesseract has no data for it.
  explicit text_reader(const std::string& language = "eng");
  ~text_reader();
  text_reader(text_reader&&) noexcept;
  text_reader& operator=(text_reader&&) noexcept;

  // The text in UTF-8, lines ended by '\n'; "" when there is none. A picture that does not tell its dots an inch counts
  // as one of 150.
  std::string read(const picture& page);

 private:
  std::unique_ptr<tesseract::TessBaseAPI> engine_;
};

}  // namespace components
