#include "components/des.hpp"

#include <algorithm>
#include <cstddef>

namespace components {
namespace {

// The tables of the standard: for each bit of the result, the input bit that it comes from, counted from the left, from
// 1.
constexpr std::array<int, 64> initial_bits{58, 50, 42, 34, 26, 18, 10, 2, 60, 52, 44, 36, 28, 20, 12, 4,
                                           62, 54, 46, 38, 30, 22, 14, 6, 64, 56, 48, 40, 32, 24, 16, 8,
                                           57, 49, 41, 33, 25, 17, 9,  1, 59, 51, 43, 35, 27, 19, 11, 3,
                                           61, 53, 45, 37, 29, 21, 13, 5, 63, 55, 47, 39, 31, 23, 15, 7};
constexpr std::array<int, 56> key_bits{57, 49, 41, 33, 25, 17, 9,  1,  58, 50, 42, 34, 26, 18, 10, 2,  59, 51, 43,
                                       35, 27, 19, 11, 3,  60, 52, 44, 36, 63, 55, 47, 39, 31, 23, 15, 7,  62, 54,
                                       46, 38, 30, 22, 14, 6,  61, 53, 45, 37, 29, 21, 13, 5,  28, 20, 12, 4};
constexpr std::array<int, 48> round_key_bits{14, 17, 11, 24, 1,  5,  3,  28, 15, 6,  21, 10, 23, 19, 12, 4,
                                             26, 8,  16, 7,  27, 20, 13, 2,  41, 52, 31, 37, 47, 55, 30, 40,
                                             51, 45, 33, 48, 44, 49, 39, 56, 34, 53, 46, 42, 50, 36, 29, 32};
constexpr std::array<int, 32> mixed_bits{16, 7, 20, 21, 29, 12, 28, 17, 1,  15, 23, 26, 5,  18, 31, 10,
                                         2,  8, 24, 14, 32, 27, 3,  9,  19, 13, 30, 6,  22, 11, 4,  25};
// S1 to S8, row by row, one hexadecimal digit per entry.
constexpr const char* s_boxes[]{"E4D12FB83A6C59070F74E2D1A6CB953841E8D62BFC973A50FC8249175B3EA06D",
                                "F18E6B34972DC05A3D47F28EC01A69B50E7BA4D158C6932FD8A13F42B67C05E9",
                                "A09E63F51DC7B428D709346A285ECBF1D6498F30B12C5AE71AD069874FE3B52C",
                                "7DE3069A1285BC4FD8B56F03472C1AE9A690CB7DF13E52843F06A1D8945BC72E",
                                "2C417AB6853FD0E9EB2C47D150FA3986421BAD78F9C5630EB8C71E2D6F09A453",
                                "C1AF92680D34E75BAF427C9561DE0B389EF528C3704A1DB6432C95FABE17608D",
                                "4B2EF08D3C975A61D0B7491AE35C2F8614BDC37EAF6805926BD814A7950FE23C",
                                "D2846FB1A93E50C71FD8A374C56B0E927B419CE206ADF35821E74A8DFC90356B"};

template <std::size_t N>
constexpr std::uint64_t permute(std::uint64_t from, int width, const std::array<int, N>& table) {
  std::uint64_t to = 0;
  for (const int bit : table) to = to << 1 | (from >> (width - bit) & 1);
  return to;
}

constexpr std::array<int, 64> inverse(const std::array<int, 64>& table) {
  std::array<int, 64> result{};
  for (int i = 0; i < 64; ++i) result[static_cast<std::size_t>(table[static_cast<std::size_t>(i)] - 1)] = i + 1;
  return result;
}
constexpr std::array<int, 64> final_bits = inverse(initial_bits);

// For each S-box and each six-bit input: the four output bits after the permutation P. So a round looks up four bits at
// a time.
using mixed_six = std::array<std::array<std::uint32_t, 64>, 8>;
constexpr mixed_six make_mixed() {
  mixed_six all{};
  for (std::size_t s = 0; s < 8; ++s) {
    for (std::size_t six = 0; six < 64; ++six) {
      const char digit = s_boxes[s][(six & 32) | (six & 1) << 4 | (six >> 1 & 15)];
      const auto four = static_cast<std::uint64_t>(digit <= '9' ? digit - '0' : digit - 'A' + 10);
      all[s][six] = static_cast<std::uint32_t>(permute(four << (28 - 4 * s), 32, mixed_bits));
    }
  }
  return all;
}
constexpr mixed_six mixed = make_mixed();

std::vector<des_block> of_each(const std::vector<des_block>& blocks, const des_schedule& schedule) {
  std::vector<des_block> results(blocks.size());
  std::transform(blocks.begin(), blocks.end(), results.begin(),
                 [&schedule](des_block block) { return des_encrypt(block, schedule); });
  return results;
}

}  // namespace

des_schedule des_key_schedule(des_block key) {
  des_schedule keys{};
  std::uint64_t halves = permute(key, 64, key_bits);  // two halves of 28 bits, each rotated by itself
  for (std::size_t i = 0; i < 16; ++i) {
    for (int turn = i < 2 || i == 8 || i == 15 ? 1 : 2; turn > 0; --turn)
      halves = (halves << 1 & 0xffffffeffffffe) | (halves >> 27 & 0x10000001);
    keys[i] = permute(halves, 56, round_key_bits);
  }
  return keys;
}

des_schedule reversed(const des_schedule& schedule) {
  des_schedule result{};
  std::reverse_copy(schedule.begin(), schedule.end(), result.begin());
  return result;
}

des_block des_initial_permutation(des_block block) { return permute(block, 64, initial_bits); }

des_block des_round(des_block halves, std::uint64_t round_key) {
  const std::uint64_t left = halves >> 32, right = halves & 0xffffffff;
  const std::uint64_t ring = right << 63 >> 30 | right << 1 | right >> 31;  // 34 bits: the last bit, all 32, the first
                                                                            // bit
  std::uint64_t f = 0;
  for (std::size_t s = 0; s < 8; ++s) {  // six bits of `ring`, four further on each time, and six of the key
    f |= mixed[s][(ring >> (28 - 4 * s) ^ round_key >> (42 - 6 * s)) & 63];
  }
  return right << 32 | (left ^ f);
}

des_block des_final_permutation(des_block halves) { return permute(halves << 32 | halves >> 32, 64, final_bits); }

des_block des_encrypt(des_block block, const des_schedule& schedule) {
  des_block halves = des_initial_permutation(block);
  for (const std::uint64_t key : schedule) halves = des_round(halves, key);
  return des_final_permutation(halves);
}

des_block des_decrypt(des_block block, const des_schedule& schedule) { return des_encrypt(block, reversed(schedule)); }

std::vector<des_block> des_encrypt_ecb(const std::vector<des_block>& blocks, const des_schedule& schedule) {
  return of_each(blocks, schedule);
}

std::vector<des_block> des_decrypt_ecb(const std::vector<des_block>& blocks, const des_schedule& schedule) {
  return of_each(blocks, reversed(schedule));
}

}  // namespace components
