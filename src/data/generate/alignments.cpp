// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/data/generators.hpp"

#include <algorithm>
#include <string_view>

#include "maxmargin/core/options.hpp"
#include "maxmargin/core/rng.hpp"

namespace maxmargin {

namespace {

constexpr std::string_view buried_residues = "AFILMVWC";
constexpr std::string_view exposed_residues = "DEGHKNPQRSTY";

struct Site {
  char residue = 'A';
  char structure = 'C';
  char surface = '0';
};

char one_of(std::string_view letters, Rng& rng) { return letters[rng.index(letters.size())]; }

char draw_residue(char surface, Rng& rng) {
  const bool usual = rng.bernoulli(0.8);
  return one_of((surface < '2') == usual ? buried_residues : exposed_residues, rng);
}

char surface_of(char structure, std::size_t place, Rng& rng) {
  const bool buried = structure == 'H' ? place % 4 == 0 : structure == 'E' && place % 2 == 0;
  return static_cast<char>((buried ? '0' : '3') + static_cast<char>(rng.index(buried ? 2 : 6)));
}

std::vector<Site> draw_ancestor(std::size_t length, Rng& rng) {
  std::vector<Site> sites;
  char structure = 'C';
  while (sites.size() < length) {
    // The next element is another one.
    char next = structure;
    while (next == structure) next = one_of("HEC", rng);
    structure = next;
    const std::size_t end = std::min(length, sites.size() + 4 + rng.index(9));
    for (std::size_t place = 0; sites.size() < end; ++place) {
      Site site{.structure = structure};
      site.surface = surface_of(structure, place, rng);
      site.residue = draw_residue(site.surface, rng);
      sites.push_back(site);
    }
  }
  return sites;
}

/// A residue that has no ancestor: a coil at the surface.
Site draw_insertion(Rng& rng) {
  Site site{.structure = 'C'};
  site.surface = surface_of('C', 0, rng);
  site.residue = draw_residue(site.surface, rng);
  return site;
}

class PairMaker {
 public:
  PairMaker(const PlantedAlignmentOptions& options, Rng& rng) : options_(options), rng_(rng) {}

  void make() {
    const std::vector<Site> ancestor = draw_ancestor(options_.length, rng_);
    for (const Site& site : ancestor) {
      add(pair.target, site, true);
      add(pair.known, site, false);
      alignment.steps.push_back(AlignmentStep::match);
      if (!rng_.bernoulli(options_.gap_opening)) continue;
      const bool in_target = rng_.bernoulli(0.5);
      do {
        const Site inserted = draw_insertion(rng_);
        add(in_target ? pair.known : pair.target, inserted, !in_target);
        alignment.steps.push_back(in_target ? AlignmentStep::gap_in_target
                                            : AlignmentStep::gap_in_known);
      } while (rng_.bernoulli(options_.gap_extension));
    }
  }

  SequencePair pair;
  Alignment alignment;

 private:
  void add(AnnotatedSequence& sequence, const Site& site, bool predicted) {
    sequence.residues +=
        rng_.bernoulli(options_.identity) ? site.residue : draw_residue(site.surface, rng_);
    const bool structure_right = !predicted || rng_.bernoulli(options_.track_accuracy);
    sequence.structure += structure_right ? site.structure : one_of("HEC", rng_);
    const bool surface_right = !predicted || rng_.bernoulli(options_.track_accuracy);
    sequence.surface += surface_right ? site.surface : one_of("0123456789", rng_);
    for (const char residue : profile_residues) {
      const bool same_group = (buried_residues.find(residue) != std::string_view::npos) ==
                              (buried_residues.find(site.residue) != std::string_view::npos);
      sequence.profile.push_back(residue == site.residue ? 1 : same_group ? 0.1 : 0);
    }
  }

  const PlantedAlignmentOptions& options_;
  Rng& rng_;
};

}  // namespace

void PlantedAlignmentOptions::describe(OptionVisitor& visit) {
  visit.whole({.name = "pairs", .help = "pairs of sequences"}, pairs);
  visit.whole({.name = "length", .help = "residues of the ancestor"}, length, {.least = 1});
  visit.number({.name = "identity", .help = "chance that a residue is still the ancestor's"},
               identity,
               rules::share);
  visit.number({.name = "track-accuracy",
                .help = "chance that structure and surface of the target are right"},
               track_accuracy,
               rules::share);
  visit.number({.name = "gap-opening", .help = "chance that a run of gaps opens behind a residue"},
               gap_opening,
               rules::share);
  visit.number({.name = "gap-extension", .help = "chance that a run of gaps goes on"},
               gap_extension,
               rules::share_below_one);
  visit.whole({.name = "seed", .help = "which random draw"}, seed);
}

AlignmentData generate_alignments(const PlantedAlignmentOptions& options) {
  validate(options);
  AlignmentData data;
  data.source = "planted alignments";
  for (std::size_t k = 0; k < options.pairs; ++k) {
    // A stream for every pair: more pairs do not change the first ones.
    Rng rng(options.seed, "planted alignments", k);
    PairMaker maker(options, rng);
    maker.make();
    maker.pair.target.name = "target" + std::to_string(k);
    maker.pair.known.name = "known" + std::to_string(k);
    data.inputs.push_back(std::move(maker.pair));
    data.references.push_back(std::move(maker.alignment));
    data.families.push_back(std::to_string(k));
  }
  return data;
}

}  // namespace maxmargin
