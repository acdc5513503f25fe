# cmake -DWORK=<folder> -P check_classes_test.cmake: check_classes.cmake accepts a small tree that keeps the rules, and
# finds each way to break one that is planted in it.
cmake_minimum_required(VERSION 3.25)

# verdict(file text): makes the tree with `text` in `file`, runs the check on it, and sets `code` and `output`.
function(verdict file text)
  file(REMOVE_RECURSE ${WORK})
  file(WRITE ${WORK}/model/law.hpp [[
namespace weir {
class law {
  class part {
    void add(int x_);
  };
  double at(double x) const;
  double a_, b_{1};
};
}
]])
  file(WRITE ${WORK}/model/law.cpp [[
namespace weir {
double law::at(double x) const {
  using namespace std;
  return x;
}
void law::part::add(int) {}
}
]])
  file(WRITE ${WORK}/model/a.hpp "#pragma once\n")
  file(WRITE ${WORK}/runtime/include/weir/run/start.hpp "struct run {\n  run();\n};\n")  # public ones lie apart
  file(WRITE ${WORK}/runtime/run/start.cpp "run::run() = default;\n")
  file(WRITE ${WORK}/scheduler/include/weir/scheduler/view/share.hpp "int share();\n")
  file(WRITE ${WORK}/scheduler/view/share.cpp "int share() { return law::part::one; }\n")
  file(WRITE ${WORK}/${file} "${text}\n")
  execute_process(COMMAND ${CMAKE_COMMAND} -DROOT=${WORK} -P ${CMAKE_CURRENT_LIST_DIR}/check_classes.cmake
    RESULT_VARIABLE code OUTPUT_VARIABLE text ERROR_VARIABLE text)
  string(REGEX REPLACE "\n *" " " text "${text}")  # lines of messages are folded
  set(code ${code} PARENT_SCOPE)
  set(output "${text}" PARENT_SCOPE)
endfunction()

function(expect_accepted file text)
  verdict(${file} "${text}")
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "refused ${file} with ${text}: ${output}")
  endif()
endfunction()

# expect_refused(reason file text): the file is named, and then the reason.
function(expect_refused reason file text)
  verdict(${file} "${text}")
  string(FIND "${output}" "${file}: ${reason}" at)
  if(code EQUAL 0 OR at EQUAL -1)
    message(FATAL_ERROR "did not refuse ${file} with ${text} because \"${reason}\": ${output}")
  endif()
endfunction()

# A header of its name.
expect_accepted(model/a.cpp "int a() { return 1; }")
expect_refused("has no header of its name" model/b.cpp "int a() { return 1; }")
expect_refused("has no header of its name" runtime/run/law.cpp "int a() { return 1; }")

# Members: of another class of that name, in expressions, and in all forms of a definition.
expect_accepted(model/a.cpp "namespace {\nclass law {\n  double at();\n};\ndouble law::at() { return 1; }\n}")
expect_accepted(model/a.cpp "const int x = law::of(1);\nint f() {\n  return law::of(1);\n}")
foreach(definition "double law::at(double x) const {\n  return x\;\n}" "weir::law::law() : a_(f(1)) {}"
    "law::~law() = default\;" "std::map<int, law::part>& weir::law::all(\n    int) const {}"
    "bool law::operator<(const law& other) const {\n}" "double law::operator()(int) const {}"
    "template <class T>\nvoid law::part::add(T x) {}" "namespace a::b {\nlaw::operator bool() const {}\n}")
  expect_refused("has members of law, which model/law declares" model/a.cpp "${definition}")
endforeach()

# As many members as a class may have, and one more.
set(members [[
  int f(int a_, int b_) const { return a_ + b_; }
  explicit wide(int x) : x1_{x}, x2_(x) {}
  struct inner {
    int z_;
  };
 private:
  alignas(64) mutable WEIR_LOCK(law) mutex_;
  void (*f_)(int);
  held<void(int)> g_ = nullptr;
  int h_ = other_, i_[2], j_{1};
]])
foreach(number RANGE 1 14)
  string(APPEND members "  int x${number}_;  // and y_;\n")
endforeach()
expect_accepted(model/wide.hpp "class wide {\n${members}};")
string(APPEND members "  int last_;\n")
foreach(head "class wide {" "namespace weir {\nclass alignas(64) wide final : public base {")
  expect_refused("wide has 21 members, which is more than 20" model/wide.hpp "${head}\n${members}};")
endforeach()

expect_refused("using namespace std at namespace scope" model/law.cpp "using namespace std;")
expect_refused("using namespace std::literals at namespace scope" model/b.hpp
  "namespace weir {\nnamespace {\nusing namespace std::literals;\n}\n}")
expect_refused("its braces do not match" model/b.hpp "namespace weir {")
