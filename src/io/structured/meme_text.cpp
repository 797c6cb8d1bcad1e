// SPDX-License-Identifier: Apache-2.0
#include "io/structured/meme_text.hpp"

#include <cmath>

namespace maxmargin {

namespace {

std::string fixed(double value) {
  // snprintf would write the decimal comma of a program's locale.
  constexpr double scale = 1e6;
  const double rounded = std::round(std::abs(value) * scale);
  const auto whole = static_cast<long long>(rounded / scale);
  const auto rest = static_cast<long long>(rounded) - whole * static_cast<long long>(scale);
  std::string digits = std::to_string(rest);
  digits.insert(0, 6 - digits.size(), '0');
  return (value < 0 && rounded > 0 ? "-" : "") + std::to_string(whole) + "." + digits;
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
