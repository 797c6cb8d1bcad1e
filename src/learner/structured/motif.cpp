// SPDX-License-Identifier: Apache-2.0
//
// motif: a hidden motif in sequences of DNA (docs/guide/find-a-motif.md).
#include "maxmargin/model/structured/motif.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "io/model/structured_file.hpp"
#include "io/structured/dna_fasta.hpp"
#include "io/structured/meme_text.hpp"
#include "io/text/builtin_files.hpp"
#include "learner/feature_checks.hpp"
#include "learner/structured/checkpoints.hpp"
#include "learner/structured/fingerprint.hpp"
#include "learner/structured/fold_measures.hpp"
#include "learner/structured/latent.hpp"
#include "learner/structured/motif_measures.hpp"
#include "learner/structured/sources_text.hpp"
#include "learner/structured/structured.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/io/stream/output.hpp"
#include "maxmargin/plot/logo.hpp"

namespace maxmargin::learning {

namespace {

struct MotifChoice {
  MotifOptions motif = {};
  /// Files.
  std::optional<std::string> meme = std::nullopt;
  std::optional<std::string> logo = std::nullopt;
  StartModelChoice start_model = {};
  CheckpointChoice checkpoints = {};

  void describe(OptionVisitor& visit) {
    motif.describe(visit);
    start_model.describe(visit, motif.start == MotifStart::weights);
    visit.text({.name = "meme",
                .help = "write the motif as MEME text",
                .value = "FILE",
                .fallback = "not written"},
               meme);
    visit.text({.name = "logo",
                .help = "write the motif as a sequence logo (SVG)",
                .value = "FILE",
                .fallback = "not written"},
               logo);
    checkpoints.describe(visit, motif.search == MotifSearch::gibbs ? "gibbs" : "");
  }
};

/// What is written of new sequences.
enum class MotifAnswer {
  labels,     ///< 1 or -1
  positions,  ///< a table with score, place, strand and site
  meme,       ///< the sites found, as MEME text
  logo        ///< the same as a picture
};

}  // namespace

}  // namespace maxmargin::learning

namespace maxmargin {
template <>
inline constexpr auto names_of<learning::MotifAnswer> =
    name_table<learning::MotifAnswer>({{"labels", learning::MotifAnswer::labels},
                                       {"positions", learning::MotifAnswer::positions},
                                       {"meme", learning::MotifAnswer::meme},
                                       {"logo", learning::MotifAnswer::logo}});
}  // namespace maxmargin

namespace maxmargin::learning {

namespace {

struct MotifPredictionChoice {
  MotifAnswer answer = MotifAnswer::labels;
  bool positions = false;

