#include "bench/measurements/emulated_corpus/documents.hpp"

#include <algorithm>

#include "bench/measurements/emulated_corpus/measured_pages.hpp"
#include "scheduler/view/counter_random.hpp"

namespace weir::emulated_corpus {
namespace {

class draws {
 public:
  explicit draws(std::uint64_t seed) : seed_(seed) {}
  double part() { return weir::uniform(weir::mix(seed_, next_++)); }
  bool happens(double probability) { return part() < probability; }
  std::int64_t between(std::int64_t least, std::int64_t most) {
    return least + static_cast<std::int64_t>(part() * static_cast<double>(most - least + 1));
  }

 private:
  std::uint64_t seed_, next_ = 0;
};

constexpr double scanned_in_phase[] = {0.6, 0.05, 0.25};        // of the pages, about
constexpr double pages_of_scan = 1.25, pages_of_digital = 7.7;  // the means of random_document()

document::form random_form(draws& draw, std::size_t phase) {
  const double scans = scanned_in_phase[phase] / pages_of_scan,
               others = (1 - scanned_in_phase[phase]) / pages_of_digital;
  if (!draw.happens(scans / (scans + others))) return document::form::digital;
  return draw.happens(0.5) ? document::form::scan : document::form::picture;
}

document random_document(draws& draw, document::form kind) {
  document d{kind, {}};
  if (d.is_scanned()) {
    const auto last = static_cast<std::int64_t>(measured_pages().size()) - 1;
    d.pages.resize(kind == document::form::picture ? 1 : static_cast<std::size_t>(draw.between(1, 2)));
    for (std::int64_t& page : d.pages) page = draw.between(0, last);
    return d;
  }
  d.pages.resize(static_cast<std::size_t>(draw.happens(0.1) ? draw.between(24, 40) : draw.between(2, 8)));
  for (std::int64_t& page : d.pages)
    page = static_cast<std::int64_t>(1e3 * (extract_least_ms + draw.part() * (extract_most_ms - extract_least_ms)));
  return d;
}

}  // namespace

std::vector<document> draw_documents(std::size_t pages, std::uint64_t seed) {
  draws draw(seed);
  std::vector<document> all;
  for (std::size_t drawn = 0; drawn < pages; drawn += all.back().pages.size())
    all.push_back(random_document(draw, random_form(draw, std::min<std::size_t>(2, 3 * drawn / pages))));
  return all;
}

std::size_t pages_in(const std::vector<document>& documents) {
  std::size_t pages = 0;
  for (const document& d : documents) pages += d.pages.size();
  return pages;
}

std::size_t scanned_pages_in(const std::vector<document>& documents) {
  std::size_t pages = 0;
  for (const document& d : documents)
    if (d.is_scanned()) pages += d.pages.size();
  return pages;
}

}  // namespace weir::emulated_corpus
