// SPDX-License-Identifier: Apache-2.0
//
// align: alignments of pairs of sequences (docs/guide/aligning.md).
#include <algorithm>
#include <cmath>
#include <utility>

#include "io/model/structured_file.hpp"
#include "io/structured/fasta_pairs.hpp"
#include "learner/feature_checks.hpp"
#include "learner/structured/alignment_measures.hpp"
#include "learner/structured/checkpoints.hpp"
#include "learner/structured/fingerprint.hpp"
#include "learner/structured/fold_measures.hpp"
#include "learner/structured/rows.hpp"
#include "learner/structured/sources_text.hpp"
#include "learner/structured/structured.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/core/number.hpp"
#include "maxmargin/model/structured/aligner.hpp"

namespace maxmargin::learning {

namespace {

/// Models that are learned, and tables that are not.
std::vector<std::string_view> substitution_names() {
  std::vector<std::string_view> names = all_names<SubstitutionModel>();
  for (const std::string_view table : all_names<SubstitutionTable>()) names.push_back(table);
  return names;
}

class SubstitutionValue final : public detail::NameChoice {
 public:
  SubstitutionValue(SubstitutionModel& model, std::optional<SubstitutionTable>& table)
      : NameChoice(substitution_names()), model_(model), table_(table) {}
  [[nodiscard]] bool set(std::string_view text) override {
    const auto model = value_named<SubstitutionModel>(text);
    const auto table = value_named<SubstitutionTable>(text);
    if (!model && !table) return false;
    model_ = model.value_or(SubstitutionModel::residues);
    table_ = table;
    return true;
  }
  [[nodiscard]] bool holds() const override { return to_string(model_) != "unknown"; }
  [[nodiscard]] OptionScalar scalar() const override {
    return std::string(table_ ? to_string(*table_) : to_string(model_));
  }

 private:
  SubstitutionModel& model_;
  std::optional<SubstitutionTable>& table_;
};

/// GAP or GAP,OPENING.
class GapCostsValue final : public OptionValue {
 public:
  explicit GapCostsValue(std::vector<double>& costs) : costs_(costs) {}
  [[nodiscard]] OptionKind kind() const override { return OptionKind::text; }
  [[nodiscard]] std::string rule() const override {
    return "GAP, or GAP,OPENING for --gaps affine, finite numbers";
  }
  [[nodiscard]] bool set(std::string_view text) override {
    std::vector<double> read;
    for (std::size_t begin = 0; begin <= text.size();) {
      const std::size_t end = std::min(text.find(',', begin), text.size());
      const std::optional<double> cost = parse_number(text.substr(begin, end - begin));
      if (!cost) return false;
      read.push_back(*cost);
      begin = end + 1;
    }
    if (!are_costs(read)) return false;
    costs_ = std::move(read);
    return true;
  }
  [[nodiscard]] bool holds() const override { return are_costs(costs_); }
  [[nodiscard]] OptionScalar scalar() const override {
    std::string text;
    for (const double cost : costs_) text += (text.empty() ? "" : ",") + format_number(cost);
    return text.empty() ? OptionScalar{} : OptionScalar(std::move(text));
  }

 private:
  static bool are_costs(const std::vector<double>& costs) {
    return costs.size() <= 2 &&
           std::ranges::all_of(costs, [](double cost) { return std::isfinite(cost); });
  }

  std::vector<double>& costs_;
};

struct AlignChoice {
  AlignerOptions aligner = {};
  /// Substitutions that are not learned.
  std::optional<SubstitutionTable> table = std::nullopt;
  /// With a table: of a gap, and of an opening where gaps are affine; empty: not given.
  std::vector<double> gap_costs = {};
  CheckpointChoice checkpoints = {};

