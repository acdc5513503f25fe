#pragma once

#include <string>
#include <string_view>

namespace [[gnu::visibility("default")]] weir {

// Whether this build of weir holds the page. It does when CMake found dygraphs and dagre, which the page draws with.
bool has_page() noexcept;

// The parts that a build without the page lacks and how to get them, one sentence.
std::string_view missing_page() noexcept;

// Whom a page may ask for more data.
enum class page_feed {
  none,   // the page is a file and has no server
  server  // the server that it came from, by /report.json and /events
};

// One self-contained HTML file that draws `data_json`, one JSON object as the README describes it. The title is plain
// text. Strings in it are shown as text and never run: the data cannot end its element, and the page's content security
// policy allows no script but its own. Throws std::runtime_error where has_page() is false.
std::string html_page(std::string_view title, std::string_view data_json, page_feed feed = page_feed::none);

// For a build without the page: one HTML file with the title, missing_page() and `text` as it is, line by line. It
// holds no script and its content security policy allows none. Fed by a server, the browser loads it again every 5
// seconds.
std::string plain_page(std::string_view title, std::string_view text, page_feed feed = page_feed::none);

}  // namespace weir
