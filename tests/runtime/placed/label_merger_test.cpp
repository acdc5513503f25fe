#include "runtime/placed/label_merger.hpp"

#include <gtest/gtest.h>

#include <string>

#include <weir/weir.hpp>

#include "tests/support/gives_all_back.hpp"

// Results get the labels that stayed at home.
namespace weir::label_merger_test {
namespace {

inline constexpr tag a{"a"}, b{"b"};
inline constexpr field<std::string> text{"text"}, other{"other"};

class a_label_merger : public testing::gives_all_back {
 protected:
  record merged(record result, const record& kept) {
    return record::adopt(merger_.merge(std::move(result).release(), kept.body()));
  }

 private:
  detail::label_merger merger_;
};

TEST_F(a_label_merger, adds_what_the_result_lacks) {
  const record kept{a = 1, text = "kept"};
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(to_string(merged(record{b = i, other = "x"}, kept)),
              "{other=x, text=kept, <a>=1, <b>=" + std::to_string(i) + "}");
  EXPECT_EQ(kept[text], "kept") << "values are shared";
}

TEST_F(a_label_merger, prefers_the_labels_of_the_result) {
  EXPECT_EQ(to_string(merged(record{a = 2, text = "new"}, record{a = 1, b = 3, text = "kept"})),
            "{text=new, <a>=2, <b>=3}");
}

TEST_F(a_label_merger, leaves_the_result_where_nothing_was_kept) {
  EXPECT_EQ(to_string(merged(record{a = 2}, record{})), "{<a>=2}");
}

}  // namespace
}  // namespace weir::label_merger_test
