#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_set>

#include <weir/record/errors.hpp>
#include <weir/record/record.hpp>
#include "bench/weir/snet/record_format.hpp"

namespace weir::program {

// A file of results to which run after run adds, each by the value that one label, the key, has in an input and in
// its results. The results of an input are in the file when all of them are, and else none, wherever a run was killed.
//
// The results of an input are held back until a result of another one comes, or close(). They go into the file in one
// call of the system. Several lines begin with a byte that no record begins with, which is replaced once all are there.
// The next run cuts off what was not finished. REQUIRES: results of one input come one after the other.
//
// For one thread, but key_in(), is_done() and add_input().
class resumed_output {
 public:
  // Opens or makes the file, reads the keys, and cuts off what was not finished. Throws bad_input, and changes nothing,
  // when the file cannot be read or written, has other lines than records with the key, or another run writes it.
  resumed_output(const std::string& path, const std::string& key, const record_format& format);
  ~resumed_output();
  resumed_output(const resumed_output&) = delete;

  // The key of a record as the file has it, by json_key(); empty when the record lacks the key.
  std::string key_in(const record& r) const;
  // Whether results of the input with this key were in the file.
  bool is_done(const std::string& key) const { return done_.count(key) > 0; }
  std::uint64_t done() const { return done_.size(); }
  // Before an input with this key is sent; false: the run has had one. Results have the key of such an input.
  bool add_input(const std::string& key);

  // The results of this failure's input are to be left out, so that the next run tries it again. To be called before a
  // result of the next input comes. Throws std::runtime_error when the record that failed lacks the key.
  void leave_out(const failure& of);

  // Throws std::runtime_error when the record lacks the key or no input so far has its key, and when the file cannot
  // be written. The key of another input is not noticed. Throws unwritten_result, and leaves out all results of the
  // input, when a value cannot be printed.
  void write(const record& r);
  // All inputs were finished. Without it the results of the last one are not in the file.
  void close();

 private:
  void read_keys();
  std::string key_of(const record& r) const;
  bool is_of_input(const std::string& key);
  void finish_group();

  std::string path_, key_;
  const record_format& format_;
  int file_;
  std::uint64_t size_ = 0;  // bytes that are finished
  std::unordered_set<std::string> done_, failed_;
  std::mutex mutex_;
  std::unordered_set<std::string> inputs_;  // under mutex_
  std::string group_of_, group_;            // results that are held back, and their key
  bool has_several_lines_ = false;
};

}  // namespace weir::program
