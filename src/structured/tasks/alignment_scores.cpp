// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/alignment.md, "Argmax", steps 2 and 3
#include <algorithm>
#include <limits>

#include "structured/tasks/alignment_argmax.hpp"

namespace maxmargin {

namespace {

constexpr std::size_t no_partner = std::numeric_limits<std::size_t>::max();

/// Of every residue that may be left alone.
std::vector<double> residue_scores(const AlignmentLayout& layout,
                                   const GapBlock& block,
                                   const SequenceCodes& codes,
                                   std::span<const double> w,
                                   double scale) {
  std::vector<double> scores(codes.size);
  for (std::size_t i = 0; i < codes.size; ++i) {
    double score = 0;
    if (layout.gaps == GapModel::constant) {
      score = w[layout.constant_gap];
    } else {
      score = w[block.residue + codes.at(Code::residue, i)];
    }
    if (layout.gaps == GapModel::context) {
      score += w[block.track + codes.at(Code::structure_surface, i)];
    }
    scores[i] = scale * score;
  }
  return scores;
}

/// Of every place between residues where one of the other sequence may stand.
std::vector<double> place_scores(const AlignmentLayout& layout,
                                 const GapBlock& block,
                                 const SequenceCodes& codes,
                                 std::span<const double> w,
                                 double scale) {
  std::vector<double> scores(codes.size + 1);
  if (layout.gaps != GapModel::context) return scores;
  for (std::size_t i = 0; i <= codes.size; ++i) {
    scores[i] = scale * w[block.place + codes.place[i]];
  }
  return scores;
}

}  // namespace

GapScores gap_scores(const AlignmentLayout& layout,
                     const SequenceCodes& target,
                     const SequenceCodes& known,
                     std::span<const double> w,
                     double scale) {
  GapScores scores;
  scores.target_residue = residue_scores(layout, layout.gap_in_known, target, w, scale);
  scores.known_place = place_scores(layout, layout.gap_in_known, known, w, scale);
  scores.known_residue = residue_scores(layout, layout.gap_in_target, known, w, scale);
  scores.target_place = place_scores(layout, layout.gap_in_target, target, w, scale);
  scores.has_opening = layout.opening.has_value();
  if (layout.opening) scores.opening = scale * w[*layout.opening];
  return scores;
}

MatchScores::MatchScores(const AlignmentLayout& layout,
                         const SequenceCodes& target,
                         const SequenceCodes& known,
                         std::span<const double> w,
                         double scale)
    : layout_(layout), target_(target), known_(known), w_(w), scale_(scale) {
  const std::span blocks(layout.blocks);
  const std::span profiles(layout.profile_blocks);
  for (std::size_t begin = 0; begin < blocks.size();) {
    std::size_t end = begin;
    while (end < blocks.size() && blocks[end].known == blocks[begin].known) ++end;
    Group group{.known = blocks[begin].known, .blocks = blocks.subspan(begin, end - begin)};
    for (std::size_t k = 0; k < profiles.size(); ++k) {
      if (profiles[k].coded == AlignmentSide::known && profiles[k].code == group.known) {
        group.profiles = profiles.subspan(k, 1);
      }
    }
    groups_.push_back(group);
    begin = end;
  }
}

void MatchScores::row(std::size_t i, std::span<double> scores) {
  std::ranges::fill(scores, 0.0);
  for (const Group& group : groups_) add_group(group, i, scores);
  if (layout_.profile_product) add_profiles(i, scores);
  for (double& score : scores) score *= scale_;
}

void MatchScores::add_group(const Group& group, std::size_t i, std::span<double> scores) {
  const std::vector<std::uint32_t>& known = known_.of[static_cast<std::size_t>(group.known)];
  if (layout_.symmetric) {
    const MatchBlock& block = group.blocks.front();
    const std::uint32_t own = target_.at(block.target, i);
    for (std::size_t j = 0; j < scores.size(); ++j) {
      scores[j] += w_[layout_.index(block, own, known[j])];
    }
    return;
  }
  const std::size_t size = code_size(AlignmentSide::known, group.known);
  const auto row_of = [&](const MatchBlock& block) {
    return w_.subspan(layout_.index(block, target_.at(block.target, i), 0), size);
  };
  if (group.blocks.size() == 1 && group.profiles.empty()) {
    const std::span<const double> row = row_of(group.blocks.front());
    for (std::size_t j = 0; j < scores.size(); ++j) scores[j] += row[known[j]];
    return;
  }
  table_.assign(size, 0.0);
  for (const MatchBlock& block : group.blocks) {
    const std::span<const double> row = row_of(block);
    for (std::size_t k = 0; k < size; ++k) table_[k] += row[k];
  }
  for (const ProfileBlock& block : group.profiles) {
    for (std::size_t k = 0; k < size; ++k) {
      for (std::size_t p = 0; p < profile_size; ++p) {
        table_[k] +=
            target_.profile[i * profile_size + p] * w_[block.offset + k * profile_size + p];
      }
    }
  }
  for (std::size_t j = 0; j < scores.size(); ++j) scores[j] += table_[known[j]];
}

/// The terms with the known sequence's profile, gathered into 20 numbers for the row.
void MatchScores::add_profiles(std::size_t i, std::span<double> scores) const {
  std::array<double, profile_size> factors = {};
  for (const ProfileBlock& block : layout_.profile_blocks) {
    if (block.coded != AlignmentSide::target) continue;
    const std::uint64_t begin = block.offset + target_.at(block.code, i) * profile_size;
    for (std::size_t p = 0; p < profile_size; ++p) factors[p] += w_[begin + p];
  }
  for (std::size_t a = 0; a < profile_size; ++a) {
    const double own = target_.profile[i * profile_size + a];
    for (std::size_t p = 0; p < profile_size; ++p) {
      factors[p] += own * w_[*layout_.profile_product + a * profile_size + p];
    }
  }
  for (std::size_t j = 0; j < scores.size(); ++j) {
    double sum = 0;
    for (std::size_t p = 0; p < profile_size; ++p) {
      sum += factors[p] * known_.profile[j * profile_size + p];
    }
    scores[j] += sum;
  }
}

RightCells::RightCells(const Alignment& reference, const AlignmentRule& rule)
    : rule_(rule),
      share_(1.0 / static_cast<double>(reference.matches())),
      partner_(reference.target_end(), no_partner) {
  reference.for_each_step([&](AlignmentStep step, std::size_t i, std::size_t j) {
    if (step == AlignmentStep::match) partner_[i] = j;
  });
}

void RightCells::take_from_row(std::size_t i, std::span<double> scores) const {
  const auto partner = [&](std::size_t k) {
    return k < partner_.size() ? partner_[k] : no_partner;
  };
  // The positions at most `shift` from k, below `size`.
  const auto nearby = [&](std::size_t k, std::size_t size) {
    const std::size_t begin = k > rule_.shift ? k - rule_.shift : 0;
    const std::size_t end =
        rule_.shift < size && k < size - rule_.shift ? k + rule_.shift + 1 : size;
    return std::pair(std::min(begin, end), end);
  };
  if (rule_.side == AlignmentSide::target) {
    if (partner(i) == no_partner) return;
    const auto [begin, end] = nearby(partner(i), scores.size());
    for (std::size_t j = begin; j < end; ++j) scores[j] -= share_;
  } else {
    const auto [begin, end] = nearby(i, partner_.size());
    for (std::size_t u = begin; u < end; ++u) {
      if (partner(u) < scores.size()) scores[partner(u)] -= share_;
    }
  }
}

}  // namespace maxmargin
