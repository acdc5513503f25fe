#include "bench/corpus/ways/page_reading.hpp"

#include "components/documents/cleaned_page.hpp"

namespace weir::corpus {

components::text_reader& reader_of_this_thread() {
  thread_local components::text_reader reader;
  return reader;
}

sketched_text text_of_page(const components::page_source& page,
                           const std::function<void(const components::picture&)>& keep) {
  if (page.kind == components::page_kind::text) return normalised(components::extracted_text(page));
  const components::picture image = components::rendered(page);
  keep(image);
  return normalised(reader_of_this_thread().read(components::cleaned(image).image));
}

}  // namespace weir::corpus
