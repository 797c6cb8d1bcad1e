// SPDX-License-Identifier: Apache-2.0
#include "io/structured/meme_text.hpp"

#include <array>
#include <charconv>
#include <limits>
#include <string_view>

namespace maxmargin {

namespace {

/// Six digits behind the point, of any finite number.
std::string fixed(double value) {
  // snprintf would write the decimal comma of a program's locale.
  std::array<char, std::numeric_limits<double>::max_exponent10 + 16> text;
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed, 6);
  const std::string_view digits(text.data(), static_cast<std::size_t>(end.ptr - text.data()));
  const bool is_minus_zero = digits.find_first_not_of("-0.") == std::string_view::npos;
  return std::string(is_minus_zero ? "0.000000" : digits);
}

void append_rows(const DenseMatrix& matrix, std::string& text) {
  for (std::size_t j = 0; j < matrix.rows(); ++j) {
    for (const double value : matrix.row(j)) text.append(" ").append(fixed(value));
    text += '\n';
  }
}

}  // namespace

std::string to_meme(const MotifFinder& finder, const MotifSites& sites) {
  const MotifTaskOptions& options = finder.task.options();
  const DenseMatrix probabilities = site_probabilities(sites.counts, finder.base_shares);
  DenseMatrix weights(options.length, dna_letters.size());
  for (std::size_t j = 0; j < weights.rows(); ++j) {
    for (std::size_t b = 0; b < weights.cols(); ++b) {
      weights(j, b) = finder.weights[weights.cols() * j + b];
    }
  }
  const std::string shape = "alength= 4 w= " + std::to_string(options.length);
  std::string text = "MEME version 4\n\nALPHABET= ACGT\n\nstrands: ";
  text += options.strands == MotifStrands::both ? "+ -" : "+";
  text += "\n\nBackground letter frequencies\n";
  for (std::size_t b = 0; b < dna_letters.size(); ++b) {
    text +=
        (b > 0 ? " " : "") + std::string(1, dna_letters[b]) + " " + fixed(finder.base_shares.at(b));
  }
  text += "\n\nMOTIF " + consensus_of(probabilities) + " motif\n\nlog-odds matrix: " + shape + "\n";
  append_rows(weights, text);
  text += "\nletter-probability matrix: " + shape + " nsites= " + std::to_string(sites.sites) +
          " E= 0\n";
  append_rows(probabilities, text);
  return text;
}

}  // namespace maxmargin
