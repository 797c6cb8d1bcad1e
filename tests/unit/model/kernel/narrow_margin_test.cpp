// SPDX-License-Identifier: Apache-2.0
// svc with an infinite C where the margin is narrow beside the data, or is not there.
#include <gtest/gtest.h>

#include <cmath>

#include "maxmargin/model/kernel/svc.hpp"
#include "model/verify/verify.hpp"
#include "svm_data.hpp"

namespace maxmargin {
namespace {

using testing::labelled;
using testing::two_classes;

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Rows on either side of a slanted plane, half of them at the margin.
Dataset with_margin(double margin, std::size_t n = 60) {
  Dataset data = two_classes(n, 4, 0);
  DenseMatrix x = data.examples.to_dense();
  // Of length 1 to the last digit: 0.48^2 + 0.6^2 + 0.64^2.
  const long double normal[] = {0.48L, 0.6L, 0.64L};
  std::vector<double> labels(n);
  for (std::size_t i = 0; i < n; ++i) {
    labels[i] = i % 2 == 0 ? 1 : -1;
    long double along = 0;
    for (std::size_t j = 0; j < 3; ++j) along += normal[j] * x(i, j);
    const long double wanted = labels[i] * margin * (i < n / 2 ? 1 : 1.5);
    for (std::size_t j = 0; j < 3; ++j) {
      x(i, j) = static_cast<double>(x(i, j) + (wanted - along) * normal[j]);
    }
  }
  return labelled(std::move(x), std::move(labels));
}

TEST(NarrowMargin, IsSolvedAndProvedByTheFeatures) {
  for (const double margin : {1e-2, 1e-4, 1e-6, 1e-8, 1e-10}) {
    SCOPED_TRACE(margin);
    const Dataset data = with_margin(margin);
    const TrainedClassifier trained =
        train_svc(data, {.c = infinity, .kernel = Linear{}, .control = {.keep_dual = true}});
    ASSERT_EQ(trained.report.status, Status::solved) << trained.report.message;
    // 1/2 |w|^2 = 1 / (2 margin^2), to the tolerance and what rounded coordinates do to the margin.
    const double wanted = 0.5 / (margin * margin);
    EXPECT_NEAR(*trained.report.primal_objective, wanted, (2e-3 + 4e-16 / margin) * wanted);
    EXPECT_LE(*trained.report.relative_gap(), 1e-3);
    const std::vector<Label> said = trained.model.predict(data);
    for (std::size_t i = 0; i < data.size(); ++i) EXPECT_EQ(said[i], *data.labels.at(i));
    if (std::holds_alternative<KernelExpansion>(trained.model.functions)) continue;
    const Certificate found =
        verify_hard_margin(trained.model, trained.dual_coefficients, data, {.c = infinity});
    EXPECT_TRUE(found.complaint.empty()) << found.complaint;
    EXPECT_NEAR(found.primal, *trained.report.primal_objective, 1e-7 * wanted);
    EXPECT_NEAR(found.dual, *trained.report.dual_objective, 1e-7 * wanted);
    // The checker sees what is wrong.
    DualPoint other = trained.dual_coefficients;
    other.front()[0] += 1e-3 * std::abs(other.front()[0]) + 1;
    EXPECT_FALSE(verify_hard_margin(trained.model, other, data, {.c = infinity}).complaint.empty());
  }
}

TEST(NarrowMargin, IsFoundWithoutABiasAndAmongSeveralClasses) {
  const Dataset data = with_margin(1e-7);
  const TrainedClassifier plain =
      train_svc(data, {.c = infinity, .kernel = Linear{}, .bias = false});
  ASSERT_EQ(plain.report.status, Status::solved) << plain.report.message;
  EXPECT_NEAR(*plain.report.primal_objective, 0.5e14, 2e-3 * 0.5e14);
  // A third class far away: two wide margins and a narrow one.
  DenseMatrix x(90, 3);
  std::vector<double> labels;
  for (std::size_t i = 0; i < 90; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      x(i, j) = data.examples.row(i % 60).dense()[j] + (i < 60 ? 0 : 30);
    }
    labels.push_back(i < 60 ? (i % 2 == 0 ? 1 : -1) : 5);
  }
  const Dataset three = labelled(std::move(x), std::move(labels));
  const TrainedClassifier trained = train_svc(three, {.c = infinity, .kernel = Linear{}});
  ASSERT_EQ(trained.report.status, Status::solved) << trained.report.message;
  const std::vector<Label> said = trained.model.predict(three);
  for (std::size_t i = 0; i < three.size(); ++i) EXPECT_EQ(said[i], *three.labels.at(i));
}

TEST(NarrowMargin, ThatIsNotThereIsSaidWithACertificate) {
  // One row of each class at the same place, in clouds that are apart by 1e-6 otherwise.
  Dataset data = with_margin(1e-6);
  DenseMatrix x = data.examples.to_dense();
  for (std::size_t j = 0; j < 3; ++j) x(1, j) = x(0, j);
  data.examples = Examples(std::move(x));
  const TrainedClassifier trained = train_svc(data, {.c = infinity, .kernel = Linear{}});
  EXPECT_EQ(trained.report.status, Status::primal_infeasible);
  EXPECT_NE(trained.report.message.find("cannot be separated"), std::string::npos);
  EXPECT_NE(trained.report.message.find("convex hull"), std::string::npos);
}

TEST(NarrowMargin, OfAnotherKernelIsSolvedOrNotClaimed) {
  for (const double margin : {1e-5, 1e-9}) {
    SCOPED_TRACE(margin);
    const TrainedClassifier trained =
        train_svc(with_margin(margin), {.c = infinity, .kernel = Rbf{.gamma = 0.3}});
    if (trained.report.status == Status::solved) {
      EXPECT_LE(*trained.report.relative_gap(), 1e-3);
    }
    if (margin >= 1e-5) {
      EXPECT_EQ(trained.report.status, Status::solved) << trained.report.message;
    }
  }
}

}  // namespace
}  // namespace maxmargin
