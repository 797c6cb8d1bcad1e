// SPDX-License-Identifier: Apache-2.0
//
// --learner align: alignments of pairs of sequences (docs/guide/aligning.md).
#include <algorithm>
#include <cmath>
#include <sstream>
#include <utility>

#include "alignment_measures.hpp"
#include "checkpoints.hpp"
#include "data_source.hpp"
#include "fingerprint.hpp"
#include "learner_options.hpp"
#include "maxmargin/core/number.hpp"
#include "maxmargin/io/model/aligner_file.hpp"
#include "maxmargin/io/structured/fasta_pairs.hpp"
#include "maxmargin/model/structured/aligner.hpp"
#include "option_names.hpp"
#include "structured_options.hpp"

namespace maxmargin::tool {

namespace {

constexpr auto align_options = joined(solving_options, alignment_options, names("loss", "format"));
constexpr std::array align_predict_options = names("format", "label");
constexpr std::array align_eval_options = names("format");

/// Pairs of a file. --label none: not aligned, whatever they look like.
AlignmentData load_pairs(const std::string& path, const Arguments& arguments) {
  (void)arguments.choice_or("format", "fasta", {"fasta"});
  FastaPairsOptions options;
  if (const auto label = arguments.text("label")) {
    if (*label != "none") throw UsageError("--label " + *label + ": must be none for pairs");
    options.aligned = false;
  }
  Input input = Input::open(path);
  return read_fasta_pairs(input, options);
}

/// Calls of the library that may miss a track: the message names the sequence, this one the file,
/// unless it is named already.
template <class Call>
auto naming(const AlignmentData& data, const Call& call) {
  try {
    return call();
  } catch (const InvalidArgument& wrong) {
    if (std::string_view(wrong.what()).starts_with(data.source + ": ")) throw;
    throw FileError(data.source, wrong.what());
  }
}

/// --loss: q, or qN with a shift of N residues.
std::size_t shift_of(const Arguments& arguments) {
  const std::string name = arguments.text_or("loss", "q");
  if (name == "q") return 0;
  const std::optional<std::int64_t> shift =
      name.starts_with("q") ? parse_integer(std::string_view(name).substr(1)) : std::nullopt;
  if (!shift || *shift < 0) {
    throw UsageError("--loss " + name + ": must be q, q4, or qN that forgives shifts of N");
  }
  return static_cast<std::size_t>(*shift);
}

/// The table that --substitution names, if it is none to be learned.
std::optional<SubstitutionTable> table_of(const Arguments& arguments) {
  const std::string name = arguments.text_or("substitution", "residues");
  if (name == "blosum62") return SubstitutionTable::blosum62;
  if (name == "log-odds") return SubstitutionTable::log_odds;
  return std::nullopt;
}

AlignmentOptions alignment_options_of(const Arguments& arguments) {
  AlignmentOptions options;
  const std::string substitution = arguments.choice_or("substitution",
                                                       "residues",
                                                       {"residues",
                                                        "residue-windows",
                                                        "simple",
                                                        "anova2",
                                                        "tensor",
                                                        "combined",
                                                        "window",
                                                        "profile",
                                                        "blosum62",
                                                        "log-odds"});
  if (!table_of(arguments)) options.substitution = parse_substitution_model(substitution);
  options.symmetric = arguments.has("symmetric");
  options.gaps = parse_gap_model(
      arguments.choice_or("gap-features", "constant", {"constant", "residues", "context"}));
  options.gap_opening = arguments.choice_or("gaps", "linear", {"linear", "affine"}) == "affine";
  options.kind = parse_alignment_kind(arguments.choice_or("mode", "global", {"global", "local"}));
  options.free_end_gaps = arguments.choice_or("end-gaps", "scored", {"scored", "free"}) == "free";
  options.normalise = arguments.choice_or("normalise", "length", {"length", "none"}) == "length";
  options.rule.shift = shift_of(arguments);
  options.rule.side = arguments.choice_or("loss-side", "target", {"target", "known"}) == "known"
                          ? AlignmentSide::known
                          : AlignmentSide::target;
  if (options.symmetric && substitution != "residues" && substitution != "residue-windows") {
    throw UsageError("--symmetric: belongs to --substitution residues and residue-windows");
  }
  return options;
}

ReportFields shown_alignment(const AlignmentOptions& options, const Arguments& arguments) {
  return {{"substitution", arguments.text_or("substitution", "residues")},
          {"symmetric", options.symmetric ? "yes" : "no"},
          {"gaps", arguments.text_or("gaps", "linear")},
          {"gap_features", std::string(to_string(options.gaps))},
          {"mode", std::string(to_string(options.kind))},
          {"end_gaps", arguments.text_or("end-gaps", "scored")},
          {"normalise", arguments.text_or("normalise", "length")},
          {"loss", "q" + (options.rule.shift > 0 ? std::to_string(options.rule.shift) : "")},
          {"loss_side", arguments.text_or("loss-side", "target")}};
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

/// --gap-costs GAP[,OPENING] as a grid of one point.
std::optional<GapGrid> given_gaps(const Arguments& arguments, bool affine) {
  const std::optional<std::string> text = arguments.text("gap-costs");
  if (!text) return std::nullopt;
  std::vector<double> costs;
  std::istringstream list(*text);
  for (std::string part; std::getline(list, part, ',');) {
    costs.push_back(parse_number(part).value_or(NAN));
  }
  const bool are_numbers =
      std::ranges::all_of(costs, [](double cost) { return std::isfinite(cost); });
  if (costs.size() != (affine ? 2U : 1U) || !are_numbers) {
    throw UsageError("--gap-costs " + *text + ": must be " +
                     (affine ? "GAP,OPENING for --gaps affine" : "GAP for --gaps linear"));
  }
  GapGrid grid{.gaps = {-costs.front()}};
  if (affine) grid.openings = {-costs.back()};
  return grid;
}

/// What learned substitutions alone take.
void refuse_learning_options(const Arguments& arguments) {
  constexpr auto learned = joined(solving_options, names("gap-features"));
  for (const std::string_view option : learned) {
    if (!arguments.has(option)) continue;
    throw UsageError((option.size() == 1 ? "-" : "--") + std::string(option) +
                     ": belongs to substitutions that are learned");
  }
}

struct FittedAligner {
  Aligner model;
  SolveReport report = {};
  ReportFields options = {};
  Measures metrics = {};
};

FittedAligner fit_table(SubstitutionTable table,
                        const AlignmentData& data,
                        const AlignmentOptions& alignment,
                        const Arguments& arguments,
                        const ProgressCallback& progress) {
  refuse_learning_options(arguments);
  if (arguments.has("verify")) {
    throw UsageError("--verify: --substitution " + arguments.text_or("substitution", "") +
                     " minimises nothing, so there is no certificate to recompute");
  }
  const TabledAligner found = naming(data, [&] {
    return table_aligner(data,
                         {.table = table,
                          .alignment = alignment,
                          .gaps = given_gaps(arguments, alignment.gap_opening),
                          .on_progress = progress},
                         threads_of(arguments));
  });
  FittedAligner fitted{.model = found.model, .options = shown_alignment(alignment, arguments)};
  fitted.report.status = found.status;
  fitted.report.iterations = found.tried;
  fitted.metrics = {{"gap_cost", -found.gap}};
  if (alignment.gap_opening) fitted.metrics.emplace_back("opening_cost", -found.opening);
  return fitted;
}

FittedAligner fit_by_margin(const AlignmentData& data,
                            const AlignmentOptions& alignment,
                            const Arguments& arguments,
                            const ProgressCallback& progress) {
  if (arguments.has("gap-costs")) {
    throw UsageError("--gap-costs: belongs to --substitution blosum62 and log-odds");
  }
  AlignerOptions options{.solving = structural_options_of(arguments),
                         .method = structural_method_of(arguments),
                         .alignment = alignment};
  options.solving.on_progress = progress;
  ReportFields shown = shown_solving(options.method, options.solving);
  for (auto& field : shown_alignment(alignment, arguments)) shown.push_back(std::move(field));
  Checkpoints checkpoints(arguments, options.method, shown, fingerprint(data), options.solving);
  shown.emplace_back("tolerance", options.solving.tolerance);
  TrainedAligner trained =
      naming(data, [&] { return train_aligner(data, options, checkpoints.start()); });
  checkpoints.add_warnings(trained.report);
  return {.model = std::move(trained.model),
          .report = std::move(trained.report),
          .options = std::move(shown),
          .metrics = {{"oracle_calls", static_cast<double>(trained.oracle_calls)}}};
}

StructuredTraining train_align(const Arguments& arguments,
                               const ProgressCallback& progress,
                               PhaseTimer& timer) {
  timer.enter("read");
  const AlignmentOptions alignment = alignment_options_of(arguments);
  const AlignmentData data = load_pairs(arguments.positionals.at(0), arguments);
  if (data.references.empty()) {
    throw FileError(data.source, "has no alignments to learn from: no row has a gap");
  }
  timer.leave();
  const std::optional<SubstitutionTable> table = table_of(arguments);
  FittedAligner fitted = table ? fit_table(*table, data, alignment, arguments, progress)
                               : fit_by_margin(data, alignment, arguments, progress);
  timer.enter("measure");
  StructuredPrediction own;
  add_alignment_measures(data, fitted.model.predict(data.inputs, threads_of(arguments)), own);
  // A solver has warned of such pairs already, a table has not.
  if (table) fitted.report.warnings = std::move(own.warnings);
  own.metrics.insert(own.metrics.end(), fitted.metrics.begin(), fitted.metrics.end());
  ModelDocument document("align");
  add_aligner(document, fitted.model);
  keep_training(fitted.report, fitted.options, document);
  std::optional<double> recomputed;
  if (arguments.has("verify")) {
    timer.enter("verify");
    recomputed = aligner_objective(aligner_of(document), data, structural_options_of(arguments).c);
  }
  timer.leave();
  return {.document = std::move(document),
          .report = std::move(fitted.report),
          .examples = data.size(),
          .weights = fitted.model.task.dimension(),
          .options = std::move(fitted.options),
          .metrics = std::move(own.metrics),
          .recomputed_objective = recomputed};
}

StructuredPrediction predict_align(const ModelDocument& model,
                                   const Arguments& arguments,
                                   PhaseTimer& timer) {
  const Aligner aligner = aligner_of(model);
  AlignmentData data = load_pairs(arguments.positionals.at(1), arguments);
  timer.enter("predict");
  StructuredPrediction prediction{.examples = data.size(), .weights = aligner.task.dimension()};
  std::vector<Alignment> found =
      naming(data, [&] { return aligner.predict(data.inputs, threads_of(arguments)); });
  timer.enter("measure");
  if (!data.references.empty()) add_alignment_measures(data, found, prediction);
  // A file holds whole sequences: what a local alignment leaves out stands alone.
  for (std::size_t k = 0; k < data.size(); ++k) {
    found[k] = with_end_gaps(data.inputs[k], found[k]);
  }
  data.references = std::move(found);
  prediction.lines = to_fasta_pairs(data);
  return prediction;
}

StructuredPrediction evaluate_align(const Arguments& arguments) {
  std::vector<AlignmentData> sides;
  for (const std::string& path : arguments.positionals) {
    sides.push_back(load_pairs(path, arguments));
    if (sides.back().references.empty()) throw FileError(path, "has no alignments");
  }
  const AlignmentData& truth = sides[0];
  const AlignmentData& predicted = sides[1];
  if (truth.size() != predicted.size()) {
    throw FileError(arguments.positionals[1],
                    "holds " + std::to_string(predicted.size()) + " pairs, but " +
                        arguments.positionals[0] + " holds " + std::to_string(truth.size()));
  }
  for (std::size_t k = 0; k < truth.size(); ++k) {
    const SequencePair& one = truth.inputs[k];
    const SequencePair& other = predicted.inputs[k];
    if (one.target.residues == other.target.residues &&
        one.known.residues == other.known.residues) {
      continue;
    }
    throw FileError(arguments.positionals[1],
                    "pair " + std::to_string(k + 1) + " (" + other.target.name + " and " +
                        other.known.name + ") has other residues than in " +
                        arguments.positionals[0]);
  }
  StructuredPrediction found{.examples = truth.size()};
  add_alignment_measures(truth, predicted.references, found);
  return found;
}

}  // namespace

const StructuredLearnerSpec& align_learner() {
  static constexpr StructuredLearnerSpec spec{"align",
                                              "alignments of pairs of protein sequences",
                                              align_options,
                                              train_align,
                                              predict_align,
                                              evaluate_align,
                                              align_predict_options,
                                              align_eval_options};
  return spec;
}

}  // namespace maxmargin::tool
