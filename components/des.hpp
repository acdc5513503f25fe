#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace components {

// The Data Encryption Standard (FIPS 46-3), one function per step of its description, so that each step can be a
// component of a network. A block is 64 bits, and the standard's bit 1 is the highest. In bytes, the first byte holds
// the highest eight bits. Every function may be called from any thread; none throws. DES is not secure today.
using des_block = std::uint64_t;

// One key of 48 bits per round, in the order of encryption; in reversed order they decrypt.
using des_schedule = std::array<std::uint64_t, 16>;

// The keys of the rounds. The lowest bit of each byte is a parity bit, which is ignored.
des_schedule des_key_schedule(des_block key);
des_schedule reversed(const des_schedule& schedule);

// The initial permutation: the left half is the upper 32 bits of the result, the right half the lower.
des_block des_initial_permutation(des_block block);

// One round. The right half becomes the new left half. The old left half, xor f(right half, round key), becomes the new
// right half.
des_block des_round(des_block halves, std::uint64_t round_key);

// The final permutation, applied to the exchanged halves. After 16 rounds it gives the result.
des_block des_final_permutation(des_block halves);

// Initial permutation, 16 rounds, final permutation. With a reversed schedule it decrypts.
des_block des_encrypt(des_block block, const des_schedule& schedule);
des_block des_decrypt(des_block block, const des_schedule& schedule);

// Each block by itself (mode ECB of FIPS 81).
//
// Cost: O(blocks); predictor the number of blocks, degree 1.
std::vector<des_block> des_encrypt_ecb(const std::vector<des_block>& blocks, const des_schedule& schedule);
std::vector<des_block> des_decrypt_ecb(const std::vector<des_block>& blocks, const des_schedule& schedule);

}  // namespace components
