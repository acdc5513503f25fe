#include "components/des.hpp"

#include <gtest/gtest.h>

#define OPENSSL_SUPPRESS_DEPRECATED  // the functions for DES alone are deprecated, but part of every OpenSSL 3
#include <openssl/des.h>

#include <random>

namespace components {
namespace {

des_block encrypted(des_block key, des_block text) { return des_encrypt(text, des_key_schedule(key)); }

// NIST SP 800-17, appendix A, tables 1 and 2 (the first eight of each). Table 1: a text with one bit set, with only
// parity bits set in the key. Table 2: the text 0 under keys with one further bit set.
TEST(des, gives_the_known_answers_of_one_bit_in_the_text_or_the_key) {
  constexpr des_block by_text[]{0x95f8a5e5dd31d900, 0xdd7f121ca5015619, 0x2e8653104f3834ea, 0x4bd388ff6cd81d4f,
                                0x20b9e767b2fb1456, 0x55579380d77138ef, 0x6cc5defaaf04512f, 0x0d9f279ba5d87260};
  for (int i = 0; i < 8; ++i) EXPECT_EQ(encrypted(0x0101010101010101, des_block{1} << (63 - i)), by_text[i]) << i;
  constexpr des_block by_key[]{0x95a8d72813daa94d, 0x0eec1487dd8c26d5, 0x7ad16ffb79c45926, 0xd3746294ca6a6cf3,
                               0x809f5f873c1fd761, 0xc02faffec989d1fc, 0x4615aa1d33e72f10};
  for (int i = 0; i < 7; ++i) EXPECT_EQ(encrypted(0x0101010101010101 | des_block{1} << (63 - i), 0), by_key[i]) << i;
}

// FIPS 81, table B1: "Now is the time for all ".
TEST(des, gives_the_example_of_fips_81_block_by_block) {
  const des_schedule keys = des_key_schedule(0x0123456789abcdef);
  const std::vector<des_block> text{0x4e6f772069732074, 0x68652074696d6520, 0x666f7220616c6c20};
  const std::vector<des_block> cipher{0x3fa40e8a984d4815, 0x6a271787ab8883f9, 0x893d51ec4b563b53};
  EXPECT_EQ(des_encrypt_ecb(text, keys), cipher);
  EXPECT_EQ(des_decrypt_ecb(cipher, keys), text);
  EXPECT_TRUE(des_encrypt_ecb({}, keys).empty());
}

// R. L. Rivest, Testing Implementations of DES (1985): 16 steps whose final result a single mistake would change.
TEST(des, passes_rivests_test) {
  des_block x = 0x9474b8e8c73bca7d;
  for (int i = 0; i < 16; ++i) {
    const des_schedule keys = des_key_schedule(x);
    x = i % 2 == 0 ? des_encrypt(x, keys) : des_decrypt(x, keys);
  }
  EXPECT_EQ(x, 0x1b1a2ddb4c642438u);
}

void write(des_block block, DES_cblock& bytes) {
  for (int i = 0; i < 8; ++i) bytes[i] = static_cast<unsigned char>(block >> (56 - 8 * i));
}

TEST(des, agrees_with_openssl_on_random_keys_and_blocks) {
  std::mt19937_64 generator(1);
  for (int i = 0; i < 2000; ++i) {
    const des_block key = generator(), text = generator();
    DES_cblock key_bytes, in, out;
    write(key, key_bytes);
    write(text, in);
    DES_key_schedule schedule;
    DES_set_key_unchecked(&key_bytes, &schedule);
    DES_ecb_encrypt(&in, &out, &schedule, DES_ENCRYPT);
    des_block expected = 0;
    for (const unsigned char byte : out) expected = expected << 8 | byte;
    ASSERT_EQ(encrypted(key, text), expected) << i;
    ASSERT_EQ(des_decrypt(expected, des_key_schedule(key)), text) << i;
  }
}

// The complement of a text under the complement of the key gives the complement of the cipher.
TEST(des, keeps_complements) {
  std::mt19937_64 generator(2);
  for (int i = 0; i < 100; ++i) {
    const des_block key = generator(), text = generator();
    EXPECT_EQ(encrypted(~key, ~text), ~encrypted(key, text));
  }
}

// All round keys are then the same: encrypting twice gives the text back.
TEST(des, weak_keys_are_weak) {
  for (const des_block key : {0x0101010101010101u, 0xfefefefefefefefeu, 0xe0e0e0e0f1f1f1f1u, 0x1f1f1f1f0e0e0e0eu}) {
    EXPECT_EQ(encrypted(key, encrypted(key, 0x0123456789abcdef)), 0x0123456789abcdefu);
    EXPECT_EQ(reversed(des_key_schedule(key)), des_key_schedule(key));
  }
}

TEST(des, does_not_look_at_parity) {
  EXPECT_EQ(des_key_schedule(0x133457799bbcdff1), des_key_schedule(0x133457799bbcdff1 ^ 0x0101010101010101));
}

TEST(des, its_steps_make_the_whole) {
  const des_schedule keys = des_key_schedule(0x133457799bbcdff1);
  EXPECT_EQ(keys[0], 0x1b02effc7072u);  // the common textbook example of DES
  EXPECT_EQ(keys[15], 0xcb3d8b0e17f5u);
  des_block halves = des_initial_permutation(0x0123456789abcdef);
  EXPECT_EQ(halves, 0xcc00ccfff0aaf0aau);
  halves = des_round(halves, keys[0]);
  EXPECT_EQ(halves, 0xf0aaf0aaef4a6544u);
  for (std::size_t i = 1; i < 16; ++i) halves = des_round(halves, keys[i]);
  EXPECT_EQ(halves, 0x43423234'0a4cd995u);
  EXPECT_EQ(des_final_permutation(halves), 0x85e813540f0ab405u);
}

}  // namespace
}  // namespace components
