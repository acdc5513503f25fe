#include "bench/measurements/sizes/row.hpp"

#include <nlohmann/json.hpp>

namespace weir::sizes {

nlohmann::ordered_json as_json(const row& r) {
  return {{"what", r.what},
          {"size", r.size},
          {"records", r.records},
          {"seconds", r.seconds},
          {"hops", r.hops},
          {"bytes", r.bytes},
          {"of", r.of},
          {"count", r.count},
          {"build_seconds", r.build_seconds},
          {"start_seconds", r.start_seconds},
          {"made_bytes", r.made_bytes},
          {"blocks", r.blocks}};
}

row as_row(const nlohmann::ordered_json& j) {
  return {j["what"], j["size"],  j["records"],       j["seconds"],       j["hops"],       j["bytes"],
          j["of"],   j["count"], j["build_seconds"], j["start_seconds"], j["made_bytes"], j["blocks"]};
}

}  // namespace weir::sizes
