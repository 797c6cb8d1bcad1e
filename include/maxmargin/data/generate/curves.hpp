// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "maxmargin/core/export.hpp"
#include "maxmargin/core/option.hpp"
#include "maxmargin/data/dataset.hpp"

/// Points along curves in the plane, a class a curve. Rows are in an order drawn with the seed;
/// labels are 1, 2, ...; the classes have equal sizes up to one, the first ones larger unless said
/// otherwise.
namespace maxmargin {

/// Two half circles that reach into each other.
struct MAXMARGIN_EXPORT MoonsOptions {
  /// Number of rows, >= 2. Class 2 gets the odd one.
  std::size_t n = 200;
  /// Deviation of the Gaussian noise in both coordinates, >= 0.
  double noise = 0.05;
  std::uint64_t seed = 0;

  void describe(OptionVisitor& visit);
};

/// As scikit-learn's make_moons: class 1 on (cos t, sin t), class 2 on (1 - cos t, 1/2 - sin t),
/// with t evenly spaced over [0, pi], both ends included.
[[nodiscard]] MAXMARGIN_EXPORT Dataset generate_moons(const MoonsOptions& options = {});

/// Wavy lines above each other, wider than all of them are high.
struct MAXMARGIN_EXPORT SquigglesOptions {
  /// Number of rows, >= curves.
  std::size_t n = 120;
  /// Number of lines, one class each, >= 1.
  std::size_t curves = 3;
  /// Extent of the lines in x, > 0.
  double length = 6;
  /// Wave length, > 0.
  double period = 2;
  /// Height of the waves, >= 0.
  double amplitude = 0.4;
  /// Vertical distance between the lines, >= 0.
  double gap = 1;
  /// Deviation of the Gaussian noise in both coordinates, >= 0.
  double noise = 0.05;
  std::uint64_t seed = 0;

  void describe(OptionVisitor& visit);
};

/// Class c on (x, c gap + amplitude sin(2 pi x / period)), c = 0, 1, ..., with x drawn uniformly
/// from [0, length).
[[nodiscard]] MAXMARGIN_EXPORT Dataset generate_squiggles(const SquigglesOptions& options = {});

/// Letters side by side, a class a letter.
struct MAXMARGIN_EXPORT LettersOptions {
  /// Number of rows, >= letters.
  std::size_t n = 100;
  /// What is written: letters `a` and `i`, drawn as capitals; at least one.
  std::string word = "ai";
  /// Of the letters, > 0. An A is 1 wide, an I 1/2.
  double height = 2;
  /// Between neighbours, >= 0.
  double gap = 0.3;
  /// Deviation of the Gaussian noise in both coordinates, >= 0.
  double noise = 0.02;
  std::uint64_t seed = 0;

  void describe(OptionVisitor& visit);
};

/// Points are uniform along the strokes of each letter.
[[nodiscard]] MAXMARGIN_EXPORT Dataset generate_letters(const LettersOptions& options = {});

}  // namespace maxmargin
