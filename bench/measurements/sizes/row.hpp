#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace weir::sizes {

// One row of one run.
struct row {
  std::string what;
  std::int64_t size = 0, records = 0;
  double seconds = 0;
  double hops = 0;         // stages that all records together passed; 0: not worth a column
  long long bytes = 0;     // peak above what was there when the first record was sent
  std::string of;          // what the bytes are divided by ..
  std::int64_t count = 0;  // .. and how many of those there were
  double build_seconds = 0, start_seconds = 0;
  long long made_bytes = 0;  // that the network and its run took before the first record
  long long blocks = 0;      // pool blocks live when the last record had come out, input not closed yet
};

// What a process that measures prints, and what the one that started it reads.
nlohmann::ordered_json as_json(const row&);
row as_row(const nlohmann::ordered_json&);

}  // namespace weir::sizes
