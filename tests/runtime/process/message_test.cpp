#include "runtime/process/message.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "tests/support/refusal.hpp"
#include "tests/support/sanitizers.hpp"

namespace weir::detail::processes {
namespace {

using weir::testing::fewer;
using weir::testing::nothing_refused;

std::array<std::byte, message_prefix::bytes> prefix_of(const message_prefix& p) {
  std::array<std::byte, message_prefix::bytes> bytes;
  write_prefix(p, bytes.data());
  return bytes;
}

// The sentence with which a head is refused.
std::string refusal(const std::string& head, std::uint64_t body = 0) {
  return weir::testing::refusal<protocol_error>([&] { read_head(head, body); });
}

TEST(messages, a_prefix_is_read_as_it_was_written) {
  for (const message_prefix p :
       {message_prefix{0, 0}, {1, 7}, {message_prefix::most_head, message_prefix::most_body}}) {
    const message_prefix read = read_prefix(prefix_of(p));
    EXPECT_EQ(read.head, p.head);
    EXPECT_EQ(read.body, p.body);
  }
}

TEST(messages, a_prefix_of_other_bytes_or_of_more_than_is_allowed_is_refused) {
  auto bytes = prefix_of({8, 8});
  bytes[0] = std::byte{'W'};
  EXPECT_THROW(read_prefix(bytes), protocol_error);
  EXPECT_THROW(read_prefix(prefix_of({message_prefix::most_head + 1, 0})), protocol_error);
  EXPECT_THROW(read_prefix(prefix_of({8, message_prefix::most_body + 1})), protocol_error);
  EXPECT_THROW(read_prefix(prefix_of({8, ~std::uint64_t{}})), protocol_error);
}

TEST(messages, a_head_is_read_with_the_blocks_and_files_that_it_was_written_with) {
  message_writer m(message_kind::call);
  m.number("cores", 3).seconds("seconds", 0.25).text("text", "a\"b\n\xff");
  m.begin_values();
  m.next_value();
  m.head() += "1";
  m.next_value();
  m.head() += "[0]";
  m.end_values();
  m.block(std::vector<std::byte>(5));
  m.block(std::vector<std::byte>(100));
  m.block(std::vector<std::byte>(16));
  const std::array<block_place, 3> places{{{5}, {100, 64, 0}, {16}}};
  const std::array<std::uint64_t, 1> files{0};
  m.finish(places, files);
  EXPECT_EQ((m.head().size() + message_prefix::bytes) % block_alignment, 0u);
  const message read = read_head(m.head(), 8 + 16);
  EXPECT_EQ(read.kind, message_kind::call);
  EXPECT_EQ(read.number("cores"), 3u);
  EXPECT_EQ(read.seconds("seconds"), 0.25);
  EXPECT_EQ(read.text("text"), "a\"b\n\xef\xbf\xbd");
  EXPECT_EQ(read.list("values").raw(), "[1,[0]]");
  ASSERT_EQ(read.blocks.size(), 3u);
  EXPECT_EQ(read.blocks[0].offset, 0u);
  EXPECT_EQ(read.blocks[1].file, 0u);
  EXPECT_EQ(read.blocks[1].offset, 64u);
  EXPECT_EQ(read.blocks[2].offset, 8u);
  EXPECT_EQ(read.files, std::vector<std::uint64_t>{0});
}

TEST(messages, a_head_that_is_no_message_is_refused_with_the_reason) {
  EXPECT_NE(refusal("").find("JSON"), std::string::npos);
  EXPECT_NE(refusal("[1]").find("JSON object"), std::string::npos);
  EXPECT_NE(refusal("{\"kind\":3}").find("kind"), std::string::npos);
  EXPECT_NE(refusal("{\"kind\":\"song\"}").find("song"), std::string::npos);
  EXPECT_NE(refusal("{\"kind\":\"stop\"}", 8).find("no blocks"), std::string::npos);
  EXPECT_NE(refusal("{\"kind\":\"stop\",\"blocks\":[8]}", 16).find("take 8"), std::string::npos);
  EXPECT_NE(refusal("{\"kind\":\"stop\",\"blocks\":[9]}", 8).find("longer"), std::string::npos);
  EXPECT_NE(refusal("{\"kind\":\"stop\",\"blocks\":[18446744073709551615]}", 8).find("longer"), std::string::npos);
  EXPECT_NE(refusal("{\"kind\":\"stop\",\"blocks\":[-1]}").find("0 or more"), std::string::npos);
  EXPECT_NE(refusal("{\"kind\":\"stop\",\"blocks\":[1.5]}").find("0 or more"), std::string::npos);
  EXPECT_NE(refusal("{\"kind\":\"stop\",\"blocks\":[[1,2]]}").find("[size, offset, file]"), std::string::npos);
  EXPECT_NE(refusal("{\"kind\":\"stop\",\"blocks\":[[2,18446744073709551615,0]]}").find("memory"), std::string::npos);
  EXPECT_NE(refusal("{\"kind\":\"stop\",\"files\":{}}").find("files"), std::string::npos);
  EXPECT_EQ(refusal("{\"kind\":\"stop\",\"unknown\":[[[]]]}  "), nothing_refused);
  EXPECT_NE(refusal(std::string(message_prefix::most_head, '[')), nothing_refused);
}

TEST(messages, random_bytes_and_heads_with_a_changed_byte_are_taken_or_refused) {
  std::mt19937_64 random(7);
  const std::string whole =
      R"({"kind":"done","variant":0,"values":[1,[0,"float64",2,3],"nan"],"blocks":[48,[70000,64,0]],"files":[0],"cpu":1e-3})";
  int taken = 0;
  for (int i = 0; i < fewer(20000); ++i) {
    std::string text = whole;
    if (i % 4 == 0) {
      text.resize(random() % 60);
      for (char& c : text) c = static_cast<char>(random());
    } else {
      for (std::uint64_t change = random() % 3 + 1; change > 0; --change)
        text[random() % text.size()] = static_cast<char>(random());
    }
    taken += refusal(text, 48) == nothing_refused;
    std::array<std::byte, message_prefix::bytes> prefix;
    for (std::byte& b : prefix) b = static_cast<std::byte>(random());
    EXPECT_THROW(read_prefix(prefix), protocol_error);
  }
  EXPECT_GT(taken, 0);
}

}  // namespace
}  // namespace weir::detail::processes
