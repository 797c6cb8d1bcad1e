// SPDX-License-Identifier: Apache-2.0
// Machines whose problem a shift of all rows leaves as it is, on data far from the origin: the same
// numbers moved back, which is exact, are the reference.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "maxmargin/kernel/combine.hpp"
#include "maxmargin/model/kernel/svc.hpp"
#include "maxmargin/model/kernel/svr.hpp"
#include "maxmargin/model/robust/centroid_svc.hpp"
#include "svm_data.hpp"

namespace maxmargin {
namespace {

using testing::two_classes;

constexpr double tight = 1e-7;
const TrainingControl control{.tolerance = tight};

/// The data moved by t, with the rounding that brings, and those very rows moved back.
struct FarAndNear {
  Dataset far;
  Dataset near;
};

FarAndNear moved(const Dataset& data, double t) {
  DenseMatrix far = data.examples.to_dense();
  for (double& x : far.values()) x += t;
  DenseMatrix near = far;
  for (double& x : near.values()) x -= t;
  FarAndNear result{data, data};
  result.far.examples = Examples(std::move(far));
  result.near.examples = Examples(std::move(near));
  return result;
}

void expect_same(const SolveReport& far, const SolveReport& near) {
  EXPECT_EQ(far.status, near.status) << far.message;
  ASSERT_TRUE(far.primal_objective && near.primal_objective);
  const double room = 2e-6 * std::abs(*near.primal_objective);
  EXPECT_NEAR(*far.primal_objective, *near.primal_objective, room);
  ASSERT_EQ(far.dual_objective.has_value(), near.dual_objective.has_value());
  const double bound = near.dual_objective.value_or(near.lower_bound.value_or(0));
  EXPECT_NEAR(far.dual_objective.value_or(far.lower_bound.value_or(0)), bound, room);
}

using TrainClassifier = std::function<TrainedClassifier(const Dataset&)>;

TEST(FarData, ClassifiersAreThoseOfTheDataMovedBack) {
  const std::vector<std::pair<const char*, TrainClassifier>> learners = {
      {"svc",
       [](const Dataset& d) { return train_svc(d, {.kernel = Linear{}, .control = control}); }},
      {"svc, squared",
       [](const Dataset& d) {
         return train_svc(d, {.kernel = Linear{}, .slacks = SlackPower::two, .control = control});
       }},
      {"sum",
       [](const Dataset& d) {
         return train_svc(d, {.kernel = sum_of(Linear{}, Rbf{.gamma = 0.1}), .control = control});
       }},
      {"nu-svc",
       [](const Dataset& d) {
         return train_nu_svc(d, {.nu = 0.6, .kernel = Linear{}, .control = control});
       }},
      {"centroid-svc",
       [](const Dataset& d) -> TrainedClassifier {
         return train_centroid_svc(d, {.kernel = Linear{}, .control = control});
       }},
  };
  for (const auto& [name, train] : learners) {
    for (const double t : {1e3, 1e5, 1e7}) {
      SCOPED_TRACE(std::string(name) + " " + std::to_string(t));
      const FarAndNear data = moved(two_classes(40, 3), t);
      const TrainedClassifier far = train(data.far);
      const TrainedClassifier near = train(data.near);
      expect_same(far.report, near.report);
      EXPECT_EQ(far.model.predict(data.far), near.model.predict(data.near));
    }
  }
}

TEST(FarData, RegressorsAreThoseOfTheDataMovedBack) {
  for (const double t : {1e3, 1e5, 1e7}) {
    SCOPED_TRACE(t);
    Dataset sine = testing::noisy_sine(40, 2);
    const FarAndNear data = moved(sine, t);
    const KernelMachineOptions machine{.kernel = Linear{}, .control = control};
    const auto both = [&](const auto& train) {
      const TrainedRegressor far = train(data.far);
      const TrainedRegressor near = train(data.near);
      expect_same(far.report, near.report);
      const std::vector<double> said = far.model.predict(data.far.examples);
      const std::vector<double> wanted = near.model.predict(data.near.examples);
      for (std::size_t i = 0; i < said.size(); ++i) EXPECT_NEAR(said[i], wanted[i], 2e-3);
    };
    both([&](const Dataset& d) { return train_svr(d, {.machine = machine}); });
    both([&](const Dataset& d) { return train_nu_svr(d, {.machine = machine}).fit; });
    both([&](const Dataset& d) { return train_svdd(d, {.nu = 0.2, .machine = machine}).fit; });
  }
}

TEST(FarData, KernelsWhoseValuesHaveLostTheRowsClaimNothing) {
  // (x.z)^3 of rows around 1e6 is 1e37, and what tells the rows apart is far below its last place.
  const FarAndNear data = moved(two_classes(40, 3), 1e6);
  const TrainedClassifier trained = train_svc(data.far, {.kernel = Polynomial{}});
  EXPECT_EQ(trained.report.status, Status::numerical_failure);
  EXPECT_FALSE(trained.report.primal_objective || trained.report.dual_objective);
  EXPECT_FALSE(trained.report.message.empty());
}

TEST(FarData, OrdinaryDataIsNotMoved) {
  const TrainedClassifier trained =
      train_svc(testing::iris_pair("setosa"), {.kernel = Linear{}, .control = control});
  EXPECT_TRUE(std::holds_alternative<Linear>(testing::expansion(trained.model.functions).kernel));
}

}  // namespace
}  // namespace maxmargin
