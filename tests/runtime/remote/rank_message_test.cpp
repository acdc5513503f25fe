#include "runtime/remote/rank_message.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "tests/runtime/remote/some_rank_messages.hpp"
#include "tests/support/gives_all_back.hpp"

namespace weir::rank_message_test {
namespace {

using detail::remote::item;
using namespace testing::rank_messages;

class a_rank_message : public testing::gives_all_back {};

// The bytes of one record: flags, two numbers, the record's length, its shape, and for each field its length.
TEST_F(a_rank_message, has_few_bytes_for_a_small_record) {
  const some_rank_messages make;
  EXPECT_EQ(make.bytes_of(record{number = 5}), 6u);
  EXPECT_EQ(make.bytes_of(record{number = -1'000'000}), 8u);
  EXPECT_EQ(make.bytes_of(record{small = 7}), 7u);
  EXPECT_EQ(make.bytes_of(record{text = "seven"}), 12u);
}

TEST_F(a_rank_message, is_read_as_it_was_written) {
  some_rank_messages make;
  const sent s = make.rank_message_of({record{number = -3, small = -1, text = "a"}, record{number = 1},
                                       record{number = 2, values = std::vector<double>(10'000, 0.5)},
                                       record{number = 4, small = 1'000'000, text = std::string(200, 'x')}});
  const auto read = make.read(s);
  ASSERT_EQ(read.items.size(), 4u);
  EXPECT_EQ(read.texts, make.texts());
  const auto shown = [&](std::size_t i) { return to_string(*read.items[i].record); };
  EXPECT_EQ(shown(0), "{small=-1, text=a, <number>=-3}");
  EXPECT_EQ(shown(1), "{<number>=1}");
  EXPECT_EQ(shown(3), "{small=1000000, text=" + std::string(200, 'x') + ", <number>=4}");
  std::size_t bytes = 0;
  for (const item& i : read.items) bytes += i.bytes;
  EXPECT_EQ(bytes, s.bytes);  // or the credit of both ends would part
}

// A codec that writes more than it reads, or less, in bytes or in blocks, or throws: its record alone cannot be read.
TEST_F(a_rank_message, names_the_field_whose_codec_reads_something_else_than_it_wrote) {
  const struct {
    how fault;
    const char* says;
  } cases[] = {{how::writes_more, "the codec of field 'odd' of type "},
               {how::writes_more, "wrote 5 bytes and 0 blocks, and read 4"},
               {how::reads_more, "wrote 4 bytes and reads 5"},
               {how::writes_a_block_more, "wrote 4 bytes and 1 blocks, and read 4 bytes and 0 blocks"},
               {how::reads_a_block_more, "no value of the type"},
               {how::throws, "threw \"odd\""},
               {how::ends_thread, "called pthread_exit"}};
  for (const auto& [fault, says] : cases) {
    some_rank_messages make;
    odd_codec = fault;
    const sent s =
        make.rank_message_of({record{number = 1, text = "a"}, record{number = 2, odd = odd_value{3}, text = "b"},
                              record{number = 3, values = std::vector<double>(10'000, 1)}});
    const auto read = make.read(s);
    odd_codec = how::well;
    ASSERT_EQ(read.items.size(), 3u);
    EXPECT_EQ(to_string(*read.items[0].record), "{text=a, <number>=1}");
    EXPECT_EQ(read.items[1].record, nullptr);
    EXPECT_NE(read.why_unreadable(read.items[1]).find(says), std::string::npos) << read.why_unreadable(read.items[1]);
    EXPECT_NE(read.items[2].record, nullptr);
    std::size_t bytes = 0;
    for (const item& i : read.items) bytes += i.bytes;
    EXPECT_EQ(bytes, s.bytes);
  }
}

// Any bytes are a message or are refused. The reader leaks nothing, and allocates no more memory than a few records
// take.
TEST_F(a_rank_message, of_any_bytes_is_read_or_refused) {
  some_rank_messages make;
  std::mt19937_64 random(56);
  const auto up_to = [&](std::size_t most) { return std::uniform_int_distribution<std::size_t>(0, most)(random); };
  const std::vector<sent> good = make.corpus();
  std::size_t read = 0, refused = 0;
  for (int i = 0; i < 20'000; ++i) {
    sent s = good[up_to(good.size() - 1)];
    for (std::size_t changes = up_to(3); changes > 0 && !s.head.empty(); --changes) {
      const std::size_t at = up_to(s.head.size() - 1);
      switch (up_to(4)) {
        case 0:
          s.head[at] = static_cast<std::byte>(random());
          break;
        case 1:
          s.head[at] = std::byte{0xff};
          break;
        case 2:
          s.head.resize(at);
          break;
        case 3:
          s.head.insert(s.head.begin() + static_cast<std::ptrdiff_t>(at), 1 + up_to(10), std::byte{0x80});
          break;
        default:
          if (!s.sizes.empty()) s.sizes[up_to(s.sizes.size() - 1)] = up_to(100'000);
      }
    }
    try {
      make.read(s);
      ++read;
    } catch (const std::exception&) {
      ++refused;
    }
  }
  EXPECT_GT(read, 1000u);
  EXPECT_GT(refused, 1000u);
}

}  // namespace
}  // namespace weir::rank_message_test
