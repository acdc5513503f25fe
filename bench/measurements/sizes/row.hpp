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
  long long bytes = 0;     // peak above the memory in use when the first record was sent
  std::string of;          // the unit that the bytes are divided by ..
  std::int64_t count = 0;  // .. and the number of such units
  double build_seconds = 0, start_seconds = 0;
  long long made_bytes = 0;  // used by the network and its run before the first record
  long long blocks = 0;      // live pool blocks after the last record came out, with the input still open
};

// A row as the measuring process prints it and the process that started it reads it.
nlohmann::ordered_json as_json(const row&);
row as_row(const nlohmann::ordered_json&);

}  // namespace weir::sizes
