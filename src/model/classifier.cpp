// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/model/classifier.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <set>
#include <span>
#include <string>

#include "core/parallel.hpp"
#include "maxmargin/core/require.hpp"
#include "model/undecided.hpp"

namespace maxmargin {

namespace {

/// Rows answered together: the values of all functions are held for no more than these. Linear
/// functions need no copy of the rows, and take as many as these values are for one function.
std::size_t batch_rows_of(const DecisionFunction& functions) {
  constexpr std::size_t least = 8192;
  constexpr std::size_t most_values = std::size_t{1} << 22U;
  const auto* linear = std::get_if<LinearFunctions>(&functions);
  if (linear == nullptr) return least;
  return std::max(least, most_values / std::max<std::size_t>(linear->offsets.size(), 1));
}

/// Rows that are tried before fast values are used for all, and how many of them may be left
/// undecided: a fast value costs about half as much as an exact one.
constexpr std::size_t probe_rows = 512;
constexpr double undecided_share = 0.25;

using FindUndecided = std::function<std::vector<std::size_t>(const BoundedValues&)>;

DenseMatrix exact_values(const DecisionFunction& functions,
                         const Examples& examples,
                         std::size_t threads) {
  return decision_values(
      functions, examples, {.context = {.threads = threads}, .precision = ValuePrecision::exact});
}

/// Whether fast values decide enough rows to be worth their time.
bool fast_pays(const DecisionFunction& functions,
               const Examples& examples,
               std::size_t threads,
               const FindUndecided& find_undecided) {
  const std::size_t n = examples.rows();
  if (n <= 2 * probe_rows) return true;
  std::vector<std::size_t> rows(probe_rows);
  for (std::size_t p = 0; p < probe_rows; ++p) rows[p] = p * n / probe_rows;
  const BoundedValues bounded =
      bounded_decision_values(functions, examples.select(rows), {.context = {.threads = threads}});
  return static_cast<double>(find_undecided(bounded).size()) <= undecided_share * probe_rows;
}

/// Fast values, and exact ones for the rows that fast ones leave undecided.
DenseMatrix decided_values(const DecisionFunction& functions,
                           const Examples& examples,
                           std::size_t threads,
                           const FindUndecided& find_undecided) {
  BoundedValues bounded =
      bounded_decision_values(functions, examples, {.context = {.threads = threads}});
  const std::vector<std::size_t> rows = find_undecided(bounded);
  if (!rows.empty()) {
    const DenseMatrix again = exact_values(functions, examples.select(rows), threads);
    for (std::size_t r = 0; r < rows.size(); ++r) {
      std::ranges::copy(again.row(r), bounded.values.row(rows[r]).begin());
    }
  }
  return std::move(bounded.values);
}

/// Calls use(begin, values) for the values of rows [begin, begin + values.rows()), batch by batch.
void for_each_batch(const DecisionFunction& functions,
                    const Examples& examples,
                    const DecisionOptions& options,
                    const FindUndecided& find_undecided,
                    const std::function<void(std::size_t, const DenseMatrix&)>& use) {
  const std::size_t threads = thread_count(options.context.threads);
  const bool fast = options.precision == ValuePrecision::fast && find_undecided &&
                    fast_pays(functions, examples, threads, find_undecided);
  const auto values_of = [&](const Examples& part) {
    return fast ? decided_values(functions, part, threads, find_undecided)
                : exact_values(functions, part, threads);
  };
  const std::size_t n = examples.rows();
  const std::size_t batch_rows = batch_rows_of(functions);
  if (n <= batch_rows) {
    use(0, values_of(examples));
    return;
  }
  for (std::size_t begin = 0; begin < n; begin += batch_rows) {
    std::vector<std::size_t> rows(std::min(batch_rows, n - begin));
    std::iota(rows.begin(), rows.end(), begin);
    use(begin, values_of(examples.select(rows)));
  }
}

/// The examples as the functions want them.
class ScaledExamples {
 public:
  ScaledExamples(const std::optional<Scaler>& scaler, const Examples& examples) : given_(examples) {
    if (scaler) scaled_ = scaler->apply(examples);
  }
  [[nodiscard]] const Examples& get() const { return scaled_ ? *scaled_ : given_; }

