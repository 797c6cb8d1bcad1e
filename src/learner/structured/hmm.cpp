// SPDX-License-Identifier: Apache-2.0
//
// hmm: hidden Markov models of sequences (docs/algorithms/hmm.md).
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/parallel.hpp"
#include "core/recomputation.hpp"
#include "learner/defined.hpp"
#include "learner/feature_checks.hpp"
#include "learner/structured/fold_measures.hpp"
#include "learner/structured/hmm_data.hpp"
#include "learner/structured/hmm_machine.hpp"
#include "learner/structured/hmm_measures.hpp"
#include "learner/structured/hmm_options.hpp"
#include "learner/structured/rows.hpp"
#include "learner/structured/sequence_answers.hpp"
#include "learner/structured/sequence_measures.hpp"
#include "learner/structured/sources_text.hpp"
#include "learner/structured/structured.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/core/number.hpp"
#include "structured/hmm_decoder.hpp"

namespace maxmargin::learning {

namespace {

constexpr double impossible = -std::numeric_limits<double>::infinity();

bool all_known(const HmmData& data) {
  return !data.labels.empty() && std::ranges::all_of(data.labels, [](const LabelSequence& labels) {
    return std::ranges::find(labels, unknown_state) == labels.end();
  });
}

HmmSolver solver_for(const HmmChoice& choice, const HmmData& data) {
  return choice.solver.value_or(all_known(data) ? HmmSolver::counts : HmmSolver::baum_welch);
}

/// States of the model: labels, and more where they are not all known.
std::size_t state_count(const HmmChoice& choice,
                        HmmSolver solver,
                        const HmmNames& names,
                        const std::string& source) {
  if (!choice.states && names.labels == 0) {
    throw InvalidArgument("--states: how many? " + source + " has no labels to count");
  }
  const std::size_t states = choice.states.value_or(names.labels);
  if (states < names.labels || (solver == HmmSolver::counts && states > names.labels)) {
    throw InvalidArgument(breach("states",
                                 std::to_string(states),
                                 std::to_string(names.labels) + ", the labels of " + source +
                                     (solver == HmmSolver::counts ? "" : ", or more")));
  }
  return states;
}

/// A model and what is known of how it was found.
struct HmmFound {
  HmmMachine machine;
  SolveReport report = {};
  ReportFields used = {};
  std::vector<std::pair<std::string, std::vector<ReportFields>>> tables = {};
};

/// What counting and searching are told of vectors.
GaussianHmmOptions gaussian_options(const HmmData& data,
                                    const HmmNames& names,
                                    const HmmChoice& choice,
                                    double smoothing,
                                    const Context& context) {
  return {.states = names.states.size(),
          .covariance = choice.covariance,
          .variance_floor = choice.variance_floor,
          .with_end = choice.with_end,
          .restarts = choice.restarts,
          .max_iterations = choice.max_iterations,
          .tolerance = choice.tolerance,
          .smoothing = smoothing,
          .known = data.labels,
          .context = context};
}

void warn_of_constants(const std::vector<std::size_t>& features, SolveReport& report) {
  for (const std::size_t feature : features) {
    report.warnings.push_back("feature " + std::to_string(feature + 1) +
                              " has one value alone: its variance is the floor");
  }
}

HmmFound count_by_kind(const HmmData& data,
                       const HmmNames& names,
                       const HmmChoice& choice,
                       double smoothing,
                       const Context& context) {
  if (names.kind == HmmKind::gaussian) {
    GaussianHmmResult result = estimate_gaussian_hmm(
        data.vectors, data.labels, gaussian_options(data, names, choice, smoothing, context));
    HmmFound found{.machine = HmmMachine(std::move(result.model)),
                   .report = std::move(result.report)};
    warn_of_constants(result.constant_features, found.report);
    return found;
  }
  const HmmCountOptions options{.states = names.states.size(),
                                .symbols = names.features,
                                .smoothing = smoothing,
                                .with_end = choice.with_end,
                                .context = context};
  HmmFound found{.machine = HmmMachine(estimate_hmm(data.symbols, data.labels, options))};
  found.report.primal_objective = -found.machine.count_objective(data, smoothing);
  found.report.dual_objective = -hmm_count_bound(data.symbols, data.labels, options);
  return found;
}

/// Counting has an end by construction, and a bound: no other shares, means and covariances fit
/// better.
HmmFound count(const HmmData& data,
               const HmmNames& names,
               const HmmChoice& choice,
               double smoothing,
               const Context& context) {
  HmmFound found = count_by_kind(data, names, choice, smoothing, context);
  // A gap of rounding is none, though the objective be near 0.
  const double rounding = found.machine.rounding(data, smoothing, choice.variance_floor);
  if (std::abs(*found.report.primal_objective - *found.report.dual_objective) <= rounding) {
    found.report.dual_objective = found.report.primal_objective;
  }
  found.report.message = "closed form";
  for (const char* const key : {"restarts", "max_iterations", "tolerance"}) {
    found.used.emplace_back(key, std::monostate{});
  }
  return found;
}

/// Runs and trace of a search.
template <class Result>
HmmFound found_by_search(Result result, const HmmChoice& choice) {
  HmmFound found{.machine = HmmMachine(std::move(result.model)),
                 .report = std::move(result.report)};
  found.report.message = "run " + std::to_string(result.best_restart + 1) + " is kept";
  std::vector<ReportFields> runs;
  std::size_t unfinished = 0;
  for (const HmmRestart& run : result.restarts) {
    runs.push_back({{"run", static_cast<std::int64_t>(runs.size() + 1)},
                    {"objective", -run.objective},
                    {"status", std::string(to_string(run.status))},
                    {"iterations", static_cast<std::int64_t>(run.iterations)}});
    unfinished += run.status == Status::iteration_limit ? 1 : 0;
  }
  if (unfinished > 0) {
    found.report.warnings.push_back(
        std::to_string(unfinished) + " of " + std::to_string(runs.size()) +
        " runs ended at --max-iterations " + std::to_string(choice.max_iterations));
  }
  std::vector<ReportFields> trace;
  for (const double objective : result.trace) {
    trace.push_back({{"step", static_cast<std::int64_t>(trace.size())}, {"objective", -objective}});
  }
  found.tables.emplace_back("runs", std::move(runs));
  found.tables.emplace_back("trace", std::move(trace));
  return found;
}

HmmFound search(const HmmData& data,
                const HmmNames& names,
                const HmmChoice& choice,
                double smoothing,
                const Context& context) {
  if (names.kind == HmmKind::gaussian) {
    GaussianHmmResult result =
        train_gaussian_hmm(data.vectors, gaussian_options(data, names, choice, smoothing, context));
    const std::vector<std::size_t> constant = result.constant_features;
    HmmFound found = found_by_search(std::move(result), choice);
    warn_of_constants(constant, found.report);
    return found;
  }
  return found_by_search(train_baum_welch(data.symbols,
                                          {.states = names.states.size(),
                                           .symbols = names.features,
                                           .with_end = choice.with_end,
                                           .restarts = choice.restarts,
                                           .max_iterations = choice.max_iterations,
                                           .tolerance = choice.tolerance,
                                           .smoothing = smoothing,
                                           .known = data.labels,
                                           .context = context}),
                         choice);
}

/// What a model says of all sequences.
struct HmmAnswers {
  std::vector<LabelSequence> states = {};
  /// Where they are wanted, positions x states of each.
  std::vector<DenseMatrix> probabilities = {};
  /// Sequences that cannot occur.
  std::size_t impossible = 0;
};

HmmAnswers answers_of(HmmEmissions& emissions,
                      const HmmChain& chain,
                      const HmmPredictionChoice& choice,
                      std::optional<std::size_t> threads) {
  const std::size_t count = emissions.sequences();
  const HmmDecoder decoder(emissions, chain, thread_count(threads));
  const bool posterior = choice.decode == HmmDecode::posterior;
  HmmAnswers answers{.states = std::vector<LabelSequence>(count),
                     .probabilities = std::vector<DenseMatrix>(choice.probabilities ? count : 0)};
  std::vector<unsigned char> fails(count, 0);
  constexpr std::size_t chunk = 8;
  parallel_chunks(
      thread_count(threads), count, chunk, [&](std::size_t, std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
          DenseMatrix states;
          if (posterior || choice.probabilities) {
            states = DenseMatrix(emissions.length(i), chain.start.size());
            fails[i] = decoder.posterior(i, states.view()) ? 0 : 1;
          }
          if (posterior) {
            answers.states[i].resize(states.rows());
            for (std::size_t t = 0; t < states.rows(); ++t) {
              const auto row = states.row(t);
              answers.states[i][t] =
                  static_cast<std::uint32_t>(std::ranges::max_element(row) - row.begin());
            }
          } else if (!decoder.best(i, answers.states[i])) {
            fails[i] = 1;
          }
          if (choice.probabilities) answers.probabilities[i] = std::move(states);
        }
      });
  answers.impossible = static_cast<std::size_t>(std::ranges::count(fails, 1));
  return answers;
}

StructuredFit train(const SequenceCollection& given,
                    const HmmChoice& choice,
                    const StructuredInput& input) {
  input.timer.enter("prepare");
  HmmNames names;
  const HmmData data = learn_hmm_data(given, choice, names);
  const std::string source = name_of(given.numbers ? given.numbers->source : given.text->source);
  const HmmSolver solver = solver_for(choice, data);
  if (solver == HmmSolver::counts && data.labels.empty()) {
    throw FileError(source, "has no labels to count; --solver baum-welch needs none");
  }
  add_states(state_count(choice, solver, names, source), names);
  const double smoothing = choice.smoothing.value_or(usual_smoothing(solver));
  input.timer.leave();
  HmmFound found = solver == HmmSolver::counts
                       ? count(data, names, choice, smoothing, input.context)
                       : search(data, names, choice, smoothing, input.context);
  input.timer.enter("measure");
  RunReport own;
  own.metrics.emplace_back("positions", static_cast<double>(data.positions()));
  if (!data.labels.empty()) {
    const std::unique_ptr<HmmEmissions> emissions = found.machine.emissions(data);
    add_hmm_measures(
        data.labels,
        answers_of(*emissions, found.machine.chain(), {}, input.context.threads).states,
        names,
        names.states,
        own);
  }
  StructuredFit fit{.body = ModelDocument("hmm"),
                    .report = std::move(found.report),
                    .examples = data.size(),
                    .weights = found.machine.parameters(),
                    .metrics = std::move(own.metrics),
                    .used = std::move(found.used),
                    .tables = std::move(found.tables)};
  fit.used.emplace_back("solver", std::string(to_string(solver)));
  fit.used.emplace_back("states", static_cast<std::int64_t>(names.states.size()));
  fit.used.emplace_back("smoothing", smoothing);
  fit.used.emplace_back("emissions", std::string(to_string(names.kind)));
  const bool is_gaussian = names.kind == HmmKind::gaussian;
  fit.of_data.emplace_back(is_gaussian ? "features" : "symbols",
                           static_cast<std::int64_t>(names.features));
  if (!is_gaussian) {
    fit.used.emplace_back("covariance", std::monostate{});
    fit.used.emplace_back("variance_floor", std::monostate{});
  }
  if (given.numbers) {
    fit.used.emplace_back("symbol_column", std::monostate{});
    fit.used.emplace_back("min_count", std::monostate{});
  }
  if (names.states.size() == 1) {
    fit.report.warnings.push_back("there is one state, so the model has no other answer");
  }
  const SequenceFormat format = given.numbers ? SequenceFormat::svmhmm : given.format;
  fit.of_data.emplace_back("format", std::string(to_string(format)));
  fit.body.set_string("text.format", std::string(to_string(format)));
  fit.body.set_integer("text.columns",
                       given.text ? static_cast<std::int64_t>(given.text->columns()) : 0);
  if (given.label) fit.body.set_string("text.option.label", *given.label);
  if (given.columns) fit.body.set_string("text.option.columns", *given.columns);
  fit.body.set_integer("text.symbol_column", static_cast<std::int64_t>(choice.symbol_column));
  store_names(names, fit.body);
  found.machine.store(fit.body);
  return fit;
}

/// New data as the model sees it.
HmmData data_for(const ModelDocument& model,
                 const SequenceCollection& given,
                 const HmmNames& names) {
  return hmm_data_for(given, names, static_cast<std::size_t>(model.integer("text.symbol_column")));
}

Prediction predict(const ModelDocument& document,
                   const SequenceCollection& given,
                   const HmmPredictionChoice& choice,
                   const Context& context,
                   PhaseTimer& timer) {
  const StoredHmm stored = stored_hmm(document);
  const HmmNames& names = stored.names;
  const HmmMachine& machine = stored.machine;
  const HmmData data = data_for(document, given, names);
  Prediction prediction;
  std::vector<std::string>& warnings = prediction.report.solve.warnings;
  if (names.kind == HmmKind::gaussian) {
    check_features(given.numbers->source, given.numbers->features, names.features, warnings);
  }
  timer.enter("predict");
  prediction.report.n = data.size();
  prediction.report.d = names.features;
  prediction.label_names = names.states;
  const std::unique_ptr<HmmEmissions> emissions = machine.emissions(data);
  HmmAnswers answers = answers_of(*emissions, machine.chain(), choice, context.threads);
  const TaggedText* const text = given.text ? &*given.text : nullptr;
  if (choice.probabilities) {
    prediction.probabilities = DenseMatrix(data.positions(), names.states.size());
  }
  std::size_t position = 0;
  for (std::size_t i = 0; i < answers.states.size(); ++i) {
    std::vector<double> numbers;
    if (choice.probabilities) {
      const auto values = answers.probabilities[i].values();
      numbers.assign(values.begin(), values.end());
      for (std::size_t t = 0; t < answers.states[i].size(); ++t) {
        std::ranges::copy(answers.probabilities[i].row(t),
                          prediction.probabilities.row(position++).begin());
      }
    }
    add_sequence_lines(text, i, answers.states[i], names.states, numbers, prediction.lines);
  }
  if (data.unseen > 0) {
    warnings.push_back(std::to_string(data.unseen) + " of " + std::to_string(data.positions()) +
                       " positions have symbols that the training data has not: they say nothing "
                       "of their states");
  }
  if (answers.impossible > 0) {
    warnings.push_back(std::to_string(answers.impossible) +
                       " sequences cannot occur under the model, so their labels mean nothing; "
                       "train with --smoothing");
  }
  timer.enter("measure");
  const double total = machine.log_likelihood(data, false, context.quiet());
  prediction.report.metrics.emplace_back("log_likelihood",
                                         total > impossible ? std::optional(total) : std::nullopt);
  if (!data.labels.empty()) {
    if (data.label_names.size() > names.states.size() && names.labels > 0) {
      warnings.push_back("the data has labels that the training data has not (" +
                         data.label_names[names.states.size()] + "): they count as errors");
    }
    add_hmm_measures(data.labels, answers.states, names, data.label_names, prediction.report);
  }
  prediction.sequences = std::move(answers.states);
  return prediction;
}

double objective(const ModelDocument& document,
                 const SequenceCollection& given,
                 const HmmChoice& choice,
                 const Context& context) {
  const StoredHmm stored = stored_hmm(document);
  const HmmNames& names = stored.names;
  const HmmMachine& machine = stored.machine;
  const HmmData data = data_for(document, given, names);
  if (data.label_names.size() > names.states.size()) {
    throw InvalidArgument("the data has the label " + data.label_names[names.states.size()] +
                          ", which the model's training data has not");
  }
  if (data.unseen > 0) {
    throw InvalidArgument("the data has symbols that the model's training data has not, at " +
                          std::to_string(data.unseen) + " of " + std::to_string(data.positions()) +
                          " positions");
  }
  const double smoothing = choice.smoothing.value_or(0);
  if (choice.solver == HmmSolver::counts) {
    if (data.labels.empty()) throw InvalidArgument("the data has no labels to count");
    ask_in_verify(context);
    return -machine.count_objective(data, smoothing);
  }
  return -(machine.log_likelihood(data, true, context) + machine.log_prior(smoothing));
}

double doubt(const ModelDocument& document,
             const SequenceCollection& given,
             const HmmChoice& choice) {
  const StoredHmm stored = stored_hmm(document);
  return stored.machine.rounding(
      data_for(document, given, stored.names), choice.smoothing.value_or(0), choice.variance_floor);
}

/// Positions whose true label is not known are no mistakes: they are left out.
void leave_out_unknown(ComparedSequences& compared) {
  const auto unknown = std::ranges::find(compared.names, no_label);
  if (unknown == compared.names.end()) return;
  const auto place = static_cast<std::uint32_t>(unknown - compared.names.begin());
  for (LabelSequence& labels : compared.truth) std::ranges::replace(labels, place, unknown_state);
  KnownPositions known = known_positions(compared.truth, compared.predicted);
  compared.truth = std::move(known.truth);
  compared.predicted = std::move(known.states);
  const auto has_it = [place](const LabelSequence& labels) {
    return std::ranges::find(labels, place) != labels.end();
  };
  // An answer it may be, and a wrong one.
  if (std::ranges::any_of(compared.predicted, has_it)) return;
  compared.names.erase(unknown);
  for (std::vector<LabelSequence>* const all : {&compared.truth, &compared.predicted}) {
    for (LabelSequence& labels : *all) {
      for (std::uint32_t& label : labels) label -= label > place ? 1 : 0;
    }
  }
}

RunReport evaluate(const std::string& truth_path,
                   const std::string& path,
                   const SequenceLabelOptions& options,
                   const Context& context) {
  ComparedSequences compared = read_compared_sequences(truth_path, path, options, context);
  leave_out_unknown(compared);
  RunReport report{.n = compared.truth.size()};
  add_matching_measures(compared.truth, compared.predicted, report);
  // States need not be named by labels: then a warning says that there is none in common.
  if (!compared.warnings.empty()) return report;
  add_sequence_measures(compared.truth, compared.predicted, compared.names, report);
  return report;
}

}  // namespace

void add_hmm(LearnerList& list) {
  using Entry =
      StructuredEntry<SequenceCollection, HmmChoice, HmmPredictionChoice, SequenceLabelOptions>;
  list.push_back(std::make_unique<Entry>(
      LearnerInfo{.name = "hmm",
                  .summary = "hidden Markov models of sequences, with and without labels",
                  .task = Task::sequence,
                  .data = DataKind::sequences,
                  .formula = "max log p(x, y) by counts, or log p(x) = log sum_y p(x, y) by "
                             "expectation and maximisation",
                  .page = "docs/algorithms/hmm.md",
                  .example = "builtin:weather",
                  .class_name = "HiddenMarkovModel",
                  .ending = Ending::search},
      StructuredFunctions<SequenceCollection, HmmChoice, HmmPredictionChoice, SequenceLabelOptions>{
          train, predict, objective, nullptr, evaluate, kept_features, doubt},
      measures_of_states));
}

}  // namespace maxmargin::learning
