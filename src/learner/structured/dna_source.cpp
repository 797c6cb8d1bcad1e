// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "io/structured/dna_fasta.hpp"
#include "io/text/builtin_files.hpp"
#include "learner/structured/sources_text.hpp"
#include "maxmargin/io/stream/input.hpp"

namespace maxmargin::learning {

namespace {

template <class Values>
void require_length(const Values& values,
                    const DnaData& data,
                    const std::string& path,
                    const char* what) {
  if (values.size() == data.size()) return;
  throw FileError(path,
                  "holds " + std::to_string(values.size()) + " " + what + ", but " + data.source +
                      " holds " + std::to_string(data.size()) + " sequences");
}

/// Where some are labelled, all others are unknown; where none is, all are positives if there are
/// negatives beside them.
void fill(DnaData& data, bool are_positives) {
  if (data.labels.empty()) data.labels.assign(data.size(), are_positives ? 1 : 0);
  if (data.weights.empty()) data.weights.assign(data.size(), 1.0);
}

void add_negatives(DnaData& data, const std::string& path, double weight) {
  Input input = open_data_file(path);
  DnaData others = read_dna(input);
  if (std::ranges::any_of(others.labels, [](std::int8_t label) { return label > 0; })) {
    throw FileError(path, "holds a sequence with label=1, but was given by --negatives");
  }
  others.labels.assign(others.size(), -1);
  fill(data, true);
  fill(others, false);
  for (double& each : others.weights) each *= weight;
  const auto append = [](auto& to, const auto& from) {
    to.insert(to.end(), from.begin(), from.end());
  };
  append(data.sequences, others.sequences);
  append(data.names, others.names);
  append(data.labels, others.labels);
  append(data.weights, others.weights);
}

}  // namespace

void DnaSourceOptions::describe(OptionVisitor& visit) {
  visit.text({.name = "labels",
              .help = "file of labels, one a line: 1 holds the motif, -1 does not",
              .value = "FILE",
              .fallback = "label= of the headers"},
             labels);
  if (!for_training) return;
  visit.text({.name = "weight",
              .help = "file of weights, one a line",
              .value = "FILE",
              .fallback = "weight= of the headers, else 1"},
             weight);
  visit.text({.name = "negatives",
              .help = "more sequences (FASTA), none of which holds the motif",
              .value = "FILE",
              .fallback = "none"},
             negatives);
  visit.number({.name = "negatives-weight", .help = "what each of --negatives weighs"},
               negatives_weight,
               rules::not_negative);
  visit.rule(negatives || negatives_weight == 1, "--negatives-weight: belongs to --negatives");
}

DnaData read_dna_source(const std::string& path, const DnaSourceOptions& options) {
  Input input = open_data_file(path);
  DnaData data = read_dna(input);
  if (data.sequences.empty()) throw FileError(path, "holds no sequence");
  if (options.labels) {
    Input file = Input::open(*options.labels);
    data.labels = read_dna_labels(file);
    require_length(data.labels, data, *options.labels, "labels");
  }
  if (options.weight) {
    Input file = Input::open(*options.weight);
    data.weights = read_dna_weights(file);
    require_length(data.weights, data, *options.weight, "weights");
  }
  if (options.negatives) add_negatives(data, *options.negatives, options.negatives_weight);
  return data;
}

}  // namespace maxmargin::learning
