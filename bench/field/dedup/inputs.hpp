#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "bench/field/dedup/block.hpp"

namespace weir::field_bench::dedup {

// The kinds of input: text, random, repeated, phases.
std::vector<std::string> input_kinds();

// `size` bytes of a kind, drawn from the seed; the same on every machine with the same standard library.
//
//   text      words of a vocabulary of 20,000 by Zipf's law, in sentences and paragraphs; no chunk comes twice
//   random    uniform bytes: nothing to find and nothing to compress
//   repeated  seven of ten pieces of 8 to 128 kB are copies of earlier ones, at any place; the rest is text
//   phases    eight equal parts: text, random, repeated, random, text, repeated, random, text
//
// Throws bad_input for another kind.
bytes random_input(const std::string& kind, std::size_t size, std::uint64_t seed);

}  // namespace weir::field_bench::dedup
