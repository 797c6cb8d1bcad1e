// SPDX-License-Identifier: Apache-2.0
// docs/guide/tagging.md
#include "maxmargin/model/structured/sequence_tagger.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "core/conditional_options.hpp"
#include "core/parallel.hpp"
#include "maxmargin/core/options.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/solver/structural/solution.hpp"
#include "model/structured/asked_primal.hpp"
#include "solver/structural/chain_crf.hpp"
#include "structured/averaged_perceptron.hpp"

namespace maxmargin {

namespace {

/// Calls visit(place in the task, place in the layout) for every weight. Both have the same
/// weights, and today even in the same order; nothing here relies on the order.
template <class Visit>
void for_each_weight(const ChainTask& task, const ChainLayout& layout, const Visit& visit) {
  for (std::size_t f = 0; f < layout.features; ++f) {
    for (std::size_t y = 0; y < layout.labels; ++y) {
      visit(task.emission_index(f, y), layout.node(f, y));
    }
  }
  for (std::size_t from = 0; from < layout.labels; ++from) {
    for (std::size_t to = 0; to < layout.labels; ++to) {
      visit(task.pair_index(from, to), layout.transition(from, to));
    }
  }
  for (std::size_t y = 0; y < layout.labels; ++y) {
    visit(task.begin_index(y), layout.begin(y));
    visit(task.end_index(y), layout.end(y));
  }
}

/// The CRF that has the task's weights.
ChainCrf crf_of(const ChainTask& task, const SequenceData& data) {
  const ChainOptions& chain = task.options();
  require(chain.order == 1, "a CRF has weights of pairs of labels: its order must be 1");
  require(chain.step_features == 0,
          data.source + ": a CRF has no weights for features of steps (B lines with macros)");
  require(chain.begin && chain.end, "a CRF needs weights for first and last labels");
  ChainCrf crf(data);
  const ChainLayout& layout = crf.layout();
  require(layout.labels == chain.labels && layout.features == chain.features,
          data.source + ": labels or features are not those of the tagger");
  return crf;
}

/// Solutions whose w lies as the task's weights do.
[[nodiscard]] StructuralSolution train_chain_crf(const ChainTask& task,
                                                 const SequenceData& data,
                                                 const StructuralOptions& options) {
  const ChainCrf crf = crf_of(task, data);
  StructuralSolution solution = solve_chain_crf(crf, options);
  std::vector<double> weights(task.dimension(), 0.0);
  for_each_weight(task, crf.layout(), [&](std::size_t in_task, std::size_t in_layout) {
    weights[in_task] = solution.w[in_layout];
  });
  solution.w = std::move(weights);
  return solution;
}

[[nodiscard]] StructuralSolution train_chain_perceptron(const ChainTask& task,
                                                        const SequenceData& data,
                                                        const StructuralOptions& options) {
  return train_averaged_perceptron(
      task,
      std::span(data.inputs),
      std::span(data.labels),
      {.max_passes = options.passes(online_passes), .context = options.context});
}

/// The CRF's objective at weights that lie as the task's do.
[[nodiscard]] double plain_crf_objective(const ChainTask& task,
                                         const SequenceData& data,
                                         double c,
                                         std::span<const double> weights,
                                         const Context& context) {
  const ChainCrf crf = crf_of(task, data);
  std::vector<double> w(crf.dimension(), 0.0);
  for_each_weight(task, crf.layout(), [&](std::size_t in_task, std::size_t in_layout) {
    w[in_layout] = weights[in_task];
  });
  return crf.plain_objective(c, w, context);
}

void check(const SequenceData& data) {
  const std::string source = data.source.empty() ? "the data" : data.source;
  require(!data.inputs.empty(), source + ": there is no sequence to learn from");
  require(!data.labels.empty(), source + ": the sequences have no labels to learn from");
  data.validate();
}

std::vector<std::string_view> solver_names() {
  std::vector<std::string_view> names = all_names<StructuralMethod>();
  names.push_back(to_string(SequenceCriterion::log_loss));
  names.push_back(to_string(SequenceCriterion::perceptron));
  return names;
}

/// Criterion and method in one name.
class SolverValue final : public detail::NameChoice {
 public:
  explicit SolverValue(SequenceTaggerOptions& options)
      : NameChoice(solver_names()), options_(options) {}
  [[nodiscard]] bool set(std::string_view text) override {
    if (const auto method = value_named<StructuralMethod>(text)) {
      options_.criterion = SequenceCriterion::hinge;
      options_.method = *method;
      return true;
    }
    const auto criterion = value_named<SequenceCriterion>(text);
    if (!criterion || *criterion == SequenceCriterion::hinge) return false;
    options_.criterion = *criterion;
    return true;
  }
  [[nodiscard]] bool holds() const override { return options_.solver() != "unknown"; }
  [[nodiscard]] OptionScalar scalar() const override { return std::string(options_.solver()); }

