// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/mmc-multiclass.md, "Stopping and what the certificate proves"
#include <algorithm>
#include <string>

#include "core/recomputation.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/core/require.hpp"
#include "model/semi/class_proof.hpp"
#include "model/verify/bias.hpp"
#include "model/verify/replay.hpp"
#include "model/verify/semi.hpp"

namespace maxmargin {

namespace {

/// Model and data side by side.
class DirectReplay {
 public:
  DirectReplay(const Classifier& model,
               const DualPoint& dual,
               const Dataset& data,
               const MulticlassS3vmOptions& options,
               const MulticlassS3vmClaim& claim)
      : dual_(dual), options_(options), claim_(claim), replay_(model.scaler, data) {
    require(data.has_labels(), "the data has no labels");
    const Classes classes = classes_of(data.labels);
    require(classes.names == model.classes, "the data has other classes than the model");
    given_ = classes.of_row;
    classes_ = classes.count();
    require(function_count(model.functions) == classes_, "the model has not one function a class");
    for (std::size_t i = 0; i < given_.size(); ++i) {
      if (given_[i] >= 0) labelled_.push_back(i);
    }
    const std::size_t unlabelled = given_.size() - labelled_.size();
    const std::size_t vectors =
        claim.is_supervised ? 1
                            : kept_class_vectors(claim.bound, classes_, given_.size(), unlabelled);
    replay_.require_point(dual, vectors * classes_);
    const KernelExpansion& expansion = expansion_of(model.functions, replay_);
    offsets_ = expansion.offsets;
    values_ = expansion_values(expansion, replay_, options.control.context);
    coefficients_ = coefficients_by_row(expansion, data.size());
    gram_ = plain_biased_gram(expansion.kernel, replay_, options.bias, options.control.context);
    check_offsets(expansion, values_.view(), options.bias, replay_);
  }

  [[nodiscard]] Certificate run() {
    replay_.certificate.primal = primal(claim_.is_supervised ? given_ : kept_labels());
    double bound = 0;
    ask_in_verify(options_.control.context);
    try {
      bound = std::max(0.0, options_.c * proved());
    } catch (const InvalidArgument& error) {
      replay_.complain(std::string("the certificate is none: ") + error.what());
    }
    replay_.certificate.dual = bound;
    replay_.certificate.lower_bound = bound;
    replay_.certificate.is_convex = false;
    return replay_.certificate;
  }

 private:
  /// The class of every row by the kept signs; complains when these are none that the bound is
  /// about.
  [[nodiscard]] ClassLabels kept_labels() {
    ClassLabels labels(given_.size(), 0);
    std::vector<std::size_t> sizes(classes_, 0);
    for (std::size_t i = 0; i < given_.size(); ++i) {
      std::size_t positive = 0;
      for (std::size_t r = 0; r < classes_; ++r) {
        if (dual_[r][i] == 1) {
          labels[i] = static_cast<std::int32_t>(r);
          ++positive;
        } else if (dual_[r][i] != -1) {
          replay_.complain("a sign of row " + std::to_string(i) + " is neither 1 nor -1");
        }
      }
      if (positive != 1) replay_.complain("row " + std::to_string(i) + " has not one class");
      if (given_[i] >= 0 && labels[i] != given_[i]) {
        replay_.complain("the class of row " + std::to_string(i) + " is not that of its label");
      }
      ++sizes[static_cast<std::size_t>(labels[i])];
    }
    const ClassRules rules = semi_supervised_sizes(given_, classes_, options_.balance);
    for (std::size_t r = 0; r < classes_; ++r) {
      if (sizes[r] >= rules.least[r] && sizes[r] <= rules.most[r]) continue;
      replay_.complain("class " + std::to_string(r) + " has " + std::to_string(sizes[r]) +
                       " rows, the balance wants " + std::to_string(rules.least[r]) + " to " +
                       std::to_string(rules.most[r]));
    }
    return labels;
  }

  /// 1/2 sum_r |w_r|^2 + C sum of losses; rows of label -1 have none.
  [[nodiscard]] double primal(const ClassLabels& labels) const {
    double square = 0;
    double losses = 0;
    for (std::size_t r = 0; r < classes_; ++r) {
      if (options_.bias == KernelBias::constant) square += offsets_[r] * offsets_[r];
      for (std::size_t i = 0; i < labels.size(); ++i) {
        square += coefficients_[r][i] * values_(i, r);
      }
    }
    for (std::size_t i = 0; i < labels.size(); ++i) {
      if (labels[i] < 0) continue;
      const auto own = static_cast<std::size_t>(labels[i]);
      double loss = 0;
      for (std::size_t r = 0; r < classes_; ++r) {
        if (r == own) continue;
        loss = std::max(loss, 1 + values_(i, r) + offsets_[r] - values_(i, own) - offsets_[own]);
      }
      losses += loss;
    }
    return 0.5 * square + options_.c * losses;
  }

  /// The bound of the kept certificate, in units of C. Throws InvalidArgument for numbers that are
  /// none.
  [[nodiscard]] double proved() const {
    if (claim_.is_supervised) return proved_of_labelled(0);
    if (claim_.bound == SemiBound::supervised) return proved_of_labelled(classes_);
    if (claim_.bound == SemiBound::trivial) return 0;
    const ClassRules rules = semi_supervised_sizes(given_, classes_, options_.balance);
    ClassSaddle problem{
        .matrix = gram_.view(), .c = options_.c, .classes = classes_, .labels = given_};
    problem.least.assign(rules.least.begin(), rules.least.end());
    problem.most.assign(rules.most.begin(), rules.most.end());
    return class_saddle_bound(
        problem,
        relaxation_certificate(dual_, classes_, given_.size() - labelled_.size(), classes_));
  }

  /// Of the labelled rows alone: no class is unknown.
  [[nodiscard]] double proved_of_labelled(std::size_t first) const {
    DenseMatrix part(labelled_.size(), labelled_.size());
    ClassSaddle problem{.c = options_.c, .classes = classes_};
    for (std::size_t a = 0; a < labelled_.size(); ++a) {
      problem.labels.push_back(given_[labelled_[a]]);
      for (std::size_t b = 0; b < labelled_.size(); ++b) {
        part(a, b) = gram_(labelled_[a], labelled_[b]);
      }
    }
    problem.matrix = part.view();
    for (const std::size_t size : problem.known_sizes()) {
      problem.least.push_back(static_cast<double>(size));
      problem.most.push_back(static_cast<double>(size));
    }
    return class_saddle_bound(problem, supervised_certificate(dual_, first, labelled_, classes_));
  }

  const DualPoint& dual_;
  const MulticlassS3vmOptions& options_;
  const MulticlassS3vmClaim& claim_;
  TrainingReplay replay_;
  /// The class of every row, -1 where there is none, and the rows that have one.
  ClassLabels given_ = {};
  std::vector<std::size_t> labelled_ = {};
  std::size_t classes_ = 0;
  std::vector<double> offsets_ = {};
  DenseMatrix values_ = {};
  DualPoint coefficients_ = {};
  DenseMatrix gram_ = {};
};

}  // namespace

Certificate verify_multiclass_s3vm(const Classifier& model,
                                   const DualPoint& dual,
                                   const Dataset& data,
                                   const MulticlassS3vmOptions& options,
                                   const MulticlassS3vmClaim& claim) {
  return DirectReplay(model, dual, data, options, claim).run();
}

}  // namespace maxmargin
