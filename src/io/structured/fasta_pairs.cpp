// SPDX-License-Identifier: Apache-2.0
#include "io/structured/fasta_pairs.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "io/append_number.hpp"
#include "io/quote.hpp"
#include "io/stream/line_blocks.hpp"
#include "io/stream/whole_input.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/core/number.hpp"
#include "maxmargin/core/require.hpp"

namespace maxmargin {

namespace {

constexpr std::string_view structure_letters = "HGIEBTSPCL-.?";
constexpr std::string_view surface_letters = "0123456789?";
constexpr std::string_view family_word = "family=";

bool is_blank(char c) { return c == ' ' || c == '\t'; }
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
char upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }
bool is_in(std::string_view letters, char c) { return letters.find(c) != letters.npos; }

/// The next word of a line, which loses it; empty at the end.
std::string_view take_word(std::string_view& line) {
  while (!line.empty() && is_blank(line.front())) line.remove_prefix(1);
  const auto end = std::ranges::find_if(line, is_blank);
  const std::string_view word = line.substr(0, static_cast<std::size_t>(end - line.begin()));
  line.remove_prefix(word.size());
  return word;
}

enum class Track : std::uint8_t { row, aligned, structure, surface, profile };
constexpr std::size_t track_count = 5;
/// Names in headers, in the order of Track; a row is the sequence itself.
constexpr std::array<std::string_view, track_count> track_names = {
    "", "@aligned", "@structure", "@surface", "@profile"};

/// A sequence as the file has it.
struct Entry {
  std::string name = {};
  std::string family = {};
  /// Text of all tracks but the profile, without blanks.
  std::array<std::string, track_count> text = {};
  std::vector<double> profile = {};
  /// Line of the header of every track; 0 for one that is not there.
  std::array<std::size_t, track_count> line = {};

  [[nodiscard]] const std::string& text_of(Track track) const {
    return text[static_cast<std::size_t>(track)];
  }
  [[nodiscard]] std::size_t line_of(Track track) const {
    return line[static_cast<std::size_t>(track)];
  }
  /// The row that shows its gaps.
  [[nodiscard]] Track shown() const {
    return line_of(Track::aligned) > 0 ? Track::aligned : Track::row;
  }
  [[nodiscard]] bool has_gap() const { return std::ranges::any_of(text_of(shown()), is_gap); }
};

std::string without_gaps(std::string_view row) {
  std::string residues;
  std::ranges::remove_copy_if(row, std::back_inserter(residues), is_gap);
  return residues;
}

class Reader {
 public:
  Reader(std::string source, std::string_view bytes) : source_(std::move(source)), rest_(bytes) {}

  AlignmentData read(const FastaPairsOptions& options) {
    while (!rest_.empty()) take_line();
    if (entries_.empty()) throw ParseError(source_, {}, "holds no sequences");
    if (entries_.size() % 2 == 1) {
      fail(entries_.back(), Track::row, "has no partner: sequences come in pairs");
    }
    const bool aligned = options.aligned.value_or(looks_aligned());
    AlignmentData data;
    data.source = source_;
    for (std::size_t k = 0; k < entries_.size(); k += 2) add_pair(k, aligned, data);
    return data;
  }

 private:
  [[noreturn]] void fail(std::size_t column, const std::string& problem) const {
    throw ParseError(source_, {.line = line_, .column = column}, problem);
  }
  [[noreturn]] void fail(const Entry& entry, Track track, const std::string& problem) const {
    throw ParseError(source_,
                     {.line = entry.line_of(track)},
                     "the sequence " + quote(entry.name, "without a name") + " " + problem);
  }

  void take_line() {
    const std::size_t end = std::min(rest_.find_first_of("\r\n"), rest_.size());
    const std::string_view line = rest_.substr(0, end);
    const bool both = rest_.substr(end).starts_with("\r\n");
    rest_.remove_prefix(std::min(rest_.size(), end + (both ? 2 : 1)));
    ++line_;
    if (line.starts_with('>')) {
      take_header(line.substr(1));
    } else if (std::ranges::all_of(line, is_blank)) {
      return;
    } else if (entries_.empty()) {
      fail(1, quote(line) + " stands before the first header, which must begin with >");
    } else {
      take_text(line);
    }
  }

