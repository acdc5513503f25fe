#include <pthread.h>

#include <array>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "runtime/record/spare_body.hpp"
#include "tests/runtime/language/labels.hpp"
#include "tests/support/gives_all_back.hpp"

namespace weir {

template <>
inline constexpr bool is_view<const char*> = false;  // of a literal

namespace {

using namespace testing;

struct opaque {
  std::array<char, 40> bytes{};
};
struct tiny_opaque {
  char byte = 0;
};
struct copy_counter {
  static inline int copies = 0;
  std::string text = long_text(0);
  copy_counter() = default;
  copy_counter(const copy_counter& other) : text(other.text) { ++copies; }
  copy_counter(copy_counter&&) = default;
};
struct throws_when_made {
  explicit throws_when_made(int) { throw std::runtime_error("cannot be made"); }
  std::string text;
};
struct alignas(64) wide {
  double values[8] = {1, 2, 3, 4, 5, 6, 7, 8};
};

class a_record : public gives_all_back {};

TEST_F(a_record, holds_what_was_bound_to_its_labels) {
  const record r{a = 7, s = "text", n = -3, bk = 9};
  EXPECT_EQ(r[a], 7);
  EXPECT_EQ(r[s], "text");
  EXPECT_EQ(r[n], -3);
  EXPECT_EQ(r[bk], 9);
}

TEST_F(a_record, gives_up_a_field_by_moving_it_when_no_other_shares_it) {
  static constexpr field<copy_counter> counted{"counted"};
  record mine{counted = copy_counter(), a = 7};
  copy_counter::copies = 0;
  EXPECT_EQ(mine.take(counted).text, long_text(0));
  EXPECT_EQ(copy_counter::copies, 0);
  EXPECT_TRUE(mine.contains(counted)) << "the label stays";
  EXPECT_EQ(mine.take(a), 7) << "a small value is copied";
  EXPECT_EQ(mine[a], 7);

  record one{counted = copy_counter()};
  const record other = one;
  EXPECT_EQ(one.take(counted).text, long_text(0));
  EXPECT_EQ(copy_counter::copies, 1);
  EXPECT_EQ(other[counted].text, long_text(0)) << "what others share stays as it was";
}

TEST_F(a_record, does_not_give_up_what_it_lacks_or_what_is_shared_and_cannot_be_copied) {
  static constexpr field<std::unique_ptr<int>> only{"only"};
  record r{only = std::make_unique<int>(3)};
  EXPECT_EQ(*r.take(only), 3);
  record one{only = std::make_unique<int>(4)};
  const record other = one;
  EXPECT_THROW(one.take(only), std::logic_error);
  EXPECT_EQ(*other[only], 4);
  EXPECT_THROW(one.take(s), std::out_of_range);
}

TEST_F(a_record, keeps_the_three_namespaces_of_a_name_apart) {
  constexpr field<int> as_field{"same"};
  constexpr tag as_tag{"same"};
  constexpr btag as_btag{"same"};
  const record r{as_field = 1, as_tag = 2, as_btag = 3};
  EXPECT_EQ(r[as_field], 1);
  EXPECT_EQ(r[as_tag], 2);
  EXPECT_EQ(r[as_btag], 3);
  EXPECT_EQ(to_string(r), "{same=1, <same>=2, <#same>=3}");
  EXPECT_FALSE(record{as_tag = 2}.contains(as_field));
  EXPECT_FALSE(record{as_tag = 2}.contains(as_btag));
}

TEST_F(a_record, keeps_every_tag_value_from_the_least_to_the_largest) {
  constexpr auto least = std::numeric_limits<std::int64_t>::min(), most = std::numeric_limits<std::int64_t>::max();
  const record r{n = least, k = most};
  EXPECT_EQ(r[n], least);
  EXPECT_EQ(r[k], most);
  EXPECT_EQ(to_string(r), "{<k>=9223372036854775807, <n>=-9223372036854775808}");
}

TEST_F(a_record, prints_fields_then_tags_then_binding_tags_each_sorted_by_name) {
  constexpr field<std::string> by{"by"};
  EXPECT_EQ(to_string(record{bk = 7, t = 3, by = "L", a = 1}), "{a=1, by=L, <t>=3, <#k>=7}");
  std::ostringstream text;
  text << record{n = 1};
  EXPECT_EQ(text.str(), "{<n>=1}");
  EXPECT_EQ(to_string(record()), "{}");
}

TEST_F(a_record, prints_a_field_without_an_operator_as_its_type) {
  constexpr field<opaque> o{"o"};
  constexpr field<tiny_opaque> small{"small"};
  const std::string text = to_string(record{o = opaque{}, small = tiny_opaque{}});
  EXPECT_NE(text.find("o=weir::opaque"), std::string::npos) << text;
  EXPECT_NE(text.find("small=weir::tiny_opaque"), std::string::npos) << text;
}

struct half_printed {
  std::string text = long_text(0);
};
std::ostream& operator<<(std::ostream& to, const half_printed&) {
  to << std::hex << "half of ";
  throw std::runtime_error("the other half");
}
struct silent {
  std::string text = long_text(0);
};
std::ostream& operator<<(std::ostream& to, const silent&) {
  to.setstate(std::ios::failbit);
  return to;
}

TEST_F(a_record, prints_a_field_whose_operator_throws_as_its_type_and_all_else_as_ever) {
  const record r{field<int>("before") = 17, field<half_printed>("broken") = half_printed{},
                 field<int>("later") = 18,  field<silent>("quiet") = silent{},
                 field<int>("rest") = 19,   n = 20};
  EXPECT_EQ(to_string(r), "{before=17, broken=weir::half_printed, later=18, quiet=, rest=19, <n>=20}");
}

// Records in fields of records print inside one another. Where the stack ends, a record prints as its type.
TEST_F(a_record, prints_as_deep_as_the_stack_allows) {
  const auto nested = [](int depth) {
    record r = n = 7;
    for (int i = 0; i < depth; ++i) r = record{field<record>("in") = std::move(r)};
    return r;
  };
  EXPECT_EQ(to_string(nested(3)), "{in={in={in={<n>=7}}}}");
  pthread_attr_t attributes;
  ASSERT_EQ(pthread_attr_init(&attributes), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, std::size_t{1} << 20), 0);
  std::pair<record, std::string> printed{nested(5'000), ""};
  const auto print = [](void* to) -> void* {
    auto& [r, text] = *static_cast<std::pair<record, std::string>*>(to);
    text = to_string(r);
    return nullptr;
  };
  pthread_t thread;
  ASSERT_EQ(pthread_create(&thread, &attributes, print, &printed), 0);
  ASSERT_EQ(pthread_join(thread, nullptr), 0);
  pthread_attr_destroy(&attributes);
  EXPECT_EQ(printed.second.rfind("{in={in={in=", 0), 0u);
  EXPECT_NE(printed.second.find("{in=weir::record}}}"), std::string::npos);
}

template <class T>
struct of {};

TEST(a_type_name, is_what_people_write) {
  using word_counts = std::map<std::string, std::vector<std::int16_t>>;
  const std::pair<std::string, std::string> written[] = {
      {type_name(typeid(int)), "int"},
      {type_name(typeid(std::string)), "std::string"},
      {type_name(typeid(std::string_view)), "std::string_view"},
      {type_name(typeid(std::wstring)), "std::wstring"},
      {type_name(typeid(std::vector<std::string>)), "std::vector<std::string>"},
      {type_name(typeid(word_counts)), "std::map<std::string, std::vector<short>>"},
      {type_name(typeid(std::map<int, char, std::greater<>>)), "std::map<int, char, std::greater<void>>"},
      {type_name(typeid(std::unordered_map<std::string, int>)), "std::unordered_map<std::string, int>"},
      {type_name(typeid(std::shared_ptr<const std::string>)), "std::shared_ptr<const std::string>"},
      {type_name(typeid(std::unique_ptr<int[]>)), "std::unique_ptr<int []>"},
      {type_name(typeid(const char*)), "const char*"},
      {type_name(typeid(std::function<void(int, std::string)>)), "std::function<void (int, std::string)>"},
      {type_name(typeid(of<of<opaque>>)), "weir::of<weir::of<weir::opaque>>"}};
  for (const auto& [is, expected] : written) EXPECT_EQ(is, expected);
}

TEST_F(a_record, lists_its_labels_as_it_prints_them) {
  EXPECT_EQ((record{bk = 7, t = 3, s = "L", a = 1}.labels()), (std::vector<std::string>{"a", "s", "<t>", "<#k>"}));
  EXPECT_TRUE(record().labels().empty());
}

TEST_F(a_record, shares_its_fields_with_its_copies_and_copies_only_its_tags) {
  constexpr field<copy_counter> counted{"counted"};
  copy_counter::copies = 0;
  const record r{counted = copy_counter{}, n = 1};
  const record copy = r;
  record assigned;
  assigned = copy;
  EXPECT_EQ(&r[counted], &copy[counted]) << "a copy has the very same value";
  EXPECT_EQ(&r[counted], &assigned[counted]);
  EXPECT_EQ(copy_counter::copies, 0);
}

TEST_F(a_record, outlives_the_record_it_was_copied_from) {
  record copy;
  {
    const record r{s = long_text(1), n = 1};
    copy = r;
  }
  EXPECT_EQ(copy[s], long_text(1));
}

TEST_F(a_record, is_empty_after_it_was_moved_from) {
  record r{s = long_text(1)};
  const record other = std::move(r);
  EXPECT_TRUE(r.labels().empty());  // NOLINT: what a moved-from record is, is part of the contract
  EXPECT_EQ(other[s], long_text(1));
  r = other;
  EXPECT_EQ(r[s], long_text(1));
}

TEST_F(a_record, assigned_to_itself_stays_what_it_was) {
  record r{s = long_text(1), n = 2};
  const record& same = r;
  r = same;
  EXPECT_EQ(to_string(r), "{s=" + long_text(1) + ", <n>=2}");
}

TEST_F(a_record, carries_small_fields_of_every_kind_unchanged) {
  constexpr field<char> letter{"letter"};
  constexpr field<float> number{"number"};
  constexpr field<bool> flag{"flag"};
  constexpr field<std::array<std::int16_t, 4>> four{"four"};
  constexpr field<const char*> pointer{"pointer"};
  const char* const text = "text";
  const record r{letter = 'q', number = 1.5f, flag = true, four = std::array<std::int16_t, 4>{-1, 2, -3, 4},
                 pointer = text};
  const record copy = r;
  EXPECT_EQ(copy[letter], 'q');
  EXPECT_EQ(copy[number], 1.5f);
  EXPECT_TRUE(copy[flag]);
  EXPECT_EQ(copy[four], (std::array<std::int16_t, 4>{-1, 2, -3, 4}));
  EXPECT_EQ(copy[pointer], text);
}

TEST_F(a_record, carries_fields_that_cannot_be_copied) {
  constexpr field<std::unique_ptr<int>> owned{"owned"};
  const record r{owned = std::make_unique<int>(5)};
  const record copy = r;
  EXPECT_EQ(*copy[owned], 5);
  EXPECT_EQ(copy[owned].get(), r[owned].get());
}

TEST_F(a_record, keeps_the_alignment_of_its_fields) {
  constexpr field<wide> w{"w"};
  const record r{n = 1, w = wide{}, s = "x"};
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&r[w]) % alignof(wide), 0u);
  EXPECT_EQ(r[w].values[7], 8);
}

template <std::size_t... I>
record record_of(std::index_sequence<I...>) {
  static const std::array<std::string, sizeof...(I)> names{("l" + std::to_string(100 + I))...};
  return record{(field<std::string>{names[I]} = long_text(I))...};
}
template <std::size_t Count>
void expect_all_labels() {
  const record r = record_of(std::make_index_sequence<Count>());
  const record copy = r;
  ASSERT_EQ(copy.labels().size(), Count);
  for (std::size_t i = 0; i < Count; ++i) {
    const std::string name = "l" + std::to_string(100 + i);
    ASSERT_EQ(copy[field<std::string>{name}], long_text(static_cast<std::int64_t>(i)));
  }
}

TEST_F(a_record, may_have_more_labels_than_a_pool_block_holds) {
  expect_all_labels<13>();
  expect_all_labels<14>();
  expect_all_labels<15>();
  expect_all_labels<16>();
  expect_all_labels<17>();
  expect_all_labels<40>();
}

TEST_F(a_record, says_which_label_it_lacks_and_what_it_has) {
  const record r{a = 1, n = 2};
  EXPECT_EQ(refusal<std::out_of_range>([&] { (void)r[s]; }), "no label s in the record {a=1, <n>=2}");
  EXPECT_THROW((void)r[k], std::out_of_range);
  EXPECT_THROW((void)r[bk], std::out_of_range);
  EXPECT_THROW((void)record()[n], std::out_of_range);
  EXPECT_TRUE(r.contains(a));
  EXPECT_TRUE(r.contains(n));
  EXPECT_FALSE(r.contains(s));
  EXPECT_FALSE(record().contains(n));
}

TEST_F(a_record, does_not_give_a_field_as_another_type) {
  constexpr field<double> as_double{"a"};
  const record r{a = 1};
  EXPECT_FALSE(r.contains(as_double));
  EXPECT_EQ(refusal<std::out_of_range>([&] { (void)r[as_double]; }),
            "field 'a' of the record {a=1} holds an int, asked for was a double");
}

TEST_F(a_record, refuses_a_label_that_stands_twice_and_loses_nothing) {
  constexpr field<std::string> as_string{"a"};
  EXPECT_EQ(refusal([] { const record r{n = 1, n = 2}; }), "label <n> stands twice in one record");
  EXPECT_THROW((record{s = long_text(1), s = long_text(2)}), type_error);
  const std::string text = refusal([&] { const record r{a = 1, as_string = long_text(1)}; });
  EXPECT_NE(text.find("field 'a' stands with two types"), std::string::npos) << text;
  EXPECT_NE(text.find("int"), std::string::npos) << text;
}

TEST_F(a_record, loses_nothing_when_one_of_its_values_cannot_be_made) {
  constexpr field<throws_when_made> bad{"bad"};
  EXPECT_THROW((record{s = long_text(1), bad = 1}), std::runtime_error);
  EXPECT_THROW((record{bad = 1, s = long_text(1)}), std::runtime_error);
}

TEST_F(a_record, refuses_a_label_without_a_name) {
  constexpr tag nameless{""};
  EXPECT_THROW((record{nameless = 1}), type_error);
}

// A thread keeps the body of one dropped record for the next that it makes, of any shape that fits a block. Values end,
// and all blocks are given back.
TEST_F(a_record, leaves_its_body_to_the_next_one) {
#ifdef WEIR_FRESH_BLOCKS
  constexpr bool keeps_none = true;
#else
  constexpr bool keeps_none = false;
#endif
  const long long before = pool::live();
  const auto body = [](record&& r) { return std::move(r).release(); };
  const auto ended = std::make_shared<int>(0);
  constexpr field<std::shared_ptr<int>> shared{"shared"};
  {
    detail::spare_body spare;
    detail::record_body* const first = body({n = 1, k = 2});
    spare.drop(first);
    const record other{a = 1, n = 2, x = 3};
    detail::record_body* const next = spare.make(&other.shape());
    EXPECT_EQ(next->shape, &other.shape());
    EXPECT_EQ(next->where, nullptr);
    EXPECT_EQ(next->order, nullptr);
    EXPECT_EQ(next == first, !keeps_none);
    spare.drop(next);
    spare.drop(body({n = 1}));  // one is kept
    EXPECT_EQ(pool::live(), before + (keeps_none ? 1 : 2)) << "of the other record, and the spare one";
    detail::drop_body(spare.make(&other.shape()));
    spare.drop(body({shared = ended}));
    EXPECT_EQ(ended.use_count(), 1);
    EXPECT_EQ(pool::live(), before + 1) << "of the other record";
    spare.drop(body({n = 1}));
  }
  EXPECT_EQ(pool::live(), before);
}

TEST_F(a_record, gives_its_blocks_back_in_whatever_thread_it_ends) {
  const long long before = pool::live();
  std::vector<record> records;
  for (int i = 0; i < 1000; ++i) records.push_back(record{s = long_text(i), n = i});
  EXPECT_EQ(pool::live(), before + 2 * 1000) << "a body and a boxed field each";
  std::thread([gone = std::move(records)]() mutable { gone.clear(); }).join();
  EXPECT_EQ(pool::live(), before);
}

TEST_F(a_record, shared_by_many_threads_ends_once) {
  const record shared{s = long_text(5), n = 5};
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([mine = shared] {
      for (int j = 0; j < 1000; ++j) {
        const record copy = mine;
        ASSERT_EQ(copy[s], long_text(5));
      }
    });
  for (std::thread& one : threads) one.join();
  EXPECT_EQ(shared[s], long_text(5));
}

TEST(a_label, is_a_constant_that_knows_its_name_and_kind) {
  static_assert(a.name() == "a" && a.kind() == label_kind::field);
  static_assert(n.name() == "n" && n.kind() == label_kind::tag);
  static_assert(bk.name() == "k" && bk.kind() == label_kind::binding_tag);
  static_assert(k.key() != bk.key(), "the same name in two namespaces is two labels");
  EXPECT_EQ(to_string(*a.info()), "a");
  EXPECT_EQ(to_string(*n.info()), "<n>");
  EXPECT_EQ(to_string(*bk.info()), "<#k>");
  EXPECT_EQ(a.info(), field<int>{"a"}.info()) << "one label however often it is written down";
}

TEST(a_label, is_the_same_whatever_its_name_was_written_in) {
  const std::string name = "a label of a running program";
  const auto [from_string, from_view] = [] {
    const std::string gone = "a label of a running program, and more";
    return std::pair(tag{gone.substr(0, 28)}, field<int>{std::string_view(gone).substr(0, 28)});
  }();
  EXPECT_EQ(from_string.name(), name);
  EXPECT_EQ(from_view.name(), name);
  EXPECT_EQ(from_string.c_str(), from_view.c_str()) << "one copy however often it is made";

  constexpr tag literal{"a label of a running program"};
  static constexpr std::string_view whole = "a label of a running program";
  constexpr tag constant{whole};
  EXPECT_EQ(literal.info(), from_string.info());
  EXPECT_EQ(constant.info(), from_string.info());
  EXPECT_EQ((record{literal = 3}[from_string]), 3);
}

TEST(a_label, is_refused_a_name_with_a_nul_in_it) {
  const std::string name("a\0b", 3);
  const std::string why = "a name has a NUL after 1 of its 3 characters, expected none";
  EXPECT_EQ(refusal([&] { (void)tag{name}; }), why);
  EXPECT_EQ(refusal([&] { (void)field<int>{std::string_view(name)}; }), why);
  EXPECT_EQ(refusal([&] { box(name, takes(n), gives(n), [](std::int64_t v) { return v; }); }), why);
}

TEST(a_label, has_a_key_of_its_own_whatever_its_namespace) {
  std::vector<std::string> names;
  for (char one = 'a'; one <= 'z'; ++one) {
    names.emplace_back(1, one);
    for (char two = 'a'; two <= 'z'; ++two) names.push_back({one, two});
  }
  std::map<std::uint64_t, std::string> seen;
  for (const label_kind kind : {label_kind::field, label_kind::tag, label_kind::binding_tag})
    for (const std::string& name : names) {
      const std::string label = name + " of kind " + std::to_string(static_cast<int>(kind));
      const auto [at, fresh] = seen.try_emplace(detail::label_key(name.c_str(), kind), label);
      EXPECT_TRUE(fresh) << label << " has the key of " << at->second;
    }
}

}  // namespace
}  // namespace weir
