// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/s3vm.md, "Stopping and what the certificate proves"
#include "model/verify/semi.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "core/recomputation.hpp"
#include "core/weights.hpp"
#include "maxmargin/core/require.hpp"
#include "model/verify/replay.hpp"
#include "model/verify/rounding.hpp"

namespace maxmargin {

namespace {

/// How far the mean of f may miss its value: a training sums kernel values in another order.
constexpr double mean_slack = 1e-6;

/// The problem as the options state it.
struct SemiStatement {
  double c = 1;
  double unlabelled_c = 1;
  const ClassWeights& class_weights;
  bool hold_mean = false;
  Context context = {};
  /// The unlabelled losses at values f with weights, C* included.
  std::function<double(
      const std::vector<double>& values, const std::vector<double>& weights, double positive_share)>
      unlabelled_loss = {};
};

/// Model and data side by side, function by function.
class SemiReplay {
 public:
  SemiReplay(const Classifier& model,
             const DualPoint& dual,
             const Dataset& data,
             const SemiStatement& statement)
      : model_(model),
        dual_(dual),
        data_(data),
        statement_(statement),
        replay_(model.scaler, data) {
    require(data.has_labels(), "the data has no labels");
    for (std::size_t i = 0; i < data.size(); ++i) {
      (data.labels.is_labelled(i) ? labelled_ : unlabelled_).push_back(i);
    }
    classes_ = classes_of(data.labels);
    require(classes_.names == model.classes, "the data has other classes than the model");
    const ClassificationTask task =
        classification_task(data.select(labelled_), statement.class_weights, true);
    costs_.assign(data.size(), 0.0);
    for (std::size_t k = 0; k < labelled_.size(); ++k) {
      costs_[labelled_[k]] = statement.c * task.weights[k];
    }
    replay_.require_point(dual, function_count(model.functions));
    if (!std::holds_alternative<LinearFunctions>(model.functions)) {
      const KernelExpansion& expansion = expansion_of(model.functions, replay_);
      values_ = expansion_values(expansion, replay_, statement.context);
      coefficients_ = coefficients_by_row(expansion, data.size());
    }
  }

  [[nodiscard]] Certificate run() {
    for (std::size_t f = 0; f < dual_.size(); ++f) {
      signs_ = model_.code.labels_of(f, classes_.of_row);
      share_ = 0;
      for (const std::size_t i : labelled_) share_ += signs_[i] > 0 ? 1 : 0;
      share_ /= static_cast<double>(labelled_.size());
      replay_.certificate.primal += primal(f);
      replay_.certificate.dual += bound(dual_[f]);
    }
    // The problem is not convex: the dual point bounds it, but is not its dual.
    replay_.certificate.lower_bound = replay_.certificate.dual;
    replay_.certificate.is_convex = false;
    return replay_.certificate;
  }

 private:
  [[nodiscard]] const LinearFunctions* linear() const {
    return std::get_if<LinearFunctions>(&model_.functions);
  }
  [[nodiscard]] double mean_sign() const { return 2 * share_ - 1; }

  /// f of row i without its offset.
  [[nodiscard]] double product(std::size_t i, std::size_t f) const {
    return linear() != nullptr ? dot(replay_.row(i), linear()->weights.row(f)) : values_(i, f);
  }

  /// 1/2 of what the penalty sees.
  [[nodiscard]] double penalty(std::size_t f, double offset) const {
    if (linear() != nullptr) {
      const double bias = statement_.hold_mean ? 0.0 : offset;
      return 0.5 * (plain_squared_norm(linear()->weights.row(f)) + bias * bias);
    }
    double sum = 0;
    for (std::size_t i = 0; i < data_.size(); ++i) sum += coefficients_[f][i] * values_(i, f);
    return 0.5 * sum;
  }

