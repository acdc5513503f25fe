#include "bench/weir/compare/timeline_svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace weir::command {
namespace {

// Pixels. Two panels next to each other, one row per run.
constexpr double width = 1180, top = 112, panel_height = 150, row_height = 226;
constexpr double left_panel = 64, right_panel = 652, panel_width = 488;
constexpr double bottom = 16;

// Also distinct for colour-blind people (M. Okabe, K. Ito, Color universal design, 2008).
const char* const colours[] = {"#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442"};
constexpr auto shared_colour = "#9A9A9A", line_colour = "#222222", predicted_colour = "#D55E00";

const char* colour_of(std::size_t component) { return colours[component % std::size(colours)]; }

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '&')
      result += "&amp;";
    else if (c == '<')
      result += "&lt;";
    else if (c == '>')
      result += "&gt;";
    else if (static_cast<unsigned char>(c) >= 0x20)
      result += c;
  }
  return result;
}

// 1, 2 or 5 times a power of ten, so that about `parts` steps make `range`.
double round_step(double range, int parts) {
  const double rough = range / parts, power = std::pow(10, std::floor(std::log10(rough)));
  for (const double times : {1.0, 2.0, 5.0})
    if (rough <= times * power) return times * power;
  return 10 * power;
}

// Chosen so that the top of the axis is a labelled number, if possible.
double core_step(int cores) {
  if (cores <= 6) return 1;
  for (const int parts : {4, 5, 3, 6})
    if (cores % parts == 0) return cores / parts;
  return std::ceil(round_step(cores, 5));
}

struct panel {
  double x, y;             // of its lower left corner
  double most_time, most;  // at the right edge and at the top

  double across(double time) const { return x + panel_width * std::clamp(time / most_time, 0.0, 1.0); }
  double up(double value) const { return y - panel_height * std::clamp(value / most, 0.0, 1.0); }
};

std::string text_at(double x, double y, const std::string& anchor, const std::string& what, const char* more = "") {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\"{}>{}</text>\n", x, y, anchor, more,
                     escaped(what));
}

std::string line_from(double x1, double y1, double x2, double y2, const char* style) {
  return fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" {}/>\n", x1, y1, x2, y2, style);
}

std::string box_at(double x, double y, double w, double h, const std::string& fill, const std::string& tip = "") {
  return fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\">{}</rect>\n", x, y,
                     w, h, fill, tip.empty() ? "" : "<title>" + escaped(tip) + "</title>");
}

std::string axes(const panel& p, double step, const std::string& unit) {
  std::string svg;
  for (double v = 0; v <= p.most * 1.0001; v += step) {
    svg += line_from(p.x, p.up(v), p.x + panel_width, p.up(v), "stroke=\"#DDDDDD\"");
    svg += text_at(p.x - 6, p.up(v) + 4, "end", fmt::format("{:g}", v));
  }
  const double seconds = round_step(p.most_time, 8);
  for (double t = 0; t <= p.most_time * 1.0001; t += seconds) {
    svg += line_from(p.across(t), p.y, p.across(t), p.y + 4, "stroke=\"#222222\"");
    svg += text_at(p.across(t), p.y + 17, "middle", fmt::format("{:g}", t));
  }
  svg += line_from(p.x, p.y, p.x + panel_width, p.y, "stroke=\"#222222\"");
  svg += line_from(p.x, p.y, p.x, p.y - panel_height, "stroke=\"#222222\"");
  svg += text_at(p.x + panel_width, p.y + 32, "end", "seconds since the start");
  svg += fmt::format("<text transform=\"translate({:.1f},{:.1f}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
                     p.x - 42, p.y - panel_height / 2, unit);
  return svg;
}

std::string phases(const panel& p, const timeline& run) {
  std::string svg;
  for (const double at : run.phases)
    svg +=
        line_from(p.across(at), p.y, p.across(at), p.y - panel_height, "stroke=\"#222222\" stroke-dasharray=\"2 4\"");
  return svg;
}

std::string cores(const panel& p, const timeline& run) {
  std::string svg;
  for (const timeline::division& d : run.divisions) {
    const double x = p.across(d.from), w = p.across(d.until) - x;
    int below = 0;
    const auto band = [&](int count, const std::string& fill, const std::string& whose) {
      if (count > 0)
        svg += box_at(
            x, p.up(below + count), w, p.up(below) - p.up(below + count), fill,
            fmt::format("{}: {} of {} cores from {:.3g} s to {:.3g} s", whose, count, run.cores, d.from, d.until));
      below += count;
    };
    for (std::size_t i = 0; i < d.owned.size(); ++i) {
      const int first = below;
      band(d.owned[i], colour_of(i), run.components[i]);
      if (d.host == static_cast<int>(i))
        svg += box_at(x, p.up(first + 1), w, p.up(first) - p.up(first + 1), "url(#hosted)",
                      "the shared group lies on a core of " + run.components[i]);
    }
    band(d.shared, shared_colour, "shared group");
    if (&d != &run.divisions.front()) svg += line_from(x, p.y, x, p.up(below), "stroke=\"white\" stroke-width=\"1\"");
  }
  if (run.divisions.empty())
    svg += text_at(p.x + panel_width / 2, p.y - panel_height / 2, "middle", "all components share all cores",
                   " fill=\"#666666\"");
  return svg;
}

