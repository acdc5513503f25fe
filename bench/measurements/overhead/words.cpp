// How often each of 10^5 words comes among a million, by word and by blocks of 1,024 words. A word is its number, so
// no implementation hashes text. A record of the table is a word.

#include <tbb/enumerable_thread_specific.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <thread>
#include <unordered_map>

#include "bench/measurements/overhead/channel.hpp"
#include "bench/measurements/overhead/item.hpp"
#include "bench/measurements/overhead/pipeline_ends.hpp"
#include "bench/measurements/overhead/row.hpp"
#include "bench/measurements/overhead/weir_run.hpp"
#include "bench/support/host.hpp"

namespace weir::overhead {
namespace {

constexpr std::int64_t keys = 100'000, words = 1'000'000, block = 1024;
constexpr std::int64_t blocks = (words + block - 1) / block;
constexpr std::size_t places = 64;

using block_of_words = std::vector<std::int64_t>;
using table = std::unordered_map<std::int64_t, std::int64_t>;

constexpr tag word{"word"}, count{"count"}, shard{"shard"};
constexpr field<block_of_words> text{"text"};

// Each word once at first, in an unhelpful order, and then at random.
std::int64_t word_of(std::int64_t i) {
  constexpr std::int64_t step = 7919;  // prime to the number of words
  return i < keys ? i * step % keys : static_cast<std::int64_t>(scrambled(i) % keys);
}

block_of_words block_at(std::int64_t number) {
  block_of_words made;
  made.reserve(block);
  for (std::int64_t i = number * block; i < std::min(words, (number + 1) * block); ++i) made.push_back(word_of(i));
  return made;
}

bool is_right(std::int64_t w, std::int64_t n) {
  static const block_of_words expected = [] {
    block_of_words all(keys);
    for (std::int64_t i = 0; i < words; ++i) ++all[static_cast<std::size_t>(word_of(i))];
    return all;
  }();
  return expected[static_cast<std::size_t>(w)] == n;
}

// A meter that sees each word of the vocabulary once, with its count.
class word_meter {
 public:
  word_meter() { is_right(0, 0); }  // prepares the answers

  void begin() { m_.begin(); }
  void see(std::int64_t w, std::int64_t n) { m_.see(w, is_right(w, n)); }
  void see(const table& counts) {
    for (const auto& [w, n] : counts) see(w, n);
  }

  // By word of the text, not of the vocabulary.
  sample result(const std::string& who) const {
    constexpr double each = static_cast<double>(words) / static_cast<double>(keys);
    sample s = m_.result(who);
    s.records_per_second *= each;
    s.cpu_ns_per_record /= each;
    s.switches_per_record /= each;
    s.steady_records_per_second = s.allocations_per_record = unknown;  // the sink sees all at the end
    return s;
  }