  [[nodiscard]] double primal(std::size_t f) {
    const double offset = linear() != nullptr
                              ? linear()->offsets[f]
                              : std::get<KernelExpansion>(model_.functions).offsets[f];
    const FunctionRounding rounding(model_.functions, replay_.examples());
    double sum = penalty(f, offset);
    replay_.certificate.rounding += rounding.penalty(f) + rounding.penalty(dual_[f]);
    for (const std::size_t i : labelled_) {
      const double shortfall = 1 - signs_[i] * (product(i, f) + offset);
      sum += costs_[i] * std::max(0.0, shortfall);
      replay_.certificate.rounding +=
          loss_rounding(costs_[i], shortfall, rounding.value(i, f), false);
    }
    std::vector<double> values;
    std::vector<double> weights;
    double mean = 0;
    double size = 1;
    double error = 0;
    for (const std::size_t i : unlabelled_) {
      values.push_back(product(i, f) + offset);
      weights.push_back(weight_of(data_.weights, i));
      mean += values.back() / static_cast<double>(unlabelled_.size());
      size = std::max(size, std::abs(values.back()));
      error = std::max(error, rounding.value(i, f));
      // No unlabelled loss changes faster than the hinge.
      replay_.certificate.rounding +=
          statement_.unlabelled_c * weights.back() * rounding.value(i, f);
    }
    if (statement_.hold_mean && !(std::abs(mean - mean_sign()) <= mean_slack * size + error)) {
      replay_.complain("the mean of f over the unlabelled rows is " + format_number(mean) +
                       ", the balance wants " + format_number(mean_sign()));
    }
    return sum + statement_.unlabelled_loss(values, weights, share_);
  }

  /// sum_i margin_i |b_i| - 1/2 |sum_i b_i phi_i - sum_i b_i origin|^2, with the mean of the
  /// unlabelled rows as the origin where the balance holds.
  [[nodiscard]] double bound(const std::vector<double>& b) {
    double gain = 0;
    double sum = 0;
    double size = 0;
    for (std::size_t i = 0; i < b.size(); ++i) {
      replay_.check_bounds(signs_[i] == 0 ? std::abs(b[i]) : signs_[i] * b[i], 0.0, costs_[i], i);
      const double margin = statement_.hold_mean ? 1 - signs_[i] * mean_sign() : 1.0;
      gain += margin * std::abs(b[i]);
      sum += b[i];
      size += std::abs(b[i]);
    }
    std::vector<double> combination = b;
    if (statement_.hold_mean) {
      for (const std::size_t i : unlabelled_) {
        combination[i] -= sum / static_cast<double>(unlabelled_.size());
      }
    } else if (linear() == nullptr && !(std::abs(sum) <= rounding_slack * size)) {
      replay_.complain("the dual coefficients do not add up");
    }
    return gain - 0.5 * squared_length(combination, sum);
  }

  /// |sum_i c_i phi_i|^2, on the features without balance with the constant feature.
  [[nodiscard]] double squared_length(const std::vector<double>& c, double sum) const {
    if (linear() != nullptr) {
      std::vector<double> combined(linear()->weights.cols(), 0.0);
      for (std::size_t i = 0; i < c.size(); ++i) add_multiple(replay_.row(i), c[i], combined);
      return plain_squared_norm(combined) + (statement_.hold_mean ? 0.0 : sum * sum);
    }
    const Kernel& kernel = std::get<KernelExpansion>(model_.functions).kernel;
    std::vector<double> parts(c.size(), 0.0);  // by the first row of a chunk
    const auto part = [&](std::size_t, std::size_t begin, std::size_t end) {
      double& length = parts[begin];
      for (std::size_t i = begin; i < end; ++i) {
        if (c[i] == 0) continue;
        for (std::size_t j = 0; j < i; ++j) {
          if (c[j] == 0) continue;
          length += 2 * c[i] * c[j] * evaluate(kernel, replay_.row(i), replay_.row(j));
        }
        length += c[i] * c[i] * evaluate(kernel, replay_.row(i), replay_.row(i));
      }
    };
    verify_chunks(statement_.context, c.size(), part);
    double sum_of_parts = 0;
    for (const double each : parts) sum_of_parts += each;
    return sum_of_parts;
  }

