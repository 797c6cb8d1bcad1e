// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/plot/logo.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "maxmargin/core/options.hpp"
#include "maxmargin/core/require.hpp"
#include "plot/canvas.hpp"
#include "plot/text.hpp"

namespace maxmargin {

namespace {

using svg::pixels;

constexpr std::size_t letters = 4;
constexpr double most_bits = 2;
constexpr double left = 56;
constexpr double right = 16;
constexpr double below = 40;
/// Lower letters would be a line.
constexpr double least_height = 0.3;

/// Outlines in the unit square, y downwards, and colours that common kinds of colour blindness
/// leave apart.
struct Glyph {
  std::string_view name;
  std::string_view outline;
  std::string_view colour;
};
constexpr std::array<Glyph, letters> glyphs = {
    {{"A", "M0 1L.38 0H.62L1 1H.8L.72 .76H.28L.2 1ZM.34 .59H.66L.5 .14Z", "#009e73"},
     {"C",
      "M.99 .67C.95 .9 .76 1.01 .53 1.01C.2 1.01 0 .8 0 .5C0 .2 .21 -.01 .54 -.01C.77 -.01 .95 .1 "
      ".99 .32H.79C.75 .21 .67 .16 .54 .16C.33 .16 .21 .29 .21 .5C.21 .71 .33 .84 .53 .84C.67 .84 "
      ".76 .78 .79 .67Z",
      "#0072b2"},
     {"G",
      "M.55 .62V.46H1V1H.86L.84 .88C.76 .97 .66 1.01 .53 1.01C.2 1.01 0 .8 0 .5C0 .2 .21 -.01 .54 "
      "-.01C.78 -.01 .95 .1 .99 .31H.78C.75 .21 .67 .16 .54 .16C.33 .16 .21 .29 .21 .5C.21 .71 .33 "
      ".84 .54 .84C.69 .84 .79 .75 .8 .62Z",
      "#e69f00"},
     {"T", "M0 0H1V.17H.6V1H.4V.17H0Z", "#d55e00"}}};

double information(std::span<const double> shares) {
  double bits = most_bits;
  for (const double share : shares) {
    if (share > 0) bits += share * std::log2(share);
  }
  return std::max(0.0, bits);
}

void check(const DenseMatrix& probabilities) {
  require(probabilities.rows() > 0 && probabilities.cols() == letters,
          "svg_logo: there must be a column of four probabilities");
  constexpr double rounding = 1e-6;
  for (std::size_t j = 0; j < probabilities.rows(); ++j) {
    double sum = 0;
    for (const double share : probabilities.row(j)) {
      require_field(share >= 0, "svg_logo: a probability", share, ">= 0");
      sum += share;
    }
    require_field(std::abs(sum - 1) <= rounding, "svg_logo: the sum of a column", sum, "1");
  }
}

/// The letters of a column, the least probable at the foot.
void draw_column(svg::Canvas& canvas,
                 std::span<const double> shares,
                 double x,
                 double width,
                 double foot,
                 double pixels_a_bit) {
  std::array<std::size_t, letters> order = {0, 1, 2, 3};
  std::ranges::stable_sort(order, {}, [&](std::size_t b) { return shares[b]; });
  const double bits = information(shares);
  for (const std::size_t b : order) {
    const double height = shares[b] * bits * pixels_a_bit;
    foot -= height;
    if (height < least_height) continue;
    const Glyph& glyph = glyphs[b];
    canvas.path(glyph.outline,
                " fill=\"" + std::string(glyph.colour) + "\" fill-rule=\"evenodd\" class=\"" +
                    std::string(glyph.name) + "\" transform=\"translate(" + pixels(x) + " " +
                    pixels(foot) + ") scale(" + pixels(width) + " " + pixels(height) + ")\"");
  }
}

}  // namespace

void LogoOptions::describe(OptionVisitor& visit) {
  visit.text({.name = "title", .help = "heading of the picture"}, title);
  visit.whole({.name = "column-width", .help = "width of a column in pixels"},
              column_width,
              {.least = 8, .most = 500});
  visit.whole({.name = "height", .help = "height of the picture in pixels"},
              height,
              {.least = 120, .most = 4000});
}

std::string svg_logo(const DenseMatrix& probabilities, const LogoOptions& options) {
  validate(options);
  check(probabilities);
  const auto step = static_cast<double>(options.column_width);
  const double width = left + right + step * static_cast<double>(probabilities.rows());
  const double top = options.title.empty() ? 14 : 40;
  const double foot = static_cast<double>(options.height) - below;
  svg::Canvas canvas(static_cast<std::size_t>(width),
                     options.height,
                     options.title.empty() ? "sequence logo" : options.title);
  if (!options.title.empty()) {
    canvas.text(width / 2, 22, options.title, "middle", " font-size=\"16\"");
  }
  const double pixels_a_bit = (foot - top) / most_bits;
  for (int half = 0; half <= 4; ++half) {
    const double bits = 0.5 * half;
    const double y = foot - bits * pixels_a_bit;
    canvas.line(left - 5, y, left, y, svg::ink);
    if (half % 2 == 0) canvas.text(left - 9, y + 4, std::to_string(half / 2), "end");
  }
  canvas.line(left, top, left, foot, svg::ink);
  canvas.line(left, foot, width - right, foot, svg::ink);
  canvas.text(18, (top + foot) / 2, "bits", "middle");
  // Letters do not touch.
  const double air = 0.04 * step;
  for (std::size_t j = 0; j < probabilities.rows(); ++j) {
    const double x = left + step * static_cast<double>(j);
    draw_column(canvas, probabilities.row(j), x + air, step - 2 * air, foot, pixels_a_bit);
    canvas.text(x + step / 2, foot + 18, std::to_string(j + 1), "middle");
  }
  return canvas.finish();
}

}  // namespace maxmargin
