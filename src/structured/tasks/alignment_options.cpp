// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "maxmargin/core/number.hpp"
#include "maxmargin/core/options.hpp"
#include "maxmargin/structured/tasks/alignment.hpp"

namespace maxmargin {

namespace {

/// A truth value that users know by two names.
class TwoNamesValue final : public detail::NameChoice {
 public:
  TwoNamesValue(bool& member, std::string_view when_false, std::string_view when_true)
      : NameChoice({when_false, when_true}),
        member_(member),
        when_false_(when_false),
        when_true_(when_true) {}
  [[nodiscard]] bool set(std::string_view text) override {
    if (text != when_false_ && text != when_true_) return false;
    member_ = text == when_true_;
    return true;
  }
  [[nodiscard]] bool holds() const override { return true; }
  [[nodiscard]] OptionScalar scalar() const override {
    return std::string(member_ ? when_true_ : when_false_);
  }

 private:
  bool& member_;
  std::string_view when_false_;
  std::string_view when_true_;
};

/// q, or qN with a shift of N residues.
class ShiftValue final : public OptionValue {
 public:
  explicit ShiftValue(std::size_t& shift) : shift_(shift) {}
  [[nodiscard]] OptionKind kind() const override { return OptionKind::text; }
  [[nodiscard]] std::string rule() const override {
    return "q, q4, or qN that forgives shifts of N";
  }
  [[nodiscard]] bool set(std::string_view text) override {
    if (!text.starts_with('q')) return false;
    if (text == "q") {
      shift_ = 0;
      return true;
    }
    const std::optional<std::int64_t> shift = parse_integer(text.substr(1));
    if (!shift || *shift < 0) return false;
    shift_ = static_cast<std::size_t>(*shift);
    return true;
  }
  [[nodiscard]] bool holds() const override { return true; }
  [[nodiscard]] OptionScalar scalar() const override {
    return "q" + (shift_ > 0 ? std::to_string(shift_) : "");
  }

 private:
  std::size_t& shift_;
};

bool has_residues_alone(SubstitutionModel model) {
  return model == SubstitutionModel::residues || model == SubstitutionModel::residue_windows;
}

}  // namespace

void AlignmentOptions::describe(OptionVisitor& visit) {
  visit.name({.name = "substitution", .help = "features of two residues that are paired"},
             substitution);
  describe_scoring(visit);
}

void AlignmentOptions::describe_scoring(OptionVisitor& visit) {
  visit.yes_no(
      {.name = "symmetric", .help = "the weight of residues (a, b) is that of (b, a), too"},
      symmetric);
  TwoNamesValue opening(gap_opening, "linear", "affine");
  visit.option({.name = "gaps", .help = "affine: the opening of a gap has a weight of its own"},
               opening);
  visit.name({.name = "gap-features", .help = "what a residue left alone is described by"}, gaps);
  visit.name({.name = "mode",
              .help = "the whole sequences (Needleman-Wunsch), or a part (Smith-Waterman)"},
             kind);
  TwoNamesValue ends(free_end_gaps, "scored", "free");
  visit.option({.name = "end-gaps", .help = "gaps at the ends of a sequence"}, ends);
  TwoNamesValue length(normalise, "none", "length");
  visit.option({.name = "normalise", .help = "divide features by the length of the pair"}, length);
  ShiftValue shift(rule.shift);
  visit.option({.name = "loss",
                .help = "share of reference matches missed; qN forgives shifts of N residues",
                .value = "q|qN"},
               shift);
  visit.name(
      {.name = "loss-side", .help = "sequence whose residues are looked up in the reference"},
      rule.side);
  visit.rule(!symmetric || has_residues_alone(substitution),
             "--symmetric: belongs to --substitution residues and residue-windows");
}

}  // namespace maxmargin
