// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "maxmargin/core/export.hpp"
#include "maxmargin/core/names.hpp"
#include "maxmargin/data/alignment.hpp"
#include "maxmargin/data/coreference.hpp"
#include "maxmargin/data/dataset.hpp"
#include "maxmargin/data/dna.hpp"
#include "maxmargin/data/partition.hpp"
#include "maxmargin/data/sequences.hpp"
#include "maxmargin/data/text/tagged_text.hpp"
#include "maxmargin/io/table/read_data.hpp"
#include "maxmargin/linalg/matrix.hpp"

/// The data that learners take, each kind as one value in memory. Reading files is a step of its
/// own (learner/source.hpp).
namespace maxmargin {

/// Rows of features with what is known of them.
struct TableData {
  /// With a precomputed kernel the examples are row numbers (index_examples).
  Dataset data = {};
  /// The kernel between these rows and the training rows, where it was computed elsewhere.
  std::shared_ptr<const DenseMatrix> kernel_matrix = nullptr;
  /// The labels as they were, before all but some rows' were hidden.
  std::optional<LabelColumn> all_labels = std::nullopt;
  /// The format it was found in; automatic: it was in no file.
  DataFormat format = DataFormat::automatic;
};

enum class SequenceFormat {
  conll,   ///< columns of text
  conllu,  ///< the ten columns of Universal Dependencies
  svmhmm   ///< numbers
};
template <>
inline constexpr auto names_of<SequenceFormat> =
    name_table<SequenceFormat>({{"conll", SequenceFormat::conll},
                                {"conllu", SequenceFormat::conllu},
                                {"svmhmm", SequenceFormat::svmhmm}});

/// Sequences of text or of numbers: one of the two is there.
struct SequenceCollection {
  SequenceFormat format = SequenceFormat::conll;
  std::optional<TaggedText> text = std::nullopt;
  std::optional<SequenceData> numbers = std::nullopt;
  /// Which of a file's columns were read as the label and as words, where it was said.
  std::optional<std::string> label = std::nullopt;
  std::optional<std::string> columns = std::nullopt;
  /// The file it was read from, which messages about its positions look into; empty: none.
  std::string path = {};
};

enum class PartitionFormat {
  pairs,     ///< features of pairs of items
  conll2012  ///< text with mentions of entities
};
template <>
inline constexpr auto names_of<PartitionFormat> = name_table<PartitionFormat>(
    {{"pairs", PartitionFormat::pairs}, {"conll2012", PartitionFormat::conll2012}});

/// Sets of items with clusters: pairs with features, or documents whose mentions are the items.
struct PartitionCollection {
  PartitionFormat format = PartitionFormat::pairs;
  PartitionData data = {};
  std::vector<CorefDocument> documents = {};
};

/// What a learner may be given.
using LearnerData =
    std::variant<TableData, SequenceCollection, PartitionCollection, AlignmentData, DnaData>;

/// Which of them it takes.
enum class DataKind { table, label_sets, queries, bags, sequences, partitions, alignments, dna };
template <>
inline constexpr auto names_of<DataKind> =
    name_table<DataKind>({{"table", DataKind::table},
                          {"label-sets", DataKind::label_sets},
                          {"queries", DataKind::queries},
                          {"bags", DataKind::bags},
                          {"sequences", DataKind::sequences},
                          {"partitions", DataKind::partitions},
                          {"alignments", DataKind::alignments},
                          {"dna", DataKind::dna}});

}  // namespace maxmargin