std::string curve(const panel& p, const timeline::curve& points, const char* style) {
  if (points.empty()) return "";
  std::string svg = "<polyline fill=\"none\" ";
  svg += style;
  svg += " points=\"";
  for (const auto& [time, value] : points) svg += fmt::format("{:.1f},{:.1f} ", p.across(time), p.up(value));
  return svg + "\"/>\n";
}

const auto observed_style = fmt::format("stroke=\"{}\" stroke-width=\"1.8\"", line_colour);
const auto predicted_style =
    fmt::format("stroke=\"{}\" stroke-width=\"1.8\" stroke-dasharray=\"6 3\"", predicted_colour);

std::string legend(const std::vector<timeline>& rows) {
  std::string svg;
  double x = left_panel;
  constexpr double y = 84;
  const auto entry = [&](const std::string& fill, const std::string& name) {
    svg += box_at(x, y - 11, 14, 14, fill);
    if (fill.rfind("url", 0) == 0)
      svg += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"14\" height=\"14\" fill=\"none\" stroke=\"{}\"/>\n", x,
                         y - 11, shared_colour);
    svg += text_at(x + 19, y, "start", name);
    x += 34 + 7.2 * static_cast<double>(name.size());
  };
  const auto with_cores =
      std::find_if(rows.begin(), rows.end(), [](const timeline& t) { return !t.divisions.empty(); });
  bool shares = false, hosts = false;
  for (const timeline& t : rows)
    for (const timeline::division& d : t.divisions) shares |= d.shared > 0, hosts |= d.host >= 0;
  if (with_cores != rows.end())
    for (std::size_t i = 0; i < with_cores->components.size(); ++i) entry(colour_of(i), with_cores->components[i]);
  if (shares) entry(shared_colour, "shared group");
  if (hosts) entry("url(#hosted)", "group on an owner's core");

  svg += line_from(right_panel, y - 4, right_panel + 26, y - 4, observed_style.c_str());
  svg += text_at(right_panel + 32, y, "start", "observed");
  svg += line_from(right_panel + 112, y - 4, right_panel + 138, y - 4, predicted_style.c_str());
  svg += text_at(right_panel + 144, y, "start", "predicted for the cores in force");
  return svg;
}

}  // namespace

std::string timeline_svg(const std::string& title, const std::string& subtitle, const std::vector<timeline>& rows) {
  double most_time = 0, most_rate = 0;
  int most_cores = 1;
  bool any_phase = false;
  for (const timeline& t : rows) {
    most_time = std::max(most_time, t.end);
    most_cores = std::max(most_cores, t.cores);
    any_phase |= !t.phases.empty();
    for (const timeline::curve* c : {&t.observed, &t.predicted}) {
      std::vector<double> values;  // a first guess may be far off and must not flatten the other curves
      for (const auto& point : *c) values.push_back(point.second);
      std::sort(values.begin(), values.end());
      if (!values.empty()) most_rate = std::max(most_rate, values[(values.size() - 1) * 98 / 100]);
    }
  }
  const double rate_step = round_step(1.08 * std::max(most_rate, 1e-9), 5);

  const double height = top + row_height * static_cast<double>(rows.size()) + bottom;
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:g}\" height=\"{1:g}\" viewBox=\"0 0 {0:g} {1:g}\" "
      "font-family=\"Helvetica, Arial, sans-serif\" font-size=\"12\" fill=\"#222222\">\n"
      "<defs><pattern id=\"hosted\" width=\"7\" height=\"7\" patternTransform=\"rotate(45)\" "
      "patternUnits=\"userSpaceOnUse\"><rect width=\"3\" height=\"7\" fill=\"{2}\"/></pattern></defs>\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
      width, height, shared_colour);
  svg += text_at(left_panel, 30, "start", title, " font-size=\"17\" font-weight=\"bold\"");
  svg += text_at(left_panel, 51, "start", subtitle + (any_phase ? "; dotted: another phase begins to be sent" : ""),
                 " fill=\"#555555\"");
  svg += legend(rows);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const timeline& run = rows[i];
    const double base = top + row_height * static_cast<double>(i) + 22 + panel_height;
    const panel owned{left_panel, base, most_time, static_cast<double>(most_cores)};
    const panel rate{right_panel, base, most_time, rate_step * std::max(1.0, std::ceil(1.04 * most_rate / rate_step))};
    svg += text_at(left_panel, base - panel_height - 9, "start", run.title, " font-size=\"14\" font-weight=\"bold\"");
    svg += axes(owned, core_step(most_cores), "cores");
    svg += cores(owned, run) + phases(owned, run);
    svg += axes(rate, rate_step, "records/s");
    svg += phases(rate, run);
    svg += curve(rate, run.predicted, predicted_style.c_str()) + curve(rate, run.observed, observed_style.c_str());
  }
  return svg + "</svg>\n";
}

}  // namespace weir::command
