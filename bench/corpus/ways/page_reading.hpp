#pragma once

#include <functional>
#include <string>

#include "bench/corpus/common/clean_page.hpp"
#include "components/documents/pages.hpp"
#include "components/documents/text_reader.hpp"

namespace weir::corpus {

// The reader of the calling thread, made when it is first asked for.
components::text_reader& reader_of_this_thread();

// All steps of one page one after the other: extract, or render, clean and read; then normalise. A rendered picture is
// handed to `keep`. Throws std::runtime_error where a step fails or there is no text.
sketched_text text_of_page(const components::page_source& page,
                           const std::function<void(const components::picture&)>& keep);

}  // namespace weir::corpus
