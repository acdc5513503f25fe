#include <weir/record/codecs.hpp>

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include <weir/record/label.hpp>
#include <weir/record/value_type.hpp>

namespace weir::codec_test {

struct point {
  int x;
  double y;
  bool operator==(const point&) const = default;
};

// Trivially copyable, without a constructor that takes nothing.
struct degrees {
  explicit degrees(float f) : of(f) {}
  float of;
  bool operator==(const degrees&) const = default;
};

struct picture {  // large, and nothing but its bytes
  std::array<float, 100'000> pixels;
  bool operator==(const picture&) const = default;
};

struct handle {  // refused by the program
  int file;
};

struct celsius {  // the program's codec adds one on the way, so that it shows that it was used
  int of;
};

struct nothing {  // whose codec writes nothing
  bool operator==(const nothing&) const = default;
};

class matrix {
 public:
  matrix(std::size_t rows, std::size_t columns)
      : rows_(rows), columns_(columns), values_(new double[rows * columns]{}) {}
  std::size_t rows() const { return rows_; }
  std::size_t columns() const { return columns_; }
  double* data() { return values_.get(); }
  const double* data() const { return values_.get(); }
  bool operator==(const matrix& o) const {
    return rows_ == o.rows_ && columns_ == o.columns_ && std::equal(data(), data() + rows_ * columns_, o.data());
  }

 private:
  std::size_t rows_, columns_;
  std::unique_ptr<double[]> values_;
};

}  // namespace weir::codec_test

template <>
struct weir::codec<weir::codec_test::handle> {};

template <>
struct weir::codec<weir::codec_test::nothing> {
  static void write(wire_writer&, const codec_test::nothing&) {}
  static codec_test::nothing read(wire_reader&) { return {}; }
};

template <>
struct weir::codec<weir::codec_test::celsius> {
  static void write(wire_writer& to, const codec_test::celsius& c) { to.put(c.of + 1); }
  static codec_test::celsius read(wire_reader& from) { return {from.get<int>()}; }
};

template <>
struct weir::codec<weir::codec_test::matrix> {
  static void write(wire_writer& to, const codec_test::matrix& m) {
    to.put(m.rows());
    to.put(m.columns());
    to.block(m.data(), m.rows() * m.columns());
  }
  static codec_test::matrix read(wire_reader& from) {
    const auto rows = from.get<std::size_t>(), columns = from.get<std::size_t>();
    codec_test::matrix m(rows, columns);
    from.block(m.data(), rows * columns);
    return m;
  }
};

