// SPDX-License-Identifier: Apache-2.0
#include "learner/supervised/semi_answer.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "eval/semi_comparison.hpp"
#include "maxmargin/core/number.hpp"
#include "maxmargin/core/timer.hpp"

namespace maxmargin::learning {

namespace {

constexpr const char* machine_fact = "machine";
constexpr const char* supervised_name = "supervised";

/// What cross-validation says about the two machines, in words.
std::vector<std::string> remarks(const SemiComparison& compared, bool safe) {
  std::vector<std::string> said;
  if (!is_success(compared.status) && !was_stopped(compared.status)) {
    said.push_back("a machine of the cross-validation ended as " +
                   std::string(to_string(compared.status)));
  }
  if (!compared.reason.empty()) {
    said.push_back("whether the unlabelled rows help is not known: " + compared.reason);
    return said;
  }
  const std::string figures =
      "cross-validated accuracy " + format_number(*compared.semi_supervised, 4) + " with them, " +
      format_number(*compared.supervised, 4) + " without, standard error of the difference " +
      format_number(*compared.standard_error, 2);
  switch (compared.verdict()) {
    case SemiVerdict::help:
      break;
    case SemiVerdict::cannot_tell:
      said.push_back("cannot tell whether the unlabelled rows help: " + figures +
                     (safe ? "; --safe keeps the semi-supervised machine" : ""));
      break;
    case SemiVerdict::do_not_help:
      said.push_back("the unlabelled rows do not help: " + figures +
                     (safe ? "; --safe returns the supervised machine"
                           : "; --safe would return the supervised machine"));
      break;
  }
  return said;
}

}  // namespace

void describe_safe(OptionVisitor& visit, bool& safe) {
  visit.yes_no({.name = "safe",
                .help = "return the supervised machine if cross-validation says that unlabelled "
                        "rows do not help"},
               safe);
}

Fit fit_semi(const Dataset& data,
             const FitInput& input,
             const TrainingControl& control,
             bool safe,
             std::size_t repeats,
             const TrainSemi& train) {
  TrainedSemiSupervised trained = train(data, control);
  SemiComparison compared;
  const Stopwatch watch;
  if (!input.is_part) {
    TrainingControl of_fold = control;
    of_fold.keep_dual = false;
    compared = compare_semi_supervised(data,
                                       [&](const Dataset& fold) { return train(fold, of_fold); },
                                       {.repeats = repeats, .context = control.context});
  }
  const bool take_supervised = safe && compared.verdict() == SemiVerdict::do_not_help;
  DenseMatrix supervised_values = trained.supervised.training_values;
  Fit fit = fit_of(std::move(take_supervised ? trained.supervised : trained.semi_supervised));
  fit.supervised_values = std::move(supervised_values);
  fit.metrics = {{"labelled", static_cast<double>(trained.labelled)},
                 {"unlabelled", static_cast<double>(trained.unlabelled)},
                 {"trainings", static_cast<double>(trained.steps.size())},
                 {"stationary_gap", take_supervised ? std::nullopt : trained.stationary_gap}};
  if (!input.is_part) {
    fit.metrics.emplace_back("cv_supervised", compared.supervised);
    fit.metrics.emplace_back("cv_semi_supervised", compared.semi_supervised);
    fit.metrics.emplace_back("cv_standard_error", compared.standard_error);
    fit.report.seconds.emplace_back("compare", watch.seconds());
    for (std::string& remark : remarks(compared, safe)) {
      fit.report.warnings.push_back(std::move(remark));
    }
  }
  fit.facts = {{machine_fact, take_supervised ? supervised_name : "semi-supervised"}};
  if (!input.is_part) {
    fit.facts.emplace_back("unlabelled_rows", std::string(to_string(compared.verdict())));
  }
  return fit;
}

bool is_supervised(const Fit& fit) {
  return std::ranges::find(fit.facts,
                           std::pair<std::string, std::string>(machine_fact, supervised_name)) !=
         fit.facts.end();
}

bool is_supervised(const KeptMachine& kept) { return kept.fact(machine_fact) == supervised_name; }

}  // namespace maxmargin::learning
