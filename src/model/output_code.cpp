// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/model/output_code.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "core/own_values.hpp"
#include "maxmargin/core/number.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/core/rng.hpp"
#include "maxmargin/core/sizes.hpp"

namespace maxmargin {

namespace {

/// A code whose table is still all 0.
OutputCode empty_code(MulticlassKind kind,
                      Decoding decoding,
                      std::size_t classes,
                      std::size_t functions) {
  return {.kind = kind,
          .decoding = decoding,
          .classes = classes,
          .functions = functions,
          .signs = std::vector<std::int8_t>(checked_multiply(classes, functions), 0)};
}

std::int8_t& entry(OutputCode& code, std::size_t cls, std::size_t function) {
  return code.signs[cls * code.functions + function];
}

/// One function; a positive value means the second class.
OutputCode one_function_code(MulticlassKind kind, std::size_t classes) {
  OutputCode code = empty_code(kind, Decoding::value, classes, 1);
  entry(code, 0, 0) = -1;
  if (classes == 2) entry(code, 1, 0) = 1;
  return code;
}

/// One function a class: the class against the others.
OutputCode one_function_a_class(MulticlassKind kind, std::size_t classes) {
  OutputCode code = empty_code(kind, Decoding::value, classes, classes);
  std::ranges::fill(code.signs, std::int8_t{-1});
  for (std::size_t c = 0; c < classes; ++c) entry(code, c, c) = 1;
  return code;
}

void require_classes(std::size_t classes, std::size_t least) {
  require_field(classes >= least,
                "the number of classes",
                static_cast<double>(classes),
                ">= " + std::to_string(least));
}

/// Twice the Hamming distance of two code words, so that it is a whole number.
std::size_t twice_distance(const OutputCode& code, std::size_t a, std::size_t b) {
  std::size_t sum = 0;
  for (std::size_t f = 0; f < code.functions; ++f) {
    const std::int8_t first = code.sign(a, f);
    const std::int8_t second = code.sign(b, f);
    sum += (first == 0 || second == 0) ? 1 : (first != second ? 2 : 0);
  }
  return sum;
}

bool words_differ(const OutputCode& code, std::size_t a, std::size_t b) {
  for (std::size_t f = 0; f < code.functions; ++f) {
    if (code.sign(a, f) != code.sign(b, f)) return true;
  }
  return false;
}

/// The two sides of every function of a pairwise code.
struct Sides {
  std::vector<std::size_t> positive;
  std::vector<std::size_t> negative;
};

Sides sides_of(const OutputCode& code) {
  Sides sides{std::vector<std::size_t>(code.functions), std::vector<std::size_t>(code.functions)};
  for (std::size_t f = 0; f < code.functions; ++f) {
    for (std::size_t c = 0; c < code.classes; ++c) {
      if (code.sign(c, f) > 0) sides.positive[f] = c;
      if (code.sign(c, f) < 0) sides.negative[f] = c;
    }
  }
  return sides;
}

/// An increasing map of the real line into [-1/3, 1/3]: two numbers of votes that differ by one
/// stay apart whatever is added.
double squeeze(double sum) {
  return std::isinf(sum) ? std::copysign(1.0 / 3, sum) : sum / (3 * (1 + std::abs(sum)));
}

void count_votes(const OutputCode& code,
                 const Sides& sides,
                 std::span<const double> values,
                 std::span<double> scores) {
  std::ranges::fill(scores, 0.0);
  for (std::size_t f = 0; f < code.functions; ++f) {
    scores[values[f] > 0 ? sides.positive[f] : sides.negative[f]] += 1;
  }
  if (code.decoding != Decoding::votes_then_margin) return;
  std::vector<double> margins(code.classes, 0.0);
  for (std::size_t f = 0; f < code.functions; ++f) {
    margins[sides.positive[f]] += values[f];
    margins[sides.negative[f]] -= values[f];
  }
  for (std::size_t c = 0; c < code.classes; ++c) scores[c] += squeeze(margins[c]);
}

void measure_words(const OutputCode& code,
                   std::span<const double> values,
                   std::span<double> scores) {
  const bool hamming = code.decoding == Decoding::hamming;
  for (std::size_t c = 0; c < code.classes; ++c) {
    double distance = 0;
    for (std::size_t f = 0; f < code.functions; ++f) {
      const double sign = code.sign(c, f);
      if (hamming) {
        distance += sign == 0 ? 0.5 : ((sign > 0) == (values[f] >= 0) ? 0.0 : 1.0);
      } else {
        distance += std::max(0.0, 1 - sign * values[f]);
      }
    }
    scores[c] = -distance;
  }
}

bool is_one_function_code(const OutputCode& code) {
  return code.functions == 1 && code.classes <= 2 && code.decoding == Decoding::value;
}

void require_sides(const OutputCode& code) {
  const bool pairwise =
      code.decoding == Decoding::votes || code.decoding == Decoding::votes_then_margin;
  for (std::size_t f = 0; f < code.functions; ++f) {
    std::size_t positive = 0;
    std::size_t negative = 0;
    for (std::size_t c = 0; c < code.classes; ++c) {
      if (code.sign(c, f) > 0) ++positive;
      if (code.sign(c, f) < 0) ++negative;
    }
    const std::string place = "function " + std::to_string(f) + " (from 0) has " +
                              std::to_string(positive) + " classes on its positive and " +
                              std::to_string(negative) + " on its negative side, must have ";
    require(positive >= 1 && negative >= 1, place + "at least one on either");
    require(!pairwise || (positive == 1 && negative == 1),
            place + "one on either to be decoded by votes");
  }
}

/// Bits of every code word, one for each function on whose positive side the class is.
using PackedWords = std::vector<std::vector<std::uint64_t>>;

std::size_t least_packed_distance(const PackedWords& words) {
  std::size_t least = static_cast<std::size_t>(-1);
  for (std::size_t a = 1; a < words.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      std::size_t distance = 0;
      for (std::size_t w = 0; w < words[a].size(); ++w) {
        distance += static_cast<std::size_t>(__builtin_popcountll(words[a][w] ^ words[b][w]));
      }
      least = std::min(least, distance);
    }
  }
  return least;
}

/// Different splits of the classes, each with class 0 on its positive side (a split and its
/// mirror image train the same machine).
PackedWords draw_words(std::size_t classes, std::size_t functions, Rng& rng) {
  PackedWords words(classes, std::vector<std::uint64_t>((functions + 63) / 64, 0));
  std::set<std::vector<bool>> seen;
  while (seen.size() < functions) {
    const std::size_t f = seen.size();
    std::vector<bool> split(classes, true);
    for (std::size_t c = 1; c < classes; ++c) split[c] = rng.bernoulli(0.5);
    const bool one_sided = std::find(split.begin(), split.end(), false) == split.end();
    if (one_sided || !seen.insert(split).second) continue;
    for (std::size_t c = 0; c < classes; ++c) {
      if (split[c]) words[c][f / 64] |= std::uint64_t{1} << (f % 64);
    }
  }
  return words;
}

/// Number of ways to split the classes in two; the largest number when it does not fit.
std::size_t number_of_splits(std::size_t classes) {
  return classes > 63 ? static_cast<std::size_t>(-1) : (std::size_t{1} << (classes - 1)) - 1;
}

}  // namespace

