// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/data/alignment.hpp"

#include <algorithm>
#include <cmath>

#include "maxmargin/core/require.hpp"

namespace maxmargin {

namespace {

std::size_t steps_but(const Alignment& alignment, AlignmentStep other) {
  return static_cast<std::size_t>(
      std::ranges::count_if(alignment.steps, [&](AlignmentStep step) { return step != other; }));
}

void require_length(std::size_t length, std::size_t wanted, const char* track) {
  require(length == 0 || length == wanted,
          std::string(track) + " has " + std::to_string(length) + " entries, must have " +
              std::to_string(wanted) + " or none");
}

bool is_step(AlignmentStep step) { return step <= AlignmentStep::gap_in_target; }

/// Residues are letters, tracks as long as they, numbers finite.
void require_sound(const AnnotatedSequence& x) {
  for (const char residue : x.residues) {
    if (residue >= 'A' && residue <= 'Z') continue;
    throw InvalidArgument("a residue is '" + std::string(1, residue) +
                          "', must be an upper-case letter");
  }
  require_length(x.structure.size(), x.size(), "the secondary structure");
  require_length(x.surface.size(), x.size(), "the exposed surface");
  require_length(x.profile.size(), x.size() * profile_residues.size(), "the profile");
  for (const double number : x.profile) {
    if (std::isfinite(number)) continue;
    throw InvalidArgument("a number of the profile is " + format_number(number) +
                          ", must be finite");
  }
}

}  // namespace

void AlignmentData::validate() const {
  const std::string data = source.empty() ? "the data" : source;
  require(references.empty() || references.size() == size(),
          data + ": there must be an alignment for every pair, or none");
  for (std::size_t k = 0; k < size(); ++k) {
    const auto naming = [&](const std::string& what, const auto& check) {
      try {
        check();
      } catch (const InvalidArgument& problem) {
        throw InvalidArgument(data + ": pair " + std::to_string(k + 1) + what + ": " +
                              problem.what());
      }
    };
    const SequencePair& pair = inputs[k];
    for (const AnnotatedSequence* sequence : {&pair.target, &pair.known}) {
      naming(", " + sequence->name, [&] { require_sound(*sequence); });
    }
    if (references.empty()) continue;
    naming("", [&] {
      const Alignment& reference = references[k];
      require(std::ranges::all_of(reference.steps, is_step), "a step is unknown");
      require(reference.target_begin <= pair.target.size() &&
                  reference.known_begin <= pair.known.size(),
              "the alignment begins beyond a sequence");
      require_within(pair, reference);
    });
  }
}

std::size_t Alignment::matches() const noexcept {
  return static_cast<std::size_t>(std::ranges::count(steps, AlignmentStep::match));
}

std::size_t Alignment::target_end() const noexcept {
  return target_begin + steps_but(*this, AlignmentStep::gap_in_target);
}

std::size_t Alignment::known_end() const noexcept {
  return known_begin + steps_but(*this, AlignmentStep::gap_in_known);
}

Alignment alignment_of_rows(std::string_view target, std::string_view known) {
  require(target.size() == known.size(),
          "the rows of an alignment have " + std::to_string(target.size()) + " and " +
              std::to_string(known.size()) + " columns, must have the same number");
  Alignment alignment;
  for (std::size_t column = 0; column < target.size(); ++column) {
    const bool target_gap = is_gap(target[column]);
    const bool known_gap = is_gap(known[column]);
    if (target_gap && known_gap) continue;
    alignment.steps.push_back(target_gap  ? AlignmentStep::gap_in_target
                              : known_gap ? AlignmentStep::gap_in_known
                                          : AlignmentStep::match);
  }
  return alignment;
}

AlignedRows rows_of_alignment(const SequencePair& pair, const Alignment& alignment) {
  require_within(pair, alignment);
  AlignedRows rows;
  alignment.for_each_step([&](AlignmentStep step, std::size_t i, std::size_t j) {
    rows.target += step == AlignmentStep::gap_in_target ? '-' : pair.target.residues[i];
    rows.known += step == AlignmentStep::gap_in_known ? '-' : pair.known.residues[j];
  });
  return rows;
}

Alignment without_end_gaps(const Alignment& alignment) {
  const auto& steps = alignment.steps;
  const auto first = std::ranges::find(steps, AlignmentStep::match);
  if (first == steps.end()) return {};
  const auto last = std::find(steps.rbegin(), steps.rend(), AlignmentStep::match).base();
  // What lies before the first match ends where the rest begins.
  const Alignment before{alignment.target_begin, alignment.known_begin, {steps.begin(), first}};
  return {before.target_end(), before.known_end(), {first, last}};
}

Alignment with_end_gaps(const SequencePair& pair, const Alignment& alignment) {
  require_within(pair, alignment);
  Alignment whole;
  const auto leave_alone = [&](std::size_t target_residues, std::size_t known_residues) {
    whole.steps.insert(whole.steps.end(), target_residues, AlignmentStep::gap_in_known);
    whole.steps.insert(whole.steps.end(), known_residues, AlignmentStep::gap_in_target);
  };
  leave_alone(alignment.target_begin, alignment.known_begin);
  whole.steps.insert(whole.steps.end(), alignment.steps.begin(), alignment.steps.end());
  leave_alone(pair.target.size() - alignment.target_end(),
              pair.known.size() - alignment.known_end());
  return whole;
}

void require_within(const SequencePair& pair, const Alignment& alignment) {
  const bool within =
      alignment.target_end() <= pair.target.size() && alignment.known_end() <= pair.known.size();
  require(within,
          "an alignment of " + pair.target.name + " and " + pair.known.name + " ends at residues " +
              std::to_string(alignment.target_end()) + " and " +
              std::to_string(alignment.known_end()) + ", must end within " +
              std::to_string(pair.target.size()) + " and " + std::to_string(pair.known.size()));
}

}  // namespace maxmargin