 private:
  const Examples& given_;
  std::optional<Examples> scaled_;
};

void validate_inputs(const DecisionFunction& functions,
                     const std::optional<Scaler>& scaler,
                     const std::vector<std::string>& feature_names) {
  validate(functions);
  const std::size_t features = feature_count(functions);
  if (scaler) {
    scaler->validate();
    require_field(scaler->features() == 0 || scaler->features() == features,
                  "the scaler's number of features",
                  static_cast<double>(scaler->features()),
                  std::to_string(features) + ", as in the functions");
  }
  require_field(feature_names.empty() || feature_names.size() == features,
                "the number of feature names",
                static_cast<double>(feature_names.size()),
                "0 or " + std::to_string(features) + ", the number of features");
}

std::vector<std::int32_t> most_probable(const DenseMatrix& probabilities) {
  std::vector<std::int32_t> classes;
  classes.reserve(probabilities.rows());
  for (std::size_t i = 0; i < probabilities.rows(); ++i) {
    const std::span<const double> row = probabilities.row(i);
    classes.push_back(static_cast<std::int32_t>(std::ranges::max_element(row) - row.begin()));
  }
  return classes;
}

bool is_finite(std::span<const double> row) {
  return std::ranges::all_of(row, [](double value) { return std::isfinite(value); });
}

/// Votes and distances of words hide a value that is not finite: the scores of its row become NaN.
void mark_undefined(const DenseMatrix& values, DenseMatrix& scores) {
  for (std::size_t i = 0; i < values.rows(); ++i) {
    if (!is_finite(values.row(i))) std::ranges::fill(scores.row(i), std::nan(""));
  }
}

void copy_rows(const DenseMatrix& part, std::size_t begin, std::size_t rows, DenseMatrix& whole) {
  if (begin == 0) whole = DenseMatrix::uninitialized(rows, part.cols());
  std::ranges::copy(part.values(), whole.data() + begin * whole.cols());
}

void add_seconds(const std::vector<std::pair<std::string, double>>& seconds, SolveReport& total) {
  for (const std::pair<std::string, double>& part : seconds) {
    const auto found = std::ranges::find_if(
        total.seconds, [&](const auto& entry) { return entry.first == part.first; });
    if (found == total.seconds.end()) {
      total.seconds.push_back(part);
    } else {
      found->second += part.second;
    }
  }
}

}  // namespace

ClassifierAnswer Classifier::answer(const Examples& examples,
                                    const DecisionOptions& options) const {
  validate();
  const ScaledExamples scaled(scaler, examples);
  // The class of largest probability follows from the values in ways that have no simple bound, so
  // calibrated models work in double.
  FindUndecided find_undecided;
  if (!calibration) {
    find_undecided = [this](const BoundedValues& bounded) { return undecided_rows(code, bounded); };
  }
  const std::size_t n = examples.rows();
  ClassifierAnswer answer;
  answer.classes.reserve(n);
  for_each_batch(functions,
                 scaled.get(),
                 options,
                 find_undecided,
                 [&](std::size_t begin, const DenseMatrix& values) {
                   DenseMatrix scores = decode(code, values.view());
                   mark_undefined(values, scores);
                   copy_rows(scores, begin, n, answer.scores);
                   std::vector<std::int32_t> predicted;
                   if (calibration) {
                     const DenseMatrix probabilities = class_probabilities(
                         *calibration, code, values.view(), options.context.threads);
                     copy_rows(probabilities, begin, n, answer.probabilities);
                     predicted = most_probable(probabilities);
                   } else {
                     predicted = predicted_classes(scores.view());
                   }
                   answer.classes.insert(answer.classes.end(), predicted.begin(), predicted.end());
                 });
  return answer;
}

std::vector<Label> Classifier::predict(const Dataset& data) const {
  std::vector<Label> labels;
  labels.reserve(data.size());
  const ClassifierAnswer answered = answer(data.examples);
  for (std::size_t i = 0; i < answered.scores.rows(); ++i) {
    require(is_finite(answered.scores.row(i)),
            "row " + std::to_string(i) + " (from 0) has no finite score");
  }
  for (const std::int32_t cls : answered.classes) {
    labels.push_back(classes[static_cast<std::size_t>(cls)]);
  }
  return labels;
}

void Classifier::validate() const {
  code.validate();
  require_field(classes.size() == code.classes,
                "the number of classes",
                static_cast<double>(classes.size()),
                std::to_string(code.classes) + ", as in its code");
  require(std::set<Label>(classes.begin(), classes.end()).size() == classes.size(),
          "every class must be named once");
  require_field(function_count(functions) == code.functions,
                "the number of functions",
                static_cast<double>(function_count(functions)),
                std::to_string(code.functions) + ", as in its code");
  require_field(!calibration || calibration->curves.size() == code.functions,
                "the number of calibration curves",
                calibration ? static_cast<double>(calibration->curves.size()) : 0.0,
                std::to_string(code.functions) + ", one for each function");
  validate_inputs(functions, scaler, feature_names);
}

std::vector<double> Regressor::predict(const Examples& examples,
                                       const DecisionOptions& options) const {
  validate();
  const ScaledExamples scaled(scaler, examples);
  std::vector<double> answers;
  answers.reserve(examples.rows());
  for_each_batch(function,
                 scaled.get(),
                 options,
                 rows_of_undecided_sign,
                 [&](std::size_t, const DenseMatrix& values) {
                   answers.insert(answers.end(), values.values().begin(), values.values().end());
                 });
  return answers;
}

void Regressor::validate() const {
  require_field(function_count(function) == 1,
                "the number of functions",
                static_cast<double>(function_count(function)),
                "1");
  validate_inputs(function, scaler, feature_names);
}

SolveReport sum_of_reports(const std::vector<MachineReport>& machines) {
  SolveReport total;
  // A sum in which one part is missing does not exist.
  const auto add = [](std::optional<double>& sum, const std::optional<double>& part) {
    sum = sum && part ? std::optional<double>(*sum + *part) : std::nullopt;
  };
  const auto add_largest = [](std::optional<double>& largest, const std::optional<double>& part) {
    if (part) largest = std::max(largest.value_or(*part), *part);
  };
  if (!machines.empty()) total.primal_objective = total.dual_objective = total.lower_bound = 0.0;
  for (const MachineReport& machine : machines) {
    const SolveReport& report = machine.report;
    if (worse(total.status, report.status) != total.status) {
      total.status = report.status;
      total.message = report.message;
    }
    total.iterations += report.iterations;
    add(total.primal_objective, report.primal_objective);
    add(total.dual_objective, report.dual_objective);
    add(total.lower_bound, report.lower_bound);
    add_largest(total.primal_residual, report.primal_residual);
    add_largest(total.dual_residual, report.dual_residual);
    add_seconds(report.seconds, total);
    for (const std::string& warning : report.warnings) {
      if (std::ranges::find(total.warnings, warning) == total.warnings.end()) {
        total.warnings.push_back(warning);
      }
    }
  }
  return total;
}

}  // namespace maxmargin
