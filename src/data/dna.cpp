// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/data/dna.hpp"

#include <algorithm>
#include <cmath>

#include "maxmargin/core/error.hpp"
#include "maxmargin/core/number.hpp"
#include "maxmargin/core/option.hpp"

namespace maxmargin {

namespace {

/// Letters that stand for several bases (IUPAC), and X.
constexpr std::string_view ambiguous_letters = "NRYSWKMBDHVX";

[[noreturn]] void fail(const DnaData& data, const std::string& problem) {
  throw InvalidArgument((data.source.empty() ? "the data" : data.source) + ": " + problem);
}

void check_length(const DnaData& data, std::size_t found, const char* what) {
  if (found == 0 || found == data.size()) return;
  fail(data,
       std::to_string(found) + " " + what + " for " + std::to_string(data.size()) + " sequences");
}

void check_sequences(const DnaData& data) {
  check_length(data, data.names.size(), "names");
  check_length(data, data.labels.size(), "labels");
  check_length(data, data.weights.size(), "weights");
  for (std::size_t i = 0; i < data.size(); ++i) {
    if (data.sequences[i].empty()) fail(data, data.name_of_sequence(i) + " is empty");
    const auto is_letter = [](char c) {
      return c == 'N' || dna_letters.find(c) != std::string_view::npos;
    };
    const auto other = std::ranges::find_if_not(data.sequences[i], is_letter);
    if (other != data.sequences[i].end()) {
      fail(data,
           data.name_of_sequence(i) + " has a letter that is none of A, C, G, T and N at base " +
               std::to_string(other - data.sequences[i].begin() + 1));
    }
    if (!data.labels.empty() && std::abs(data.labels[i]) > 1) {
      fail(data,
           "the label of " + data.name_of_sequence(i) + " is " + std::to_string(data.labels[i]) +
               ", must be 1, -1 or 0");
    }
    if (!data.weights.empty() && !(std::isfinite(data.weights[i]) && data.weights[i] >= 0)) {
      fail(data,
           "the weight of " + data.name_of_sequence(i) + " is " + format_number(data.weights[i]) +
               ", must be finite and >= 0");
    }
  }
}

}  // namespace

std::uint8_t base_code(char letter) noexcept {
  const char upper =
      letter >= 'a' && letter <= 'z' ? static_cast<char>(letter - 'a' + 'A') : letter;
  if (upper == 'U') return 3;
  const std::size_t at = dna_letters.find(upper);
  if (at != std::string_view::npos) return static_cast<std::uint8_t>(at);
  return ambiguous_letters.find(upper) == std::string_view::npos ? no_base : unknown_base;
}

char base_letter(std::uint8_t code) noexcept {
  return code < dna_letters.size() ? dna_letters[code] : 'N';
}

std::string reverse_complement(std::string_view sequence) {
  std::string other;
  other.reserve(sequence.size());
  for (auto at = sequence.rbegin(); at != sequence.rend(); ++at) {
    const std::uint8_t code = base_code(*at);
    other += base_letter(code < unknown_base ? static_cast<std::uint8_t>(3 - code) : code);
  }
  return other;
}

std::string DnaData::name_of_sequence(std::size_t i) const {
  std::string number = "sequence " + std::to_string(i + 1);
  if (names.empty() || names[i].empty()) return number;
  return number + " (" + names[i] + ")";
}

void DnaData::describe(OptionVisitor& visit) {
  visit.check([this] { check_sequences(*this); });
}

}  // namespace maxmargin