 private:
  SequenceTaggerOptions& options_;
};

ChainTask task_of(const SequenceData& data, const SequenceTaggerOptions& options) {
  ChainOptions chain{.labels = data.label_names.size(),
                     .features = data.features,
                     .step_features = data.step_features,
                     .order = options.order.value_or(1)};
  if (!options.label_weights.empty()) {
    require(options.label_weights.size() == data.label_names.size(),
            "there must be a weight for every label");
    chain.costs = costs_of_label_weights(options.label_weights);
  }
  if (options.chunks) {
    chain.rules = chunk_rules(data.label_names, *options.chunks);
    if (const auto place = first_forbidden(chain.rules, chain.labels, data.labels)) {
      throw InvalidArgument(data.source + ": the label " +
                            data.label_names[data.labels[place->sequence][place->position]] +
                            " at position " + std::to_string(place->position + 1) +
                            " of sequence " + std::to_string(place->sequence + 1) +
                            " breaks the rules of the chunk scheme");
    }
  }
  return ChainTask(std::move(chain));
}

StructuralSolution solve(const ChainTask& task,
                         const SequenceData& data,
                         const SequenceTaggerOptions& options,
                         const StructuralState* start) {
  if (options.criterion == SequenceCriterion::hinge) {
    const StructuralHinge<ChainTask> risk(task, data.inputs, data.labels, options.rescaling);
    return solve_structural(risk, options.method, options.solving, start);
  }
  require(start == nullptr, "only runs with the hinge can be resumed");
  return options.criterion == SequenceCriterion::log_loss
             ? train_chain_crf(task, data, options.solving)
             : train_chain_perceptron(task, data, options.solving);
}

}  // namespace

std::string_view SequenceTaggerOptions::solver() const noexcept {
  return criterion == SequenceCriterion::hinge ? to_string(method) : to_string(criterion);
}

bool SequenceTaggerOptions::reports_objective() const noexcept {
  return criterion == SequenceCriterion::log_loss ||
         (criterion == SequenceCriterion::hinge && has_objective(method));
}

void SequenceTaggerOptions::describe(OptionVisitor& visit) {
  SolverValue chosen(*this);
  visit.option({.name = "solver",
                .help = "how weights are found; subgradient, mira and perceptron have no gap"},
               chosen);
  const std::string refusal = "--solver " + std::string(solver()) + " has none";
  const bool is_hinge = criterion == SequenceCriterion::hinge;
  const bool is_perceptron = criterion == SequenceCriterion::perceptron;
  const bool is_exact = !is_perceptron && !(is_hinge && method == StructuralMethod::mira);
  ConditionalNames with_cost(visit, {"C"}, !is_perceptron, refusal);
  ConditionalNames with_tolerance(with_cost, {"tolerance"}, is_exact, refusal);
  solving.describe(with_tolerance, "1000, of mira and perceptron 10");
  visit.whole({.name = "order",
               .help = "steps back that weights of labels look; larger is slower",
               .fallback = "1; 0 for templates without a B line"},
              order,
              {.least = 0, .most = 2});
  ConditionalOptions of_hinge(visit, is_hinge, refusal);
  describe_rescaling(of_hinge, rescaling);
  visit.name(
      {.name = "chunks", .help = "predictions keep the rules of such chunk tags"}, chunks, "none");
  visit.rule(is_hinge || rescaling == Rescaling::margin, "--rescaling: " + refusal);
  visit.rule(is_hinge || label_weights.empty(), "--class-weight: " + refusal);
  const StructuralOptions usual;
  visit.rule(!is_perceptron || solving.c == usual.c, "-C: " + refusal);
  visit.rule(!is_perceptron || solving.tolerance == usual.tolerance, "--tolerance: " + refusal);
  visit.rule(criterion != SequenceCriterion::log_loss || order.value_or(1) == 1,
             "--order: must be 1 with --solver crf");
}

std::vector<LabelSequence> SequenceTagger::predict(std::span<const Sequence> inputs,
                                                   std::optional<std::size_t> threads) const {
  constexpr std::size_t sequences_at_once = 16;
  std::vector<LabelSequence> labels(inputs.size());
  parallel_chunks(thread_count(threads),
                  inputs.size(),
                  sequences_at_once,
                  [&](std::size_t, std::size_t begin, std::size_t end) {
                    for (std::size_t i = begin; i < end; ++i) {
                      labels[i] = task.predict(inputs[i], weights);
                    }
                  });
  return labels;
}

TrainedSequenceTagger train_sequence_tagger(const SequenceData& data,
                                            const SequenceTaggerOptions& options,
                                            const StructuralState* start) {
  validate(options);
  check(data);
  SequenceTagger tagger{.task = task_of(data, options), .label_names = data.label_names};
  StructuralSolution found = solve(tagger.task, data, options, start);
  tagger.weights = std::move(found.w);
  return {.model = std::move(tagger),
          .report = std::move(found.report),
          .oracle_calls = found.oracle_calls};
}

double sequence_objective(const SequenceTagger& tagger,
                          const SequenceData& data,
                          double c,
                          Rescaling rescaling,
                          const Context& context) {
  check(data);
  const StructuralHinge<ChainTask> risk(tagger.task, data.inputs, data.labels, rescaling);
  return asked_primal(risk, c, tagger.weights, context);
}

double sequence_log_objective(const SequenceTagger& tagger,
                              const SequenceData& data,
                              double c,
                              const Context& context) {
  check(data);
  return plain_crf_objective(tagger.task, data, c, tagger.weights, context);
}

}  // namespace maxmargin
