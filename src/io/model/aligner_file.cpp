// SPDX-License-Identifier: Apache-2.0
#include "io/model/structured_file.hpp"

#include <algorithm>
#include <string>

#include "io/model/machine_file_parts.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/core/require.hpp"

namespace maxmargin {

namespace {

/// Weights in a row of the file. A table of pairs of residues has one row for each residue then;
/// the last row may be filled up with zeros.
constexpr std::size_t row_size = 22;

std::size_t rows_for(std::size_t weights) { return (weights + row_size - 1) / row_size; }

}  // namespace

void add_aligner(ModelDocument& document, const Aligner& aligner) {
  const AlignmentOptions& options = aligner.task.options();
  document.set_string("substitution", std::string(to_string(options.substitution)));
  document.set_boolean("symmetric", options.symmetric);
  document.set_string("gap_features", std::string(to_string(options.gaps)));
  document.set_boolean("gap_opening", options.gap_opening);
  document.set_string("mode", std::string(to_string(options.kind)));
  document.set_boolean("free_end_gaps", options.free_end_gaps);
  document.set_boolean("normalise", options.normalise);
  document.set_integer("loss_shift", static_cast<std::int64_t>(options.rule.shift));
  document.set_string("loss_side", std::string(to_string(options.rule.side)));
  DenseMatrix weights(rows_for(aligner.weights.size()), row_size);
  std::ranges::copy(aligner.weights, weights.values().begin());
  document.set_sparse("weights", to_sparse(weights.view()));
}

Aligner aligner_of(const ModelDocument& document) {
  try {
    const std::int64_t shift = document.integer("loss_shift");
    require(shift >= 0, "loss_shift is negative");
    AlignmentOptions options{
        .substitution = parse_name<SubstitutionModel>(document.string("substitution"),
                                                      "the substitution model"),
        .symmetric = document.boolean("symmetric"),
        .gaps = parse_name<GapModel>(document.string("gap_features"), "the gap model"),
        .gap_opening = document.boolean("gap_opening"),
        .kind = parse_name<AlignmentKind>(document.string("mode"), "the kind of alignment"),
        .free_end_gaps = document.boolean("free_end_gaps"),
        .normalise = document.boolean("normalise"),
        .rule = {.shift = static_cast<std::size_t>(shift),
                 .side = parse_name<AlignmentSide>(document.string("loss_side"), "loss_side")}};
    Aligner aligner{.task = AlignmentTask(options)};
    const std::size_t dimension = aligner.task.dimension();
    const SparseView weights = document.sparse("weights").view();
    require(weights.cols == row_size && weights.rows() == rows_for(dimension),
            "weights has not one number for every weight of the model");
    demand_finite(document, "weights", weights.values);
    aligner.weights.assign(dimension, 0.0);
    for (std::size_t i = 0; i < weights.rows(); ++i) {
      const SparseRow row = weights.row(i);
      for (std::size_t k = 0; k < row.columns.size(); ++k) {
        const std::size_t at = i * row_size + static_cast<std::size_t>(row.columns[k]);
        require(at < dimension, "weights has a number behind the last weight of the model");
        aligner.weights[at] = row.values[k];
      }
    }
    return aligner;
  } catch (const InvalidArgument& broken) {
    throw ModelFormatError(document.source(), {}, std::string("aligner: ") + broken.what());
  }
}

}  // namespace maxmargin