  void describe(OptionVisitor& visit) {
    visit.yes_no({.name = "positions", .help = "write score, place and site of each as CSV"},
                 positions);
    visit.name(
        {.name = "answer",
         .help = "what is written: labels, positions (as --positions), or the sites found, as "
                 "MEME text or logo"},
        answer);
  }
  [[nodiscard]] MotifAnswer wanted() const { return positions ? MotifAnswer::positions : answer; }
};

/// Files of labels, one a line, or FASTA with labels.
struct MotifEvaluationChoice {
  void describe(OptionVisitor& /*visit*/) {}
};

std::uint64_t fingerprint(const DnaData& data) {
  Fingerprint hash;
  for (const std::string& sequence : data.sequences) hash.mix(std::string_view(sequence));
  for (const std::int8_t label : data.labels) hash.mix(static_cast<std::uint64_t>(label + 1));
  hash.mix(std::span<const double>(data.weights));
  return hash.value();
}

std::string logo_of(const MotifFinder& finder, const MotifSites& sites, const std::string& title) {
  return svg_logo(site_probabilities(sites.counts, finder.base_shares), {.title = title});
}

/// The weights of a motif of the same shape.
std::vector<double> weights_in(const StartModelChoice& choice, const MotifTaskOptions& wanted) {
  constexpr std::array<std::string_view, 1> learners = {"motif"};
  MotifFinder finder = motif_finder_of(choice.load(learners).document());
  const MotifTaskOptions& has = finder.task.options();
  if (has.length != wanted.length || has.order != wanted.order ||
      has.background != wanted.background) {
    throw FileError(*choice.path,
                    "is of a motif of another length, or with another background, than this one");
  }
  return std::move(finder.weights);
}

/// Where no label is known, a training takes all sequences for positives.
std::vector<std::int8_t> truth_of(const DnaData& data, bool for_training) {
  if (!data.labels.empty() &&
      std::ranges::any_of(data.labels, [](std::int8_t label) { return label != 0; })) {
    return data.labels;
  }
  return std::vector<std::int8_t>(data.size(), for_training ? 1 : 0);
}

StructuredFit train(const DnaData& data, const MotifChoice& choice, const StructuredInput& input) {
  MotifOptions options = choice.motif;
  options.latent.solving.context = input.context;
  const bool by_margin = options.search == MotifSearch::margin;
  std::optional<Checkpoints> checkpoints;
  Fingerprint hash;
  hash.mix(fingerprint(data));
  if (choice.start_model.path) {
    options.latent.start_weights = weights_in(choice.start_model, options.motif);
    hash.mix(std::span<const double>(options.latent.start_weights));
  }
  if (by_margin) {
    checkpoints.emplace(
        choice.checkpoints, options.latent.method, input.run, hash.value(), options.latent.solving);
  }
  TrainedMotif trained = train_motif(data, options, checkpoints ? checkpoints->start() : nullptr);
  input.timer.enter("measure");
  const MotifFinder& finder = trained.model;
  const MotifSites sites{.counts = finder.site_counts, .sites = finder.sites};
  const std::string consensus =
      consensus_of(site_probabilities(finder.site_counts, finder.base_shares));
  RunReport own;
  add_motif_measures(truth_of(data, true), finder.find(data.sequences, input.context.threads), own);
  own.metrics.emplace_back("sites", static_cast<double>(finder.sites));
  if (options.shuffles > 0) {
    own.metrics.emplace_back("shuffled_negatives", static_cast<double>(trained.shuffled));
  }
  if (choice.meme) write_file(*choice.meme, to_meme(finder, sites));
  if (choice.logo) write_file(*choice.logo, logo_of(finder, sites, consensus));
  StructuredFit fit{.body = ModelDocument("motif"),
                    .examples = data.size(),
                    .weights = finder.task.dimension(),
                    .metrics = std::move(own.metrics)};
  if (by_margin) {
    add_search(trained.search, "accuracy", fit);
    checkpoints->add_warnings(fit.report);
  } else {
    fit.report = std::move(trained.search.report);
    fit.metrics.emplace_back("threshold", finder.threshold);
    std::vector<ReportFields> rows;
    for (const double ratio : trained.log_ratios) {
      rows.push_back(
          {{"run", static_cast<std::int64_t>(rows.size() + 1)}, {"log_likelihood_ratio", ratio}});
    }
    fit.tables.emplace_back("runs", std::move(rows));
  }
  // Where files went says nothing of the model.
  for (const char* const file : {"meme", "logo"}) fit.used.emplace_back(file, std::monostate{});
  fit.body.set_string("consensus", consensus);
  fit.of_data.emplace_back("consensus", consensus);
  add_motif_finder(fit.body, finder);
  return fit;
}

Prediction predict(const ModelDocument& model,
                   const DnaData& data,
                   const MotifPredictionChoice& choice,
                   const Context& context,
                   PhaseTimer& timer) {
  const MotifFinder finder = motif_finder_of(model);
  Prediction prediction;
  prediction.report.n = data.size();
  prediction.report.d = finder.task.dimension();
  timer.enter("predict");
  const std::vector<MotifFinding> findings = finder.find(data.sequences, context.threads);
  std::size_t without_place = 0;
  for (const MotifFinding& found : findings) {
    prediction.labels.emplace_back(found.is_positive ? 1.0 : -1.0);
    without_place += found.site.present ? 0 : 1;
  }
  if (without_place > 0) {
    prediction.report.solve.warnings.push_back(
        std::to_string(without_place) + " sequences are shorter than the motif of " +
        std::to_string(finder.task.options().length) + " bases: they cannot hold it");
  }
  switch (choice.wanted()) {
    case MotifAnswer::labels:
      for (const MotifFinding& found : findings) {
        prediction.lines += found.is_positive ? "1\n" : "-1\n";
      }
      break;
    case MotifAnswer::positions:
      prediction.lines = position_lines(finder, data, findings);
      break;
    case MotifAnswer::meme:
      prediction.lines = to_meme(finder, count_sites(finder, data.sequences, findings));
      break;
    case MotifAnswer::logo: {
      const MotifSites sites = count_sites(finder, data.sequences, findings);
      prediction.lines =
          logo_of(finder, sites, std::to_string(sites.sites) + " sites in " + data.source);
      break;
    }
  }
  timer.enter("measure");
  add_motif_measures(truth_of(data, false), findings, prediction.report);
  return prediction;
}

double objective(const ModelDocument& model,
                 const DnaData& data,
                 const MotifChoice& choice,
                 const Context& context) {
  return motif_objective(motif_finder_of(model), data, choice.motif, context);
}

std::string no_certificate(const MotifChoice& choice) {
  if (choice.motif.search == MotifSearch::margin) return {};
  return "--search gibbs minimises nothing, so there is no certificate to recompute";
}

std::vector<std::int8_t> labels_in(const std::string& path) {
  Input input = open_data_file(path);
  if (!input.peek(1).starts_with('>')) return read_dna_labels(input);
  DnaData data = read_dna(input);
  if (data.labels.empty())
    throw FileError(path, "has no labels (label=1 or label=-1) in its headers");
  return std::move(data.labels);
}

RunReport evaluate(const std::string& truth_path,
                   const std::string& path,
                   const MotifEvaluationChoice& /*choice*/,
                   const Context& /*context*/) {
  const std::vector<std::int8_t> truth = labels_in(truth_path);
  const std::vector<std::int8_t> predicted = labels_in(path);
  if (truth.size() != predicted.size()) {
    throw FileError(path,
                    "holds " + std::to_string(predicted.size()) + " labels, but " + truth_path +
                        " holds " + std::to_string(truth.size()));
  }
  RunReport report{.n = truth.size()};
  add_motif_measures(truth, predicted, report);
  return report;
}

}  // namespace

void add_motif(LearnerList& list) {
  using Entry = StructuredEntry<DnaData, MotifChoice, MotifPredictionChoice, MotifEvaluationChoice>;
  using Functions =
      StructuredFunctions<DnaData, MotifChoice, MotifPredictionChoice, MotifEvaluationChoice>;
  list.push_back(std::make_unique<Entry>(
      LearnerInfo{.name = "motif",
                  .summary = "a hidden motif in sequences of DNA",
                  .task = Task::motif,
                  .data = DataKind::dna,
                  .formula = "min 1/2 |w|^2 + C sum_i a_i (max_(y,h) (y_i != y + w.Phi(x_i, y, h)) "
                             "- max_h w.Phi(x_i, y_i, h))",
                  .page = "docs/algorithms/motif.md",
                  .example = "builtin:motifs",
                  .class_name = "MotifFinder",
                  .ending = Ending::search},
      Functions{train, predict, objective, no_certificate, evaluate},
      measures_of_motifs));
}

}  // namespace maxmargin::learning
