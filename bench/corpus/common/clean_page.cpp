#include "bench/corpus/common/clean_page.hpp"

#include <utility>

#include "components/documents/clean_text.hpp"

namespace weir::corpus {

std::optional<sketched_text> normalised(std::string_view raw) {
  auto text = components::clean_text(raw);
  if (!text) return std::nullopt;
  const components::text_sketch sketch = components::sketch_of(*text);
  return sketched_text{std::move(*text), sketch};
}

}  // namespace weir::corpus
