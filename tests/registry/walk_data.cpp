// SPDX-License-Identifier: Apache-2.0
#include "walk_data.hpp"

#include <algorithm>

#include "maxmargin/core/error.hpp"
#include "maxmargin/core/number.hpp"
#include "maxmargin/core/rng.hpp"
#include "maxmargin/data/generators.hpp"
#include "maxmargin/io/stream/output.hpp"
#include "maxmargin/io/table/write_data.hpp"
#include "maxmargin/io/text/conll_columns.hpp"

namespace maxmargin::walk {

namespace {

constexpr std::size_t rows = 24;
constexpr std::size_t features = 3;
/// Rows with a label where not all have one.
constexpr std::size_t labelled_rows = 9;
constexpr std::size_t rows_of_query = 6;

/// Rows around the centres of `classes` classes, which take turns.
DenseMatrix points(std::size_t classes) {
  Rng rng(11, "points", classes);
  DenseMatrix made(rows, features);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < features; ++j) {
      made(i, j) = rng.normal() + (j == i % classes ? 3.0 : 0.0);
    }
  }
  return made;
}

std::vector<double> classes_in_turn(std::size_t classes) {
  std::vector<double> labels;
  for (std::size_t i = 0; i < rows; ++i) labels.push_back(static_cast<double>(i % classes));
  return labels;
}

Dataset classified(std::size_t classes) {
  Dataset data{.examples = points(classes)};
  data.labels = LabelColumn::from_numbers(classes_in_turn(classes));
  return data;
}

Dataset half_classified(std::size_t classes) {
  Dataset data = classified(classes);
  for (std::size_t i = labelled_rows; i < rows; ++i) data.labels.clear(i);
  return data;
}

Dataset with_targets() {
  const DenseMatrix made = points(2);
  Rng rng(12, "targets", 0);
  std::vector<double> targets;
  for (std::size_t i = 0; i < rows; ++i) {
    targets.push_back(made(i, 0) - 0.5 * made(i, 1) + 0.1 * rng.normal());
  }
  return {.examples = made, .labels = LabelColumn::from_numbers(std::move(targets))};
}

/// Sparse, as the format of these files is read.
Dataset queries() {
  Dataset data{.examples = to_sparse(points(3).view()),
               .labels = LabelColumn::from_numbers(classes_in_turn(3))};
  for (std::size_t i = 0; i < rows; ++i) {
    data.groups.push_back(static_cast<std::int64_t>(i / rows_of_query));
  }
  return data;
}

/// Rows of the first class are negative; every second bag has its last row of the other one.
Dataset bags() {
  Dataset data = queries();
  std::vector<double> signs;
  for (std::size_t i = 0; i < rows; ++i) {
    const bool is_positive = i / rows_of_query % 2 == 1;
    signs.push_back(is_positive ? 1 : -1);
  }
  data.labels = LabelColumn::from_numbers(std::move(signs));
  return data;
}

Dataset label_sets() {
  Dataset data{.examples = to_sparse(points(3).view())};
  for (std::size_t i = 0; i < rows; ++i) {
    std::vector<Label>& set = data.label_sets.emplace_back();
    set.emplace_back(static_cast<double>(i % 3));
    if (i % 2 == 0) set.emplace_back(3.0);
  }
  return data;
}

SequenceCollection sentences() {
  TaggedText text(2, true);
  const auto add = [&](std::string_view word, std::string_view kind, std::string_view tag) {
    const std::vector<std::string_view> cells = {word, kind};
    text.add_token(cells, tag);
  };
  for (const char* const noun : {"dog", "man", "tree", "ship"}) {
    add("the", "DT", "B-NP");
    add("old", "JJ", "I-NP");
    add(noun, "NN", "I-NP");
    add("fell", "VBD", "B-VP");
    add(".", ".", "O");
    text.end_sentence();
    add(noun, "NN", "B-NP");
    add("sees", "VBZ", "B-VP");
    add("the", "DT", "B-NP");
    add("sea", "NN", "I-NP");
    text.end_sentence();
  }
  return {.format = SequenceFormat::conll, .text = std::move(text)};
}

/// Items of two kinds; feature 1 says whether a pair is of one kind, feature 2 is noise.
PartitionCollection documents() {
  constexpr std::uint32_t items = 5;
  Rng rng(13, "documents", 0);
  PartitionData data{.features = 3};
  for (std::size_t d = 0; d < 4; ++d) {
    data.names.push_back("d" + std::to_string(d));
    std::vector<std::string>& names = data.item_names.emplace_back();
    std::vector<std::uint32_t> kinds;
    for (std::uint32_t i = 0; i < items; ++i) {
      names.push_back("i" + std::to_string(i));
      kinds.push_back(static_cast<std::uint32_t>(rng.index(2)));
    }
    PartitionInput& input = data.inputs.emplace_back();
    input.items = items;
    for (std::uint32_t i = 0; i < items; ++i) {
      for (std::uint32_t j = i + 1; j < items; ++j) {
        input.pairs.push_back({i, j});
        input.indices.insert(input.indices.end(), {0, 1, 2});
        input.values.insert(input.values.end(),
                            {1.0, kinds[i] == kinds[j] ? 1.0 : -1.0, 0.3 * rng.normal()});
        input.begins.push_back(input.indices.size());
      }
    }
    data.partitions.push_back(canonical_partition(kinds));
  }
  return {.format = PartitionFormat::pairs, .data = std::move(data)};
}

