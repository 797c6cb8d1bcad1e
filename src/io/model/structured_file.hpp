// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "maxmargin/io/model/model_file.hpp"
#include "maxmargin/model/structured/aligner.hpp"
#include "maxmargin/model/structured/forest_partitioner.hpp"
#include "maxmargin/model/structured/motif.hpp"
#include "maxmargin/model/structured/multilabel.hpp"
#include "maxmargin/model/structured/partitioner.hpp"
#include "maxmargin/model/structured/sequence_tagger.hpp"

/// Structured machines in model files (docs/guide/model-file.md).
namespace maxmargin {

/// Add all that prediction needs. Weights that are 0 take no room.
void add_aligner(ModelDocument& document, const Aligner& aligner);
void add_forest_partitioner(ModelDocument& document, const ForestPartitioner& partitioner);
void add_motif_finder(ModelDocument& document, const MotifFinder& finder);
void add_multilabel(ModelDocument& document, const MultilabelClassifier& model);
void add_partitioner(ModelDocument& document, const Partitioner& partitioner);
void add_sequence_tagger(ModelDocument& document, const SequenceTagger& tagger);

/// The machine again, equal bit for bit. Throw ModelFormatError when something is missing or does
/// not fit the rest.
[[nodiscard]] Aligner aligner_of(const ModelDocument& document);
[[nodiscard]] ForestPartitioner forest_partitioner_of(const ModelDocument& document);
[[nodiscard]] MotifFinder motif_finder_of(const ModelDocument& document);
[[nodiscard]] MultilabelClassifier multilabel_of(const ModelDocument& document);
[[nodiscard]] Partitioner partitioner_of(const ModelDocument& document);
[[nodiscard]] SequenceTagger sequence_tagger_of(const ModelDocument& document);

}  // namespace maxmargin