std::vector<std::int8_t> OutputCode::labels_of(std::size_t function,
                                               std::span<const std::int32_t> class_of_row) const {
  require_field(function < functions,
                "function",
                static_cast<double>(function),
                "< " + std::to_string(functions));
  std::vector<std::int8_t> labels;
  labels.reserve(class_of_row.size());
  for (const std::int32_t cls : class_of_row) {
    require_field(cls >= -1 && cls < static_cast<std::int64_t>(classes),
                  "class",
                  static_cast<double>(cls),
                  "-1 or < " + std::to_string(classes));
    labels.push_back(cls < 0 ? std::int8_t{0} : sign(static_cast<std::size_t>(cls), function));
  }
  return labels;
}

void OutputCode::validate() const {
  require_classes(classes, 1);
  require_field(functions >= 1, "the number of functions", static_cast<double>(functions), ">= 1");
  require(signs.size() == checked_multiply(classes, functions),
          "the code must hold one sign for every class and function");
  for (const std::int8_t sign : signs) {
    require_field(sign >= -1 && sign <= 1, "a sign", static_cast<double>(sign), "-1, 0 or +1");
  }
  if (is_one_function_code(*this)) {
    require(signs[0] == -1 && (classes == 1 || signs[1] == 1),
            "the one function of two classes must be -1 for the first and +1 for the second");
    return;
  }
  if (classes == 1) return;
  require(decoding != Decoding::value || functions == classes,
          "decoding by value wants one function a class");
  require_sides(*this);
  for (std::size_t a = 1; a < classes; ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      require(words_differ(*this, a, b),
              "classes " + std::to_string(b) + " and " + std::to_string(a) +
                  " (from 0) have the same code word");
    }
  }
}

OutputCode one_vs_one_code(std::size_t classes) {
  require_classes(classes, 1);
  if (classes <= 2) return one_function_code(MulticlassKind::one_vs_one, classes);
  const std::size_t pairs = checked_multiply(classes, classes - 1) / 2;
  OutputCode code = empty_code(MulticlassKind::one_vs_one, Decoding::votes, classes, pairs);
  std::size_t f = 0;
  for (std::size_t a = 0; a < classes; ++a) {
    for (std::size_t b = a + 1; b < classes; ++b, ++f) {
      entry(code, a, f) = 1;
      entry(code, b, f) = -1;
    }
  }
  return code;
}