/// As a file of pair features has them.
std::string pair_features_of(const PartitionData& data) {
  std::string text;
  for (std::size_t d = 0; d < data.size(); ++d) {
    const PartitionInput& input = data.inputs[d];
    text += "document " + data.names[d] + "\n";
    for (std::size_t i = 0; i < input.items; ++i) {
      text += "item " + data.item_names[d][i] + " " + std::to_string(data.partitions[d][i]) + "\n";
    }
    for (std::size_t p = 0; p < input.pairs.size(); ++p) {
      text += std::to_string(input.pairs[p].first + 1);
      text += " " + std::to_string(input.pairs[p].second + 1);
      for (std::size_t e = input.begins[p]; e < input.begins[p + 1]; ++e) {
        text += " " + std::to_string(input.indices[e] + 1) + ":" + format_number(input.value(e));
      }
      text += "\n";
    }
  }
  return text;
}

/// Residues alone, as a plain file of pairs has them.
AlignmentData alignments() {
  AlignmentData data = generate_alignments({.pairs = 4, .length = 12, .identity = 0.6, .seed = 2});
  for (std::size_t i = 0; i < data.size(); ++i) {
    for (AnnotatedSequence* each : {&data.inputs[i].target, &data.inputs[i].known}) {
      each->structure.clear();
      each->surface.clear();
      each->profile.clear();
      each->name = (each == &data.inputs[i].target ? "t" : "k") + std::to_string(i);
    }
    data.families[i] = "f" + std::to_string(i);
  }
  return data;
}

std::string fasta_of(const DnaData& data) {
  std::string text;
  for (std::size_t i = 0; i < data.size(); ++i) {
    text += ">" + data.names[i] + " label=" + std::to_string(data.labels[i]) + "\n";
    text += data.sequences[i] + "\n";
  }
  return text;
}

std::string fasta_of(const AlignmentData& data) {
  std::string text;
  for (std::size_t i = 0; i < data.size(); ++i) {
    const AlignedRows aligned = rows_of_alignment(data.inputs[i], data.references[i]);
    const std::string family = " family=" + data.families[i] + "\n";
    text += ">" + data.inputs[i].target.name + family + aligned.target + "\n";
    text += ">" + data.inputs[i].known.name + family + aligned.known + "\n";
  }
  return text;
}

Dataset rows_for(const LearnerInfo& info) {
  switch (info.task) {
    case Task::regress:
      return with_targets();
    case Task::cluster:
      return {.examples = points(2)};
    case Task::detect:
      return {.examples = points(1),
              .labels = LabelColumn::from_numbers(std::vector<double>(rows, 1.0))};
    default:
      return info.learns_from_unlabelled ? half_classified(2) : classified(3);
  }
}

/// With the names that a table of columns without any is given in a file.
Dataset table_for(const LearnerInfo& info) {
  Dataset data = rows_for(info);
  for (std::size_t j = 1; j <= features; ++j) data.feature_names.push_back("x" + std::to_string(j));
  return data;
}

}  // namespace

LearnerData data_for(const LearnerInfo& info) {
  switch (info.data) {
    case DataKind::table:
      return TableData{.data = table_for(info)};
    case DataKind::label_sets:
      return TableData{.data = label_sets()};
    case DataKind::queries:
      return TableData{.data = queries()};
    case DataKind::bags:
      return TableData{.data = bags()};
    case DataKind::sequences:
      return sentences();
    case DataKind::partitions:
      return documents();
    case DataKind::alignments:
      return alignments();
    case DataKind::dna:
      return generate_motifs({.n = 12, .length = 24, .motif = "TTGACG", .noise = 0, .seed = 3});
  }
  throw InternalError("a kind of data that the walk does not know");
}

void write_file_of(const LearnerInfo& info, const LearnerData& data, const std::string& path) {
  OutputFile file(path);
  if (const auto* const table = std::get_if<TableData>(&data)) {
    const bool is_dense = info.data == DataKind::table;
    write_data(table->data, file, is_dense ? DataFormat::csv : DataFormat::svmlight);
  } else if (const auto* const text = std::get_if<SequenceCollection>(&data)) {
    write_conll_columns(*text->text, file);
  } else if (const auto* const sets = std::get_if<PartitionCollection>(&data)) {
    file.write(pair_features_of(sets->data));
  } else if (const auto* const dna = std::get_if<DnaData>(&data)) {
    file.write(fasta_of(*dna));
  } else {
    file.write(fasta_of(std::get<AlignmentData>(data)));
  }
  file.commit();
}

OptionTexts needed_options(const Learner& learner) {
  if (learner.info().task != Task::cluster) return {};
  const std::vector<OptionDescription> options = learner.options();
  const bool takes_number =
      std::ranges::any_of(options, [](const auto& option) { return option.name == "k"; });
  return takes_number ? OptionTexts{{"k", "2"}} : OptionTexts{};
}

}  // namespace maxmargin::walk
