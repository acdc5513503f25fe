#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace weir::program {

// Takes the events of a trace in the Trace Event Format one by one, and gives what a page draws of them
// (runtime/page/README.md). It knows what tracer::chrome_json() writes; of other traces it takes complete events and
// instants. If there are more spans than a page can hold it keeps the longest.
class trace_events {
 public:
  static constexpr std::size_t most_spans = 200'000, most_instants = 10'000;

  // Throws bad_input, which begins with `place`, if an event lacks what its kind needs.
  void take(const nlohmann::json& event, const std::string& place);

  std::size_t spans() const { return spans_.size(); }

  // `dropped`: events that the writer left out.
  nlohmann::ordered_json page_trace(std::uint64_t dropped) &&;

 private:
  using track_key = std::pair<std::int64_t, std::int64_t>;  // process, thread
  struct span {
    std::uint32_t track = 0, entity = 0;
    double start = 0, seconds = 0, x = 0;
    int cores = 0;
    bool blocked = false;
  };
  struct instant {
    double time = 0;
    std::string kind, name, detail;
  };

  std::uint32_t track_of(const track_key& key);
  std::uint32_t entity_of(const std::string& name);
  std::string track_name(const track_key& key) const;

  std::map<track_key, std::uint32_t> tracks_;
  std::map<std::string, std::uint32_t> entities_;
  std::map<track_key, std::string> thread_names_;
  std::map<track_key, double> thread_places_;
  std::map<std::int64_t, std::string> process_names_;
  std::vector<span> spans_;
  std::vector<instant> instants_;
  std::uint64_t instants_left_out_ = 0;
  std::map<std::pair<std::int64_t, std::string>, std::vector<std::pair<double, double>>> cores_of_;
};

}  // namespace weir::program
