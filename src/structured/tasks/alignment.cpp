// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/alignment.md
#include "maxmargin/structured/tasks/alignment.hpp"

#include <algorithm>

#include "maxmargin/core/options.hpp"
#include "maxmargin/core/require.hpp"
#include "structured/tasks/alignment_argmax.hpp"
#include "structured/tasks/alignment_features.hpp"

namespace maxmargin {

namespace {

double scale_of(const AlignmentOptions& options, const SequencePair& x) {
  const std::size_t length = x.target.size() + x.known.size();
  return options.normalise && length > 0 ? 1.0 / static_cast<double>(length) : 1.0;
}

void add_match(const AlignmentLayout& layout,
               const SequenceCodes& target,
               const SequenceCodes& known,
               std::size_t i,
               std::size_t j,
               double scale,
               FeatureVector& psi) {
  for (const MatchBlock& block : layout.blocks) {
    psi.add(layout.index(block, target.at(block.target, i), known.at(block.known, j)), scale);
  }
  if (!layout.profile_product) return;
  const auto own = target.profile.subspan(i * profile_size, profile_size);
  const auto other = known.profile.subspan(j * profile_size, profile_size);
  for (const ProfileBlock& block : layout.profile_blocks) {
    const bool by_target = block.coded == AlignmentSide::target;
    const std::uint32_t code = by_target ? target.at(block.code, i) : known.at(block.code, j);
    for (std::size_t p = 0; p < profile_size; ++p) {
      psi.add(block.offset + code * profile_size + p, scale * (by_target ? other : own)[p]);
    }
  }
  for (std::size_t a = 0; a < profile_size; ++a) {
    for (std::size_t p = 0; p < profile_size; ++p) {
      psi.add(*layout.profile_product + a * profile_size + p, scale * own[a] * other[p]);
    }
  }
}

/// Residue i of `own` is left alone behind j residues of `other`.
void add_gap(const AlignmentLayout& layout,
             const GapBlock& block,
             const SequenceCodes& own,
             std::size_t i,
             const SequenceCodes& other,
             std::size_t j,
             double scale,
             FeatureVector& psi) {
  if (layout.gaps == GapModel::constant) {
    psi.add(layout.constant_gap, scale);
    return;
  }
  psi.add(block.residue + own.at(Code::residue, i), scale);
  if (layout.gaps != GapModel::context) return;
  psi.add(block.track + own.at(Code::structure_surface, i), scale);
  psi.add(block.place + other.place[j], scale);
}

/// Appends all paths that begin at (i, j) to `path` in turn; with `whole` those alone that use up
/// both sequences.
void visit_paths(const SequencePair& x,
                 std::size_t i,
                 std::size_t j,
                 bool whole,
                 Alignment& path,
                 const std::function<void(const Alignment&)>& visit) {
  const bool at_end = i == x.target.size() && j == x.known.size();
  if (whole ? at_end : !path.steps.empty()) visit(path);
  const auto go = [&](AlignmentStep step, std::size_t p, std::size_t q) {
    if (p > x.target.size() || q > x.known.size()) return;
    path.steps.push_back(step);
    visit_paths(x, p, q, whole, path, visit);
    path.steps.pop_back();
  };
  go(AlignmentStep::match, i + 1, j + 1);
  go(AlignmentStep::gap_in_known, i + 1, j);
  go(AlignmentStep::gap_in_target, i, j + 1);
}

}  // namespace

AlignmentTask::AlignmentTask(const AlignmentOptions& options) : options_(options) {
  maxmargin::validate(options);
  layout_ = std::make_shared<const AlignmentLayout>(options);
}

std::size_t AlignmentTask::dimension() const { return layout_->dimension; }
std::size_t AlignmentTask::match_features() const { return layout_->match_features; }

void AlignmentTask::joint_features(const Input& x, const Output& y, FeatureVector& psi) const {
  require_within(x, y);
  const SequenceCodes target = encode(x.target, AlignmentSide::target, *layout_);
  const SequenceCodes known = encode(x.known, AlignmentSide::known, *layout_);
  const double scale = scale_of(options_, x);
  const auto is_free = [&](std::size_t place, std::size_t size) {
    return options_.free_end_gaps && (place == 0 || place == size);
  };
  // Anything but a gap opens one.
  AlignmentStep before = AlignmentStep::match;
  y.for_each_step([&](AlignmentStep step, std::size_t i, std::size_t j) {
    const bool opens = layout_->opening && step != before;
    before = step;
    if (step == AlignmentStep::match) {
      add_match(*layout_, target, known, i, j, scale, psi);
    } else if (step == AlignmentStep::gap_in_known) {
      if (is_free(j, known.size)) return;
      add_gap(*layout_, layout_->gap_in_known, target, i, known, j, scale, psi);
    } else {
      if (is_free(i, target.size)) return;
      add_gap(*layout_, layout_->gap_in_target, known, j, target, i, scale, psi);
    }
    if (opens && step != AlignmentStep::match) psi.add(*layout_->opening, scale);
  });
}

double AlignmentTask::loss(const Output& truth, const Output& other) const {
  // The quality of the truth is k / k, which is 1 exactly.
  return 1 - alignment_quality(truth, other, options_.rule);
}

Alignment AlignmentTask::predict(const Input& x, std::span<const double> w) const {
  return best(x, nullptr, w);
}

Alignment AlignmentTask::loss_augmented_argmax(const Input& x,
                                               const Output& truth,
                                               std::span<const double> w) const {
  require(truth.matches() > 0, "a reference alignment without matches has no loss");
  require_within(x, truth);
  return best(x, &truth, w);
}

Alignment AlignmentTask::best(const Input& x,
                              const Output* truth,
                              std::span<const double> w) const {
  require(w.size() >= dimension(), "there must be a weight for every feature");
  const SequenceCodes target = encode(x.target, AlignmentSide::target, *layout_);
  const SequenceCodes known = encode(x.known, AlignmentSide::known, *layout_);
  const double scale = scale_of(options_, x);
  GapScores gaps = gap_scores(*layout_, target, known, w, scale);
  gaps.free_ends = options_.free_end_gaps;
  MatchScores matches(*layout_, target, known, w, scale);
  std::optional<RightCells> right;
  if (truth != nullptr) right.emplace(*truth, options_.rule);
  const auto row = [&](std::size_t i, std::span<double> scores) {
    matches.row(i, scores);
    if (right) right->take_from_row(i, scores);
  };
  return best_path(target.size, known.size, options_.kind, gaps, row);
}

std::size_t AlignmentTask::argmax_bytes(const Input& x) const {
  return path_table_bytes(x.target.size(), x.known.size());
}

void AlignmentTask::for_each_output(const Input& x,
                                    const std::function<void(const Output&)>& visit) const {
  Alignment path;
  if (options_.kind == AlignmentKind::global) {
    visit_paths(x, 0, 0, true, path, visit);
    return;
  }
  visit(path);
  for (std::size_t i = 0; i <= x.target.size(); ++i) {
    for (std::size_t j = 0; j <= x.known.size(); ++j) {
      path = {i, j, {}};
      visit_paths(x, i, j, false, path, visit);
    }
  }
}

std::uint64_t AlignmentTask::residue_pair_index(char target, char known) const {
  const auto block = std::ranges::find_if(layout_->blocks, [](const MatchBlock& each) {
    return each.target == Code::residue && each.known == Code::residue;
  });
  require(block != layout_->blocks.end(),
          "this substitution model has no weights of pairs of residues");
  return layout_->index(*block, residue_class(target), residue_class(known));
}

std::uint64_t AlignmentTask::constant_gap_index() const {
  require(options_.gaps == GapModel::constant, "this gap model has no weight of all gaps");
  return layout_->constant_gap;
}

std::uint64_t AlignmentTask::gap_opening_index() const {
  require(layout_->opening.has_value(), "gaps have no opening here");
  return *layout_->opening;
}

}  // namespace maxmargin
