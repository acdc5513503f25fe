#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <string>

#include <weir/live.hpp>

#include "tests/runtime/language/labels.hpp"
#include "tests/runtime/live/a_client.hpp"
#include "tests/support/gives_all_back.hpp"
#include "tests/support/json.hpp"

// The fixture of tests of live pages, with runs to show and clients that listen.
namespace weir::live_page_test {

using namespace testing;
using nlohmann::json;

class a_live_page : public gives_all_back {};

inline options two_cores() {
  options o;
  o.machine = machine::synthetic("core:2 pu:1");
  return o;
}

inline execution a_run(const std::string& box_name = "f") {
  return start(box(box_name, takes(n), gives(n), plus_one), two_cores());
}

// A run whose updates are long: 200 components.
inline execution a_wide_run() {
  network all = box("f", takes(n), gives(n), plus_one);
  for (int i = 1; i < 200; ++i) all = all >> box("f" + std::to_string(i), takes(n), gives(n), plus_one);
  return start(all, two_cores());
}

inline live_options any_port() {
  live_options o;
  o.port = 0;
  return o;
}

// The data of the event that the text begins with.
inline json update_in(const std::string& text) {
  const std::string before = "event: update\ndata: ";
  const std::size_t begin = text.find(before), end = text.find("\n\n", begin);
  if (begin == std::string::npos || end == std::string::npos) return nullptr;
  return parsed(text.substr(begin + before.size(), end - begin - before.size()));
}

// A client that listens, and has had its first update.
inline std::unique_ptr<a_client> a_listener(int port) {
  auto client = std::make_unique<a_client>(port);
  client->send("GET /events HTTP/1.1\r\n" + own_host(port) + "\r\n");
  EXPECT_NE(client->read_until("\n\n").find("event: update"), std::string::npos);
  return client;
}

}  // namespace weir::live_page_test