  void describe(OptionVisitor& visit);
  /// The flag of an option that learned substitutions alone take; empty: none was given.
  [[nodiscard]] std::string learning_flag() const;
};

void AlignChoice::describe(OptionVisitor& visit) {
  describe_method(visit, aligner.method);
  aligner.solving.describe(visit);
  AlignmentOptions& alignment = aligner.alignment;
  SubstitutionValue substitution(alignment.substitution, table);
  visit.option({.name = "substitution",
                .help = "features of a match whose weights are learned; or a table of weights: "
                        "blosum62, log-odds"},
               substitution);
  alignment.describe_scoring(visit);
  GapCostsValue costs(gap_costs);
  visit.option({.name = "gap-costs",
                .help = "what gaps cost with a table of --substitution; larger: fewer gaps",
                .value = "GAP[,OPENING]",
                .fallback = "the best of a grid; log-odds: counted"},
               costs);
  checkpoints.describe(visit);
  visit.rule(!table || !alignment.symmetric,
             "--symmetric: belongs to --substitution residues and residue-windows");
  visit.rule(table || gap_costs.empty(),
             "--gap-costs: belongs to --substitution blosum62 and log-odds");
  const bool affine = alignment.gap_opening;
  visit.rule(gap_costs.empty() || gap_costs.size() == (affine ? 2U : 1U),
             breach("gap-costs",
                    text_of(costs.scalar()),
                    affine ? "GAP,OPENING for --gaps affine" : "GAP for --gaps linear"));
  const std::string learning = table ? learning_flag() : "";
  visit.rule(learning.empty(), learning + ": belongs to substitutions that are learned");
}

std::string AlignChoice::learning_flag() const {
  const AlignerOptions usual;
  const StructuralOptions& solving = aligner.solving;
  if (solving.c != usual.solving.c) return flag_of("C");
  if (aligner.method != usual.method) return flag_of("solver");
  if (solving.tolerance != usual.solving.tolerance) return flag_of("tolerance");
  if (solving.max_passes) return flag_of("max-iterations");
  if (checkpoints.path) return flag_of("checkpoint");
  if (aligner.alignment.gaps != usual.alignment.gaps) return flag_of("gap-features");
  return {};
}

/// Calls of the library that may miss a track: the message names the sequence, this one the file,
/// unless it is named already.
template <class Call>
auto naming(const AlignmentData& data, const Call& call) {
  try {
    return call();
  } catch (const InvalidArgument& wrong) {
    if (data.source.empty()) throw;
    if (std::string_view(wrong.what()).starts_with(data.source + ": ")) throw;
    throw FileError(data.source, wrong.what());
  }
}

std::uint64_t fingerprint(const AlignmentData& data) {
  Fingerprint hash;
  const auto mix_sequence = [&](const AnnotatedSequence& sequence) {
    for (const std::string& text : {sequence.residues, sequence.structure, sequence.surface}) {
      hash.mix(std::string_view(text));
    }
    hash.mix(std::span<const double>(sequence.profile));
  };
  for (std::size_t k = 0; k < data.size(); ++k) {
    mix_sequence(data.inputs[k].target);
    mix_sequence(data.inputs[k].known);
    for (const AlignmentStep step : data.references[k].steps) {
      hash.mix(static_cast<std::uint64_t>(step));
    }
  }
  return hash.value();
}

/// The costs as a grid of one point.
std::optional<GapGrid> given_gaps(const std::vector<double>& costs) {
  if (costs.empty()) return std::nullopt;
  GapGrid grid{.gaps = {-costs.front()}};
  if (costs.size() > 1) grid.openings = {-costs.back()};
  return grid;
}

using Measures = std::vector<std::pair<std::string, std::optional<double>>>;

struct FittedAligner {
  Aligner model;
  SolveReport report = {};
  Measures metrics = {};
};

FittedAligner fit_table(const AlignmentData& data,
                        const AlignChoice& choice,
                        const Context& context) {
  const AlignmentOptions& alignment = choice.aligner.alignment;
  TabledAligner found = naming(data, [&] {
    return table_aligner(data,
                         {.table = *choice.table,
                          .alignment = alignment,
                          .gaps = given_gaps(choice.gap_costs),
                          .context = context},
                         context.threads);
  });
  FittedAligner fitted{.model = std::move(found.model), .metrics = {{"gap_cost", -found.gap}}};
  fitted.report.status = found.status;
  fitted.report.iterations = found.tried;
  if (alignment.gap_opening) fitted.metrics.emplace_back("opening_cost", -found.opening);
  return fitted;
}

FittedAligner fit_by_margin(const AlignmentData& data,
                            const AlignChoice& choice,
                            const StructuredInput& input) {
  AlignerOptions options = choice.aligner;
  options.solving.context = input.context;
  Checkpoints checkpoints(
      choice.checkpoints, options.method, input.run, fingerprint(data), options.solving);
  TrainedAligner trained =
      naming(data, [&] { return train_aligner(data, options, checkpoints.start()); });
  checkpoints.add_warnings(trained.report);
  return {.model = std::move(trained.model),
          .report = std::move(trained.report),
          .metrics = {{"oracle_calls", static_cast<double>(trained.oracle_calls)}}};
}

StructuredFit train(const AlignmentData& data,
                    const AlignChoice& choice,
                    const StructuredInput& input) {
  if (data.references.empty()) {
    throw FileError(name_of(data.source), "has no alignments to learn from: no row has a gap");
  }
  FittedAligner fitted =
      choice.table ? fit_table(data, choice, input.context) : fit_by_margin(data, choice, input);
  input.timer.enter("measure");
  RunReport own;
  add_alignment_measures(data, fitted.model.predict(data.inputs, input.context.threads), own);
  // A solver has warned of such pairs already, a table has not.
  if (choice.table) fitted.report.warnings = std::move(own.solve.warnings);
  own.metrics.insert(own.metrics.end(), fitted.metrics.begin(), fitted.metrics.end());
  StructuredFit fit{.body = ModelDocument("align"),
                    .report = std::move(fitted.report),
                    .examples = data.size(),
                    .weights = fitted.model.task.dimension(),
                    .metrics = std::move(own.metrics)};
  add_aligner(fit.body, fitted.model);
  if (choice.table) {
    for (const char* const key : {"C", "solver", "tolerance"}) {
      fit.used.emplace_back(key, std::monostate{});
    }
  }
  return fit;
}

Prediction predict(const ModelDocument& model,
                   const AlignmentData& data,
                   const NoOptions& /*choice*/,
                   const Context& context,
                   PhaseTimer& timer) {
  const Aligner aligner = aligner_of(model);
  Prediction prediction;
  prediction.report.n = data.size();
  prediction.report.d = aligner.task.dimension();
  timer.enter("predict");
  prediction.alignments =
      naming(data, [&] { return aligner.predict(data.inputs, context.threads); });
  timer.enter("measure");
  if (!data.references.empty()) {
    add_alignment_measures(data, prediction.alignments, prediction.report);
  }
  // A file holds whole sequences: what a local alignment leaves out stands alone.
  AlignmentData answer = data;
  answer.references.clear();
  answer.families.resize(data.size());
  for (std::size_t k = 0; k < data.size(); ++k) {
    answer.references.push_back(with_end_gaps(data.inputs[k], prediction.alignments[k]));
  }
  prediction.lines = to_fasta_pairs(answer);
  return prediction;
}

double objective(const ModelDocument& model,
                 const AlignmentData& data,
                 const AlignChoice& choice,
                 const Context& context) {
  return aligner_objective(aligner_of(model), data, choice.aligner.solving.c, context);
}

std::string no_certificate(const AlignChoice& choice) {
  if (!choice.table) return no_certificate_of(choice.aligner.method);
  return "--substitution " + std::string(to_string(*choice.table)) +
         " minimises nothing, so there is no certificate to recompute";
}

RunReport evaluate(const std::string& truth_path,
                   const std::string& path,
                   const AlignmentEvaluationOptions& options,
                   const Context& /*context*/) {
  const auto read = [&](const std::string& file) {
    AlignmentData data = read_alignments(file, {.format = options.format});
    if (data.references.empty()) throw FileError(file, "has no alignments");
    return data;
  };
  const AlignmentData truth = read(truth_path);
  const AlignmentData predicted = read(path);
  if (truth.size() != predicted.size()) {
    throw FileError(path,
                    "holds " + std::to_string(predicted.size()) + " pairs, but " + truth_path +
                        " holds " + std::to_string(truth.size()));
  }
  for (std::size_t k = 0; k < truth.size(); ++k) {
    const SequencePair& one = truth.inputs[k];
    const SequencePair& other = predicted.inputs[k];
    if (one.target.residues == other.target.residues &&
        one.known.residues == other.known.residues) {
      continue;
    }
    throw FileError(path,
                    "pair " + std::to_string(k + 1) + " (" + other.target.name + " and " +
                        other.known.name + ") has other residues than in " + truth_path);
  }
  RunReport report{.n = truth.size()};
  add_alignment_measures(truth, predicted.references, report);
  return report;
}

}  // namespace

void add_align(LearnerList& list) {
  using Entry = StructuredEntry<AlignmentData, AlignChoice, NoOptions, AlignmentEvaluationOptions>;
  using Functions =
      StructuredFunctions<AlignmentData, AlignChoice, NoOptions, AlignmentEvaluationOptions>;
  list.push_back(std::make_unique<Entry>(
      LearnerInfo{.name = "align",
                  .summary = "alignments of pairs of protein sequences",
                  .task = Task::align,
                  .data = DataKind::alignments,
                  .formula = "min 1/2 |w|^2 + C sum_i max_y (1 - Q(y_i, y) - "
                             "w.(Phi(x_i, y_i) - Phi(x_i, y)))",
                  .page = "docs/algorithms/alignment.md",
                  .example = "builtin:homologs",
                  .class_name = "Aligner"},
      Functions{train, predict, objective, no_certificate, evaluate},
      measures_of_alignments));
}

}  // namespace maxmargin::learning
