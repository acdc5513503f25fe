#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace components {

// The Data Encryption Standard, FIPS 46-3, in the steps that it is described in, so that each can be a component of a
// network. A block is 64 bits, of which the standard's bit 1 is the highest; in bytes, the first byte holds the highest
// eight. Every function may be called from any thread; none throws. DES keeps no secret from anybody today.
using des_block = std::uint64_t;

// A key of 48 bits for each round, in the order of encryption; in the opposite order, they decrypt.
using des_schedule = std::array<std::uint64_t, 16>;

// The keys of the rounds. The lowest bit of each byte is for parity: it is not looked at.
des_schedule des_key_schedule(des_block key);
des_schedule reversed(const des_schedule& schedule);

// The initial permutation: the left half is the upper 32 bits of the result, the right half the lower.
des_block des_initial_permutation(des_block block);

// One round: the right half becomes the left one, and the left half, with f of the right half and the round's key
// added, becomes the right one.
des_block des_round(des_block halves, std::uint64_t round_key);

// The final permutation, of the halves exchanged: after 16 rounds it gives the result.
des_block des_final_permutation(des_block halves);

// Initial permutation, 16 rounds, final permutation. Of a reversed schedule, it decrypts.
des_block des_encrypt(des_block block, const des_schedule& schedule);
des_block des_decrypt(des_block block, const des_schedule& schedule);

// Each block by itself (mode ECB of FIPS 81).
//
// Cost: O(blocks); predictor the number of blocks, degree 1.
std::vector<des_block> des_encrypt_ecb(const std::vector<des_block>& blocks, const des_schedule& schedule);
std::vector<des_block> des_decrypt_ecb(const std::vector<des_block>& blocks, const des_schedule& schedule);

}  // namespace components
