#include <weir/page/page.hpp>

#include <cstddef>
#include <stdexcept>

#include "runtime/page/template.hpp"

namespace weir {
namespace {

// Text as HTML shows it, in an element or in a quoted attribute.
std::string html_text(std::string_view text) {
  std::string escaped;
  escaped.reserve(text.size());
  for (const char c : text) switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\'':
        escaped += "&#39;";
        break;
      default:
        escaped += c;
    }
  return escaped;
}

// The same JSON, which no reader of HTML or JavaScript takes for anything else. `<` and the two line ends that
// JavaScript has besides those of JSON occur in strings alone, where they may be escaped.
std::string json_in_html(std::string_view text) {
  std::string escaped;
  escaped.reserve(text.size() + text.size() / 64);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::string_view rest = text.substr(i);
    if (rest.front() == '<') {
      escaped += "\\u003c";
    } else if (rest.starts_with("\xe2\x80\xa8") || rest.starts_with("\xe2\x80\xa9")) {
      escaped += rest[2] == '\xa8' ? "\\u2028" : "\\u2029";
      i += 2;
    } else {
      escaped += rest.front();
    }
  }
  return escaped;
}

}  // namespace

bool has_page() noexcept { return !detail::page_template().empty(); }

std::string_view missing_page() noexcept {
  return "this weir was built without its page, since CMake did not find dygraphs and dagre; "
         "runtime/package/prepare.sh --page installs them, then weir is built again";
}

std::string html_page(std::string_view title, std::string_view data_json, page_feed feed) {
  if (!has_page()) throw std::runtime_error("weir::html_page: " + std::string(missing_page()));
  std::string page;
  for (const std::string_view piece : detail::page_template()) page += piece;

  // In the order of the template, each looked for behind the one before: inserted text is not searched.
  std::size_t from = 0;
  const auto put = [&](std::string_view mark, std::string_view text) {
    from = page.find(mark, from);
    if (from == std::string::npos) throw std::logic_error("weir::html_page: the template lacks " + std::string(mark));
    page.replace(from, mark.size(), text);
    from += text.size();
  };
  put("@CONNECT@", feed == page_feed::server ? "'self'" : "'none'");
  put("@TITLE@", html_text(title));
  put("@DATA@", json_in_html(data_json));
  return page;
}

std::string plain_page(std::string_view title, std::string_view text, page_feed feed) {
  std::string page =
      "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'\">\n";
  // A report of a large network takes time that its run needs, so it is not made more often.
  if (feed == page_feed::server) page += "<meta http-equiv=\"refresh\" content=\"5\">\n";
  page += "<title>" + html_text(title) + "</title>\n<h1>" + html_text(title) + "</h1>\n";
  page += "<p>Text only: " + html_text(missing_page()) + ".</p>\n";
  return page + "<pre>\n" + html_text(text) + "</pre>\n</html>\n";
}

}  // namespace weir
