// SPDX-License-Identifier: Apache-2.0
// Trainings of the study of moved planes; bench/studies/latent.py calls it.
//   study_latent check
//       Compares every argmax of the chain with hidden labels with brute force.
//   study_latent chain FILE SOLVER C TOLERANCE MIN_COUNT warm|cold
//       A chain on CoNLL columns (template chunking) with a tenth of the labels hidden, begun with
//       the most frequent label there: "key value" lines, and a line "step NUMBER F GAP CHANGED
//       CALLS" of every convex step. One thread.
#include <exception>
#include <iostream>
#include <string>

#include "hidden_chain.hpp"
#include "maxmargin/core/rng.hpp"
#include "maxmargin/core/timer.hpp"
#include "maxmargin/data/text/sequence_map.hpp"
#include "maxmargin/io/text/conll_columns.hpp"
#include "maxmargin/structured/check_task.hpp"
#include "maxmargin/structured/latent_training.hpp"
#include "structural_words.hpp"

namespace {

using namespace maxmargin;

constexpr double hidden_share = 0.1;

/// Truths whose hidden labels are the most frequent one.
std::vector<PartlySeenLabels> hide(const SequenceData& data) {
  std::vector<std::size_t> counts(data.label_names.size(), 0);
  for (const LabelSequence& labels : data.labels) {
    for (const std::uint32_t label : labels) ++counts[label];
  }
  const auto most = static_cast<std::uint32_t>(std::ranges::max_element(counts) - counts.begin());
  Rng rng(1, "hidden labels");
  std::vector<PartlySeenLabels> truths;
  for (const LabelSequence& labels : data.labels) {
    PartlySeenLabels truth{.labels = labels};
    for (std::uint32_t& label : truth.labels) {
      truth.hidden.push_back(rng.bernoulli(hidden_share) ? 1 : 0);
      if (truth.hidden.back() != 0) label = most;
    }
    truths.push_back(std::move(truth));
  }
  return truths;
}

void check() {
  const ChainTask chain({.labels = 3, .features = 4});
  const HiddenChain task(chain);
  Rng rng(1, "check");
  std::vector<std::pair<Sequence, PartlySeenLabels>> samples;
  for (std::size_t length = 1; length <= 5; ++length) {
    for (int copy = 0; copy < 4; ++copy) {
      Sequence x;
      PartlySeenLabels y;
      for (std::size_t t = 0; t < length; ++t) {
        for (std::uint32_t feature = 0; feature < 4; ++feature) {
          if (rng.bernoulli(0.5)) x.indices.push_back(feature);
        }
        x.begins.push_back(x.indices.size());
        y.labels.push_back(static_cast<std::uint32_t>(rng.index(3)));
        y.hidden.push_back(rng.bernoulli(0.4) ? 1 : 0);
      }
      samples.emplace_back(std::move(x), std::move(y));
    }
  }
  const TaskCheck found = check_task<HiddenChain>(task, samples, rng);
  for (const std::string& fault : found.faults) throw InternalError(fault);
  print("compared", static_cast<double>(found.compared));
}

void train_chain(char** argument) {
  Input input = Input::open(argument[0]);
  const TaggedText text = read_conll_columns(input);
  SequenceMapOptions mapping;
  mapping.index.minimum_count = static_cast<std::uint64_t>(number_of(argument[4]));
  const SequenceMap map = learn_sequence_map(text, standard_templates("chunking"), mapping);
  const SequenceData data = map.apply(text);
  const ChainTask chain({.labels = data.label_names.size(), .features = data.features});
  const HiddenChain task(chain);
  const std::vector<PartlySeenLabels> truths = hide(data);
  LatentOptions options{.method = parse_name<StructuralMethod>(argument[1], "solver")};
  options.solving.c = number_of(argument[2]);
  options.solving.tolerance = number_of(argument[3]);
  options.solving.max_passes = 1000;
  options.solving.context.threads = 1;
  options.cold_start = std::string(argument[5]) == "cold";
  const double cpu_before = cpu_seconds();
  const LatentSolution found = train_latent<HiddenChain>(task, data.inputs, truths, {}, options);
  print("cpu_seconds", cpu_seconds() - cpu_before);
  for (std::size_t k = 0; k < found.trace.size(); ++k) {
    const LatentStep& step = found.trace[k];
    std::cout << "step " << k + 1 << ' ' << format_number(step.objective) << ' '
              << format_number(step.inner_gap) << ' ' << step.changed << ' ' << step.oracle_calls
              << '\n';
  }
  print("sequences", static_cast<double>(data.size()));
  print("weights", static_cast<double>(chain.dimension()));
  print("objective", found.report.primal_objective.value_or(0.0));
  print("stationary_gap", found.stationary_gap.value_or(-1.0));
  print("steps", static_cast<double>(found.report.iterations));
  print("oracle_calls", static_cast<double>(found.oracle_calls));
  std::cout << "status " << to_string(found.report.status) << '\n';
}

}  // namespace

int main(int count, char** arguments) {
  try {
    const std::string part = count > 1 ? arguments[1] : "";
    if (part == "check" && count == 2) {
      check();
    } else if (part == "chain" && count == 8) {
      train_chain(arguments + 2);
    } else {
      std::cerr << "study_latent: see the head of bench/studies/latent.cpp\n";
      return 2;
    }
  } catch (const std::exception& problem) {
    std::cerr << "study_latent: " << problem.what() << '\n';
    return 1;
  }
  return 0;
}
