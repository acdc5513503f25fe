// The stages as boxes. A fold keeps the digests that were seen; the two compressors are a choice by label.
#include <weir/weir.hpp>

#include "bench/field/dedup/ways.hpp"

namespace weir::field_bench::dedup {
namespace {

constexpr field<held_block> whole{"whole"}, cut_up{"cut_up"}, hashed{"hashed"}, redundant{"redundant"}, dense{"dense"},
    packed{"packed"};

double size_of(const held_block& b) { return static_cast<double>(b->content.size()); }

// The bytes that compressors work on.
double new_bytes(const held_block& b) {
  double sum = 0;
  for (const chunk& c : b->chunks)
    if (c.is_new) sum += static_cast<double>(c.content.size());
  return sum;
}

network dedup_network(const bytes& input, const job& what, bytes& archive) {
  const auto read = source("read", gives(whole), [&](emitter& emit) {
    for (std::size_t i = 0; i < block_count(input, what); ++i) emit(whole = nth_block(input, what, i));
  });
  const auto cut_box = box("cut", takes(whole), gives(cut_up),
                           [what](const held_block& b) {
                             cut(*b, what);
                             return b;
                           })
                           .predicted_by(size_of, degree{1})
                           .sequential();
  const auto hash_box = box("hash", takes(cut_up), gives(hashed),
                            [what](const held_block& b) {
                              hash(*b, what);
                              return b;
                            })
                            .predicted_by(size_of, degree{1})
                            .sequential();
  const auto mark = fold("mark", takes(hashed), gives(redundant) | gives(dense), seen_before{},
                         [what](seen_before& seen, const held_block& b, emitter& emit) {
                           seen.mark(*b, what);
                           b->by == codec::bzip2 ? emit(redundant = b) : emit(dense = b);
                         });
  const auto bzip2 = box("bzip2", takes(redundant), gives(packed),
                         [](const held_block& b) {
                           compress_bzip2(*b);
                           return b;
                         })
                         .predicted_by(new_bytes, degree{1})
                         .sequential();
  const auto zstd = box("zstd", takes(dense), gives(packed),
                        [](const held_block& b) {
                          compress_zstd(*b);
                          return b;
                        })
                        .predicted_by(new_bytes, degree{1})
                        .sequential();
  const auto write = box("write", takes(packed), gives_none, [&archive, what](const held_block& b) {
                       append(archive, *b, what);
                     }).serial();
  const network blocks = what.clock ? network(read.blocking()) : network(read);  // it sleeps until the next arrives
  return blocks >> cut_box >> hash_box >> mark >> ordered(bzip2 | zstd) >> write;
}

}  // namespace

bytes by_weir(const bytes& input, const job& what, const policy& rule) {
  bytes archive;
  options how;
  how.policy = rule;
  start(dedup_network(input, what, archive), how).wait();
  return archive;
}

std::string weir_report(const bytes& input, const job& what) {
  bytes archive;
  execution run = start(dedup_network(input, what, archive), {});
  run.wait();
  return run.report().json();
}

std::vector<std::string> weir_components(const job& what) {
  std::vector<std::string> names{"cut", "hash", "mark"};
  if (what.compressor != "zstd") names.emplace_back("bzip2");
  if (what.compressor != "bzip2") names.emplace_back("zstd");
  names.emplace_back("write");
  return names;
}

std::vector<std::string> serial_components() { return {"mark", "write"}; }

}  // namespace weir::field_bench::dedup
