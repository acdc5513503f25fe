# cmake -DWORK=<folder> -P check_classes_test.cmake: check_classes.cmake accepts a small tree that keeps the rules, and finds
# each way to break one that is planted in it.
cmake_minimum_required(VERSION 3.25)

# verdict(result output file text [file text]...): as in check_rooms_test.cmake.
function(verdict result output)
  file(REMOVE_RECURSE ${WORK})
  file(WRITE ${WORK}/model/law.hpp "namespace weir {\nclass law {\n  class part {\n    void add(int x_);\n  };\n  double at(double x) const;\n  double a_, b_{1};\n};\n}\n")
  file(WRITE ${WORK}/model/law.cpp "namespace weir {\ndouble law::at(double x) const {\n  using namespace std;\n  return x;\n}\nvoid law::part::add(int) {}\n}\n")
  file(WRITE ${WORK}/runtime/include/weir/run/start.hpp "struct run {\n  run();\n};\n")  # public ones lie apart
  file(WRITE ${WORK}/runtime/run/start.cpp "run::run() = default;\n")
  file(WRITE ${WORK}/scheduler/include/weir/scheduler/view/share.hpp "int share();\n")
  file(WRITE ${WORK}/scheduler/view/share.cpp "int share() { return law::part::one; }\n")
  set(planted ${ARGN})
  while(planted)
    list(POP_FRONT planted file text)
    string(REPLACE "<semicolon>" ";" text "${text}")
    file(WRITE ${WORK}/${file} "${text}")
  endwhile()
  execute_process(COMMAND ${CMAKE_COMMAND} -DROOT=${WORK} -DEXCEPTED= -P ${CMAKE_CURRENT_LIST_DIR}/check_classes.cmake
    RESULT_VARIABLE code OUTPUT_VARIABLE text ERROR_VARIABLE text)
  set(${result} ${code} PARENT_SCOPE)
  set(${output} "${text}" PARENT_SCOPE)
endfunction()

function(expect_accepted)
  verdict(code output ${ARGN})
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "refused ${ARGN}: ${output}")
  endif()
endfunction()

# expect_refused(reason file text [file text]...): the first file is named, and then the reason.
function(expect_refused reason file)
  verdict(code output ${file} ${ARGN})
  string(REGEX REPLACE "\n *" " " output "${output}")
  string(FIND "${output}" "${file}: ${reason}" at)
  if(code EQUAL 0 OR at EQUAL -1)
    message(FATAL_ERROR "did not refuse ${file} with ${ARGN} because \"${reason}\": ${output}")
  endif()
endfunction()

expect_accepted()
expect_accepted(model/a.hpp "#pragma once\n" model/a.cpp
  "namespace {\nclass law {\n  double at()<semicolon>\n}<semicolon>\ndouble law::at() { return 1<semicolon> }\n}\n")  # another law
expect_accepted(model/a.hpp "#pragma once\n" model/a.cpp "const int x = law::of(1)<semicolon>\nint f() { return law::of(1)<semicolon> }\n")

expect_refused("has no header of its name" model/a.cpp "int a() { return 1<semicolon> }\n")
expect_refused("has no header of its name" runtime/run/a.cpp "int a() { return 1<semicolon> }\n" runtime/include/weir/a.hpp "int a()<semicolon>\n")

foreach(definition "double law::at(double x) const {\n  return x<semicolon>\n}" "weir::law::law() : a_(f(1)) {}" "law::~law() = default<semicolon>"
    "std::map<int, law::part>& weir::law::all(\n    int) const {}" "bool law::operator<(const law& other) const {\n}" "double law::operator()(int) const {}"
    "template <class T>\nvoid law::part::add(T x) {}" "namespace a::b {\nlaw::operator bool() const {}\n}")
  expect_refused("has members of law, which model/law declares" model/a.cpp "${definition}\n" model/a.hpp "#pragma once\n")
endforeach()

# A class of so many members, and of one more.
set(most "  alignas(64) mutable WEIR_LOCK(law) mutex_<semicolon>\n  void (*f_)(int)<semicolon>\n  held<void(int)> g_ = nullptr<semicolon>\n  int h_ = other_, i_[2], j_{1}<semicolon>\n")
foreach(number RANGE 1 14)
  string(APPEND most "  int x${number}_<semicolon>  // and y_<semicolon>\n")
endforeach()
set(functions "  int f(int a_, int b_) const { return a_ + b_<semicolon> }\n  explicit wide(int x) : x1_{x}, x2_(x) {}\n  struct inner {\n    int z_<semicolon>\n  }<semicolon>\n")
expect_accepted(model/wide.hpp "class wide {\n${functions} private:\n${most}}<semicolon>\n")
expect_refused("wide has 21 members, which is more than 20" model/wide.hpp "class wide {\n${functions} private:\n${most}  int last_<semicolon>\n}<semicolon>\n")
expect_refused("wide has 21 members" model/wide.hpp "namespace weir {\nclass alignas(64) wide final : public base {\n${most}  int last_<semicolon>\n}<semicolon>\n}\n")

expect_refused("using namespace std at namespace scope" model/law.cpp "using namespace std<semicolon>\n")
expect_refused("using namespace std::chrono_literals at namespace scope" model/b.hpp "namespace weir {\nnamespace {\nusing namespace std::chrono_literals<semicolon>\n}\n}\n")
expect_refused("its braces do not match" model/b.hpp "namespace weir {\n")
