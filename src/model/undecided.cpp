// SPDX-License-Identifier: Apache-2.0
#include "model/undecided.hpp"

#include <algorithm>
#include <cmath>
#include <span>

namespace maxmargin {

namespace {

// Comparisons are written so that a value or error that is not a number leaves the row undecided.

/// Whether value >= 0 whatever happens within the error, or < 0 whatever happens.
bool sign_is_decided(double value, double error) {
  return value >= 0 ? value - error >= 0 : value + error < 0;
}

/// The same for value > 0, the question that votes ask.
bool vote_is_decided(double value, double error) {
  return value > 0 ? value - error > 0 : value + error <= 0;
}

/// How far every class's score may move down and up.
struct ScoreErrors {
  explicit ScoreErrors(std::size_t classes) : down(classes), up(classes) {}
  std::vector<double> down;
  std::vector<double> up;

  void clear() {
    std::ranges::fill(down, 0.0);
    std::ranges::fill(up, 0.0);
  }
};

void bound_votes(const OutputCode& code,
                 std::span<const double> values,
                 std::span<const double> errors,
                 ScoreErrors& scores) {
  for (std::size_t f = 0; f < code.functions; ++f) {
    const bool decided = vote_is_decided(values[f], errors[f]);
    const bool refined = code.decoding == Decoding::votes_then_margin;
    if (decided && !refined) continue;
    for (std::size_t c = 0; c < code.classes; ++c) {
      if (code.sign(c, f) == 0) continue;
      // The squeezed margin moves by a third of what the value does at most.
      const double margin = refined ? errors[f] / 3 : 0.0;
      const bool has_vote = (code.sign(c, f) > 0) == (values[f] > 0);
      scores.down[c] += margin + (!decided && has_vote ? 1.0 : 0.0);
      scores.up[c] += margin + (!decided && !has_vote ? 1.0 : 0.0);
    }
  }
}

void bound_words(const OutputCode& code,
                 std::span<const double> values,
                 std::span<const double> errors,
                 ScoreErrors& scores) {
  const bool hamming = code.decoding == Decoding::hamming;
  for (std::size_t f = 0; f < code.functions; ++f) {
    const bool decided = sign_is_decided(values[f], errors[f]);
    if (hamming && decided) continue;
    for (std::size_t c = 0; c < code.classes; ++c) {
      if (code.sign(c, f) == 0) continue;
      if (hamming) {
        const bool agrees = (code.sign(c, f) > 0) == (values[f] >= 0);
        (agrees ? scores.down[c] : scores.up[c]) += 1;
      } else {
        // A hinge loss moves by no more than its argument.
        scores.down[c] += errors[f];
        scores.up[c] += errors[f];
      }
    }
  }
}

/// Whether the best score stays the best; ties go to the lowest index.
bool winner_is_decided(std::span<const double> scores, const ScoreErrors& errors) {
  const auto winner = static_cast<std::size_t>(std::ranges::max_element(scores) - scores.begin());
  const double least = scores[winner] - errors.down[winner];
  for (std::size_t c = 0; c < scores.size(); ++c) {
    if (c == winner) continue;
    const double most = scores[c] + errors.up[c];
    if (!(c < winner ? most < least : most <= least)) return false;
  }
  return true;
}

}  // namespace

std::vector<std::size_t> undecided_rows(const OutputCode& code, const BoundedValues& bounded) {
  std::vector<std::size_t> rows;
  if (bounded.errors.values().empty() || code.classes == 1) return rows;
  const DenseMatrix scores = decode(code, bounded.values.view());
  ScoreErrors score_errors(code.classes);
  for (std::size_t i = 0; i < scores.rows(); ++i) {
    const std::span<const double> values = bounded.values.row(i);
    const std::span<const double> errors = bounded.errors.row(i);
    if (scores.cols() == 1) {
      if (!sign_is_decided(values[0], errors[0])) rows.push_back(i);
      continue;
    }
    score_errors.clear();
    switch (code.decoding) {
      case Decoding::votes:
      case Decoding::votes_then_margin:
        bound_votes(code, values, errors, score_errors);
        break;
      case Decoding::hamming:
      case Decoding::margin:
        bound_words(code, values, errors, score_errors);
        break;
      case Decoding::value:
        std::ranges::copy(errors, score_errors.down.begin());
        std::ranges::copy(errors, score_errors.up.begin());
        break;
    }
    if (!winner_is_decided(scores.row(i), score_errors)) rows.push_back(i);
  }
  return rows;
}

std::vector<std::size_t> rows_of_undecided_sign(const BoundedValues& bounded) {
  std::vector<std::size_t> rows;
  if (bounded.errors.values().empty()) return rows;
  for (std::size_t i = 0; i < bounded.values.rows(); ++i) {
    bool decided = true;
    for (std::size_t f = 0; f < bounded.values.cols(); ++f) {
      decided = decided && sign_is_decided(bounded.values(i, f), bounded.errors(i, f));
    }
    if (!decided) rows.push_back(i);
  }
  return rows;
}

}  // namespace maxmargin
