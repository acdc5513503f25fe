// write_page TITLE [live] < data.json > page.html: with `live`, of a page that a server feeds.
#include <exception>
#include <iostream>
#include <iterator>
#include <string>

#include <weir/page/page.hpp>

int main(int count, char** arguments) {
  const bool is_live = count == 3 && arguments[2] == std::string("live");
  if (count != 2 && !is_live) {
    std::cerr << "usage: write_page TITLE [live] < data.json > page.html\n";
    return 2;
  }
  try {
    const std::string data{std::istreambuf_iterator<char>(std::cin), {}};
    std::cout << weir::html_page(arguments[1], data, is_live ? weir::page_feed::server : weir::page_feed::none)
              << std::flush;
    return std::cout ? 0 : 1;
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
