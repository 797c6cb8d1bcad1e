// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

/// An SVG document that grows element by element. Coordinates are pixels, y downwards.
namespace maxmargin::svg {

inline constexpr std::string_view ink = "#222222";
inline constexpr std::string_view grid = "#e4e4e4";
inline constexpr std::string_view no_group_colour = "#777777";
inline constexpr double font_size = 13;
inline constexpr double character_width = 7.2;  ///< generous for a 13 pixel sans-serif
inline constexpr std::size_t shape_count = 7;
inline constexpr int cross = 6;  ///< the last shape; also that of points without a group

/// The colour of a group: Okabe and Ito's eight, which the common kinds of colour blindness leave
/// apart, then they repeat; grey for a negative number.
[[nodiscard]] std::string_view colour_of(std::int32_t group);

/// The shape of a group's markers; the cross for a negative number.
[[nodiscard]] int shape_of(std::int32_t group);

class Canvas {
 public:
  Canvas(std::size_t width, std::size_t height, std::string_view title);

  /// `anchor`: start, middle or end. `more`: further attributes, each after a space.
  void text(double x,
            double y,
            std::string_view words,
            std::string_view anchor,
            std::string_view more = {});
  void line(double x1,
            double y1,
            double x2,
            double y2,
            std::string_view colour,
            std::string_view more = {});
  /// An outline without filling.
  void frame(double x, double y, double width, double height);
  /// `commands` in the language of the attribute d.
  void path(std::string_view commands, std::string_view attributes);
  void marker(int shape, std::string_view colour, double x, double y, double radius);
  void ring(double x, double y, double radius);
  void open_group(std::string_view attributes);
  void close_group();
  /// The whole document. Nothing may be drawn after it.
  [[nodiscard]] std::string finish();

 private:
  std::string out_;
};

}  // namespace maxmargin::svg
