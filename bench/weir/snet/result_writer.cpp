#include "bench/weir/snet/result_writer.hpp"

#include <fmt/format.h>

#include <ios>
#include <stdexcept>

#include "bench/support/bad_input.hpp"
#include "bench/support/readable.hpp"
#include "bench/support/standard_output.hpp"

namespace weir::program {

result_writer::result_writer(const std::string& path, const record_format& format, resumed_output* resumed)
    : format_(format), resumed_(resumed) {
  if (path.empty() || resumed) return;
  file_.open(path, std::ios::binary | std::ios::trunc);
  if (!file_) throw bad_input(fmt::format("--output: {} cannot be written", excerpt(path)));
  path_ = path;
}

void result_writer::write(const record& r) {
  if (resumed_) return resumed_->write(r);
  const std::string line = format_.written(r) + "\n";
  if (path_.empty())
    print(line);
  else
    file_ << line;
}

void result_writer::close() {
  if (resumed_) return resumed_->close();
  if (path_.empty()) return;
  file_.close();
  if (!file_) throw std::runtime_error(fmt::format("{} could not be written", excerpt(path_)));
}

}  // namespace weir::program