namespace weir::codec_test {
namespace {

// A value with one holder, in a slot.
template <class T>
class in_slot {
 public:
  explicit in_slot(detail::slot_word w) : word(w) {}
  ~in_slot() {
    if constexpr (!detail::fits_in_slot<T>) detail::let_go(word, value_type_of<T>);
  }
  in_slot(const in_slot&) = delete;
  const T& value() const { return detail::word_as<T>(word); }
  const detail::slot_word word;
};

// A value as it reaches the process at the other end: it is made of the head, then the blocks arrive.
struct sent {
  std::vector<std::byte> head;
  std::vector<std::size_t> sizes;
  std::vector<std::vector<std::byte>> blocks;
};

sent taken_from(wire_writer& w) {
  sent s{w.head(), {}, {}};
  for (const auto block : w.blocks()) {
    s.sizes.push_back(block.size());
    s.blocks.emplace_back(block.begin(), block.end());
  }
  return s;
}

void arrive(const sent& s, wire_reader& from) {
  ASSERT_EQ(from.places().size(), s.blocks.size());
  for (std::size_t i = 0; i < s.blocks.size(); ++i) {
    ASSERT_EQ(from.places()[i].size(), s.blocks[i].size());
    std::memcpy(from.places()[i].data(), s.blocks[i].data(), s.blocks[i].size());
  }
}

// Sends a value by its type's operations and compares it with the value that arrived. The number of blocks that it
// took.
template <class T>
std::size_t blocks_of(T original) {
  const T expected = [&] {
    wire_writer w;  // a copy, also of a value without copy constructor
    w.put_whole(original);
    wire_reader r(w.head());
    return r.get_whole<T>();
  }();
  EXPECT_EQ(expected, original);
  const value_type& type = value_type_of<T>;
  EXPECT_NE(type.codec, nullptr);
  sent s;
  {
    const in_slot<T> here(detail::make_word<T>(std::move(original)));
    wire_writer w;
    type.codec->write(w, here.word);
    s = taken_from(w);
  }
  wire_reader from(s.head, s.sizes);
  const in_slot<T> there(type.codec->read(from));
  arrive(s, from);
  EXPECT_TRUE(from.rest().empty());
  EXPECT_EQ(there.value(), expected);
  return s.blocks.size();
}

const std::string long_text(100'000, 'x');
const std::vector<double> numbers(50'000, 0.5);

TEST(a_value_that_was_sent, is_the_same_at_the_other_end) {
  EXPECT_EQ(blocks_of(7), 0u);
  EXPECT_EQ(blocks_of(-1.5), 0u);
  EXPECT_EQ(blocks_of(point{3, 4.5}), 0u);
  EXPECT_EQ(blocks_of(degrees{90}), 0u);
  EXPECT_EQ(blocks_of(std::array<int, 3>{1, 2, 3}), 0u);
  EXPECT_EQ(blocks_of(std::string{}), 0u);
  EXPECT_EQ(blocks_of(std::string{"a text with \0 in it", 19}), 0u);
  EXPECT_EQ(blocks_of(std::string(254, 'a')), 0u);
  EXPECT_EQ(blocks_of(std::string(255, 'a')), 0u);
  EXPECT_EQ(blocks_of(std::string(256, 'a')), 0u);
  EXPECT_EQ(blocks_of(std::vector<int>{1, 2, 3}), 0u);
  EXPECT_EQ(blocks_of(std::vector<bool>{true, false, true}), 0u);
  EXPECT_EQ(blocks_of(std::vector<degrees>{degrees{1}, degrees{2}}), 0u);
  EXPECT_EQ(blocks_of(std::vector<std::string>{"a", "", "c"}), 0u);
  EXPECT_EQ(blocks_of(std::optional<int>{}), 0u);
  EXPECT_EQ(blocks_of(std::optional<std::string>{"a"}), 0u);
  EXPECT_EQ(blocks_of(std::optional<std::string>{}), 0u);
  EXPECT_EQ(blocks_of(std::pair<int, std::string>{1, "a"}), 0u);
  EXPECT_EQ(blocks_of(std::tuple<std::string, int, std::vector<short>>{"a", 2, {3}}), 0u);
  EXPECT_EQ(blocks_of(std::tuple<>{}), 0u);
  EXPECT_EQ(blocks_of(std::map<std::string, int>{{"a", 1}, {"b", 2}}), 0u);
  EXPECT_EQ(blocks_of(std::unordered_map<int, std::string>{{1, "a"}, {2, "b"}}), 0u);
  EXPECT_EQ(blocks_of(std::vector<nothing>(5)), 0u);
  EXPECT_EQ(blocks_of(matrix(3, 4)), 0u);
}

TEST(a_large_part, is_sent_from_where_it_lies_into_the_new_value) {
  EXPECT_EQ(blocks_of(long_text), 1u);
  EXPECT_EQ(blocks_of(numbers), 1u);
  EXPECT_EQ(blocks_of(matrix(300, 400)), 1u);
  EXPECT_EQ(blocks_of(picture{}), 1u);
  EXPECT_EQ(blocks_of(std::vector<std::string>{long_text, "short", long_text}), 2u);
  EXPECT_EQ(blocks_of(std::optional<std::vector<double>>{numbers}), 1u);
  EXPECT_EQ(blocks_of(std::tuple<std::string, int, std::vector<double>>{long_text, 2, numbers}), 2u);
}

TEST(the_key_of_a_map, is_there_before_blocks_arrive) {
  std::map<std::string, std::string> m;
  for (char c = 'a'; c < 'f'; ++c) m[long_text + c] = long_text;
  EXPECT_EQ(blocks_of(m), 5u);
}

TEST(a_type, has_a_codec_if_its_values_mean_the_same_elsewhere) {
  EXPECT_EQ(value_type_of<const char*>.codec, nullptr);
  EXPECT_EQ(value_type_of<std::string_view>.codec, nullptr);
  EXPECT_EQ(value_type_of<std::span<int>>.codec, nullptr);
  EXPECT_EQ(value_type_of<std::optional<int*>>.codec, nullptr);
  EXPECT_EQ(value_type_of<std::vector<int*>>.codec, nullptr);
  EXPECT_EQ((value_type_of<std::pair<int, int*>>.codec), nullptr);
  EXPECT_EQ((value_type_of<std::map<std::string, int*>>.codec), nullptr);
  EXPECT_EQ(value_type_of<std::unique_ptr<int>>.codec, nullptr);
  EXPECT_EQ(value_type_of<std::reference_wrapper<int>>.codec, nullptr);
  EXPECT_EQ(value_type_of<opaque>.codec, nullptr);
  EXPECT_EQ(value_type_of<handle>.codec, nullptr);
  EXPECT_EQ(value_type_of<std::vector<handle>>.codec, nullptr);
  EXPECT_EQ((value_type_of<std::array<handle, 2>>.codec), nullptr);
  EXPECT_NE(value_type_of<std::vector<std::vector<int>>>.codec, nullptr);
}

TEST(a_codec_of_the_program, goes_before_the_library_s) {
  const auto sent_once = []<class T>(T original) {
    wire_writer w;
    const in_slot<T> here(detail::make_word<T>(std::move(original)));
    value_type_of<T>.codec->write(w, here.word);
    wire_reader r(w.head());
    const in_slot<T> there(value_type_of<T>.codec->read(r));
    return there.value();
  };
  EXPECT_EQ(sent_once(celsius{1}).of, 2);
  EXPECT_EQ(sent_once(std::vector<celsius>{{1}, {2}})[1].of, 3);
  EXPECT_EQ(sent_once(std::optional<celsius>{{1}})->of, 2);
}

template <class T>
void read_from(std::span<const std::byte> head, std::span<const std::size_t> sizes = {}) {
  wire_reader r(head, sizes);
  const in_slot<T> made(value_type_of<T>.codec->read(r));
}

// The reader leaks nothing, reads no byte that is not there, and allocates no memory that the bytes cannot fill.
TEST(bytes_that_are_no_value, are_refused) {
  using type = std::tuple<std::string, std::map<std::string, int>, std::vector<std::vector<double>>>;
  const type value{"name", {{"a", 1}}, {{1, 2}, {}}};
  wire_writer w;
  w.put(value);
  for (std::size_t n = 0; n < w.head().size(); ++n)
    EXPECT_THROW(read_from<type>(std::span(w.head()).first(n)), std::runtime_error) << n;

  wire_writer huge;
  huge.count(std::numeric_limits<std::size_t>::max() / 16);
  EXPECT_THROW(read_from<std::vector<double>>(huge.head()), std::runtime_error);
  EXPECT_THROW(read_from<std::string>(huge.head()), std::runtime_error);
  EXPECT_THROW(read_from<std::vector<std::string>>(huge.head()), std::runtime_error);
  EXPECT_THROW(read_from<std::vector<nothing>>(huge.head()), std::runtime_error);
  EXPECT_THROW((read_from<std::map<int, nothing>>(huge.head())), std::runtime_error);
  const std::vector<std::byte> endless(11, std::byte{0xff});
  EXPECT_THROW(read_from<std::string>(endless), std::runtime_error);

  wire_writer blocks;
  blocks.put(numbers);
  const std::vector<std::size_t> wrong{numbers.size() * sizeof(double) + 8};
  EXPECT_THROW(read_from<std::vector<double>>(blocks.head()), std::runtime_error);
  EXPECT_THROW(read_from<std::vector<double>>(blocks.head(), wrong), std::runtime_error);
  EXPECT_THROW(read_from<picture>(blocks.head(), wrong), std::runtime_error);

  std::mt19937 random(1);
  for (int i = 0; i < 2000; ++i) {
    auto changed = w.head();
    changed[random() % changed.size()] = static_cast<std::byte>(random());
    try {
      read_from<type>(changed);
    } catch (const std::runtime_error&) {
    }
  }
}

}  // namespace
}  // namespace weir::codec_test
