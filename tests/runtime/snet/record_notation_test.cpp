#include <filesystem>
#include <map>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <weir/weir.hpp>

#include "runtime/snet/record_notation.hpp"

// Records as text: a printed record is read back as the same.
namespace weir::record_notation_test {
namespace {

using detail::make_word;
using detail::snet::record_fault;
using detail::snet::record_notation;
using field_map = std::map<std::string, const value_type*, std::less<>>;

std::string read(const std::string& line, field_map fields = {}) {
  static const registry known = registry{}.reads<std::vector<int>>([](std::string_view text) {
    if (text.empty()) throw std::invalid_argument("it is empty");
    return std::vector<int>(text.size(), 7);
  });
  try {
    return to_string(record_notation(std::move(fields), known).read(line));
  } catch (const record_fault& e) {
    return std::to_string(e.column) + ": " + e.what();
  }
}

TEST(a_record_as_text, is_read_as_it_prints) {
  for (const char* same : {"{}", "{a=1}", "{a=x-y, b=-7, <t>=3, <#k>=-9223372036854775808}"})
    EXPECT_EQ(read(same), same);
  EXPECT_EQ(read(" { a = 1 , b=two words,<t> =+4 } "), "{a=1, b=two words, <t>=4}");
  EXPECT_EQ(read("{a=\"x, \\\"y\\\"}\"}"), "{a=x, \"y\"}}");
  EXPECT_EQ(read("{a=}"), "{a=}");
  EXPECT_EQ(read("{a=\"\\x41\\t\\r\\n\\x0a\\q\"}"), "{a=A\t\r\n\nq}");
}

TEST(a_record_as_text, has_the_types_that_the_network_gives_its_fields) {
  EXPECT_EQ(read("{d=1.5}", {{"d", &value_type_of<double>}}), "{d=1.5}");
  EXPECT_EQ(read("{d=true}", {{"d", &value_type_of<bool>}}), "{d=1}");
  EXPECT_EQ(read("{d=300}", {{"d", &value_type_of<short>}}), "{d=300}");
  EXPECT_EQ(read("{d=5}", {{"d", &value_type_of<std::string>}}), "{d=5}");
  EXPECT_EQ(read("{d=x}", {{"d", &value_type_of<int>}}), "4: field d is int, got 'x'");
  EXPECT_EQ(read("{d=3000000000}", {{"d", &value_type_of<int>}}), "4: field d is int, got '3000000000'");
  EXPECT_EQ(read("{d=}", {{"d", &value_type_of<std::vector<int>>}}), "4: field d: it is empty");
}

// A reader may throw anything: the record is refused, with what the reader threw.
TEST(a_record_as_text, is_refused_by_whatever_its_reader_throws) {
  struct wordless final : std::exception {
    const char* what() const noexcept override { return nullptr; }
  };
  const registry known = registry{}.reads<std::vector<float>>([](std::string_view text) -> std::vector<float> {
    if (text == "number") throw 42;
    if (text == "text") throw "no such thing";
    throw wordless();
  });
  const record_notation notation({{"d", &value_type_of<std::vector<float>>}}, known);
  const auto refused = [&](const char* line) -> std::string {
    try {
      return "read " + to_string(notation.read(line));
    } catch (const record_fault& e) {
      return e.what();
    }
  };
  EXPECT_EQ(refused("{d=number}"), "field d: its reader threw an int: 42");
  EXPECT_EQ(refused("{d=text}"), "field d: its reader threw a const char*: \"no such thing\"");
  EXPECT_EQ(refused("{d=other}"), "field d: an exception whose what() is null");
}

TEST(a_record_as_text, is_refused_at_its_column) {
  EXPECT_EQ(read("a=1"), "1: expected '{', found 'a=1'");
  EXPECT_EQ(read("{a=1"), "5: expected '}', found the end of the line");
  EXPECT_EQ(read("{a=1} x"), "7: expected the end of the record, found 'x'");
  EXPECT_EQ(read("{<t>=1.5}"), "6: a tag is an integer of 64 bits, got '1.5'");
  EXPECT_EQ(read("{<t=1>}"), "4: expected '>', found '=1>}'");
  EXPECT_EQ(read("{a="), "4: expected '}', found the end of the line");
  EXPECT_EQ(read("{a=1, a=2}"), "7: label a stands twice");
  EXPECT_EQ(read("{a=\"\\x4\"}"), "6: \\x needs two hexadecimal digits, as in \\x1f");
  EXPECT_EQ(read("{a=\"x}"), "7: a value without its second quote");
}

// The labels of a record are bounded as in a text, so that reading a line takes time in proportion to its length.
TEST(a_record_as_text, has_at_most_as_many_labels_as_one_in_a_network) {
  const auto of = [](int labels) {
    std::string line = "{";
    for (int i = 0; i < labels; ++i) line += (i ? "," : "") + std::string("<t") + std::to_string(i) + ">=1";
    return line + "}";
  };
  EXPECT_EQ(read(of(1000)).substr(0, 7), "{<t0>=1");
  const std::string last = std::to_string(of(1000).size() + 1);  // behind the comma
  EXPECT_EQ(read(of(1001)), last + ": more than 1000 labels in one record");
  EXPECT_EQ(read(of(100'000)), last + ": more than 1000 labels in one record");
  EXPECT_EQ(read(of(999).replace(of(999).size() - 1, 1, ",<t3>=2}")),
            std::to_string(of(999).size() + 1) + ": label <t3> stands twice");
}

std::string written(const record& r, field_map fields = {}) {
  const registry none;
  return record_notation(std::move(fields), none).written(r);
}

inline constexpr field<std::string> text{"a"};

TEST(a_record_as_text, has_quotes_where_a_value_would_not_be_read_back_without) {
  for (const char* plain :
       {"", "two words", "x=1", "{x", "3.5", "1e3", "0x10", "-", "--1", "a\"b", "back\\slash", "\xc3\xa4"})
    EXPECT_EQ(written(record{text = plain}), std::string("{a=") + plain + "}");
  EXPECT_EQ(written(record{text = "x,}y"}), "{a=\"x,}y\"}");
  EXPECT_EQ(written(record{text = "1\n2\t\r\\\"\x1b"}), R"({a="1\n2\t\r\\\"\x1b"})");
  EXPECT_EQ(written(record{text = "\"x\""}), R"({a="\"x\""})");
  EXPECT_EQ(written(record{text = " x"}), "{a=\" x\"}");
  EXPECT_EQ(written(record{text = "x "}), "{a=\"x \"}");
  EXPECT_EQ(written(record{text = "\xff\xc2\x85"}), R"({a="\xff\xc2\x85"})");
  EXPECT_EQ(written(record{}), "{}");
}

TEST(a_record_as_text, has_quotes_around_a_text_that_looks_like_a_number_only_where_its_type_is_not_known) {
  for (const char* number : {"7", "007", "-5", "+5", "9223372036854775807"}) {
    EXPECT_EQ(written(record{text = number}), std::string("{a=\"") + number + "\"}");
    EXPECT_EQ(written(record{text = number}, {{"a", &value_type_of<std::string>}}), std::string("{a=") + number + "}");
  }
  EXPECT_EQ(written(record{field<std::int64_t>("a") = -7, tag("t") = 3}), "{a=-7, <t>=3}");
}

// A path prints in quotes of its own, which would become a part of it.
TEST(a_record_as_text, has_a_path_as_a_text) {
  constexpr field<std::filesystem::path> path{"p"};
  const field_map known{{"p", &value_type_of<std::filesystem::path>}};
  const registry none;
  for (const char* name : {"/a/b c", "7", "", "a \"b\"", "x,}y", "\xff"}) {
    const std::string line = written(record{path = name}, known);
    EXPECT_EQ(record_notation(known, none).read(line)[path], std::filesystem::path(name)) << line;
    EXPECT_EQ(written(record{path = name}), written(record{field<std::string>("p") = name}));
  }
}

// A random record, and which types of fields a network knows that gives it.
class random_record {
 public:
  explicit random_record(unsigned seed) : random_(seed) {
    for (const char* name : {"a", "b", "c", "d"})
      if (any(3)) add(name, label_kind::field);
    if (any(2)) add("a", label_kind::tag);
    if (any(2)) add("a", label_kind::binding_tag);
    made = words_.empty() ? record() : record::adopt(detail::body_of(words_.data(), words_.size()));
  }
  record made;
  field_map known;

 private:
  std::uint64_t any(std::uint64_t below) { return std::uniform_int_distribution<std::uint64_t>(0, below - 1)(random_); }

  template <class T>
  std::pair<const value_type*, detail::slot_word> typed(const char* name, T value) {
    known[name] = &value_type_of<T>;
    return {&value_type_of<T>, make_word<T>(std::move(value))};
  }
  std::string some_text() {
    constexpr std::string_view odd = ",}{=<> \t\n\r\"\\\0\x1b\x7f\xff\xc3\xa4\xe2\x82+-0123456789xn";
    std::string value;
    for (auto n = any(8); n > 0; --n) value += odd[any(odd.size())];
    return any(4) ? value : std::to_string(static_cast<std::int64_t>(random_()));
  }
  std::pair<const value_type*, detail::slot_word> some_value(const char* name) {
    const auto number = static_cast<std::int64_t>(random_() >> any(64));
    switch (any(9)) {
      case 0:
        return typed(name, some_text());
      case 1:
        return typed(name, static_cast<int>(number));
      case 2:
        return typed(name, static_cast<double>(any(2000)) / 8 - 100);
      case 3:
        return typed(name, any(2) == 0);
      case 4:
        return typed(name, static_cast<char>(any(256)));
      case 5:
        return typed(name, number);
      case 6:
        return {&value_type_of<std::int64_t>, make_word<std::int64_t>(number)};
      default:
        return {&value_type_of<std::string>, make_word<std::string>(some_text())};
    }
  }
  void add(const char* name, label_kind kind) {
    detail::labelled_word w{name, detail::label_key(name, kind), kind, nullptr, random_()};
    if (kind == label_kind::field) std::tie(w.type, w.word) = some_value(name);
    words_.push_back(w);
  }

  std::mt19937_64 random_;
  std::vector<detail::labelled_word> words_;
};

TEST(a_record_as_text, is_one_line_that_is_read_back_to_the_same_record) {
  const registry none;
  for (unsigned seed = 1; seed <= 20'000; ++seed) {
    const random_record drawn(seed);
    const record_notation notation(drawn.known, none);
    const std::string line = notation.written(drawn.made);
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + line);
    for (const char c : line) ASSERT_TRUE(static_cast<unsigned char>(c) >= ' ' && c != 0x7f);
    const record again = notation.read(line);
    ASSERT_EQ(&again.shape(), &drawn.made.shape()) << "other labels or types";
    ASSERT_EQ(to_string(again), to_string(drawn.made));
    ASSERT_EQ(notation.written(again), line);
  }
}

}  // namespace
}  // namespace weir::record_notation_test
