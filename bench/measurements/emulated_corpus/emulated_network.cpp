#include "bench/measurements/emulated_corpus/emulated_network.hpp"

#include <chrono>
#include <tuple>
#include <utility>

#include <weir/weir.hpp>

#include "bench/measurements/emulated_corpus/measured_pages.hpp"
#include "components/emulated.hpp"

namespace weir::emulated_corpus {
namespace {

constexpr tag opened{"opened"}, page{"page"};
constexpr tag digital{"digital"};                                // microseconds of its extraction
constexpr tag scan{"scan"}, image{"image"}, upright{"upright"};  // its index in measured_pages()
constexpr tag raw{"raw"}, text{"text"}, finished{"finished"}, lines{"lines"}, packed{"packed"};

// Pages in a shard: 302 pages made two of 256 KiB.
constexpr std::int64_t pages_a_shard = 151;

std::int64_t now() { return std::chrono::steady_clock::now().time_since_epoch().count(); }

const measured_page& page_at(std::int64_t index) { return measured_pages()[static_cast<std::size_t>(index)]; }
double letters_in(std::int64_t index) { return page_at(index).letters; }
double pixels_in(std::int64_t index) { return 1e3 * page_at(index).kilopixels; }

// Sleeps for `milliseconds` on one core.
void sleep_for(double milliseconds, double scale, double alpha = 0, int cores = 1) {
  components::emulate({{1e-3 * milliseconds * scale}, alpha}, 0, cores);
}

}  // namespace

network documents_to_text(std::shared_ptr<const std::vector<document>> documents, const emulation& how, page_log& log) {
  const double scale = how.scale;
  std::vector<std::int64_t> first{0};  // page of each document, counted over all
  for (const document& d : *documents) first.push_back(first.back() + static_cast<std::int64_t>(d.pages.size()));

  const auto load = box("load", takes(number, arrived), gives(opened, arrived),
                        [](std::int64_t n, std::int64_t at) { return std::tuple(n, at ? at : now()); });

  const auto split =
      box("split", takes(opened), gives(digital, page) | gives(scan, page),
          [documents, first = std::move(first), scale](std::int64_t n, emitter& emit) {
            const document& d = (*documents)[static_cast<std::size_t>(n)];
            if (d.kind != document::form::picture)
              sleep_for(open_pdf_ms + (d.is_scanned() ? 0 : split_page_ms * static_cast<double>(d.pages.size())),
                        scale);
            std::int64_t at = first[static_cast<std::size_t>(n)];
            for (const std::int64_t p : d.pages) {
              if (d.is_scanned())
                emit(scan = p, page = at++);
              else
                emit(digital = p, page = at++);
            }
          })
          .predicted_by([documents](std::int64_t n) { return double((*documents)[std::size_t(n)].pages.size()); },
                        degree{1})
          .sequential();

  const auto extract = box("extract", takes(digital), gives(raw), [scale](std::int64_t microseconds) {
                         sleep_for(1e-3 * static_cast<double>(microseconds), scale);
                         return microseconds;
                       }).sequential();

  const auto render = box("render", takes(scan), gives(image),
                          [scale](std::int64_t index) {
                            sleep_for(page_at(index).render_ms, scale);
                            return index;
                          })
                          .predicted_by(pixels_in, degree{1})
                          .sequential();

  const auto clean = box("clean", takes(image), gives(upright), [scale](const grant& given, std::int64_t index) {
                       sleep_for(page_at(index).clean_ms, scale, clean_alpha, given.size());
                       return index;
                     }).predicted_by(pixels_in, degree{1});

  const auto read =
      box("read", takes(upright), gives(raw), [scale, alpha = how.read_alpha](const grant& given, std::int64_t index) {
        sleep_for(page_at(index).read_ms, scale, alpha, given.size());
        return index;
      }).predicted_by(letters_in, degree{1});

  const auto normalise = box("normalise", takes(raw), gives(text), [](std::int64_t r) { return r; }).sequential();

  const auto compare = fold("compare", takes(text, page, arrived), gives(finished, arrived), std::int64_t{0},
                            [](std::int64_t& seen, std::int64_t, std::int64_t p, std::int64_t at, emitter& emit) {
                              ++seen;
                              emit(finished = p, arrived = at);
                            });

  const auto gather = fold(
      "gather", takes(finished, arrived), gives(lines), std::int64_t{0},
      [&log](std::int64_t& held, std::int64_t p, std::int64_t at, emitter& emit) {
        log.in_order = log.in_order && p == log.last + 1;
        log.last = p;
        log.latencies.push_back(1e-9 * static_cast<double>(now() - at));
        if (++held == pages_a_shard) emit(lines = std::exchange(held, 0));
      },
      [](std::int64_t& held, emitter& emit) {
        if (held > 0) emit(lines = held);
      });

  const auto pack = box("pack", takes(lines), gives(packed), [scale](const grant&, std::int64_t pages) {
                      sleep_for(pack_ms * static_cast<double>(pages) / pages_a_shard, scale);
                      return pages;
                    }).predicted_by([](std::int64_t pages) { return double(pages); }, degree{1});

  return load >> split >> ordered(extract | (render >> clean >> read)) >> normalise >> compare >> gather >> pack;
}

}  // namespace weir::emulated_corpus
