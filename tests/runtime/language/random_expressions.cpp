#include "tests/runtime/language/random_language.hpp"

#include <algorithm>

#include "tests/runtime/run/making_plans.hpp"

// Random labels and expressions.
namespace weir::testing::language {

const label_set& language_maker::any(const types& of) {
  return *std::next(of.begin(), up_to(static_cast<int>(of.size()) - 1));
}

label_set language_maker::some(const label_set& of, int most) {
  std::vector<std::string> data;
  for (const std::string& l : of)
    if (is_data(l)) data.push_back(l);
  std::shuffle(data.begin(), data.end(), random_);
  data.resize(std::min(data.size(), static_cast<std::size_t>(up_to(most))));
  return {data.begin(), data.end()};
}

term language_maker::number(const std::vector<std::string>& tags, int depth, bool may_divide) {
  if (depth == 0 || one_in(4)) {
    if (!tags.empty() && !one_in(4)) return value_of(any(tags));
    return one_in(30) ? constant((std::int64_t{1} << 62) + up_to(1000)) : constant(small());
  }
  const auto part = [&] { return number(tags, depth - 1, may_divide); };
  switch (up_to(may_divide ? 10 : 8)) {
    case 0:
      return made(term::negated, {part()});
    case 1:
      return made(term::absolute, {part()});
    case 2:
      return made(term::times, {part(), part()});
    case 3:
      return made(term::minus, {part(), part()});
    case 4:
      return made(term::least, {part(), part()});
    case 5:
      return made(term::most, {part(), part()});
    case 6:
      return made(term::chosen, {condition(tags, depth - 1, may_divide), part(), part()});
    case 7:
      return made(one_in(2) ? term::rest : term::over, {part(), constant(1 + up_to(6))});
    case 8:
      return made(term::plus, {part(), part()});
    default:
      return made(one_in(2) ? term::rest : term::over, {part(), part()});  // also for zero
  }
}

term language_maker::condition(const std::vector<std::string>& tags, int depth, bool may_divide) {
  static constexpr term::operation comparisons[] = {term::equal,   term::unequal, term::less,
                                                    term::at_most, term::greater, term::at_least};
  const auto part = [&] { return condition(tags, depth - 1, may_divide); };
  if (depth > 0 && one_in(4)) return made(one_in(2) ? term::both : term::either, {part(), part()});
  if (depth > 0 && one_in(6)) return made(term::opposite, {part()});
  if (tags.empty()) return made(comparisons[up_to(5)], {constant(small()), constant(small())});
  if (one_in(2)) {  // likely to differ between records
    return made(comparisons[up_to(5)], {remainder(any(tags), 2 + up_to(2)), constant(up_to(2))});
  }
  return made(comparisons[up_to(5)], {number(tags, depth, may_divide), number(tags, depth, may_divide)});
}

}  // namespace weir::testing::language
