// A loop with a count as a star with a tag: the 16 rounds of DES (FIPS 46-3). Stage r of the star does round r of every
// block that comes along, so that many blocks are on their way at once, one behind the other as on a conveyor belt. The
// <id> of a block is named by no box: it rides along.
#include <array>
#include <cstdint>
#include <iomanip>
#include <iostream>
#include <string_view>
#include <vector>

#include <weir/weir.hpp>

using namespace weir;
using bits = std::uint64_t;
using schedule = std::array<bits, 16>;  // a key for each round

// The tables of the standard count bits from the left, from 1.
bits permute(bits from, int width, const std::vector<int>& table) {
  bits to = 0;
  for (const int bit : table) to = to << 1 | (from >> (width - bit) & 1);
  return to;
}
const std::vector<int> key_bits{57, 49, 41, 33, 25, 17, 9,  1,  58, 50, 42, 34, 26, 18, 10, 2,  59, 51, 43,
                                35, 27, 19, 11, 3,  60, 52, 44, 36, 63, 55, 47, 39, 31, 23, 15, 7,  62, 54,
                                46, 38, 30, 22, 14, 6,  61, 53, 45, 37, 29, 21, 13, 5,  28, 20, 12, 4};
const std::vector<int> round_key_bits{14, 17, 11, 24, 1,  5,  3,  28, 15, 6,  21, 10, 23, 19, 12, 4,
                                      26, 8,  16, 7,  27, 20, 13, 2,  41, 52, 31, 37, 47, 55, 30, 40,
                                      51, 45, 33, 48, 44, 49, 39, 56, 34, 53, 46, 42, 50, 36, 29, 32};
const std::vector<int> mixed_bits{16, 7, 20, 21, 29, 12, 28, 17, 1,  15, 23, 26, 5,  18, 31, 10,
                                  2,  8, 24, 14, 32, 27, 3,  9,  19, 13, 30, 6,  22, 11, 4,  25};
constexpr std::string_view s_boxes[]{"E4D12FB83A6C59070F74E2D1A6CB953841E8D62BFC973A50FC8249175B3EA06D",
                                     "F18E6B34972DC05A3D47F28EC01A69B50E7BA4D158C6932FD8A13F42B67C05E9",
                                     "A09E63F51DC7B428D709346A285ECBF1D6498F30B12C5AE71AD069874FE3B52C",
                                     "7DE3069A1285BC4FD8B56F03472C1AE9A690CB7DF13E52843F06A1D8945BC72E",
                                     "2C417AB6853FD0E9EB2C47D150FA3986421BAD78F9C5630EB8C71E2D6F09A453",
                                     "C1AF92680D34E75BAF427C9561DE0B389EF528C3704A1DB6432C95FABE17608D",
                                     "4B2EF08D3C975A61D0B7491AE35C2F8614BDC37EAF6805926BD814A7950FE23C",
                                     "D2846FB1A93E50C71FD8A374C56B0E927B419CE206ADF35821E74A8DFC90356B"};

// The initial permutation, and the final one, which is its inverse.
bits initial_permutation(bits from, bool inverse) {
  bits to = 0;
  for (int i = 0; i < 64; ++i) {
    const int taken = (i < 32 ? 58 + 2 * (i / 8) : 57 + 2 * (i / 8 - 4)) - 8 * (i % 8);
    to |= inverse ? (from >> (63 - i) & 1) << (64 - taken) : (from >> (64 - taken) & 1) << (63 - i);
  }
  return to;
}
schedule round_keys(bits key) {
  schedule keys{};
  bits halves = permute(key, 64, key_bits);
  for (int i = 0; i < 16; ++i) {
    for (int turn = i < 2 || i == 8 || i == 15 ? 1 : 2; turn > 0; --turn)
      halves = (halves << 1 & 0xffffffeffffffe) | (halves >> 27 & 0x10000001);
    keys[static_cast<std::size_t>(i)] = permute(halves, 56, round_key_bits);
  }
  return keys;
}
bits mix(bits half, bits key) {
  const bits ring = half << 63 | half << 31 | half >> 1;  // the half's last bit, the half, and its first bits again
  bits mixed = 0;
  for (int i = 0; i < 8; ++i) {  // six bits of the ring and six of the key choose four bits
    const bits six = (ring >> (58 - 4 * i) ^ key >> (42 - 6 * i)) & 63;
    const char digit = s_boxes[i][(six & 32) | (six & 1) << 4 | (six >> 1 & 15)];
    mixed = mixed << 4 | static_cast<bits>(digit <= '9' ? digit - '0' : digit - 'A' + 10);
  }
  return permute(mixed, 32, mixed_bits);
}

inline constexpr field<bits> key{"key"}, text{"text"}, state{"state"}, cipher{"cipher"};
inline constexpr field<schedule> keys{"keys"};
inline constexpr tag stage{"stage"}, id{"id"};

int main() {
  const network begin = box("begin", takes(key, text), gives(keys, state, stage),
                            [](bits k, bits t) { return std::tuple(round_keys(k), initial_permutation(t, false), 0); });
  const network one_round = box("one_round", takes(keys, state, stage), gives(keys, state, stage),
                                [](const schedule& all, bits halves, std::int64_t r) {
                                  const bits left = halves >> 32, right = halves & 0xffffffff;
                                  const bits next = right << 32 | (left ^ mix(right, all[static_cast<std::size_t>(r)]));
                                  return std::tuple(all, next, r + 1);
                                });
  const network end = box("end", takes(keys, state), gives(cipher), [](const schedule&, bits halves) {
    return initial_permutation(halves << 32 | halves >> 32, true);
  });
  const network des = begin >> ordered(star(one_round, pattern{stage}.where(stage == 16))) >> end;

  // The worked example of most descriptions of DES, and that of FIPS 81: "Now is the time for all ", in three blocks.
  struct {
    bits key, text, published;
  } const vectors[]{{0x133457799bbcdff1, 0x0123456789abcdef, 0x85e813540f0ab405},
                    {0x0123456789abcdef, 0x4e6f772069732074, 0x3fa40e8a984d4815},
                    {0x0123456789abcdef, 0x68652074696d6520, 0x6a271787ab8883f9},
                    {0x0123456789abcdef, 0x666f7220616c6c20, 0x893d51ec4b563b53}};
  execution run = start(des);
  for (int i = 0; i < 4; ++i) run.send(id = i, key = vectors[i].key, text = vectors[i].text);
  run.close();
  for (const record& r : run)
    std::cout << "block " << r[id] << ": " << std::hex << std::setw(16) << std::setfill('0') << r[cipher]
              << (r[cipher] == vectors[r[id]].published ? ", as published\n" : ", WRONG\n");
}
