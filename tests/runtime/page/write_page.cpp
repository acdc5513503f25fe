// write_page TITLE < data.json > page.html
#include <exception>
#include <iostream>
#include <iterator>
#include <string>

#include "runtime/page/page.hpp"

int main(int count, char** arguments) {
  if (count != 2) {
    std::cerr << "usage: write_page TITLE < data.json > page.html\n";
    return 2;
  }
  try {
    const std::string data{std::istreambuf_iterator<char>(std::cin), {}};
    std::cout << weir::html_page(arguments[1], data) << std::flush;
    return std::cout ? 0 : 1;
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