 private:
  meter m_{keys, false};
};

network sink_of(word_meter& m) {
  return box("sink", takes(word, count), gives_none, [&m](std::int64_t w, std::int64_t n) { m.see(w, n); }).serial();
}

void emit_all(table& counts, emitter& emit) {
  for (const auto& [w, n] : counts) emit(word = w, count = n);
}

// ---- by word ----

sample run_weir_words(const network& counting, const char* who) {
  word_meter m;
  const network all = source("words", gives(word), [&m](emitter& emit) {
    m.begin();
    for (std::int64_t i = 0; i < words; ++i) emit(word = word_of(i));
  });
  run_to_end(all >> counting >> sink_of(m), in_flight(places));
  return m.result(who);
}

sample run_weir(std::int64_t) {
  struct tally {
    std::int64_t of = 0, seen = 0;
  };
  const network one = fold(
      "count", takes(word), gives(word, count), tally{},
      [](tally& t, std::int64_t w) {
        t.of = w;
        ++t.seen;
      },
      [](tally& t, emitter& emit) { emit(word = t.of, count = t.seen); });
  return run_weir_words(split(one, word), "weir");
}

sample run_weir_fold(std::int64_t) {
  return run_weir_words(
      fold(
          "count", takes(word), gives(word, count), table{}, [](table& t, std::int64_t w) { ++t[w]; }, emit_all),
      "weir_fold");
}

// A thread deals the words to a thread per core, which counts its share of the vocabulary.
sample run_threads(std::int64_t) {
  word_meter m;
  const auto cores = static_cast<std::size_t>(program::usable_cores());
  std::deque<channel> channels;
  std::vector<table> counts(cores);
  for (std::size_t i = 0; i < cores; ++i) channels.emplace_back(places);
  m.begin();
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < cores; ++i)
    threads.emplace_back([&from = channels[i], &mine = counts[i]] {
      for (item x; from.pop(x);) ++mine[x.value];
    });
  for (std::int64_t i = 0; i < words; ++i) {
    const std::int64_t w = word_of(i);
    channels[static_cast<std::size_t>(w) % cores].push(item_of(w, i));
  }
  for (channel& each : channels) each.close();
  for (std::thread& t : threads) t.join();
  for (const table& each : counts) m.see(each);
  return m.result("threads");
}

sample run_loop(std::int64_t) {
  word_meter m;
  table counts;
  m.begin();
  for (std::int64_t i = 0; i < words; ++i) ++counts[word_of(i)];
  m.see(counts);
  return m.result("loop");
}

// ---- by blocks ----

void count_block(table& counts, const block_of_words& some) {
  for (const std::int64_t w : some) ++counts[w];
}

sample run_weir_text(const network& counting, const char* who) {
  word_meter m;
  const network all = source("blocks", gives(text), [&m](emitter& emit) {
    m.begin();
    for (std::int64_t i = 0; i < blocks; ++i) emit(text = block_at(i));
  });
  run_to_end(all >> counting >> sink_of(m), in_flight(places));
  return m.result(who);
}

network count_blocks() { return fold("count", takes(text), gives(word, count), table{}, count_block, emit_all); }

// A box deals each block to four folds, each with its share of the vocabulary.
sample run_weir_blocks(std::int64_t) {
  constexpr std::int64_t shards = 4;
  const network deal = box("deal", takes(text), gives(text, shard), [](const block_of_words& some, emitter& emit) {
    std::vector<block_of_words> dealt(shards);
    for (const std::int64_t w : some) dealt[static_cast<std::size_t>(w % shards)].push_back(w);
    for (std::int64_t s = 0; s < shards; ++s) emit(text = std::move(dealt[static_cast<std::size_t>(s)]), shard = s);
  });
  return run_weir_text(deal >> split(count_blocks(), shard), "weir");
}

sample run_weir_fold_of_blocks(std::int64_t) { return run_weir_text(count_blocks(), "weir_fold"); }

// Tables of several threads, added up.
template <class Tables>
table sum_of(const Tables& all) {
  table sum;
  sum.reserve(keys);
  for (const table& each : all)
    for (const auto& [w, n] : each) sum[w] += n;
  return sum;
}

// Each thread takes a block at a time from a counter and has a table of its own.
sample run_shared_loop(std::int64_t) {
  word_meter m;
  std::vector<table> counts(static_cast<std::size_t>(program::usable_cores()));
  std::atomic<std::int64_t> next{0};
  const auto take_part = [&](table& mine) {
    for (std::int64_t i = next.fetch_add(1); i < blocks; i = next.fetch_add(1)) count_block(mine, block_at(i));
  };
  m.begin();
  std::vector<std::thread> others;
  for (std::size_t i = 1; i < counts.size(); ++i) others.emplace_back(take_part, std::ref(counts[i]));
  take_part(counts[0]);
  for (std::thread& t : others) t.join();
  m.see(sum_of(counts));
  return m.result("shared_loop");
}

sample run_block_loop(std::int64_t) {
  word_meter m;
  table counts;
  m.begin();
  for (std::int64_t i = 0; i < blocks; ++i) count_block(counts, block_at(i));
  m.see(counts);
  return m.result("loop");
}

// ---- both ----

// A table for each thread of oneTBB.
template <class Item, class Make, class Count>
sample run_pipeline_of(std::int64_t items, std::size_t in_ring, Make make, Count add) {
  word_meter m;
  tbb::enumerable_thread_specific<table> counts;
  run_pipeline<Item>(
      items, in_ring, [&] { m.begin(); }, make,
      filters<Item>(1, tbb::filter_mode::parallel, [&](const Item& x) { add(counts.local(), x); }), [](const Item&) {});
  m.see(sum_of(counts));
  return m.result("parallel_pipeline");
}

sample run_parallel_pipeline(std::int64_t) {
  return run_pipeline_of<std::int64_t>(words, places, word_of, [](table& t, std::int64_t w) { ++t[w]; });
}

sample run_pipeline_of_blocks(std::int64_t) {
  return run_pipeline_of<block_of_words>(blocks, places, block_at, count_block);
}

}  // namespace

std::vector<row> words_rows() {
  std::vector<row> rows{{"words", "by=1", "weir", run_weir},
                        {"words", "by=1", "weir_fold", run_weir_fold},
                        {"words", "by=1", "parallel_pipeline", run_parallel_pipeline},
                        {"words", "by=1", "threads", run_threads},
                        {"words", "by=1", "loop", run_loop},
                        {"words", "by=1024", "weir", run_weir_blocks},
                        {"words", "by=1024", "weir_fold", run_weir_fold_of_blocks},
                        {"words", "by=1024", "parallel_pipeline", run_pipeline_of_blocks},
                        {"words", "by=1024", "shared_loop", run_shared_loop},
                        {"words", "by=1024", "loop", run_block_loop}};
  for (row& r : rows) {
    r.records = words;
    r.is_paced = false;
  }
  return rows;
}

}  // namespace weir::overhead
