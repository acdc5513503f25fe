// A placeholder for the example of README.md.
#include <iostream>
#include <weir/weir.hpp>

int main() { std::cout << weir::to_string(weir::core_set::range(0, 4)) << '\n'; }
