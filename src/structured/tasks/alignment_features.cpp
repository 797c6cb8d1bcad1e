// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/alignment.md, "Features of a match" and "Features of a gap"
#include "structured/tasks/alignment_features.hpp"

#include <string_view>

#include "maxmargin/core/require.hpp"

namespace maxmargin {

namespace {

constexpr std::size_t residue_classes = 22;
constexpr std::uint32_t unknown_residue = 20;
/// Seven groups of residues; the last is for unknown ones and beyond the ends.
constexpr std::uint32_t residue_groups = 7;
constexpr std::uint32_t window_structures = 3;
constexpr std::uint32_t window_surfaces = 2;

std::size_t structures(AlignmentSide side) { return side == AlignmentSide::target ? 3 : 5; }
std::size_t surfaces(AlignmentSide side) { return side == AlignmentSide::target ? 4 : 7; }

constexpr std::size_t power(std::size_t base, int exponent) {
  return exponent == 0 ? 1 : base * power(base, exponent - 1);
}

/// What stands for residues beyond the ends of all tracks.
constexpr char beyond = '?';

std::uint32_t residue_group(char letter) {
  constexpr std::array<std::string_view, residue_groups - 1> groups = {
      "AGPST", "C", "DENQ", "FWY", "HKR", "ILMV"};
  for (std::uint32_t g = 0; g < groups.size(); ++g) {
    if (groups[g].find(letter) != std::string_view::npos) return g;
  }
  return residue_groups - 1;
}

/// Helix, strand and coil; in known structures narrow helices and turns as well.
std::uint32_t structure_class(AlignmentSide side, char letter) {
  const bool fine = side == AlignmentSide::known;
  switch (letter) {
    case 'H':
      return 0;
    case 'E':
    case 'B':
      return 1;
    case 'G':
    case 'I':
      return fine ? 2 : 0;
    case 'T':
    case 'S':
      return fine ? 3 : 2;
    default:
      return fine ? 4 : 2;
  }
}

std::uint32_t surface_class(AlignmentSide side, char tenths) {
  const bool is_known = tenths >= '0' && tenths <= '9';
  if (side == AlignmentSide::target) {
    constexpr std::array<std::uint32_t, 10> bins = {0, 1, 1, 2, 2, 3, 3, 3, 3, 3};
    return is_known ? bins[static_cast<std::size_t>(tenths - '0')] : 3;
  }
  constexpr std::array<std::uint32_t, 10> bins = {0, 1, 2, 3, 4, 4, 5, 5, 5, 5};
  return is_known ? bins[static_cast<std::size_t>(tenths - '0')] : 6;
}

std::uint32_t window_surface(char tenths) { return tenths == '0' || tenths == '1' ? 0 : 1; }

/// The classes of `reach` neighbours on both sides and the position itself as one number.
template <class Class>
std::uint32_t window(std::string_view track,
                     std::size_t position,
                     std::size_t reach,
                     std::uint32_t classes,
                     const Class& class_of) {
  std::uint32_t code = 0;
  for (std::size_t k = position; k <= position + 2 * reach; ++k) {
    const bool within = k >= reach && k - reach < track.size();
    code = classes * code + class_of(within ? track[k - reach] : beyond);
  }
  return code;
}

std::uint32_t structure_and_surface(AlignmentSide side, char structure, char surface) {
  return structure_class(side, structure) * static_cast<std::uint32_t>(surfaces(side)) +
         surface_class(side, surface);
}

std::uint32_t code_at(const AnnotatedSequence& sequence,
                      AlignmentSide side,
                      Code code,
                      std::size_t i) {
  const auto residue = [&] { return residue_class(sequence.residues[i]); };
  const auto structure = [&] { return structure_class(side, sequence.structure[i]); };
  const auto surface = [&] { return surface_class(side, sequence.surface[i]); };
  const auto structure_count = static_cast<std::uint32_t>(structures(side));
  const auto surface_count = static_cast<std::uint32_t>(surfaces(side));
  switch (code) {
    case Code::residue:
      return residue();
    case Code::structure:
      return structure();
    case Code::surface:
      return surface();
    case Code::residue_structure:
      return residue() * structure_count + structure();
    case Code::structure_surface:
      return structure() * surface_count + surface();
    case Code::surface_residue:
      return surface() * static_cast<std::uint32_t>(residue_classes) + residue();
    case Code::all_three:
      return (residue() * structure_count + structure()) * surface_count + surface();
    case Code::residue_window:
      return window(sequence.residues, i, 1, residue_groups, residue_group);
    case Code::structure_window:
      return window(sequence.structure, i, 2, window_structures, [](char letter) {
        return structure_class(AlignmentSide::target, letter);
      });
    case Code::surface_window:
      return window(sequence.surface, i, 3, window_surfaces, window_surface);
  }
  return 0;
}

bool needs_structure(Code code) {
  return code == Code::structure || code == Code::residue_structure ||
         code == Code::structure_surface || code == Code::all_three ||
         code == Code::structure_window;
}
bool needs_surface(Code code) {
  return code == Code::surface || code == Code::structure_surface ||
         code == Code::surface_residue || code == Code::all_three || code == Code::surface_window;
}

void require_track(const AnnotatedSequence& sequence,
                   std::size_t length,
                   std::size_t wanted,
                   const char* track) {
  require(length == wanted,
          "the sequence " + sequence.name + " has " + std::to_string(length) + " entries of " +
              track + " for " + std::to_string(sequence.size()) + " residues, must have " +
              std::to_string(wanted) + " for this alignment model");
}

constexpr std::array<Code, 3> single = {Code::residue, Code::structure, Code::surface};
constexpr std::array<Code, 3> twofold = {
    Code::residue_structure, Code::structure_surface, Code::surface_residue};

/// Appends all pairs of codes, so that those with one known code lie side by side.
void add_pairs(std::span<const Code> codes, std::vector<MatchBlock>& blocks) {
  for (const Code known : codes) {
    for (const Code target : codes) blocks.push_back({.target = target, .known = known});
  }
}

void add_code(Code code, std::vector<MatchBlock>& blocks) {
  add_pairs(std::span(&code, 1), blocks);
}

std::vector<MatchBlock> blocks_of(SubstitutionModel model) {
  std::vector<MatchBlock> blocks;
  const bool is_combined = model == SubstitutionModel::combined ||
                           model == SubstitutionModel::window ||
                           model == SubstitutionModel::profile;
  const bool has_windows =
      model == SubstitutionModel::window || model == SubstitutionModel::profile;
  if (model == SubstitutionModel::residues || model == SubstitutionModel::residue_windows) {
    add_code(Code::residue, blocks);
  }
  if (model == SubstitutionModel::simple || is_combined) add_pairs(single, blocks);
  if (model == SubstitutionModel::anova2 || is_combined) add_pairs(twofold, blocks);
  if (model == SubstitutionModel::tensor || is_combined) add_code(Code::all_three, blocks);
  if (model == SubstitutionModel::residue_windows || has_windows) {
    add_code(Code::residue_window, blocks);
  }
  if (has_windows) {
    add_code(Code::structure_window, blocks);
    add_code(Code::surface_window, blocks);
  }
  return blocks;
}

}  // namespace

std::size_t code_size(AlignmentSide side, Code code) {
  switch (code) {
    case Code::residue:
      return residue_classes;
    case Code::structure:
      return structures(side);
    case Code::surface:
      return surfaces(side);
    case Code::residue_structure:
      return residue_classes * structures(side);
    case Code::structure_surface:
      return structures(side) * surfaces(side);
    case Code::surface_residue:
      return surfaces(side) * residue_classes;
    case Code::all_three:
      return residue_classes * structures(side) * surfaces(side);
    case Code::residue_window:
      return power(residue_groups, 3);
    case Code::structure_window:
      return power(window_structures, 5);
    case Code::surface_window:
      return power(window_surfaces, 7);
  }
  return 0;
}

std::uint32_t residue_class(char letter) {
  static const std::array<std::uint32_t, 256> classes = [] {
    std::array<std::uint32_t, 256> table = {};
    table.fill(unknown_residue);
    for (std::uint32_t k = 0; k < profile_residues.size(); ++k) {
      table[static_cast<unsigned char>(profile_residues[k])] = k;
    }
    return table;
  }();
  return classes[static_cast<unsigned char>(letter)];
}

AlignmentLayout::AlignmentLayout(const AlignmentOptions& options)
    : symmetric(options.symmetric), gaps(options.gaps), blocks(blocks_of(options.substitution)) {
  using enum AlignmentSide;
  const auto need = [&](Code code) { needs[static_cast<std::size_t>(code)] = true; };
  std::uint64_t next = 0;
  const auto take = [&](std::size_t count) {
    const std::uint64_t begin = next;
    next += count;
    return begin;
  };
  for (MatchBlock& block : blocks) {
    need(block.target);
    need(block.known);
    const std::size_t rows = code_size(target, block.target);
    block.offset = take(symmetric ? rows * (rows + 1) / 2 : rows * code_size(known, block.known));
  }
  if (options.substitution == SubstitutionModel::profile) {
    for (const AlignmentSide side : {target, known}) {
      for (const Code code : single) {
        profile_blocks.push_back({side, code, take(profile_size * code_size(side, code))});
      }
    }
    profile_product = take(profile_size * profile_size);
  }
  match_features = next;
  if (gaps == GapModel::constant) {
    constant_gap = take(1);
  } else {
    need(Code::residue);
    const bool has_context = gaps == GapModel::context;
    if (has_context) need(Code::structure_surface);
    const auto gap_block = [&](AlignmentSide own, AlignmentSide other) {
      GapBlock block{.residue = take(code_size(own, Code::residue))};
      if (!has_context) return block;
      const std::size_t neighbours = code_size(other, Code::structure_surface);
      block.track = take(code_size(own, Code::structure_surface));
      block.place = take(neighbours * neighbours);
      return block;
    };
    gap_in_known = gap_block(target, known);
    gap_in_target = gap_block(known, target);
  }
  if (options.gap_opening) opening = take(1);
  dimension = next;
}

SequenceCodes encode(const AnnotatedSequence& sequence,
                     AlignmentSide side,
                     const AlignmentLayout& layout) {
  SequenceCodes codes{.size = sequence.size()};
  for (std::size_t k = 0; k < code_count; ++k) {
    if (!layout.needs[k]) continue;
    const Code code = static_cast<Code>(k);
    if (needs_structure(code)) {
      require_track(sequence, sequence.structure.size(), codes.size, "secondary structure");
    }
    if (needs_surface(code)) {
      require_track(sequence, sequence.surface.size(), codes.size, "exposed surface");
    }
    codes.of[k].resize(codes.size);
    for (std::size_t i = 0; i < codes.size; ++i) {
      codes.of[k][i] = code_at(sequence, side, code, i);
    }
  }
  if (layout.profile_product) {
    require_track(
        sequence, sequence.profile.size(), profile_size * codes.size, "numbers of a profile");
    codes.profile = sequence.profile;
  }
  if (layout.gaps == GapModel::context) {
    const std::uint32_t end = structure_and_surface(side, beyond, beyond);
    const auto count = static_cast<std::uint32_t>(code_size(side, Code::structure_surface));
    std::uint32_t before = end;
    for (std::size_t i = 0; i <= codes.size; ++i) {
      const std::uint32_t behind = i < codes.size ? codes.at(Code::structure_surface, i) : end;
      codes.place.push_back(before * count + behind);
      before = behind;
    }
  }
  return codes;
}

}  // namespace maxmargin