  void take_header(std::string_view header) {
    if (header.starts_with('@')) {
      const std::string_view word = take_word(header);
      const auto found = std::ranges::find(track_names, word);
      if (found == track_names.end()) {
        fail(2, quote(word) + " is no track, must be @aligned, @structure, @surface or @profile");
      }
      if (entries_.empty()) fail(2, "a track must stand behind its sequence");
      track_ = static_cast<Track>(found - track_names.begin());
      std::size_t& line = entries_.back().line[static_cast<std::size_t>(track_)];
      if (line > 0) {
        fail(2,
             std::string(word) + " is there already for this sequence, in line " +
                 std::to_string(line));
      }
      line = line_;
      return;
    }
    Entry entry;
    track_ = Track::row;
    entry.line.front() = line_;
    // A blank at the front is a name of no letters.
    const bool has_name = !header.empty() && !is_blank(header.front());
    if (has_name) entry.name = take_word(header);
    for (std::string_view word = take_word(header); !word.empty(); word = take_word(header)) {
      if (!word.starts_with(family_word)) continue;
      const std::string_view family = word.substr(family_word.size());
      if (!entry.family.empty() && entry.family != family) fail(1, "a sequence of two families");
      entry.family = family;
    }
    entries_.push_back(std::move(entry));
  }

  void take_text(std::string_view line) {
    Entry& entry = entries_.back();
    if (track_ == Track::profile) {
      take_numbers(line, entry.profile);
      return;
    }
    std::string& text = entry.text[static_cast<std::size_t>(track_)];
    for (std::size_t k = 0; k < line.size(); ++k) {
      if (is_blank(line[k])) continue;
      const char c = upper(line[k]);
      if (!is_allowed(c)) {
        fail(k + 1,
             quote(line.substr(k, 1)) + " stands for no " +
                 (track_ == Track::structure ? "secondary structure"
                  : track_ == Track::surface ? "exposed surface, must be 0 to 9 or ?"
                                             : "residue, must be a letter or a gap"));
      }
      const bool is_row = track_ == Track::row || track_ == Track::aligned;
      text += is_row && is_gap(c) ? '-' : c;
    }
  }
  [[nodiscard]] bool is_allowed(char c) const {
    if (track_ == Track::structure) return is_in(structure_letters, c);
    if (track_ == Track::surface) return is_in(surface_letters, c);
    return is_upper(c) || is_gap(c);
  }

  void take_numbers(std::string_view line, std::vector<double>& numbers) const {
    const char* const begin = line.data();
    for (std::string_view word = take_word(line); !word.empty(); word = take_word(line)) {
      const std::optional<double> number = parse_number(word);
      if (!number || !std::isfinite(*number)) {
        fail(static_cast<std::size_t>(word.data() - begin) + 1,
             quote(word) + " in a profile, must be a finite number");
      }
      numbers.push_back(*number);
    }
  }

  [[nodiscard]] bool looks_aligned() const {
    const bool shows_gaps = std::ranges::any_of(entries_, [](const Entry& entry) {
      return entry.shown() == Track::aligned || entry.has_gap();
    });
    if (shows_gaps) return true;
    for (std::size_t k = 0; k < entries_.size(); k += 2) {
      if (entries_[k].text.front().size() != entries_[k + 1].text.front().size()) return false;
    }
    return true;
  }

  void add_pair(std::size_t k, bool aligned, AlignmentData& data) const {
    const Entry& target = entries_[k];
    const Entry& known = entries_[k + 1];
    data.inputs.push_back({sequence_of(target), sequence_of(known)});
    const bool two_families =
        !target.family.empty() && !known.family.empty() && target.family != known.family;
    if (two_families) {
      fail(known, Track::row, "is of family " + known.family + ", its partner of " + target.family);
    }
    data.families.push_back(target.family.empty() ? known.family : target.family);
    if (!aligned) return;
    const std::string& first = target.text_of(target.shown());
    const std::string& second = known.text_of(known.shown());
    if (first.size() != second.size()) {
      fail(known,
           known.shown(),
           "has " + std::to_string(second.size()) + " columns and its partner " +
               std::to_string(first.size()) + ", must have the same number in an alignment");
    }
    data.references.push_back(alignment_of_rows(first, second));
  }

  [[nodiscard]] AnnotatedSequence sequence_of(const Entry& entry) const {
    AnnotatedSequence sequence;
    sequence.name = entry.name;
    sequence.residues = without_gaps(entry.text_of(Track::row));
    if (sequence.residues.empty()) fail(entry, Track::row, "is empty");
    if (entry.shown() == Track::aligned) check_aligned(entry, sequence.residues);
    sequence.structure = entry.text_of(Track::structure);
    sequence.surface = entry.text_of(Track::surface);
    sequence.profile = entry.profile;
    check_length(entry, Track::structure, sequence.structure.size(), sequence.size());
    check_length(entry, Track::surface, sequence.surface.size(), sequence.size());
    check_length(
        entry, Track::profile, sequence.profile.size(), profile_residues.size() * sequence.size());
    return sequence;
  }

