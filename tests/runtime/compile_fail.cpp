// One piece of code for each number CASE. All but 0 must be refused while it is compiled, each with its message
// (CMakeLists.txt beside this has them).
#include <optional>
#include <string>
#include <tuple>

#include <weir/weir.hpp>

using namespace weir;

inline constexpr field<std::string> s{"s"};
inline constexpr tag n{"n"}, k{"k"};

void snippet() {
#if CASE == 0
  box("f", takes(s, n), gives(k), [](const std::string&, std::int64_t) { return 1; });
#elif CASE == 1   // a parameter too few
  box("f", takes(s, n), gives(k), [](const std::string&) { return 1; });
#elif CASE == 2   // a parameter of another type
  box("f", takes(s), gives(k), [](int) { return 1; });
#elif CASE == 3   // a field taken by a reference through which it could be changed
  box("f", takes(s), gives(k), [](std::string&) { return 1; });
#elif CASE == 4   // a result of another type
  box("f", takes(n), gives(s), [](std::int64_t) { return std::tuple(1, 2); });
#elif CASE == 5   // a value too few
  box("f", takes(n), gives(s, k), [](std::int64_t) { return std::string(); });
#elif CASE == 6   // nothing where a value is declared
  box("f", takes(n), gives(k), [](std::int64_t) {});
#elif CASE == 7   // a choice of variants without an emitter
  box("f", takes(n), gives(s) | gives(k), [](std::int64_t) { return std::string(); });
#elif CASE == 8   // a sink that returns something
  box("f", takes(n), gives_none, [](std::int64_t) { return 1; });
#elif CASE == 9   // an emitter and a result
  box("f", takes(n), gives(k), [](std::int64_t, emitter& emit) {
    emit(k = 1);
    return 1;
  });
#elif CASE == 10  // a predictor of other arguments
  box("f", takes(n), gives(k), [](std::int64_t) {
    return 1;
  }).predicted_by([](const std::string&) { return 1.0; }, degree{1});
#elif CASE == 11  // a value that is none of the field's type
  record{s = 5.0 * 3};
#elif CASE == 12  // a floating-point number in a tag
  record{n = 1.5};
#elif CASE == 13  // a field of a reference
  constexpr field<const std::string&> wrong{"wrong"};
  (void)wrong;
#elif CASE == 14  // 33 values
  box("f", takes(),
      gives(n, n, n, n, n, n, n, n, n, n, n, n, n, n, n, n, n, n, n, n, n, n, n, n, n, n, n, n, n, n, n, n, n), [] {
        return std::tuple(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
                          1, 1);
      });
#elif CASE == 15  // a constant where only a field of the pattern may stand
  filter(takes(n)).emit(s = "constant");
#endif
}
