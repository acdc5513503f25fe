#include <gtest/gtest.h>
#include <leptonica/allheaders.h>
#include <tbb/task_arena.h>

#include <cmath>
#include <cstdlib>
#include <set>
#include <string>

#include "bench/corpus/generate/random_document.hpp"
#include "components/documents/clean_text.hpp"
#include "components/documents/cleaned_page.hpp"
#include "components/documents/near_duplicates.hpp"
#include "components/documents/pages.hpp"
#include "components/documents/text_reader.hpp"
#include "components/documents/zstd_frame.hpp"
#include "tests/support/refusal.hpp"

// The steps from documents to clean text, on documents whose text is known.
namespace components {
namespace {

using namespace weir::corpus;

file_bytes file_of(std::string bytes) { return std::make_shared<const std::string>(std::move(bytes)); }

std::string words_of(const std::string& text) { return clean_text(text).value_or("(no text)"); }

std::vector<page_lines> two_pages(random_draws& draw) { return {random_page(draw, 8, 6), random_page(draw, 9, 7)}; }

TEST(pages, of_a_digital_pdf_have_their_text) {
  random_draws draw(1);
  const auto drawn = two_pages(draw);
  const auto pages = pages_of(file_of(digital_pdf(draw, drawn)));
  ASSERT_EQ(pages.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(pages[i].index, int(i));
    EXPECT_EQ(pages[i].kind, page_kind::text);
    EXPECT_EQ(words_of(extracted_text(pages[i])), words_of(text_of(drawn[i])));
  }
}

// The whole way: a scanned page is drawn, cleaned and read.
TEST(pages, of_a_scan_can_be_read) {
  random_draws draw(2);
  const auto drawn = two_pages(draw);
  const auto pages = pages_of(file_of(scanned_pdf(draw, drawn, {150, false})));
  ASSERT_EQ(pages.size(), 2u);
  text_reader reader;
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(pages[i].kind, page_kind::scan);
    const picture image = rendered(pages[i]);
    EXPECT_NEAR(double(pages[i].pixels), double(pixels_of(image)), 0.01 * double(pages[i].pixels));
    EXPECT_EQ(words_of(reader.read(cleaned(image).image)), words_of(text_of(drawn[i])));
  }
}

TEST(pages, of_a_picture_are_one) {
  random_draws draw(3);
  const page_lines drawn = random_page(draw, 6, 6);
  for (const bool whole_page : {false, true}) {  // a PNG and a JPEG
    const auto pages = pages_of(file_of(scanned_picture(draw, drawn, {150, whole_page})));
    ASSERT_EQ(pages.size(), 1u);
    EXPECT_EQ(pages[0].kind, page_kind::image);
    EXPECT_EQ(pages[0].pixels, pixels_of(rendered(pages[0])));
  }
}

// The message of the exception that f() throws.
template <class F>
std::string thrown_by(F f) {
  return weir::testing::refusal<std::runtime_error>(f);
}

TEST(pages, of_other_files_are_refused_in_words) {
  random_draws draw(4);
  const std::string pdf = digital_pdf(draw, two_pages(draw));
  EXPECT_EQ(thrown_by([&] { pages_of(file_of("Not found\n")); }), "it is neither a PDF nor a picture");
  EXPECT_EQ(thrown_by([&] { pages_of(file_of("")); }), "it is neither a PDF nor a picture");
  EXPECT_EQ(thrown_by([&] { pages_of(file_of(pdf.substr(0, 300))); }), "the PDF is damaged");
}

// Nothing of it is on stderr, which leptonica and libpng write to by themselves.
TEST(a_damaged_picture, is_refused_quietly) {
  random_draws draw(5);
  const std::string png = scanned_picture(draw, random_page(draw, 5, 6), {100, false});
  const std::string jpeg = scanned_picture(draw, random_page(draw, 5, 6), {100, true});
  std::string noisy = png;
  noisy[noisy.size() / 2] = char(~noisy[noisy.size() / 2]);
  testing::internal::CaptureStderr();
  for (const std::string& bytes : {png.substr(0, png.size() / 2), noisy, png.substr(0, 40)})
    EXPECT_NE(thrown_by([&] { decoded(bytes, most_pixels); }), weir::testing::nothing_refused);
  EXPECT_NE(thrown_by([&] { decoded(jpeg.substr(0, 60), most_pixels); }), weir::testing::nothing_refused);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(a_picture, of_a_billion_pixels_is_refused_by_its_header) {
  const std::string header("\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x9c\x40\0\0\x9c\x40\x08\0\0\0\0", 29);  // 40000 x 40000
  const std::string bytes = header + std::string(100, '\0');
  EXPECT_EQ(thrown_by([&] { decoded(bytes, most_pixels); }),
            "the picture has 1600000000 pixels; at most 100000000 are read");
}

cleaned_page cleaned_on(int cores, const picture& page) {
  tbb::task_arena arena(cores);
  return arena.execute([&] { return cleaned(page); });
}

// Bands of rows do not show: every number of cores gives the same bits.
TEST(a_cleaned_page, is_the_same_on_any_number_of_cores) {
  random_draws draw(6);
  for (const int dpi : {100, 150, 300}) {
    const picture page = decoded(scanned_picture(draw, random_page(draw, 12, 6), {dpi, dpi == 300}), most_pixels);
    const cleaned_page one = cleaned_on(1, page), four = cleaned_on(4, page);
    l_int32 same = 0;
    pixEqual(one.image.get(), four.image.get(), &same);
    EXPECT_EQ(same, 1) << dpi;
    EXPECT_EQ(one.letters, four.letters);
  }
}

// Degrees that a page is off, as leptonica finds them.
double skew_of(const picture& page) {
  const picture dark = owned(pixThresholdToBinary(page.get(), 130));
  l_float32 degrees = 0, confidence = 0;
  pixFindSkewSweepAndSearch(dark.get(), &degrees, &confidence, 2, 1, 7, 1, 0.01f);
  return double(degrees);
}

TEST(a_cleaned_page, is_upright_whichever_way_it_was_turned) {
  random_draws draw(7);
  const picture straight =
      cleaned(decoded(scanned_picture(draw, random_page(draw, 12, 8), {150, false}), most_pixels)).image;
  for (const double degrees : {-3.0, -0.7, 0.7, 3.0}) {
    const float radians = float(degrees * 3.14159265 / 180);
    const picture turned = owned(pixRotate(straight.get(), radians, L_ROTATE_AREA_MAP, L_BRING_IN_WHITE, 0, 0));
    EXPECT_NEAR(std::abs(skew_of(turned)), std::abs(degrees), 0.2);
    EXPECT_NEAR(skew_of(cleaned(turned).image), 0, 0.15) << degrees;
  }
}

// Letters without the dots of i and j: the count predicts the time of reading.
TEST(a_cleaned_page, tells_how_many_letters_it_has) {
  random_draws draw(8);
  const page_lines page = random_page(draw, 10, 6);
  std::size_t letters = 0;
  for (const std::string& line : page)
    for (const char c : line) letters += c >= 'a' && c <= 'z';
  const cleaned_page clean = cleaned(decoded(scanned_picture(draw, page, {200, false}), most_pixels));
  EXPECT_NEAR(double(clean.letters), double(letters), 0.1 * double(letters));  // some touch, some are commas
}

TEST(a_text_reader, says_which_language_it_has_no_data_for) {
  testing::internal::CaptureStderr();  // tesseract says it as well
  const std::string words = thrown_by([] { text_reader("qqq"); });
  testing::internal::GetCapturedStderr();
  EXPECT_NE(words.find("\"qqq\""), std::string::npos) << words;
  EXPECT_NE(words.find("tesseract-ocr-qqq"), std::string::npos) << words;
}

// Earlier pages do not change the text that is read.
TEST(a_text_reader, has_no_memory) {
  random_draws draw(9);
  std::vector<picture> pages;
  for (int i = 0; i < 3; ++i)
    pages.push_back(cleaned(decoded(scanned_picture(draw, random_page(draw, 5, 6), {100, false}), most_pixels)).image);
  std::vector<std::string> alone;
  for (const picture& p : pages) alone.push_back(text_reader().read(p));
  text_reader reader;
  for (const std::size_t i : {2, 0, 1, 0, 2}) EXPECT_EQ(reader.read(pages[i]), alone[i]);
}

TEST(clean_text, has_single_blanks_and_no_control_characters) {
  EXPECT_EQ(clean_text("  The river \r\n\t runs\f by\x01 the mill \n"), "The river runs by the mill");
  EXPECT_EQ(clean_text("Zw\xc3\xb6lf Boxk\xc3\xa4mpfer jagen"), "Zw\xc3\xb6lf Boxk\xc3\xa4mpfer jagen");
}

TEST(clean_text, is_none_where_there_is_hardly_a_letter) {
  EXPECT_EQ(clean_text(""), std::nullopt);
  EXPECT_EQ(clean_text("too short"), std::nullopt);
  EXPECT_EQ(clean_text("12,5 | 77,1 -- == .. 4711 $$ a b c"), std::nullopt);
}

std::string text_with(random_draws& draw, int lines) { return *clean_text(text_of(random_page(draw, lines, 8))); }

TEST(near_duplicates, are_found_and_others_are_not) {
  random_draws draw(10);
  near_duplicates seen;
  std::vector<page_lines> originals;
  for (int i = 0; i < 200; ++i) originals.push_back(random_page(draw, 16, 8));
  for (std::size_t i = 0; i < originals.size(); ++i)
    EXPECT_EQ(seen.find_or_add(sketch_of(*clean_text(text_of(originals[i]))), std::int64_t(i)), std::nullopt) << i;
  for (std::size_t i = 0; i < originals.size(); ++i)
    EXPECT_EQ(seen.find_or_add(sketch_of(*clean_text(text_of(altered(draw, originals[i])))), 1000), std::int64_t(i));
}

TEST(near_duplicates, of_a_copy_refer_to_its_original) {
  random_draws draw(11);
  const std::string text = text_with(draw, 10);
  near_duplicates seen;
  EXPECT_EQ(seen.find_or_add(sketch_of(text), 1), std::nullopt);
  EXPECT_EQ(seen.find_or_add(sketch_of(text), 2), 1);
  EXPECT_EQ(seen.find_or_add(sketch_of(text + "."), 3), 1);
}

TEST(a_sketch, is_that_of_the_words_alone) {
  EXPECT_EQ(sketch_of("The river, the mill and the weir."), sketch_of("the RIVER the mill and the weir"));
  EXPECT_NE(sketch_of("the river the mill and the weir"), sketch_of("the mill the river and the weir"));
}

// Its estimate of the shared part is within five standard errors.
TEST(a_sketch, estimates_how_much_is_shared) {
  random_draws draw(12);
  for (const int shared_lines : {0, 20, 40, 60, 80}) {
    const std::string common = shared_lines == 0 ? "" : text_with(draw, shared_lines) + " ";
    const std::string a = common + text_with(draw, 80 - shared_lines + 1),
                      b = common + text_with(draw, 80 - shared_lines + 1);
    const text_sketch x = sketch_of(a), y = sketch_of(b);
    double equal = 0;
    for (std::size_t i = 0; i < x.size(); ++i) equal += x[i] == y[i];
    const double part = shared_lines / (2.0 * 81 - shared_lines);
    EXPECT_NEAR(equal / sketch_size, part, 5 * std::sqrt(0.25 / sketch_size)) << shared_lines;
  }
}

TEST(a_zstd_frame, does_not_depend_on_how_many_threads_made_it) {
  random_draws draw(13);
  std::string text;
  while (text.size() < 5 * compressed_job) text += text_with(draw, 40);
  const std::string one = compressed(text, 3, 1);
  EXPECT_LT(one.size(), text.size() / 2);
  for (const int workers : {0, 2, 5}) EXPECT_EQ(compressed(text, 3, workers), one);
  EXPECT_EQ(decompressed(one, text.size()), text);
  EXPECT_EQ(decompressed(compressed("", 3, 2), 0), "");
}

TEST(a_zstd_frame, that_is_damaged_is_refused) {
  const std::string frame = compressed(std::string(1000, 'a') + "b", 3, 1);
  std::string other = frame;
  other[other.size() - 5] = char(~other[other.size() - 5]);
  for (const std::string& bytes : {frame.substr(0, frame.size() - 1), other, std::string("text"), std::string()})
    EXPECT_NE(thrown_by([&] { decompressed(bytes, 2000); }), weir::testing::nothing_refused) << bytes.size();
  EXPECT_NE(thrown_by([&] { decompressed(frame, 1000); }), weir::testing::nothing_refused);
}

}  // namespace
}  // namespace components
