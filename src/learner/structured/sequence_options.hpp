// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "learner/structured/checkpoints.hpp"
#include "maxmargin/core/option.hpp"
#include "maxmargin/data/sequences.hpp"
#include "maxmargin/data/text/feature_index.hpp"
#include "maxmargin/model/structured/sequence_tagger.hpp"

/// What the learner sequence is told beside the data.
namespace maxmargin::learning {

/// What errors cost, by the name of the true label. Not those of ClassWeights: 1 and 1.0 are two
/// tags.
struct LabelWeights {
  bool balanced = false;
  std::vector<std::pair<std::string, double>> by_name = {};

  [[nodiscard]] bool empty() const { return !balanced && by_name.empty(); }
  /// "balanced" or "LABEL=WEIGHT,..."; empty when there are none.
  [[nodiscard]] std::string text() const;
  /// One for every label of the data; empty when there are none. Throws InvalidArgument for a name
  /// that the data has not.
  [[nodiscard]] std::vector<double> for_labels_of(const SequenceData& data) const;
};

struct SequenceChoice {
  /// Its label_weights and what is ambient are filled in by the training.
  SequenceTaggerOptions tagger = {};
  /// A name, or a file; unset: as the columns are.
  std::optional<std::string> templates = std::nullopt;
  FeatureIndexOptions index = {};
  LabelWeights class_weight = {};
  CheckpointChoice checkpoints = {};

  void describe(OptionVisitor& visit);
  /// Throws InvalidArgument when one is given that numbers have no use for.
  void refuse_text_options() const;
  /// The options of the tagger for this data. `has_pairs`: whether labels in a row have weights
  /// unless the order says otherwise. Throws InvalidArgument for what does not fit the data.
  [[nodiscard]] SequenceTaggerOptions for_data(const SequenceData& data, bool has_pairs) const;
};

}  // namespace maxmargin::learning