  const Classifier& model_;
  const DualPoint& dual_;
  const Dataset& data_;
  const SemiStatement& statement_;
  TrainingReplay replay_;
  std::vector<std::size_t> labelled_ = {};
  std::vector<std::size_t> unlabelled_ = {};
  Classes classes_ = {};
  std::vector<double> costs_ = {};
  DenseMatrix values_ = {};
  DualPoint coefficients_ = {};
  std::vector<std::int8_t> signs_ = {};
  double share_ = 0;
};

/// The least sum of hinges over all signs with an allowed number of +1: every row as it is cheaper,
/// then as many changes as the number asks for, the cheapest first.
double least_transductive_loss(const std::vector<double>& values,
                               const std::vector<double>& weights,
                               double share,
                               const std::optional<double>& balance) {
  double loss = 0;
  std::vector<double> to_negative;  // what turning a row costs
  std::vector<double> to_positive;
  for (std::size_t k = 0; k < values.size(); ++k) {
    const double positive = weights[k] * std::max(0.0, 1 - values[k]);
    const double negative = weights[k] * std::max(0.0, 1 + values[k]);
    loss += std::min(positive, negative);
    (positive <= negative ? to_negative : to_positive).push_back(std::abs(negative - positive));
  }
  if (!balance) return loss;
  // At least (1-F) and at most (1+F) times its share of the rows for either class.
  const auto total = static_cast<double>(values.size());
  const auto fewest = [&](double part) {
    return std::max(0.0, std::floor(total * ((1 - *balance) * part + 1e-9)));
  };
  const auto greatest = [&](double part) {
    return std::min(total, std::ceil(total * ((1 + *balance) * part - 1e-9)));
  };
  const double least = std::max(fewest(share), total - greatest(1 - share));
  const double most = std::min(greatest(share), total - fewest(1 - share));
  const auto positives = static_cast<double>(to_negative.size());
  std::vector<double>& turns = positives > most ? to_negative : to_positive;
  std::ranges::sort(turns);
  double count = std::max({positives - most, least - positives, 0.0});
  for (std::size_t k = 0; count > 0; ++k, count -= 1) loss += turns[k];
  return loss;
}

}  // namespace

Certificate verify_tsvm(const Classifier& model,
                        const DualPoint& dual,
                        const Dataset& data,
                        const TsvmOptions& options) {
  const double unlabelled_c = options.unlabelled_c.value_or(options.c);
  const SemiStatement statement{
      .c = options.c,
      .unlabelled_c = unlabelled_c,
      .class_weights = options.class_weights,
      .context = options.control.context,
      .unlabelled_loss =
          [&](const std::vector<double>& values, const std::vector<double>& weights, double share) {
            return unlabelled_c * least_transductive_loss(values, weights, share, options.balance);
          }};
  return SemiReplay(model, dual, data, statement).run();
}

Certificate verify_s3vm_cccp(const Classifier& model,
                             const DualPoint& dual,
                             const Dataset& data,
                             const S3vmCccpOptions& options) {
  const double unlabelled_c = options.unlabelled_c.value_or(options.c);
  const SemiStatement statement{
      .c = options.c,
      .unlabelled_c = unlabelled_c,
      .class_weights = options.class_weights,
      .hold_mean = options.balance && unlabelled_c > 0,
      .context = options.control.context,
      .unlabelled_loss = [&](const std::vector<double>& values,
                             const std::vector<double>& weights,
                             double /*share*/) {
        double sum = 0;
        for (std::size_t k = 0; k < values.size(); ++k) {
          sum += weights[k] * std::min(1 + options.ramp, std::max(0.0, 1 - std::abs(values[k])));
        }
        return unlabelled_c * sum;
      }};
  return SemiReplay(model, dual, data, statement).run();
}

}  // namespace maxmargin
