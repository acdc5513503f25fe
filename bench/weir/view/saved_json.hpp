#pragma once

#include <string>

namespace weir::program {

// The data of a page, one line of JSON, and its content in words: "2 runs".
struct page_data {
  std::string title, json, what;
};

// The page of a JSON file: the data of a page, a report, or a trace. Throws bad_input naming the file if it cannot be
// read, is damaged, is none of these, or was written in a form of another version.
page_data page_of_json(const std::string& path);

}  // namespace weir::program
