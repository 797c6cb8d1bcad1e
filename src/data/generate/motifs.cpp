// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "maxmargin/core/options.hpp"
#include "maxmargin/core/rng.hpp"
#include "maxmargin/data/generators.hpp"

namespace maxmargin {

namespace {

/// Chance that a base is the one before it again, beyond that of a quarter.
constexpr double repeats = 0.15;

char draw_base(Rng& rng) { return base_letter(static_cast<std::uint8_t>(rng.index(4))); }

std::string draw_background(std::size_t length, Rng& rng) {
  std::string sequence;
  while (sequence.size() < length) {
    const bool again = !sequence.empty() && rng.bernoulli(repeats);
    sequence += again ? sequence.back() : draw_base(rng);
  }
  return sequence;
}

bool holds(const std::string& sequence, const MotifsOptions& options) {
  return sequence.find(options.motif) != std::string::npos ||
         (options.both_strands &&
          sequence.find(reverse_complement(options.motif)) != std::string::npos);
}

/// A motif of a base or two is everywhere: what cannot be avoided is left.
constexpr std::size_t most_draws = 100;

std::string draw_negative(const MotifsOptions& options, Rng& rng) {
  std::string sequence = draw_background(options.length, rng);
  for (std::size_t k = 0; k < most_draws && holds(sequence, options); ++k) {
    sequence = draw_background(options.length, rng);
  }
  return sequence;
}

std::string draw_positive(const MotifsOptions& options, Rng& rng) {
  std::string sequence = draw_background(options.length, rng);
  std::string site = options.motif;
  for (char& base : site) {
    if (rng.bernoulli(options.noise)) base = draw_base(rng);
  }
  const std::size_t place = rng.index(options.length - site.size() + 1);
  if (options.both_strands && rng.bernoulli(0.5)) site = reverse_complement(site);
  std::ranges::copy(site, sequence.begin() + static_cast<std::ptrdiff_t>(place));
  return sequence;
}

}  // namespace

void MotifsOptions::describe(OptionVisitor& visit) {
  visit.whole({.name = "n", .help = "sequences"}, n);
  visit.text({.name = "motif", .help = "what every second one holds"}, motif);
  visit.whole({.name = "length", .help = "bases of each"}, length, {.least = 1});
  visit.number({.name = "noise", .help = "chance that a base of the motif is drawn anew"},
               noise,
               rules::share);
  visit.yes_no({.name = "both-strands", .help = "half of them as the reverse complement"},
               both_strands);
  visit.whole({.name = "seed", .help = "which random draw"}, seed);
  const bool are_bases = std::ranges::all_of(
      motif, [](char c) { return dna_letters.find(c) != std::string_view::npos; });
  visit.rule(!motif.empty() && are_bases,
             breach("motif", motif, "letters A, C, G and T, at least one"));
  visit.rule(length >= motif.size(),
             breach("length", std::to_string(length), "at least the motif's"));
}

DnaData generate_motifs(const MotifsOptions& options) {
  validate(options);
  DnaData data;
  data.source = "planted motifs";
  for (std::size_t i = 0; i < options.n; ++i) {
    // A stream for every sequence: more of them do not change the first ones.
    Rng rng(options.seed, "planted motifs", i);
    const bool is_positive = i % 2 == 0;
    data.sequences.push_back(is_positive ? draw_positive(options, rng)
                                         : draw_negative(options, rng));
    data.names.push_back("m" + std::to_string(i));
    data.labels.push_back(is_positive ? 1 : -1);
  }
  return data;
}

}  // namespace maxmargin
