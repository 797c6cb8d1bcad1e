// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/s3vm-sdp.md, "Stopping and what the certificate proves"
#include <algorithm>
#include <cmath>
#include <string>

#include "core/recomputation.hpp"
#include "maxmargin/core/require.hpp"
#include "model/verify/bias.hpp"
#include "model/verify/replay.hpp"
#include "model/verify/rounding.hpp"
#include "model/verify/semi.hpp"

namespace maxmargin {

namespace {

/// Vectors that train_s3vm keeps of a function.
constexpr std::size_t kept_vectors = 4;

/// Model and data side by side.
class S3vmReplay {
 public:
  S3vmReplay(const Classifier& model,
             const DualPoint& dual,
             const Dataset& data,
             const S3vmOptions& options)
      : model_(model), dual_(dual), options_(options), replay_(model.scaler, data) {
    require(data.has_labels(), "the data has no labels");
    classes_ = classes_of(data.labels);
    require(classes_.names == model.classes, "the data has other classes than the model");
    replay_.require_point(dual, kept_vectors * function_count(model.functions));
    const KernelExpansion& expansion = expansion_of(model.functions, replay_);
    offsets_ = expansion.offsets;
    rounding_ = FunctionRounding(expansion, replay_.examples());
    values_ = expansion_values(expansion, replay_, options.control.context);
    coefficients_ = coefficients_by_row(expansion, data.size());
    gram_ = plain_biased_gram(expansion.kernel, replay_, options.bias, options.control.context);
    check_offsets(expansion, values_.view(), options.bias, replay_);
  }

  [[nodiscard]] Certificate run() {
    double bound = 0;
    for (std::size_t f = 0; f < offsets_.size(); ++f) {
      ask_in_verify(options_.control.context);
      given_ = model_.code.labels_of(f, classes_.of_row);
      const std::vector<double>& signs = dual_[kept_vectors * f + 3];
      check_signs(signs);
      replay_.certificate.primal += primal(f, signs);
      bound += options_.c * proved(f);
    }
    replay_.certificate.dual = bound;
    replay_.certificate.lower_bound = bound;
    replay_.certificate.is_convex = false;
    return replay_.certificate;
  }

 private:
  void check_signs(const std::vector<double>& signs) {
    std::size_t positive = 0;
    for (std::size_t i = 0; i < signs.size(); ++i) {
      if (signs[i] != 1 && signs[i] != -1) {
        replay_.complain("the sign of row " + std::to_string(i) + " is neither 1 nor -1");
      }
      if (given_[i] != 0 && signs[i] != given_[i]) {
        replay_.complain("the sign of row " + std::to_string(i) + " is not that of its label");
      }
      if (signs[i] > 0) ++positive;
    }
    const SignWindow window = sign_window(given_, options_.balance);
    if (positive < window.least || positive > window.most) {
      replay_.complain(std::to_string(positive) + " signs are positive, the balance wants " +
                       std::to_string(window.least) + " to " + std::to_string(window.most));
    }
  }

  [[nodiscard]] double primal(std::size_t f, const std::vector<double>& signs) {
    const double offset = offsets_[f];
    double square = options_.bias == KernelBias::constant ? offset * offset : 0.0;
    double slacks = 0;
    for (std::size_t i = 0; i < signs.size(); ++i) {
      square += coefficients_[f][i] * values_(i, f);
      const double shortfall = 1 - signs[i] * (values_(i, f) + offset);
      slacks += std::max(0.0, shortfall);
      replay_.certificate.rounding +=
          loss_rounding(options_.c, shortfall, rounding_.value(i, f), false);
    }
    replay_.certificate.rounding += rounding_.penalty(f);
    return 0.5 * square + options_.c * slacks;
  }

  /// The bound of the kept certificate, in units of C; complains of numbers that are none.
  [[nodiscard]] double proved(std::size_t f) {
    const LabelSaddle problem = s3vm_saddle(gram_.view(), given_, options_);
    LabelCertificate certificate{.lambda = dual_[kept_vectors * f]};
    const std::vector<double>& diagonal = dual_[kept_vectors * f + 1];
    bool first = true;
    for (std::size_t i = 0; i < given_.size(); ++i) {
      if (given_[i] != 0 && first) {
        certificate.diagonal.insert(certificate.diagonal.begin(), diagonal[i]);
        first = false;
      } else if (given_[i] == 0) {
        certificate.diagonal.push_back(diagonal[i]);
      }
    }
    certificate.balance = dual_[kept_vectors * f + 2];
    certificate.balance.resize(balance_multipliers(problem));
    const auto in_range = [](double l) { return l >= 0 && l <= 1; };
    const auto finite = [](double y) { return std::isfinite(y); };
    const bool total = problem.balance == LabelBalance::total;
    if (!std::ranges::all_of(certificate.lambda, in_range) ||
        !std::ranges::all_of(certificate.diagonal, finite) ||
        !std::ranges::all_of(certificate.balance, finite) ||
        (total && certificate.balance.front() < 0)) {
      replay_.complain("the certificate of the relaxation has a number out of range");
      return 0;
    }
    return std::max(0.0, label_saddle_bound(problem, certificate));
  }

  const Classifier& model_;
  const DualPoint& dual_;
  const S3vmOptions& options_;
  TrainingReplay replay_;
  Classes classes_ = {};
  std::vector<double> offsets_ = {};
  FunctionRounding rounding_ = {};
  DenseMatrix values_ = {};
  DualPoint coefficients_ = {};
  DenseMatrix gram_ = {};
  std::vector<std::int8_t> given_ = {};
};

}  // namespace

Certificate verify_s3vm(const Classifier& model,
                        const DualPoint& dual,
                        const Dataset& data,
                        const S3vmOptions& options) {
  return S3vmReplay(model, dual, data, options).run();
}

}  // namespace maxmargin
