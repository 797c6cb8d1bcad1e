// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "maxmargin/core/export.hpp"
#include "maxmargin/core/names.hpp"
#include "maxmargin/core/option.hpp"
#include "maxmargin/linalg/matrix.hpp"

/// Several classes from two-class machines: docs/algorithms/multiclass-reductions.md.
namespace maxmargin {

/// --multiclass ovo|ovr|ecoc|direct.
enum class MulticlassKind { one_vs_one, one_vs_rest, ecoc, direct };
template <>
inline constexpr auto names_of<MulticlassKind> =
    name_table<MulticlassKind>({{"ovo", MulticlassKind::one_vs_one},
                                {"ovr", MulticlassKind::one_vs_rest},
                                {"ecoc", MulticlassKind::ecoc},
                                {"direct", MulticlassKind::direct}});

/// How the functions' values become a score for every class.
enum class Decoding {
  /// One vote a function; the score is the number of votes. A value of 0 votes for the later class
  /// of the pair, as it does when there are but two classes (and in LIBSVM).
  votes,
  /// Votes, and on top of them the sum of margins squeezed into [-1/3, 1/3]: it decides between
  /// equal numbers of votes and nothing else.
  votes_then_margin,
  /// Minus the Hamming distance to the class's code word; sign(0) = +1, a 0 in the word costs 1/2.
  hamming,
  /// Minus the sum of hinge losses max(0, 1 - sign x value) against the code word (a 0 costs 1).
  margin,
  /// One function a class (or one for two classes): the value itself.
  value
};
template <>
inline constexpr auto names_of<Decoding> = name_table<Decoding>({{"votes", Decoding::votes},
                                                                 {"votes-then-margin",
                                                                  Decoding::votes_then_margin},
                                                                 {"hamming", Decoding::hamming},
                                                                 {"margin", Decoding::margin},
                                                                 {"value", Decoding::value}});

/// Which classes each function separates: entry (class, function) is +1, -1 or 0 (not used).
/// Two classes and one function: rows -1 and +1, so a positive value means the larger class. One
/// class alone (a training set may have no more): the same code without its second row.
struct MAXMARGIN_EXPORT OutputCode {
  MulticlassKind kind = MulticlassKind::one_vs_one;
  Decoding decoding = Decoding::value;
  std::size_t classes = 0;
  std::size_t functions = 0;
  /// classes x functions, row by row. One-vs-one: functions ordered (0,1), (0,2), ..., (1,2), ...,
  /// the first class of the pair +1 (as in LIBSVM's files); with two classes the code above.
  std::vector<std::int8_t> signs = {};

  [[nodiscard]] std::int8_t sign(std::size_t cls, std::size_t function) const {
    return signs[cls * functions + function];
  }
  /// +1 / -1 / 0 of every row for one function: the labels of its two-class problem. Unlabelled
  /// rows (-1) get 0.
  [[nodiscard]] std::vector<std::int8_t> labels_of(
      std::size_t function, std::span<const std::int32_t> class_of_row) const;
  /// Throws InvalidArgument unless the table has its size, holds -1, 0 and +1 alone, suits the
  /// decoding, gives every function a class on either side and tells any two classes apart.
  void validate() const;
};

/// k (k-1) / 2 functions, decoded by votes; with two classes (or one) the one-function code.
[[nodiscard]] MAXMARGIN_EXPORT OutputCode one_vs_one_code(std::size_t classes);
/// k functions, decoded by value; with two classes (or one) the one-function code.
[[nodiscard]] MAXMARGIN_EXPORT OutputCode one_vs_rest_code(std::size_t classes);
/// All 2^(k-1) - 1 splits, decoded by margin (set `decoding` for Hamming); 3 <= k <= 11.
[[nodiscard]] MAXMARGIN_EXPORT OutputCode exhaustive_code(std::size_t classes);
/// `functions` different random splits (unset: ceil(10 log2 k), or all there are if that is fewer)
/// of the largest least row distance among 100 draws; decoded by margin. k >= 2. Throws
/// InvalidArgument for more splits than there are, and when no draw tells all classes apart.
[[nodiscard]] MAXMARGIN_EXPORT OutputCode random_code(std::size_t classes,
                                                      std::optional<std::size_t> functions,
                                                      std::uint64_t seed);
/// A user's code: a matrix of -1, 0, +1 with one row a class; decoded by margin.
[[nodiscard]] MAXMARGIN_EXPORT OutputCode user_code(DenseView matrix);
/// One function a class, trained together (Crammer-Singer).
[[nodiscard]] MAXMARGIN_EXPORT OutputCode direct_code(std::size_t classes);

/// The code that options ask for; how many classes there are is seen in the data. A code is a
/// choice, too.
struct MAXMARGIN_EXPORT CodeChoice {
  enum class Kind { random, exhaustive, given };
  CodeChoice() = default;
  CodeChoice(OutputCode code)  // NOLINT: implicit on purpose
      : kind(Kind::given), given(std::move(code)) {}

  Kind kind = Kind::random;
  /// Of a random code; unset: as random_code has it.
  std::optional<std::size_t> functions = std::nullopt;
  /// Of Kind::given. `file` names one that is still to be read.
  std::optional<OutputCode> given = std::nullopt;
  std::string file = {};
  /// Unset: the code's own.
  std::optional<Decoding> decoding = std::nullopt;

  /// Was anything but the default asked for?
  [[nodiscard]] bool is_default() const;
  /// Throws InvalidArgument when it does not fit so many classes.
  [[nodiscard]] OutputCode resolved(std::size_t classes, std::uint64_t seed) const;
};

/// Options multiclass (one of `allowed`), code and decoding.
MAXMARGIN_EXPORT void describe_multiclass(OptionVisitor& visit,
                                          MulticlassKind& multiclass,
                                          CodeChoice& code,
                                          std::vector<MulticlassKind> allowed = {
                                              MulticlassKind::one_vs_one,
                                              MulticlassKind::one_vs_rest,
                                              MulticlassKind::ecoc});

/// Least Hamming distance between two code words (a position where either is 0 counts 1/2).
[[nodiscard]] MAXMARGIN_EXPORT double least_distance(const OutputCode& code);

/// Scores, one row an example and one column a class (two classes and one function: one column, the
/// value; one class: one column of -1): the predicted class is the one of largest score, the lowest
/// index among equals. Throws InvalidArgument unless `values` has one column a function.
[[nodiscard]] MAXMARGIN_EXPORT DenseMatrix decode(const OutputCode& code, DenseView values);
/// Class index of each row of `scores` (one column: >= 0 is class 1, else class 0).
[[nodiscard]] MAXMARGIN_EXPORT std::vector<std::int32_t> predicted_classes(DenseView scores);

}  // namespace maxmargin
