#include <algorithm>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "tests/runtime/language/labels.hpp"
#include "tests/support/busy.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/gives_all_back.hpp"

// A box that holds a core and waits for something outside is named, once; a box is not named that computes, that says
// .blocking, or that waits for work elsewhere.
namespace weir {
namespace {

using namespace testing;

class a_box_that_waits : public gives_all_back {
 protected:
  static constexpr auto pause = std::chrono::milliseconds(50);
  static std::int64_t sleeps(std::int64_t v) {
    std::this_thread::sleep_for(pause);
    return v;
  }
  static std::int64_t waits_for_its_thread(std::int64_t v) {
    std::thread([] { busy(pause); }).join();
    return v;
  }
  static std::int64_t computes(std::int64_t v) {
    busy(pause);
    return v;
  }
  static std::int64_t runs_another(std::int64_t v) {
    execution inner = start(box("inner", takes(n), gives(n), sleeps).blocking(1));
    inner.send(n = v);
    inner.close();
    return all_of(inner).size() == 1 ? v : -1;
  }

  // The notes of a run that passes records until `enough` holds.
  template <class Enough>
  static std::vector<std::string> notes_of(const network& net, const options& o, Enough enough) {
    execution run = start(net, o);
    std::thread reader([&] {
      for (const record& r : run) EXPECT_GE(r[n], 0);
    });
    std::int64_t sent = 0;
    EXPECT_TRUE(eventually([&] {
      if (sent < static_cast<std::int64_t>(run.report().results) + 4) run.send(n = sent++);
      return enough(run.report());
    }));
    run.close();
    reader.join();
    std::vector<std::string> notes;
    for (const std::string& one : run.report().notes)
      if (one.rfind("box ", 0) == 0) notes.push_back(one);
    return notes;
  }
  // Far more than the note needs.
  static bool has_run_long(const run_report& r) {
    return std::ranges::all_of(r.components, [](const component_report& c) { return c.invocations >= 80; });
  }
};

TEST_F(a_box_that_waits, is_named_once_with_what_to_do) {
  const auto notes = notes_of(box("ask", takes(n), gives(n), sleeps), {},
                              [](const run_report& r) { return has_run_long(r) && !r.notes.empty(); });
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_EQ(notes[0].rfind("box ask waits 9", 0), 0u) << notes[0];
  EXPECT_NE(notes[0].find(" % of its time and holds its core meanwhile: if it waits for I/O, a device or a server, "
                          ".blocking(n) runs it outside the core budget"),
            std::string::npos)
      << notes[0];
}

TEST_F(a_box_that_waits, is_not_named_where_it_computes_or_is_blocking_or_waits_for_what_computes) {
  for (const network& net :
       {network(box("f", takes(n), gives(n), computes)), network(box("f", takes(n), gives(n), sleeps).blocking(2)),
        network(box("f", takes(n), gives(n), waits_for_its_thread)),
        network(box("f", takes(n), gives(n), runs_another))})
    EXPECT_EQ(notes_of(net, {}, has_run_long), std::vector<std::string>{});
}

TEST_F(a_box_that_waits, is_not_named_on_a_synthetic_machine_whose_boxes_sleep_by_design) {
  options o;
  o.machine = machine::synthetic("core:2 pu:1");
  EXPECT_EQ(notes_of(box("f", takes(n), gives(n), sleeps), o, has_run_long), std::vector<std::string>{});
}

}  // namespace
}  // namespace weir
