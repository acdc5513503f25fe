#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "tests/runtime/language/programs/everywhere.hpp"
#include "tests/support/work.hpp"

// Work that is cut into parts, processed in parallel and put together again: pictures, a factored matrix, a cipher.
namespace weir::fork_merge_test {
namespace {

using testing::a_program;
using testing::expect_nothing_left;
using testing::scrambled;

constexpr tag frame{"frame"}, parts{"parts"}, at{"at"}, worker{"worker"}, first{"first"}, count{"count"};
constexpr field<std::string> part{"part"}, picture{"picture"};

// Letter `i` of a frame's picture.
char letter(std::int64_t of_frame, std::int64_t i) {
  return static_cast<char>('a' + static_cast<int>(scrambled(1000 * of_frame + i) % 26));
}

// A frame of some letters becomes as many parts, each drawn by one of three workers. The parts of a frame meet in its
// own chain of synchrocells, in any order. The picture leaves when it is complete.
network tracer() {
  const network cut = box("cut", takes(parts), gives(at, worker, parts, first) | gives(at, worker, parts),
                          [](std::int64_t number, emitter& emit) {
                            emit(at = 0, worker = 0, parts = number, first = 1);
                            for (std::int64_t i = 1; i < number; ++i) emit(at = i, worker = i % 3, parts = number);
                          });
  const network draw = box("draw", takes(frame, at, parts), gives(part, frame, parts),
                           [](std::int64_t f, std::int64_t i, std::int64_t number) {
                             testing::spend(static_cast<std::int64_t>(scrambled(i) % 8) * 1000);
                             std::string drawn(static_cast<std::size_t>(number), ' ');
                             drawn[static_cast<std::size_t>(i)] = letter(f, i);
                             return std::tuple(drawn, f, number);
                           });
  const network paste = box("paste", takes(picture, part, count), gives(picture, count),
                            [](std::string&& all, const std::string& more, std::int64_t so_far) {
                              for (std::size_t i = 0; i < more.size(); ++i)
                                if (more[i] != ' ') all[i] = all[i] == ' ' ? more[i] : '!';
                              return std::pair(std::move(all), so_far + 1);
                            });
  const network begin = filter(takes(part, first)).emit(picture = part, count = 1) | bypass();
  const network merge = begin >> star(sync({picture}, {part}) >> (paste | bypass()),
                                      pattern{picture, count, parts}.where(count == parts));
  return cut >> split(draw, worker) >> split(merge, frame);
}

void expect_pictures(const network& net, const options& o, bool in_order) {
  execution run = start(net, o);
  const std::int64_t frames = 25;
  const auto size = [](std::int64_t f) { return f == 3 ? 1 : static_cast<std::int64_t>(scrambled(f) % 20) + 1; };
  for (std::int64_t f = 0; f < frames; ++f) run.send(frame = f, parts = size(f));
  run.close();
  std::map<std::int64_t, std::string> got;
  std::int64_t next = 0;
  for (const record& r : run) {
    if (in_order) {
      EXPECT_EQ(r[frame], next++);
    }
    EXPECT_TRUE(got.emplace(r[frame], r[picture]).second) << "frame " << r[frame] << " twice";
  }
  ASSERT_EQ(got.size(), static_cast<std::size_t>(frames));
  for (const auto& [f, drawn] : got) {
    std::string expected;
    for (std::int64_t i = 0; i < size(f); ++i) expected += letter(f, i);
    EXPECT_EQ(drawn, expected) << "frame " << f;
  }
  expect_nothing_left(run.report());
}

TEST_F(a_program, ray_tracer_puts_frames_together) {
  everywhere([&](const options& o) { expect_pictures(tracer(), o, false); });
}
TEST_F(a_program, ray_tracer_gives_frames_in_order) {
  everywhere([&](const options& o) { expect_pictures(ordered(tracer()), o, true); });
}

using column = std::vector<double>;
using columns = std::map<std::int64_t, column>;  // column j begins at row j

constexpr field<columns> rest{"rest"}, gathered{"gathered"};
constexpr field<column> done{"done"}, panel{"panel"}, task{"task"};
constexpr tag k{"k"}, j{"j"}, missing{"missing"}, job{"job"};

// A = L L^T, one column per stage: fork to the columns behind it, join to the remaining matrix.
network cholesky() {
  const network factor =
      box("factor", takes(rest), gives(done, k) | gives(rest, panel, k), [](columns&& all, emitter& emit) {
        auto [now, own] = *all.begin();
        const double diagonal = std::sqrt(own[0]);
        for (double& each : own) each /= diagonal;
        all.erase(all.begin());
        emit(done = own, k = now);
        if (!all.empty()) emit(rest = std::move(all), panel = own, k = now);
      });
  const network fork =
      box("fork", takes(rest), gives(task, j) | gives(gathered, missing), [](const columns& all, emitter& emit) {
        for (const auto& [number, each] : all) emit(task = each, j = number);
        emit(gathered = columns(), missing = std::int64_t(all.size()));
      });
  const network update = box("update", takes(task, panel, j, k), gives(task, j),
                             [](column&& own, const column& finished, std::int64_t number, std::int64_t now) {
                               const auto above = static_cast<std::size_t>(number - now);
                               for (std::size_t i = 0; i < own.size(); ++i)
                                 own[i] -= finished[above + i] * finished[above];
                               return std::pair(std::move(own), number);
                             });
  const network add = box("add", takes(gathered, missing, task, j), gives(gathered, missing),
                          [](columns&& all, std::int64_t still, const column& more, std::int64_t number) {
                            all.emplace(number, more);
                            return std::pair(std::move(all), still - 1);
                          });
  const network gather =
      star(sync({gathered, missing}, {task, j}) >> (add | bypass()), pattern{gathered, missing}.where(missing == 0));
  const network trailing =
      fork >> (update | bypass()) >> gather >> filter(takes(gathered, missing)).emit(rest = gathered);
  return split(star(factor >> (trailing | bypass()), pattern{done}), job);
}

// The product of a matrix of small integers and its transpose is exact in doubles, and so is every step back.
TEST_F(a_program, cholesky_of_several_matrices_at_once_is_exact) {
  const std::int64_t jobs = testing::slow ? 4 : 8;
  const auto entry = [](std::int64_t of, std::int64_t row, std::int64_t col) {
    const auto bits = static_cast<std::int64_t>(scrambled(10000 * of + 100 * row + col) % 7);
    return static_cast<double>(row < col ? 0 : row == col ? bits + 1 : bits - 3);
  };
  everywhere([&](const options& o) {
    execution run = start(cholesky(), o);
    for (std::int64_t of = 0; of < jobs; ++of) {
      columns a;
      for (std::int64_t col = 0; col <= of; ++col)
        for (std::int64_t row = col; row <= of; ++row) {
          double sum = 0;
          for (std::int64_t i = 0; i <= col; ++i) sum += entry(of, row, i) * entry(of, col, i);
          a[col].push_back(sum);
        }
      run.send(rest = a, job = of);
    }
    run.close();
    std::int64_t finished = 0;
    for (const record& r : run) {
      column expected;
      for (std::int64_t row = r[k]; row <= r[job]; ++row) expected.push_back(entry(r[job], row, r[k]));
      EXPECT_EQ(r[done], expected) << "matrix " << r[job] << ", column " << r[k];
      ++finished;
    }
    EXPECT_EQ(finished, jobs * (jobs + 1) / 2);
    expect_nothing_left(run.report());
  });
}

constexpr field<std::uint64_t> text{"text"};
constexpr tag round_number{"round_number"}, id{"id"};

// A cipher of 16 Feistel rounds, like DES; only the rounds in reverse order may swap the halves back.
network rounds(const std::string& name, bool backwards) {
  const network one = box(name, takes(text, round_number), gives(text, round_number),
                          [backwards](std::uint64_t halves, std::int64_t r) {
                            const std::uint64_t key = scrambled(backwards ? 15 - r : r);
                            const std::uint64_t left = halves >> 32, right = halves & 0xffffffff;
                            testing::spend(static_cast<std::int64_t>(key % 4) * 300);
                            const std::uint64_t mixed = scrambled(static_cast<std::int64_t>(right ^ key)) & 0xffffffff;
                            return std::pair(right << 32 | (left ^ mixed), r + 1);
                          });
  return star(one, pattern{round_number}.where(round_number == 16));
}

TEST_F(a_program, des_rounds_there_and_back_with_many_blocks_on_their_way) {
  const network swap = box("swap", takes(text), gives(text, round_number),
                           [](std::uint64_t halves) { return std::pair(halves << 32 | halves >> 32, 0); });
  const network there_and_back = ordered(rounds("encrypt", false)) >> swap >> ordered(rounds("decrypt", true)) >> swap;
  const network unordered = rounds("encrypt", false) >> swap >> rounds("decrypt", true) >> swap;
  everywhere([&](const options& o) {
    for (const bool in_order : {true, false}) {
      execution run = start(in_order ? there_and_back : unordered, o);
      const std::int64_t blocks = testing::slow ? 40 : 200;
      for (std::int64_t i = 0; i < blocks; ++i) run.send(text = scrambled(i), round_number = 0, id = i);
      run.close();
      std::int64_t came = 0;
      std::vector<bool> seen(static_cast<std::size_t>(blocks));
      for (const record& r : run) {
        if (in_order) {
          EXPECT_EQ(r[id], came);
        }
        ++came;
        EXPECT_FALSE(seen[static_cast<std::size_t>(r[id])]);
        seen[static_cast<std::size_t>(r[id])] = true;
        EXPECT_EQ(r[text], scrambled(r[id])) << "block " << r[id];
      }
      EXPECT_EQ(came, blocks);
    }
  });
}

}  // namespace
}  // namespace weir::fork_merge_test
