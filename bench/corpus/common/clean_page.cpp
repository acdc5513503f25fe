#include "bench/corpus/common/clean_page.hpp"

#include <stdexcept>
#include <utility>

#include "components/documents/clean_text.hpp"

namespace weir::corpus {

sketched_text normalised(std::string_view raw) {
  auto text = components::clean_text(raw);
  if (!text) throw std::runtime_error("no text was found in it");
  const components::text_sketch sketch = components::sketch_of(*text);
  return {std::move(*text), sketch};
}

}  // namespace weir::corpus
