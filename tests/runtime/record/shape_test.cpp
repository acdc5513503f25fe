#include <weir/record/shape.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <new>
#include <string>
#include <vector>

#include "tests/runtime/language/labels.hpp"

namespace weir::detail {
namespace {

using namespace testing;

// Labels that no other test uses: tags and fields, in turn.
std::vector<const label_info*> many_labels(int count) {
  std::vector<const label_info*> made;
  for (int i = 0; i < count; ++i) {
    const std::string name = "one of many labels " + std::to_string(i);
    made.push_back(i % 2 ? tag{name}.info() : field<std::string>{name}.info());
  }
  return made;
}

TEST(a_shape, finds_the_slot_of_each_of_its_labels_and_no_other_however_many_there_are) {
  const std::vector<const label_info*> labels = many_labels(101);
  for (std::size_t count = 0; count < labels.size(); ++count) {
    const shape* const s = shape::of({labels.data(), count});
    ASSERT_EQ(s->size(), static_cast<int>(count));
    for (int slot = 0; slot < s->size(); ++slot) ASSERT_EQ(s->find((*s)[slot].key), slot) << "of " << count;
    for (std::size_t i = count; i < labels.size(); ++i) ASSERT_EQ(s->find(labels[i]->key), -1) << "of " << count;
  }
}

TEST(a_shape, refuses_a_label_that_stands_twice_and_a_field_of_two_types_however_many_labels_there_are) {
  for (const int count : {2, 100}) {
    std::vector<const label_info*> labels = many_labels(count);
    labels.push_back(labels.front());
    EXPECT_EQ(refusal([&] { shape::of(labels); }), "label one of many labels 0 stands twice in one record");
    labels.back() = field<int>{"one of many labels 0"}.info();
    EXPECT_EQ(refusal([&] { shape::of(labels); }),
              "field 'one of many labels 0' stands with two types in one record: std::string and int");
  }
}

TEST(a_shape, has_at_most_as_many_labels_as_a_slot_of_16_bits_can_tell_apart) {
  const std::vector<const label_info*> labels(65'536, n.info());
  EXPECT_EQ(refusal<std::bad_alloc>([&] { shape::of(labels); }),
            "a record has more than 65535 labels");  // which ends a record that runs, and no more
}

}  // namespace
}  // namespace weir::detail