  void check_aligned(const Entry& entry, const std::string& residues) const {
    if (residues.size() != entry.text_of(Track::row).size()) {
      fail(entry, Track::aligned, "has gaps already, must have none beside an aligned row");
    }
    const std::string shown = without_gaps(entry.text_of(Track::aligned));
    const auto [there, here] = std::ranges::mismatch(residues, shown);
    if (there == residues.end() && here == shown.end()) return;
    const auto letter = [](const std::string& text, std::string::const_iterator at) {
      return at == text.end() ? std::string("none") : std::string(1, *at);
    };
    fail(entry,
         Track::aligned,
         "disagrees with its aligned row at residue " +
             std::to_string(there - residues.begin() + 1) + ": " + letter(residues, there) +
             " and " + letter(shown, here));
  }

  void check_length(const Entry& entry, Track track, std::size_t length, std::size_t wanted) const {
    if (entry.line_of(track) == 0 || length == wanted) return;
    fail(entry,
         track,
         "has " + std::to_string(length) + " entries of " +
             std::string(track_names[static_cast<std::size_t>(track)]) + ", must have " +
             std::to_string(wanted));
  }

  std::string source_;
  std::string_view rest_;
  std::size_t line_ = 0;
  Track track_ = Track::row;
  std::vector<Entry> entries_;
};

/// A text in lines of 80.
void append_wrapped(std::string_view text, std::string& to) {
  constexpr std::size_t width = 80;
  for (std::size_t begin = 0; begin < text.size(); begin += width) {
    to.append(text.substr(begin, width)).append("\n");
  }
}

bool has_no_blanks(std::string_view text) {
  return text.find_first_of(" \t\r\n") == std::string_view::npos;
}

void append_sequence(const AnnotatedSequence& sequence,
                     std::string_view row,
                     const std::string& family,
                     std::string& to) {
  require(!sequence.residues.empty() && std::ranges::all_of(sequence.residues, is_upper),
          "the sequence " + sequence.name + " must be upper-case letters, at least one");
  require(has_no_blanks(sequence.name) && !sequence.name.starts_with('@'),
          "the name " + sequence.name + " must have no blanks and no @ at its front");
  require(has_no_blanks(family), "the family " + family + " must have no blanks");
  to.append(">").append(sequence.name);
  if (!family.empty()) to.append(" ").append(family_word).append(family);
  to.append("\n");
  append_wrapped(row, to);
  const auto append_track =
      [&](const std::string& track, std::string_view letters, std::string_view header) {
        if (track.empty()) return;
        const bool fits = track.size() == sequence.size() &&
                          std::ranges::all_of(track, [&](char c) { return is_in(letters, c); });
        require(fits,
                "the track " + std::string(header) + " of " + sequence.name +
                    " must have one of its letters for every residue");
        to.append(">").append(header).append("\n");
        append_wrapped(track, to);
      };
  append_track(sequence.structure, structure_letters, "@structure");
  append_track(sequence.surface, surface_letters, "@surface");
  if (sequence.profile.empty()) return;
  require(sequence.profile.size() == profile_residues.size() * sequence.size(),
          "the profile of " + sequence.name + " must have 20 numbers for every residue");
  to.append(">@profile\n");
  for (std::size_t k = 0; k < sequence.profile.size(); ++k) {
    require(std::isfinite(sequence.profile[k]),
            "the profile of " + sequence.name + " must have finite numbers");
    append_number(to, sequence.profile[k]);
    to += (k + 1) % profile_residues.size() == 0 ? '\n' : ' ';
  }
}

}  // namespace

AlignmentData read_fasta_pairs(Input& input, const FastaPairsOptions& options) {
  skip_byte_order_mark(input);
  const WholeInput whole(input);
  return Reader(input.name(), whole.bytes()).read(options);
}

std::string to_fasta_pairs(const AlignmentData& data) {
  require(data.references.empty() || data.references.size() == data.size(),
          "there must be one reference alignment for every pair, or none at all");
  require(data.families.empty() || data.families.size() == data.size(),
          "there must be one family for every pair, or none at all");
  std::string text;
  for (std::size_t k = 0; k < data.size(); ++k) {
    const SequencePair& pair = data.inputs[k];
    AlignedRows rows = {pair.target.residues, pair.known.residues};
    if (!data.references.empty()) {
      const Alignment& reference = data.references[k];
      const bool whole = reference.target_begin == 0 && reference.known_begin == 0 &&
                         reference.target_end() == pair.target.size() &&
                         reference.known_end() == pair.known.size();
      require(whole,
              "the reference of " + pair.target.name + " and " + pair.known.name +
                  " must use up both sequences");
      rows = rows_of_alignment(pair, reference);
    }
    const std::string family = data.families.empty() ? "" : data.families[k];
    append_sequence(pair.target, rows.target, family, text);
    append_sequence(pair.known, rows.known, family, text);
  }
  return text;
}

}  // namespace maxmargin