OutputCode one_vs_rest_code(std::size_t classes) {
  require_classes(classes, 1);
  return classes <= 2 ? one_function_code(MulticlassKind::one_vs_rest, classes)
                      : one_function_a_class(MulticlassKind::one_vs_rest, classes);
}

OutputCode exhaustive_code(std::size_t classes) {
  require(classes >= 3 && classes <= 11,
          "--code exhaustive: wants from 3 to 11 classes, there are " + std::to_string(classes) +
              "; random takes more");
  OutputCode code =
      empty_code(MulticlassKind::ecoc, Decoding::margin, classes, number_of_splits(classes));
  // Class 0 is always on the positive side; the other classes spell the function's number, which
  // is never all ones.
  for (std::size_t f = 0; f < code.functions; ++f) {
    for (std::size_t c = 0; c < classes; ++c) {
      const bool positive = c == 0 || (f >> (classes - 1 - c) & 1) != 0;
      entry(code, c, f) = positive ? std::int8_t{1} : std::int8_t{-1};
    }
  }
  return code;
}

OutputCode random_code(std::size_t classes,
                       std::optional<std::size_t> functions,
                       std::uint64_t seed) {
  require_classes(classes, 2);
  const std::size_t splits = number_of_splits(classes);
  const auto wanted =
      static_cast<std::size_t>(std::ceil(10 * std::log2(static_cast<double>(classes))));
  const std::size_t count = functions.value_or(std::min(wanted, splits));
  const std::string wanted_count = "random:" + std::to_string(count);
  require(count >= 1 && count <= splits,
          breach("code",
                 wanted_count,
                 "from random:1 to random:" + std::to_string(splits) + ", as " +
                     std::to_string(classes) + " classes have so many different splits"));
  constexpr std::uint64_t draws = 100;
  PackedWords best;
  std::size_t best_distance = 0;
  for (std::uint64_t draw = 0; draw < draws; ++draw) {
    Rng rng(seed, "random code", draw);
    PackedWords words = draw_words(classes, count, rng);
    const std::size_t distance = least_packed_distance(words);
    if (distance <= best_distance) continue;
    best_distance = distance;
    best = std::move(words);
  }
  require(best_distance > 0,
          flag_of("code") + " " + wanted_count + ": did not tell " + std::to_string(classes) +
              " classes apart in 100 draws; ask for more functions");
  OutputCode code = empty_code(MulticlassKind::ecoc, Decoding::margin, classes, count);
  for (std::size_t c = 0; c < classes; ++c) {
    for (std::size_t f = 0; f < count; ++f) {
      entry(code, c, f) = (best[c][f / 64] >> (f % 64) & 1) != 0 ? std::int8_t{1} : std::int8_t{-1};
    }
  }
  return code;
}

OutputCode user_code(DenseView matrix) {
  OutputCode code = empty_code(MulticlassKind::ecoc, Decoding::margin, matrix.rows, matrix.cols);
  for (std::size_t c = 0; c < matrix.rows; ++c) {
    for (std::size_t f = 0; f < matrix.cols; ++f) {
      const double value = matrix(c, f);
      require_field(value == -1 || value == 0 || value == 1,
                    "row " + std::to_string(c) + ", column " + std::to_string(f) + " (from 0)",
                    value,
                    "-1, 0 or +1");
      entry(code, c, f) = static_cast<std::int8_t>(value);
    }
  }
  code.validate();
  return code;
}

OutputCode direct_code(std::size_t classes) {
  require_classes(classes, 1);
  return classes == 1 ? one_function_code(MulticlassKind::direct, 1)
                      : one_function_a_class(MulticlassKind::direct, classes);
}

double least_distance(const OutputCode& code) {
  std::size_t least = 2 * code.functions;
  for (std::size_t a = 1; a < code.classes; ++a) {
    for (std::size_t b = 0; b < a; ++b) least = std::min(least, twice_distance(code, a, b));
  }
  return static_cast<double>(least) / 2;
}

DenseMatrix decode(const OutputCode& code, DenseView values) {
  code.validate();
  require_field(values.cols == code.functions,
                "the number of values a row",
                static_cast<double>(values.cols),
                std::to_string(code.functions) + ", the number of functions");
  if (code.classes == 1) return {values.rows, 1, -1.0};
  const bool one_column = is_one_function_code(code);
  DenseMatrix scores =
      DenseMatrix::uninitialized(values.rows, one_column ? std::size_t{1} : code.classes);
  const bool pairwise =
      code.decoding == Decoding::votes || code.decoding == Decoding::votes_then_margin;
  const Sides sides = pairwise ? sides_of(code) : Sides{};
  for (std::size_t i = 0; i < values.rows; ++i) {
    if (code.decoding == Decoding::value) {
      std::ranges::copy(values.row(i), scores.row(i).begin());
    } else if (pairwise) {
      count_votes(code, sides, values.row(i), scores.row(i));
    } else {
      measure_words(code, values.row(i), scores.row(i));
    }
  }
  return scores;
}

