// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "maxmargin/core/export.hpp"
#include "maxmargin/core/names.hpp"
#include "maxmargin/core/option.hpp"
#include "maxmargin/data/alignment.hpp"
#include "maxmargin/metric/structured/alignment.hpp"
#include "maxmargin/structured/task.hpp"

/// Protein alignment as a structured task: docs/algorithms/alignment.md.
namespace maxmargin {

struct AlignmentLayout;

/// What a match is described by. The first two need residues alone; the six others are those of
/// Yu's section 4.4 and need structure and surface, the last one profiles, too.
enum class SubstitutionModel {
  residues,
  residue_windows,
  simple,
  anova2,
  tensor,
  combined,  ///< simple, anova2 and tensor
  window,    ///< combined and windows of residues, structure and surface
  profile    ///< window and profiles
};
template <>
inline constexpr auto names_of<SubstitutionModel> =
    name_table<SubstitutionModel>({{"residues", SubstitutionModel::residues},
                                   {"residue-windows", SubstitutionModel::residue_windows},
                                   {"simple", SubstitutionModel::simple},
                                   {"anova2", SubstitutionModel::anova2},
                                   {"tensor", SubstitutionModel::tensor},
                                   {"combined", SubstitutionModel::combined},
                                   {"window", SubstitutionModel::window},
                                   {"profile", SubstitutionModel::profile}});

/// What a residue left alone is described by.
enum class GapModel {
  constant,  ///< that it is one
  residues,  ///< its residue
  context    ///< its residue, structure and surface, and those it stands between
};
template <>
inline constexpr auto names_of<GapModel> = name_table<GapModel>({{"constant", GapModel::constant},
                                                                 {"residues", GapModel::residues},
                                                                 {"context", GapModel::context}});

enum class AlignmentKind {
  global,  ///< uses up both sequences (Needleman and Wunsch)
  local    ///< the best part of them, which may be empty (Smith and Waterman)
};
template <>
inline constexpr auto names_of<AlignmentKind> =
    name_table<AlignmentKind>({{"global", AlignmentKind::global}, {"local", AlignmentKind::local}});

struct MAXMARGIN_EXPORT AlignmentOptions {
  SubstitutionModel substitution = SubstitutionModel::residues;
  /// The weight of (a, b) is that of (b, a); for the two models of residues alone.
  bool symmetric = false;
  GapModel gaps = GapModel::constant;
  /// One feature more for the first step of every run of gaps: affine gaps.
  bool gap_opening = false;
  AlignmentKind kind = AlignmentKind::global;
  /// Gaps before the first and behind the last residue of the other sequence have no features.
  bool free_end_gaps = false;
  /// Divides all features of a pair by the sum of its lengths.
  bool normalise = true;
  /// Of the loss: q_rule, q4_rule, or another.
  AlignmentRule rule = {};

  /// All of them.
  void describe(OptionVisitor& visit);
  /// All but the substitution model, for those whose substitutions may be of another kind.
  void describe_scoring(OptionVisitor& visit);
};

/// The task. Inputs whose sequences lack a track that the models need are refused with an
/// InvalidArgument that names the sequence; references without matches have no loss and are
/// refused as well. Ties of argmaxes: an empty part, then matches, then gaps in the known
/// sequence.
class MAXMARGIN_EXPORT AlignmentTask {
 public:
  using Input = SequencePair;
  using Output = Alignment;

  explicit AlignmentTask(const AlignmentOptions& options = {});

  [[nodiscard]] const AlignmentOptions& options() const noexcept { return options_; }
  /// Weights: those of matches first, then those of gaps.
  [[nodiscard]] std::size_t dimension() const;
  [[nodiscard]] std::size_t match_features() const;
  [[nodiscard]] std::size_t gap_features() const { return dimension() - match_features(); }

  void joint_features(const Input& x, const Output& y, FeatureVector& psi) const;
  /// 1 - alignment_quality.
  [[nodiscard]] double loss(const Output& truth, const Output& other) const;
  [[nodiscard]] Output predict(const Input& x, std::span<const double> w) const;
  [[nodiscard]] Output loss_augmented_argmax(const Input& x,
                                             const Output& truth,
                                             std::span<const double> w) const;
  /// Memory of the table of an argmax. Every argmax throws InvalidArgument when it takes more than
  /// half of the machine's memory.
  [[nodiscard]] std::size_t argmax_bytes(const Input& x) const;
  /// All alignments, for short sequences: there are 321 global ones of 4 and 4 residues.
  void for_each_output(const Input& x, const std::function<void(const Output&)>& visit) const;

  /// The weight of pairing two residues, where the model has one (all but anova2 and tensor).
  /// Throws InvalidArgument where it has none.
  [[nodiscard]] std::uint64_t residue_pair_index(char target, char known) const;
  /// The weights of constant gaps and of openings. Throw InvalidArgument where there are none.
  [[nodiscard]] std::uint64_t constant_gap_index() const;
  [[nodiscard]] std::uint64_t gap_opening_index() const;

 private:
  [[nodiscard]] Output best(const Input& x, const Output* truth, std::span<const double> w) const;

  AlignmentOptions options_;
  std::shared_ptr<const AlignmentLayout> layout_;
};

static_assert(MarginRescalingTask<AlignmentTask> && EnumerableTask<AlignmentTask> &&
              MeasuredTask<AlignmentTask>);

}  // namespace maxmargin
