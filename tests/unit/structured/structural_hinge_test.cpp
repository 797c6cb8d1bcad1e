// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/structured/structural_hinge.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "maxmargin/core/error.hpp"
#include "maxmargin/structured/check_task.hpp"

namespace maxmargin {
namespace {

/// Outputs 0, 1 and 2 of an input that is a number: Phi is the input at the output's place, times a
/// shift of places for faults. Losses as told.
struct Toy {
  using Input = double;
  using Output = int;

  double loss_of_two = 2;
  std::uint64_t shift = 0;
  int answer = -1;  ///< what the argmax says; -1: what is right

  [[nodiscard]] std::size_t dimension() const { return 3; }
  void joint_features(double x, int y, FeatureVector& psi) const {
    psi.add(static_cast<std::uint64_t>(y) + (y == 2 ? shift : 0), x);
  }
  [[nodiscard]] double loss(int y, int other) const {
    return y == other ? 0.0 : other == 2 ? loss_of_two : 1.0;
  }
  [[nodiscard]] int predict(double x, std::span<const double> w) const {
    return best([&](int y) { return x * w[static_cast<std::size_t>(y)]; });
  }
  [[nodiscard]] int loss_augmented_argmax(double x, int truth, std::span<const double> w) const {
    return best([&](int y) { return loss(truth, y) + x * w[static_cast<std::size_t>(y)]; });
  }
  [[nodiscard]] int loss_scaled_argmax(double x, int truth, std::span<const double> w) const {
    const double own = x * w[static_cast<std::size_t>(truth)];
    return best(
        [&](int y) { return loss(truth, y) * (1 + x * w[static_cast<std::size_t>(y)] - own); });
  }
  void for_each_output(double /*x*/, const std::function<void(const int&)>& visit) const {
    for (int y = 0; y < 3; ++y) visit(y);
  }

 private:
  template <class Value>
  [[nodiscard]] int best(const Value& value) const {
    if (answer >= 0) return answer;
    int found = 0;
    for (int y = 1; y < 3; ++y) {
      if (value(y) > value(found)) found = y;
    }
    return found;
  }
};

using Hinge = StructuralHinge<Toy>;

const std::vector<double> inputs = {1, -2};
const std::vector<int> outputs = {0, 1};

TEST(StructuralHinge, PlanesAreThoseOfTheDefinition) {
  const Toy task;
  const std::vector<double> w = {0.5, 0.25, -0.5};
  // Example 0 at margin rescaling: 1 + 0.25 - 0.5 and 2 - 0.5 - 0.5.
  const Hinge margin(task, inputs, outputs);
  StructuralPlane plane;
  margin.largest_plane(0, w, plane);
  EXPECT_DOUBLE_EQ(plane.offset - plane.slope.dot(w), 1.0);
  EXPECT_EQ(plane.offset, 2);
  // At slack rescaling: 1 (1 - 0.25) and 2 (1 - 1).
  const Hinge slack(task, inputs, outputs, Rescaling::slack);
  slack.largest_plane(0, w, plane);
  EXPECT_DOUBLE_EQ(plane.offset - plane.slope.dot(w), 0.75);
  EXPECT_EQ(plane.offset, 1);
  EXPECT_EQ(slack.misses(), 0u);
}

// An output without loss is the plane 0 of slack rescaling, whatever its score: without entries,
// so that solvers know it.
TEST(StructuralHinge, SlackRescalingOfNoLossIsThePlaneZero) {
  const Toy task{.loss_of_two = 0, .answer = 2};
  const Hinge risk(task, inputs, outputs, Rescaling::slack);
  StructuralPlane plane;
  risk.largest_plane(0, std::vector<double>{0, 0, 100}, plane);
  EXPECT_EQ(plane.offset, 0);
  EXPECT_TRUE(plane.slope.empty());
}

TEST(StructuralHinge, AnswersBelowTheTruthAreMissesAndThePlaneZero) {
  const Toy task{.answer = 2};
  const Hinge risk(task, inputs, outputs);
  StructuralPlane plane;
  risk.largest_plane(0, std::vector<double>{5, 0, 0}, plane);
  EXPECT_EQ(plane.offset, 0);
  EXPECT_TRUE(plane.slope.empty());
  EXPECT_EQ(risk.misses(), 1u);
}

TEST(StructuralHinge, WrongWeightsAreRefused) {
  const Toy task;
  for (const double weight :
       {-0.5, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    const std::vector<double> weights = {1, weight};
    EXPECT_THROW(Hinge(task, inputs, outputs, Rescaling::margin, weights), InvalidArgument);
  }
  const std::vector<double> one = {1};
  EXPECT_THROW(Hinge(task, inputs, outputs, Rescaling::margin, one), InvalidArgument);
  EXPECT_THROW(Hinge(task, one, outputs), InvalidArgument);
}

// A feature beyond the dimension would be read from beyond w.
TEST(StructuralHinge, FeaturesBeyondTheDimensionAreRefused) {
  const Toy task{.shift = 1000};
  const std::vector<int> twos = {2, 2};
  EXPECT_THROW(Hinge(task, inputs, twos), InvalidArgument);
  // Of a rival, which shows at the first question.
  const Hinge risk(task, inputs, outputs);
  StructuralPlane plane;
  EXPECT_THROW(risk.largest_plane(0, std::vector<double>(3, 0.0), plane), InvalidArgument);
}

TEST(StructuralHinge, CheckTaskSeesFeaturesBeyondTheDimension) {
  const std::vector<std::pair<double, int>> samples = {{1.0, 0}};
  Rng rng(1);
  EXPECT_EQ(check_task(Toy{}, std::span(samples), rng).faults, std::vector<std::string>());
  EXPECT_FALSE(check_task(Toy{.shift = 1000}, std::span(samples), rng).faults.empty());
}

/// Lists the outputs 0 and 1 alone, whatever the argmax says.
struct Narrow : Toy {
  void for_each_output(double /*x*/, const std::function<void(const int&)>& visit) const {
    for (int y = 0; y < 2; ++y) visit(y);
  }
};

// An argmax that answers with what is no output may be better than all of them.
TEST(StructuralHinge, CheckTaskSeesAnswersThatAreNoOutputs) {
  const std::vector<std::pair<double, int>> samples = {{1.0, 0}};
  Rng rng(1);
  Narrow task;
  task.loss_of_two = 100;
  const std::vector<std::string> faults = check_task(task, std::span(samples), rng).faults;
  EXPECT_TRUE(std::ranges::any_of(faults, [](const std::string& fault) {
    return fault.find("so it is none") != std::string::npos;
  }));
}

}  // namespace
}  // namespace maxmargin