std::vector<std::int32_t> predicted_classes(DenseView scores) {
  std::vector<std::int32_t> classes(scores.rows, 0);
  for (std::size_t i = 0; i < scores.rows; ++i) {
    const std::span<const double> row = scores.row(i);
    if (row.size() == 1) {
      classes[i] = row[0] >= 0 ? 1 : 0;
    } else {
      classes[i] = static_cast<std::int32_t>(std::ranges::max_element(row) - row.begin());
    }
  }
  return classes;
}

namespace {

constexpr std::string_view random_prefix = "random:";

/// exhaustive, random, random:N or the name of a file.
class CodeValue final : public OptionValue {
 public:
  explicit CodeValue(CodeChoice& choice) : choice_(choice) {}
  [[nodiscard]] OptionKind kind() const override { return OptionKind::text; }
  [[nodiscard]] std::string rule() const override {
    return "exhaustive, random, random:N with a whole number N >= 1, or a file";
  }
  [[nodiscard]] bool set(std::string_view text) override {
    if (text.empty()) return false;
    CodeChoice chosen;
    chosen.decoding = choice_.decoding;
    if (text == "exhaustive") {
      chosen.kind = CodeChoice::Kind::exhaustive;
    } else if (text.starts_with(random_prefix)) {
      const auto functions = parse_whole(text.substr(random_prefix.size()));
      if (!functions || *functions < 1) return false;
      chosen.functions = static_cast<std::size_t>(*functions);
    } else if (text != "random") {
      chosen.kind = CodeChoice::Kind::given;
      chosen.file = text;
    }
    choice_ = std::move(chosen);
    return true;
  }
  [[nodiscard]] bool holds() const override {
    return !choice_.functions || *choice_.functions >= 1;
  }
  [[nodiscard]] OptionScalar scalar() const override {
    if (choice_.is_default()) return {};
    switch (choice_.kind) {
      case CodeChoice::Kind::exhaustive:
        return std::string("exhaustive");
      case CodeChoice::Kind::given:
        return choice_.file.empty() ? OptionScalar{} : OptionScalar(choice_.file);
      case CodeChoice::Kind::random:
        break;
    }
    if (!choice_.functions) return std::string("random");
    return std::string(random_prefix) + std::to_string(*choice_.functions);
  }
  [[nodiscard]] bool has_text() const override {
    return choice_.kind != CodeChoice::Kind::given || !choice_.file.empty();
  }

 private:
  CodeChoice& choice_;
};

}  // namespace

bool CodeChoice::is_default() const { return kind == Kind::random && !functions && !decoding; }

OutputCode CodeChoice::resolved(std::size_t classes, std::uint64_t seed) const {
  require(kind != Kind::given || given.has_value(), "the code in " + file + " was not read");
  OutputCode code = kind == Kind::given        ? *given
                    : kind == Kind::exhaustive ? exhaustive_code(classes)
                                               : random_code(classes, functions, seed);
  if (decoding) code.decoding = *decoding;
  code.validate();
  require(code.classes == classes,
          "the output code is for " + std::to_string(code.classes) + " classes, the data has " +
              std::to_string(classes));
  return code;
}

void describe_multiclass(OptionVisitor& visit,
                         MulticlassKind& multiclass,
                         CodeChoice& code,
                         std::vector<MulticlassKind> allowed) {
  const bool has_direct = std::ranges::find(allowed, MulticlassKind::direct) != allowed.end();
  visit.name({.name = "multiclass",
              .help = has_direct ? "several classes made of two, or with direct all at once"
                                 : "how several classes are made of two",
              .value = "KIND"},
             multiclass,
             std::move(allowed));
  CodeValue value(code);
  visit.option({.name = "code",
                .help = "code of ecoc: exhaustive, random, random:N or a file",
                .value = "CODE",
                .fallback = "random"},
               value);
  visit.name({.name = "decoding",
              .help = "how ecoc finds the class",
              .value = "KIND",
              .fallback = "margin"},
             code.decoding,
             {},
             {Decoding::margin, Decoding::hamming});
  visit.rule(multiclass == MulticlassKind::ecoc || code.is_default(),
             "--code and --decoding belong to --multiclass ecoc");
}

}  // namespace maxmargin
