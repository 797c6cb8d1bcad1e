// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>

#include "io/model/machine_file_parts.hpp"
#include "io/model/structured_file.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/core/number.hpp"
#include "maxmargin/core/require.hpp"

namespace maxmargin {

namespace {

/// One weight for each base in a row.
constexpr std::size_t row_size = dna_letters.size();
/// Of a sum of shares, as numbers of files have it.
constexpr double most_rounding = 1e-6;

DenseMatrix rows_of(std::span<const double> values) {
  DenseMatrix rows(values.size() / row_size, row_size);
  std::ranges::copy(values, rows.values().begin());
  return rows;
}

std::uint64_t seed_of(const ModelDocument& document) {
  const std::string& text = document.string("shuffle_seed");
  std::uint64_t seed = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
  require(error == std::errc{} && end == text.data() + text.size(),
          "shuffle_seed is no whole number");
  return seed;
}

}  // namespace

void add_motif_finder(ModelDocument& document, const MotifFinder& finder) {
  const MotifTaskOptions& options = finder.task.options();
  document.set_integer("length", static_cast<std::int64_t>(options.length));
  document.set_string("strand_reading", std::string(to_string(options.strands)));
  document.set_boolean("has_background", options.background);
  document.set_integer("order", static_cast<std::int64_t>(options.order));
  document.set_number("threshold", finder.threshold);
  document.set_integer("sites", static_cast<std::int64_t>(finder.sites));
  // Text: half of all seeds are no signed integers.
  document.set_string("shuffle_seed", std::to_string(finder.seed));
  const std::span<const double> weights = finder.weights;
  document.set_dense("matrix", rows_of(weights.first(finder.task.matrix_weights())));
  document.set_dense("background_weights", rows_of(weights.subspan(finder.task.matrix_weights())));
  document.set_dense("site_counts", finder.site_counts);
  document.set_dense("base_shares", rows_of(finder.base_shares));
}

MotifFinder motif_finder_of(const ModelDocument& document) {
  try {
    const auto size = [&](const char* key) {
      const std::int64_t value = document.integer(key);
      require(value >= 0, std::string(key) + " is negative");
      return static_cast<std::size_t>(value);
    };
    const MotifTaskOptions options{
        .length = size("length"),
        .strands = parse_name<MotifStrands>(document.string("strand_reading"), "strand_reading"),
        .order = size("order"),
        .background = document.boolean("has_background")};
    MotifFinder finder{.task = MotifTask(options)};
    const auto read = [&](const char* key, std::size_t rows) {
      const DenseMatrix& matrix = document.dense(key);
      require(matrix.rows() == rows && matrix.cols() == (rows > 0 ? row_size : matrix.cols()),
              std::string(key) + " has another size than the motif says");
      demand_finite(document, key, matrix.values());
      return matrix;
    };
    for (const DenseMatrix& part :
         {read("matrix", options.length),
          read("background_weights",
               (finder.task.dimension() - finder.task.matrix_weights()) / row_size)}) {
      finder.weights.insert(finder.weights.end(), part.values().begin(), part.values().end());
    }
    finder.threshold = document.number("threshold");
    finder.sites = size("sites");
    finder.seed = seed_of(document);
    finder.site_counts = read("site_counts", options.length);
    const auto counts = finder.site_counts.values();
    require(std::ranges::all_of(counts, [](double count) { return count >= 0; }),
            "site_counts hold a number below 0");
    std::ranges::copy(read("base_shares", 1).values(), finder.base_shares.begin());
    double sum = 0;
    for (const double share : finder.base_shares) {
      require(share > 0, "base_shares hold a share that is not above 0");
      sum += share;
    }
    require(std::abs(sum - 1) <= most_rounding, "base_shares do not add up to 1");
    return finder;
  } catch (const InvalidArgument& broken) {
    throw ModelFormatError(document.source(), {}, std::string("motif: ") + broken.what());
  }
}

}  // namespace maxmargin
