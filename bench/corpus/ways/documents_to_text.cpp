#include "bench/corpus/ways/documents_to_text.hpp"

#include <string>
#include <tuple>
#include <utility>

#include <weir/openmp.hpp>
#include <weir/weir.hpp>

#include "components/documents/cleaned_page.hpp"
#include "components/documents/near_duplicates.hpp"
#include "components/documents/pages.hpp"
#include "components/documents/text_reader.hpp"

namespace weir::corpus {
namespace {

using components::cleaned_page;
using components::file_bytes;
using components::near_duplicates;
using components::page_kind;
using components::page_source;
using components::picture;
using components::text_reader;

// The labels of records. Document, page and arrival ride along without a box that names them.
constexpr field<file_bytes> file{"file"};
constexpr field<page_source> digital{"digital"}, scan{"scan"};
constexpr field<picture> image{"image"};
constexpr field<cleaned_page> upright{"upright"};
constexpr field<std::string> raw{"raw"};
constexpr field<sketched_text> text{"text"};
constexpr field<clean_page> finished{"finished"};
constexpr field<shard> lines{"lines"};

double bytes_in(const file_bytes& f) { return static_cast<double>(f->size()); }
double pixels_in(const picture& p) { return static_cast<double>(components::pixels_of(p)); }
double letters_in(const cleaned_page& p) { return static_cast<double>(p.letters); }

// The network of a job, or with null one that only shows which components it has.
network network_of(corpus_job* job, bool has_images, const near_duplicates& before, const shard_cutter& begun) {
  const auto load = box("load", takes(document, arrived), gives(file, document, arrived),
                        [job](std::int64_t number, std::int64_t at) {
                          const std::int64_t since = job->begun_at({number, at});
                          return std::tuple(contents_of(job->document(number)), number, since);
                        });

  const auto split = box("split", takes(file), gives(digital, page) | gives(scan, page),
                         [](const file_bytes& f, emitter& emit) {
                           for (page_source& p : components::pages_of(f)) {
                             const std::int64_t number = p.index;
                             if (p.kind == page_kind::text)
                               emit(digital = std::move(p), page = number);
                             else
                               emit(scan = std::move(p), page = number);
                           }
                         })
                         .predicted_by(bytes_in, degree{1})
                         .sequential();

  const auto extract = box("extract", takes(digital), gives(raw), components::extracted_text).sequential();

  const auto render = box("render", takes(scan), gives(image), components::rendered)
                          .predicted_by([](const page_source& p) { return static_cast<double>(p.pixels); }, degree{1})
                          .sequential();

  const auto encode =
      box("encode", takes(image, document, page), gives(image, document, page),
          [job](const grant& given, const picture& p, std::int64_t number, std::int64_t at) {
            given.openmp([&] { job->keep(number, at, p); });
            return std::tuple(p, number, at);
          })
          .predicted_by([](const picture& p, std::int64_t, std::int64_t) { return pixels_in(p); }, degree{1});

  const auto clean = box("clean", takes(image), gives(upright), components::cleaned).predicted_by(pixels_in, degree{1});

  const auto read =
      box("read", takes(upright), gives(raw), [](text_reader& reader, const grant& given, const cleaned_page& p) {
        return given.openmp([&] { return reader.read(p.image); });
      }).each_lane([] {
          return text_reader();
        }).predicted_by(letters_in, degree{1});

  const auto normalise = box("normalise", takes(raw), gives(text), [](const std::string& r) { return normalised(r); })
                             .predicted_by([](const std::string& r) { return double(r.size()); }, degree{1})
                             .sequential();

  const auto compare = fold("compare", takes(text, document, page, arrived), gives(finished, arrived), before,
                            [](near_duplicates& seen, sketched_text&& t, std::int64_t number, std::int64_t at,
                               std::int64_t since, emitter& emit) {
                              const auto same = seen.find_or_add(t.sketch, number);
                              emit(finished = clean_page{number, at, std::move(t.text), same}, arrived = since);
                            });

  const auto gather = fold(
      "gather", takes(finished, arrived), gives(lines), begun,
      [job](shard_cutter& cutter, const clean_page& p, std::int64_t since, emitter& emit) {
        job->note_arrival(since);
        if (auto full = cutter.add(p)) emit(lines = std::move(*full));
      },
      [job](shard_cutter& cutter, emitter& emit) {
        if (auto rest = cutter.finish(!job->is_cut_short())) emit(lines = std::move(*rest));
      });

  const auto pack = box("pack", takes(lines), gives(packed_lines), [](const grant& given, const shard& s) {
                      return packed(s, given.size());
                    }).predicted_by([](const shard& s) { return static_cast<double>(s.lines.size()); }, degree{1});

  // The choice alone changes the order of pages; of ordered(load >> split >> ..) the pages of one document are one
  // input, which leave in any order.
  const network picture_of_page = has_images ? render >> encode : network(render);
  return load >> split >> ordered(extract | (picture_of_page >> clean >> read)) >> normalise >> compare >> gather >>
         pack;
}

}  // namespace

network documents_to_text(corpus_job& job) {
  return network_of(&job, job.settings().images.has_value(), job.seen(), job.cutter());
}

void require_accepted(const options& how, bool has_images) {
  const std::vector<listed_document> none;
  start(network_of(nullptr, has_images, {}, shard_cutter(none, 1)), how).stop();
}

}  // namespace weir::corpus
