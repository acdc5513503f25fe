#include "bench/corpus/generate/generated_folder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "bench/corpus/generate/random_document.hpp"
#include "bench/support/bad_input.hpp"
#include "bench/support/folder_lock.hpp"

namespace weir::corpus {
namespace {

struct drawn {
  std::string name;
  std::vector<page_lines> pages;
};

struct plan {
  document_form form;
  bool whole_page = false;
};

constexpr double scanned_in_phase[] = {0.6, 0.05, 0.25};        // of the pages, about
constexpr double pages_of_scan = 1.25, pages_of_digital = 7.7;  // the means of random_pages()

plan random_plan(random_draws& draw, int phase) {
  const double scans = scanned_in_phase[phase] / pages_of_scan,
               others = (1 - scanned_in_phase[phase]) / pages_of_digital;
  if (!draw.happens(scans / (scans + others))) return {document_form::digital};
  const bool whole_page = draw.happens(0.125);
  return {draw.happens(0.5) ? document_form::scan : document_form::picture, whole_page};
}

std::vector<page_lines> random_pages(random_draws& draw, const plan& p) {
  if (p.form == document_form::digital) {
    const int count = draw.happens(0.1) ? draw.between(24, 40) : draw.between(2, 8);
    std::vector<page_lines> pages;
    for (int i = 0; i < count; ++i) pages.push_back(random_page(draw, draw.between(25, 40), 9));
    return pages;
  }
  const int count = p.form == document_form::picture ? 1 : draw.between(1, 2);
  std::vector<page_lines> pages;
  for (int i = 0; i < count; ++i) pages.push_back(random_page(draw, draw.between(5, 12), 6));
  return pages;
}

// An earlier document to copy. Pictures have one page, hence long documents are not copied as scans.
const drawn* original_for(random_draws& draw, const std::vector<drawn>& earlier, const plan& p) {
  if (earlier.size() < 4 || !draw.happens(0.125)) return nullptr;
  const drawn& d = earlier[static_cast<std::size_t>(draw.between(0, static_cast<int>(earlier.size()) - 1))];
  const std::size_t most = p.form == document_form::picture ? 1 : p.form == document_form::scan ? 2 : d.pages.size();
  return d.pages.size() <= most ? &d : nullptr;
}

constexpr int pages_of_alike = 12;  // so that 2, 3 and 4 divide them
constexpr scanned_sheet sheet_of_alike{.dpi = 200, .whole_page = true};

std::vector<page_lines> pages_alike(random_draws& draw) {
  std::vector<page_lines> pages;
  for (int i = 0; i < pages_of_alike; ++i) pages.push_back(random_page(draw, draw.between(25, 40), 9));
  return pages;
}

std::string bytes_of(random_draws& draw, const plan& p, const std::vector<page_lines>& pages) {
  const scanned_sheet sheet{p.whole_page ? 300 : draw.between(10, 20) * 10, p.whole_page};
  switch (p.form) {
    case document_form::digital:
      return digital_pdf(draw, pages);
    case document_form::scan:
      return scanned_pdf(draw, pages, sheet);
    case document_form::picture:
      return scanned_picture(draw, pages.front(), sheet);
  }
  return {};
}

// Bytes that arrive in place of a document, in turn: a download that ended early, one with noise in it, a file that is
// none.
std::string broken(random_draws& draw, std::string bytes, int which) {
  switch (which % 3) {
    case 0:
      return bytes.substr(0, std::min<std::size_t>(bytes.size() / 3, 400));
    case 1:
      for (std::size_t i = 0; i < bytes.size(); i += 7) bytes[i] = static_cast<char>(draw.between(0, 255));
      bytes.replace(0, 4, "abcd");
      return bytes;
    default:
      return "Not found\n";
  }
}

void write_file(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (!file) throw std::runtime_error("cannot write " + path.string());
}

void make_empty(const std::filesystem::path& folder) {
  std::error_code error;
  if (std::filesystem::exists(folder, error) &&
      !(std::filesystem::is_directory(folder, error) && std::filesystem::is_empty(folder, error)))
    throw program::bad_input("generate: " + folder.string() + " exists and is no empty folder");
  if (!std::filesystem::create_directories(folder / "documents", error) && error)
    throw program::bad_input("generate: " + folder.string() + ": " + error.message());
}

}  // namespace

generated_counts generate_folder(const std::filesystem::path& folder, const generated_folder& what,
                                 const std::function<void(int)>& on_page) {
  make_empty(folder);
  const program::folder_lock lock(folder);
  if (!lock.is_held()) throw program::bad_input("generate: another weir corpus is writing " + folder.string());
  random_draws draw(what.seed);
  std::vector<drawn> earlier;
  generated_counts counts;
  std::string truth;
  while (counts.pages < what.pages) {
    const bool alike = what.scan_every > 0, plain = alike || what.pictures;
    const plan p = alike           ? plan{document_form::digital}
                   : what.pictures ? plan{document_form::picture}
                                   : random_plan(draw, std::min(2, 3 * counts.pages / what.pages));
    std::vector<page_lines> pages;
    const drawn* const original = plain ? nullptr : original_for(draw, earlier, p);
    if (alike)
      pages = pages_alike(draw);
    else if (original)
      for (const page_lines& page : original->pages) pages.push_back(altered(draw, page));
    else
      pages = random_pages(draw, p);

    const bool is_broken = !plain && counts.documents % 17 == 7;
    std::string bytes = alike ? mixed_pdf(draw, pages, what.scan_every, sheet_of_alike) : bytes_of(draw, p, pages);
    const char* const extension = p.form != document_form::picture ? "pdf" : p.whole_page ? "jpg" : "png";
    const std::string name = fmt::format("{:05}.{}", counts.documents, extension);
    write_file(folder / "documents" / name, is_broken ? broken(draw, bytes, counts.broken) : bytes);

    nlohmann::json line{{"document", name}, {"form", to_string(p.form)}, {"broken", is_broken}};
    line["copy_of"] = original && !is_broken ? nlohmann::json(original->name) : nlohmann::json(nullptr);
    line["pages"] = nlohmann::json::array();
    if (!is_broken)
      for (const page_lines& page : pages) line["pages"].push_back(text_of(page));
    truth += line.dump() + "\n";

    ++counts.documents;
    counts.broken += is_broken;
    if (is_broken) continue;
    const int added = static_cast<int>(pages.size());
    counts.pages += added;
    if (alike) counts.scanned_pages += added / what.scan_every;
    if (p.form != document_form::digital) counts.scanned_pages += added;
    if (original)
      counts.near_duplicates += added;
    else
      earlier.push_back({name, std::move(pages)});
    on_page(counts.pages);
  }
  write_file(folder / "truth.jsonl", truth);
  return counts;
}

}  // namespace weir::corpus
