// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/data/generators.hpp"

#include <cmath>
#include <numbers>

#include "data/generate/point_cloud.hpp"
#include "maxmargin/core/options.hpp"

namespace maxmargin {

namespace {

struct Stroke {
  CloudPoint from = {};
  CloudPoint to = {};
};

/// A letter of height 1 whose left edge is x = 0.
struct Letter {
  double width = 0;
  std::vector<Stroke> strokes = {};
};

Letter letter_of(char name) {
  if (name == 'a') {
    return {.width = 1,
            .strokes = {{{0, 0}, {0.5, 1}}, {{0.5, 1}, {1, 0}}, {{0.2, 0.4}, {0.8, 0.4}}}};
  }
  return {.width = 0.5,
          .strokes = {{{0.25, 0}, {0.25, 1}}, {{0, 0}, {0.5, 0}}, {{0, 1}, {0.5, 1}}}};
}

/// The letter stretched to `height` and moved right by `left`.
std::vector<Stroke> placed(const Letter& letter, double left, double height) {
  std::vector<Stroke> strokes = letter.strokes;
  for (Stroke& stroke : strokes) {
    stroke.from = {left + stroke.from.x, height * stroke.from.y};
    stroke.to = {left + stroke.to.x, height * stroke.to.y};
  }
  return strokes;
}

double length_of(const Stroke& stroke) {
  return std::hypot(stroke.to.x - stroke.from.x, stroke.to.y - stroke.from.y);
}

/// `count` points, uniform in length over all strokes.
void add_along_strokes(PointCloud& cloud,
                       const std::vector<Stroke>& strokes,
                       std::size_t count,
                       std::size_t class_number,
                       Rng& rng) {
  std::vector<double> lengths;
  for (const Stroke& stroke : strokes) lengths.push_back(length_of(stroke));
  for (std::size_t i = 0; i < count; ++i) {
    const Stroke& stroke = strokes[rng.discrete(lengths)];
    const double t = rng.uniform();
    cloud.add(stroke.from.x + t * (stroke.to.x - stroke.from.x),
              stroke.from.y + t * (stroke.to.y - stroke.from.y),
              class_number);
  }
}

}  // namespace

void MoonsOptions::describe(OptionVisitor& visit) {
  visit.whole({.name = "n", .help = "rows"}, n, {.least = 2});
  visit.number({.name = "noise", .help = "deviation of the noise"}, noise, rules::not_negative);
  visit.whole({.name = "seed", .help = "which random draw"}, seed);
}

Dataset generate_moons(const MoonsOptions& options) {
  validate(options);
  Rng rng(options.seed, "moons");
  PointCloud cloud(2, options.n);
  const std::size_t upper = options.n / 2;
  const auto angle = [](std::size_t i, std::size_t count) {
    if (count == 1) return 0.0;
    return std::numbers::pi * static_cast<double>(i) / static_cast<double>(count - 1);
  };
  for (std::size_t i = 0; i < upper; ++i) {
    const double t = angle(i, upper);
    cloud.add(std::cos(t), std::sin(t), 0);
  }
  for (std::size_t i = 0; i < options.n - upper; ++i) {
    const double t = angle(i, options.n - upper);
    cloud.add(1 - std::cos(t), 0.5 - std::sin(t), 1);
  }
  cloud.jitter(options.noise, rng);
  return cloud.shuffled(rng, "builtin:moons");
}

void SquigglesOptions::describe(OptionVisitor& visit) {
  visit.whole({.name = "n", .help = "rows"}, n, {.least = 1});
  visit.whole({.name = "curves", .help = "lines, a class each"}, curves, {.least = 1});
  visit.number({.name = "length", .help = "extent in x"}, length, rules::positive);
  visit.number({.name = "period", .help = "wave length"}, period, rules::positive);
  visit.number(
      {.name = "amplitude", .help = "height of the waves"}, amplitude, rules::not_negative);
  visit.number({.name = "gap", .help = "vertical distance of the lines"}, gap, rules::not_negative);
  visit.number({.name = "noise", .help = "deviation of the noise"}, noise, rules::not_negative);
  visit.whole({.name = "seed", .help = "which random draw"}, seed);
  rule_of_rows(visit, n, curves);
}

Dataset generate_squiggles(const SquigglesOptions& options) {
  validate(options);
  Rng rng(options.seed, "squiggles");
  PointCloud cloud(2, options.n);
  for (std::size_t c = 0; c < options.curves; ++c) {
    for (std::size_t i = 0; i < share_of_class(options.n, options.curves, c); ++i) {
      const double x = rng.uniform(0, options.length);
      const double wave = options.amplitude * std::sin(2 * std::numbers::pi * x / options.period);
      cloud.add(x, static_cast<double>(c) * options.gap + wave, c);
    }
  }
  cloud.jitter(options.noise, rng);
  return cloud.shuffled(rng, "builtin:squiggles");
}

void LettersOptions::describe(OptionVisitor& visit) {
  visit.whole({.name = "n", .help = "rows"}, n, {.least = 1});
  visit.number(
      {.name = "height", .help = "of the letters; an A is 1 wide"}, height, rules::positive);
  visit.number({.name = "gap", .help = "between the letters"}, gap, rules::not_negative);
  visit.number({.name = "noise", .help = "deviation of the noise"}, noise, rules::not_negative);
  visit.whole({.name = "seed", .help = "which random draw"}, seed);
  visit.rule(!word.empty() && word.find_first_not_of("ai") == std::string::npos,
             "word = " + word + ", must be made of the letters a and i");
  rule_of_rows(visit, n, word.size());
}

Dataset generate_letters(const LettersOptions& options) {
  validate(options);
  Rng rng(options.seed, "letters");
  PointCloud cloud(2, options.n);
  double left = 0;
  for (std::size_t c = 0; c < options.word.size(); ++c) {
    const Letter letter = letter_of(options.word[c]);
    add_along_strokes(cloud,
                      placed(letter, left, options.height),
                      share_of_class(options.n, options.word.size(), c),
                      c,
                      rng);
    left += letter.width + options.gap;
  }
  cloud.jitter(options.noise, rng);
  return cloud.shuffled(rng, "builtin:" + options.word);
}

}  // namespace maxmargin
