#pragma once

#include <string>
#include <vector>

#include "bench/corpus/generate/random_draws.hpp"

namespace weir::corpus {

// The lines of a page.
using page_lines = std::vector<std::string>;

// A page of `lines` lines of `words_a_line` words each, with a comma or a full stop here and there. Words of the list's
// beginning are more frequent, as in a language.
page_lines random_page(random_draws& draw, int lines, int words_a_line);

// The page with another first word in one line of ten, but at most in one of eight: what makes a near-duplicate.
page_lines altered(random_draws& draw, const page_lines& page);

// The lines as one text, each ended by '\n'.
std::string text_of(const page_lines& page);

}  // namespace weir::corpus
