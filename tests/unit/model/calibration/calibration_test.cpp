// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/model/calibration/calibration.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/weights.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/core/rng.hpp"

namespace maxmargin {
namespace {

using Signs = std::vector<std::int8_t>;

struct Sample {
  std::vector<double> scores = {};
  Signs signs = {};
  std::vector<double> weights = {};
};

/// Noisy scores; `levels` > 0 rounds them so that some are equal.
Sample noisy_sample(std::size_t n, std::uint64_t seed, int levels = 0) {
  Rng rng(seed);
  Sample sample;
  for (std::size_t i = 0; i < n; ++i) {
    const bool positive = rng.bernoulli(0.4);
    double score = rng.normal(positive ? 0.7 : -0.5, 1.0);
    if (levels > 0) score = std::round(score * levels) / levels;
    sample.scores.push_back(score);
    sample.signs.push_back(static_cast<std::int8_t>(positive ? 1 : -1));
    sample.weights.push_back(rng.uniform(0.2, 3.0));
  }
  return sample;
}

/// Gradient of the smoothed negative log-likelihood, over the total weight: from the definition.
std::pair<double, double> likelihood_gradient(const Sample& sample, PlattCurve curve) {
  double positive = 0;
  double negative = 0;
  for (std::size_t i = 0; i < sample.scores.size(); ++i) {
    (sample.signs[i] > 0 ? positive : negative) += weight_of(sample.weights, i);
  }
  double by_slope = 0;
  double by_intercept = 0;
  for (std::size_t i = 0; i < sample.scores.size(); ++i) {
    const double target =
        sample.signs[i] > 0 ? (positive + 1) / (positive + 2) : 1 / (negative + 2);
    const double p = 1 / (1 + std::exp(curve.slope * sample.scores[i] + curve.intercept));
    by_slope += weight_of(sample.weights, i) * (target - p) * sample.scores[i];
    by_intercept += weight_of(sample.weights, i) * (target - p);
  }
  return {by_slope / (positive + negative), by_intercept / (positive + negative)};
}

/// The thirteen scores that stored numbers of other programs belong to.
Sample reference_sample() {
  return {.scores = {-2.1, -1.5, -1.2, -0.9, -0.4, -0.2, 0.1, 0.3, 0.35, 0.8, 1.1, 1.9, 2.5},
          .signs = {-1, -1, 1, -1, -1, 1, -1, 1, -1, 1, 1, -1, 1}};
}
const std::vector<double> reference_weights = {1, 2, 0.5, 1, 3, 1, 1, 2, 1, 0.25, 1, 1, 2};

TEST(Platt, GradientOfTheLikelihoodIsZero) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    Sample sample = noisy_sample(60, seed);
    if (seed % 2 == 0) sample.weights.clear();
    const PlattCurve curve = fit_platt(sample.scores, sample.signs, sample.weights);
    const auto [by_slope, by_intercept] = likelihood_gradient(sample, curve);
    EXPECT_NEAR(by_slope, 0, 1e-13) << "seed " << seed;
    EXPECT_NEAR(by_intercept, 0, 1e-13) << "seed " << seed;
    EXPECT_LT(curve.slope, 0);
    // The check can fail: a curve beside the optimum has a gradient.
    const auto [beside, unused] =
        likelihood_gradient(sample, {curve.slope + 1e-4, curve.intercept});
    EXPECT_GT(std::abs(beside), 1e-6);
  }
}

// scikit-learn 1.9.1, calibration._sigmoid_calibration(scores, labels); with weights
// scipy.optimize.minimize (BFGS, gtol 1e-12) on the same likelihood.
TEST(Platt, AgreesWithStoredNumbersOfOtherPrograms) {
  const Sample sample = reference_sample();
  const PlattCurve plain = fit_platt(sample.scores, sample.signs);
  EXPECT_NEAR(plain.slope, -0.457969, 1e-6);
  EXPECT_NEAR(plain.intercept, 0.180659, 1e-6);
  const PlattCurve weighted = fit_platt(sample.scores, sample.signs, reference_weights);
  EXPECT_NEAR(weighted.slope, -0.73744502, 1e-7);
  EXPECT_NEAR(weighted.intercept, 0.48587873, 1e-7);
}

TEST(Platt, TwoOppositePointsHaveTheirTargets) {
  // Both targets can be met: p(1) = 2/3 and p(-1) = 1/3, so slope = -log 2.
  const PlattCurve curve = fit_platt(std::vector<double>{-1, 1}, Signs{-1, 1});
  EXPECT_NEAR(curve.slope, -std::log(2.0), 1e-14);
  EXPECT_NEAR(curve.intercept, 0, 1e-14);
  EXPECT_NEAR(probability(curve, 1), 2.0 / 3, 1e-14);
}

TEST(Platt, OneSideOrOneScoreGivesTheMeanTarget) {
  const PlattCurve one_side = fit_platt(std::vector<double>{3, -1, 2}, Signs{1, 1, 1});
  EXPECT_EQ(one_side.slope, 0);
  EXPECT_NEAR(probability(one_side, 77), 4.0 / 5, 1e-15);
  const PlattCurve one_score = fit_platt(std::vector<double>{2, 2, 2}, Signs{1, -1, 1});
  EXPECT_EQ(one_score.slope, 0);
  EXPECT_NEAR(probability(one_score, 2), (2 * 3.0 / 4 + 1.0 / 3) / 3, 1e-15);
  EXPECT_EQ(probability(fit_platt({}, {}), 5), 0.5);
  const std::vector<double> nothing = {0, 0};
  EXPECT_EQ(probability(fit_platt(std::vector<double>{1, 2}, Signs{1, -1}, nothing), 5), 0.5);
}

TEST(Platt, ScalingAndShiftingScoresMovesTheCurveWithThem) {
  const Sample sample = noisy_sample(40, 3);
  const PlattCurve base = fit_platt(sample.scores, sample.signs);
  for (const double scale : {1e-200, 1e-3, 1e3, 1e250}) {
    for (const double shift : {0.0, 5.0}) {
      std::vector<double> moved;
      for (const double s : sample.scores) moved.push_back(scale * (s + shift));
      const PlattCurve curve = fit_platt(moved, sample.signs);
      for (const double s : {-2.0, 0.0, 1.5}) {
        EXPECT_NEAR(probability(curve, scale * (s + shift)), probability(base, s), 1e-12);
      }
    }
  }
}

TEST(Platt, SeparatedScoresOfVeryDifferentSizesStayFinite) {
  const PlattCurve curve =
      fit_platt(std::vector<double>{-1e300, -1, 1, 1e300}, Signs{-1, -1, 1, 1});
  EXPECT_TRUE(std::isfinite(curve.slope) && std::isfinite(curve.intercept));
  for (const double s : {-1e308, -1.0, 0.0, 1.0, 1e308}) {
    const double p = probability(curve, s);
    EXPECT_TRUE(p >= 0 && p <= 1);
  }
}

TEST(Platt, WeightTwoIsNearlyATwinAndWeightZeroIsAbsent) {
  Sample sample = noisy_sample(30, 5);
  sample.weights.assign(30, 1.0);
  sample.weights[7] = 2;
  sample.weights[9] = 0;
  Sample twin;
  for (std::size_t i = 0; i < 30; ++i) {
    for (int copy = 0; copy < static_cast<int>(sample.weights[i]); ++copy) {
      twin.scores.push_back(sample.scores[i]);
      twin.signs.push_back(sample.signs[i]);
    }
  }
  const PlattCurve a = fit_platt(sample.scores, sample.signs, sample.weights);
  const PlattCurve b = fit_platt(twin.scores, twin.signs);
  EXPECT_NEAR(a.slope, b.slope, 1e-12);
  EXPECT_NEAR(a.intercept, b.intercept, 1e-12);
}

/// Least weighted squared error over all monotone fits of values that are constant on runs of
/// neighbours: all 2^(m-1) partitions of the distinct scores.
double brute_force_isotonic(const Sample& sample) {
  std::vector<double> distinct = sample.scores;
  std::ranges::sort(distinct);
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  const std::size_t m = distinct.size();
  double best = std::numeric_limits<double>::infinity();
  for (std::size_t cuts = 0; cuts < (std::size_t{1} << (m - 1)); ++cuts) {
    double error = 0;
    double previous = -1;
    bool monotone = true;
    for (std::size_t begin = 0; begin < m;) {
      std::size_t end = begin + 1;
      while (end < m && ((cuts >> (end - 1)) & 1) == 0) ++end;
      double weight = 0;
      double positive = 0;
      for (std::size_t i = 0; i < sample.scores.size(); ++i) {
        if (sample.scores[i] < distinct[begin] || sample.scores[i] > distinct[end - 1]) continue;
        weight += weight_of(sample.weights, i);
        if (sample.signs[i] > 0) positive += weight_of(sample.weights, i);
      }
      const double mean = positive / weight;
      error += positive * (1 - mean) * (1 - mean) + (weight - positive) * mean * mean;
      monotone = monotone && mean >= previous;
      previous = mean;
      begin = end;
    }
    if (monotone) best = std::min(best, error);
  }
  return best;
}

double squared_error(const Sample& sample, const IsotonicCurve& curve) {
  double error = 0;
  for (std::size_t i = 0; i < sample.scores.size(); ++i) {
    const double residual = (sample.signs[i] > 0 ? 1 : 0) - probability(curve, sample.scores[i]);
    error += weight_of(sample.weights, i) * residual * residual;
  }
  return error;
}

TEST(Isotonic, HasTheErrorOfTheBestPartition) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Sample sample = noisy_sample(10, seed, seed % 3 == 0 ? 2 : 0);
    if (seed % 2 == 0) sample.weights.clear();
    const IsotonicCurve curve = fit_isotonic(sample.scores, sample.signs, sample.weights);
    EXPECT_NEAR(squared_error(sample, curve), brute_force_isotonic(sample), 1e-12) << seed;
    EXPECT_TRUE(std::ranges::is_sorted(curve.probabilities));
    EXPECT_TRUE(std::ranges::is_sorted(curve.scores));
  }
}

// scikit-learn 1.9.1, IsotonicRegression(y_min=0, y_max=1, out_of_bounds='clip').
TEST(Isotonic, AgreesWithScikitLearn) {
  const Sample sample = reference_sample();
  const IsotonicCurve plain = fit_isotonic(sample.scores, sample.signs);
  EXPECT_EQ(plain.scores, (std::vector<double>{-2.1, -1.5, -1.2, -0.4, -0.2, 0.35, 0.8, 1.9, 2.5}));
  const std::vector<double> known = {0, 0, 1.0 / 3, 1.0 / 3, 0.5, 0.5, 2.0 / 3, 2.0 / 3, 1};
  ASSERT_EQ(plain.probabilities.size(), known.size());
  for (std::size_t i = 0; i < known.size(); ++i)
    EXPECT_NEAR(plain.probabilities[i], known[i], 1e-15);

  const IsotonicCurve weighted = fit_isotonic(sample.scores, sample.signs, reference_weights);
  const std::vector<double> at = {-5, -1.3, -0.3, 0.0, 0.2, 1.0, 1.5, 2.2, 9};
  const std::vector<double> expected = {
      0., 0.07407407, 0.30555556, 0.5, 0.55952381, 0.61904762, 0.61904762, 0.80952381, 1.};
  for (std::size_t i = 0; i < at.size(); ++i) {
    EXPECT_NEAR(probability(weighted, at[i]), expected[i], 5e-9) << at[i];
  }
}

TEST(Isotonic, DegenerateInputGivesConstants) {
  EXPECT_EQ(probability(fit_isotonic({}, {}), 3), 0.5);
  EXPECT_EQ(probability(fit_isotonic(std::vector<double>{1, 2}, Signs{1, 1}), -9), 1);
  EXPECT_EQ(probability(fit_isotonic(std::vector<double>{2, 2, 2, 2}, Signs{1, -1, 1, 1}), 2),
            0.75);
  const double huge = std::numeric_limits<double>::max();
  const IsotonicCurve wide = fit_isotonic(std::vector<double>{-huge, huge}, Signs{-1, 1});
  EXPECT_NEAR(probability(wide, 0), 0.5, 1e-15);
  EXPECT_NEAR(probability(wide, huge / 2), 0.75, 1e-15);
}

TEST(Calibration, RejectsWrongInput) {
  const std::vector<double> scores = {1, 2};
  EXPECT_THROW((void)fit_platt(scores, Signs{1}), InvalidArgument);
  EXPECT_THROW((void)fit_platt(scores, Signs{1, 0}), InvalidArgument);
  EXPECT_THROW((void)fit_platt(std::vector<double>{1, NAN}, Signs{1, -1}), InvalidArgument);
  EXPECT_THROW((void)fit_isotonic(scores, Signs{1, -1}, std::vector<double>{1, -1}),
               InvalidArgument);
  EXPECT_THROW((void)fit_isotonic(scores, Signs{1, -1}, std::vector<double>{1}), InvalidArgument);
  EXPECT_THROW((void)probability(IsotonicCurve{}, 0), InvalidArgument);
  EXPECT_THROW((void)probability(PlattCurve{}, NAN), InvalidArgument);
  EXPECT_THROW((void)parse_name<CalibrationKind>("plat", "calibration"), InvalidArgument);
  EXPECT_EQ(value_named<CalibrationKind>(to_string(CalibrationKind::isotonic)),
            CalibrationKind::isotonic);
}

/// Codes written out here, so that this test stands by itself.
OutputCode pairs_code(std::size_t k) {
  OutputCode code{.kind = MulticlassKind::one_vs_one,
                  .decoding = Decoding::votes,
                  .classes = k,
                  .functions = k * (k - 1) / 2};
  code.signs.assign(k * code.functions, 0);
  std::size_t f = 0;
  for (std::size_t i = 0; i < k; ++i) {
    for (std::size_t j = i + 1; j < k; ++j, ++f) {
      code.signs[i * code.functions + f] = 1;
      code.signs[j * code.functions + f] = -1;
    }
  }
  return code;
}
OutputCode rest_code(std::size_t k, MulticlassKind kind = MulticlassKind::one_vs_rest) {
  OutputCode code{.kind = kind, .decoding = Decoding::value, .classes = k, .functions = k};
  code.signs.assign(k * k, -1);
  for (std::size_t i = 0; i < k; ++i) code.signs[i * k + i] = 1;
  return code;
}
OutputCode two_class_code() {
  return {.kind = MulticlassKind::one_vs_one,
          .decoding = Decoding::value,
          .classes = 2,
          .functions = 1,
          .signs = {-1, 1}};
}
OutputCode random_ecoc(std::size_t k, std::size_t functions, std::uint64_t seed) {
  Rng rng(seed);
  OutputCode code{.kind = MulticlassKind::ecoc,
                  .decoding = Decoding::margin,
                  .classes = k,
                  .functions = functions};
  for (std::size_t i = 0; i < k * functions; ++i) {
    code.signs.push_back(static_cast<std::int8_t>(static_cast<int>(rng.index(3)) - 1));
  }
  return code;
}

/// The coupling objective, from its definition.
double coupling_objective(const OutputCode& code,
                          std::span<const double> q,
                          std::span<const double> p) {
  double sum = 0;
  for (std::size_t f = 0; f < code.functions; ++f) {
    double residual = 0;
    for (std::size_t c = 0; c < code.classes; ++c) {
      if (code.sign(c, f) > 0) residual += (1 - q[f]) * p[c];
      if (code.sign(c, f) < 0) residual -= q[f] * p[c];
    }
    sum += residual * residual / 2;
  }
  return sum;
}

/// Solves a small square system by elimination with pivoting; empty when it is singular.
std::vector<double> eliminate(std::vector<std::vector<double>> a, std::vector<double> b) {
  const std::size_t n = b.size();
  for (std::size_t c = 0; c < n; ++c) {
    std::size_t pivot = c;
    for (std::size_t r = c; r < n; ++r) {
      if (std::abs(a[r][c]) > std::abs(a[pivot][c])) pivot = r;
    }
    if (std::abs(a[pivot][c]) < 1e-12) return {};
    std::swap(a[c], a[pivot]);
    std::swap(b[c], b[pivot]);
    for (std::size_t r = 0; r < n; ++r) {
      if (r == c) continue;
      const double factor = a[r][c] / a[c][c];
      for (std::size_t j = c; j < n; ++j) a[r][j] -= factor * a[c][j];
      b[r] -= factor * b[c];
    }
  }
  for (std::size_t c = 0; c < n; ++c) b[c] /= a[c][c];
  return b;
}

/// Least objective over all faces of the simplex: on each the stationary point, if it lies inside.
double brute_force_coupling(const OutputCode& code, std::span<const double> q) {
  const std::size_t k = code.classes;
  double best = std::numeric_limits<double>::infinity();
  for (std::size_t face = 1; face < (std::size_t{1} << k); ++face) {
    std::vector<std::size_t> members;
    for (std::size_t c = 0; c < k; ++c) {
      if ((face >> c) & 1) members.push_back(c);
    }
    const std::size_t m = members.size();
    std::vector<std::vector<double>> system(m + 1, std::vector<double>(m + 1, 0.0));
    for (std::size_t a = 0; a < m; ++a) {
      for (std::size_t b = 0; b < m; ++b) {
        for (std::size_t f = 0; f < code.functions; ++f) {
          const auto entry = [&](std::size_t c) {
            const int sign = code.sign(c, f);
            return sign > 0 ? 1 - q[f] : sign < 0 ? -q[f] : 0.0;
          };
          system[a][b] += entry(members[a]) * entry(members[b]);
        }
      }
      system[a][m] = system[m][a] = 1;
    }
    std::vector<double> right(m + 1, 0.0);
    right[m] = 1;
    const std::vector<double> solution = eliminate(system, right);
    if (solution.empty()) continue;
    std::vector<double> p(k, 0.0);
    bool inside = true;
    for (std::size_t a = 0; a < m; ++a) {
      p[members[a]] = solution[a];
      inside = inside && solution[a] >= -1e-12;
    }
    if (inside) best = std::min(best, coupling_objective(code, q, p));
  }
  return best;
}

TEST(Coupling, IsTheBestPointOfTheSimplex) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Rng rng(seed, "coupling");
    const std::size_t k = 2 + seed % 4;
    const OutputCode code = seed % 2 == 0 ? pairs_code(k) : random_ecoc(k, 3 * k, seed);
    std::vector<double> q;
    for (std::size_t f = 0; f < code.functions; ++f) q.push_back(rng.uniform(0.01, 0.99));
    const CoupledProbabilities answer = couple_probabilities(code, q);
    const double value = coupling_objective(code, q, answer.probabilities);
    EXPECT_NEAR(value, brute_force_coupling(code, q), 1e-13) << "seed " << seed;
    EXPECT_LE(answer.gap, 1e-12);
    for (const double p : answer.probabilities) EXPECT_GE(p, 0);
    EXPECT_NEAR(
        std::accumulate(answer.probabilities.begin(), answer.probabilities.end(), 0.0), 1, 1e-14);
  }
}

TEST(Coupling, RecoversConsistentProbabilities) {
  const std::vector<double> truth = {0.5, 0.3, 0.15, 0.05};
  for (const OutputCode& code : {pairs_code(4), rest_code(4, MulticlassKind::ecoc)}) {
    std::vector<double> q;
    for (std::size_t f = 0; f < code.functions; ++f) {
      double positive = 0;
      double used = 0;
      for (std::size_t c = 0; c < 4; ++c) {
        if (code.sign(c, f) > 0) positive += truth[c];
        if (code.sign(c, f) != 0) used += truth[c];
      }
      q.push_back(positive / used);
    }
    const CoupledProbabilities answer = couple_probabilities(code, q);
    for (std::size_t c = 0; c < 4; ++c) EXPECT_NEAR(answer.probabilities[c], truth[c], 1e-13);
  }
}

TEST(Coupling, CertainPairsAndCyclesAreFine) {
  const OutputCode code = pairs_code(3);
  const CoupledProbabilities sure = couple_probabilities(code, std::vector<double>{1, 1, 1});
  EXPECT_NEAR(sure.probabilities[0], 1, 1e-6);
  EXPECT_LE(sure.gap, 1e-15);
  // 0 beats 1, 1 beats 2, 2 beats 0.
  const CoupledProbabilities cycle = couple_probabilities(code, std::vector<double>{1, 0, 1});
  for (const double p : cycle.probabilities) EXPECT_NEAR(p, 1.0 / 3, 1e-6);
  EXPECT_THROW((void)couple_probabilities(code, std::vector<double>{1, 1}), InvalidArgument);
  EXPECT_THROW((void)couple_probabilities(code, std::vector<double>{1, 2, 0}), InvalidArgument);
}

TEST(Coupling, EqualClassesOfACodeShareNothingButStaySound) {
  // Classes 0 and 1 have the same word: the minimum is not unique, the certificate still holds.
  OutputCode code{.kind = MulticlassKind::ecoc, .classes = 3, .functions = 2};
  code.signs = {1, -1, 1, -1, -1, 1};
  const CoupledProbabilities answer = couple_probabilities(code, std::vector<double>{0.7, 0.2});
  EXPECT_NEAR(answer.probabilities[0] + answer.probabilities[1], 0.75, 1e-7);
  EXPECT_LE(answer.gap, 1e-12);
}

/// Values that point to the true class, with noise.
DenseMatrix noisy_values(const OutputCode& code,
                         std::span<const std::int32_t> classes,
                         std::uint64_t seed) {
  Rng rng(seed);
  DenseMatrix values(classes.size(), code.functions);
  for (std::size_t i = 0; i < classes.size(); ++i) {
    for (std::size_t f = 0; f < code.functions; ++f) {
      values(i, f) = code.sign(static_cast<std::size_t>(classes[i]), f) + 0.8 * rng.normal();
    }
  }
  return values;
}

std::vector<std::int32_t> cyclic_classes(std::size_t n, std::size_t k) {
  std::vector<std::int32_t> classes(n);
  for (std::size_t i = 0; i < n; ++i) classes[i] = static_cast<std::int32_t>(i % k);
  return classes;
}

TEST(Calibration, RowsAreProbabilitiesForEveryCodeAndAnyThreadCount) {
  for (const CalibrationKind kind : {CalibrationKind::platt, CalibrationKind::isotonic}) {
    for (const OutputCode& code : {two_class_code(),
                                   pairs_code(4),
                                   rest_code(4),
                                   rest_code(4, MulticlassKind::direct),
                                   random_ecoc(4, 7, 3)}) {
      const std::vector<std::int32_t> classes = cyclic_classes(400, code.classes);
      const DenseMatrix values = noisy_values(code, classes, 9);
      const Calibration calibration = fit_calibration(kind, code, values.view(), classes);
      EXPECT_NO_THROW(calibration.validate(code));
      const DenseMatrix p = class_probabilities(calibration, code, values.view(), 1);
      ASSERT_EQ(p.cols(), code.classes);
      std::size_t correct = 0;
      for (std::size_t i = 0; i < p.rows(); ++i) {
        double sum = 0;
        for (const double value : p.row(i)) {
          EXPECT_TRUE(value >= 0 && value <= 1);
          sum += value;
        }
        EXPECT_NEAR(sum, 1, 1e-14);
        const auto best = std::ranges::max_element(p.row(i)) - p.row(i).begin();
        if (best == classes[i]) ++correct;
      }
      EXPECT_GT(correct, p.rows() / 2);
      for (const std::size_t threads : {2u, 4u}) {
        const DenseMatrix again = class_probabilities(calibration, code, values.view(), threads);
        EXPECT_TRUE(std::ranges::equal(p.values(), again.values()));
      }
    }
  }
}

TEST(Calibration, AFunctionIsFittedOnTheClassesItUses) {
  const OutputCode code = pairs_code(3);
  const std::vector<std::int32_t> classes = cyclic_classes(90, 3);
  const DenseMatrix values = noisy_values(code, classes, 2);
  const Calibration calibration =
      fit_calibration(CalibrationKind::platt, code, values.view(), classes);
  Sample pair;  // function 1 separates classes 0 and 2
  for (std::size_t i = 0; i < 90; ++i) {
    if (classes[i] == 1) continue;
    pair.scores.push_back(values(i, 1));
    pair.signs.push_back(static_cast<std::int8_t>(classes[i] == 0 ? 1 : -1));
  }
  const PlattCurve expected = fit_platt(pair.scores, pair.signs);
  const auto& fitted = std::get<PlattCurve>(calibration.curves[1]);
  EXPECT_EQ(fitted.slope, expected.slope);
  EXPECT_EQ(fitted.intercept, expected.intercept);
}

TEST(Calibration, DirectCodesDependOnDifferencesAlone) {
  const OutputCode code = rest_code(3, MulticlassKind::direct);
  const std::vector<std::int32_t> classes = cyclic_classes(60, 3);
  const DenseMatrix values = noisy_values(code, classes, 4);
  DenseMatrix moved = values;
  for (std::size_t i = 0; i < moved.rows(); ++i) {
    for (double& value : moved.row(i)) value += static_cast<double>(i);
  }
  const Calibration a = fit_calibration(CalibrationKind::platt, code, values.view(), classes);
  const Calibration b = fit_calibration(CalibrationKind::platt, code, moved.view(), classes);
  const DenseMatrix p = class_probabilities(a, code, values.view());
  const DenseMatrix r = class_probabilities(b, code, moved.view());
  for (std::size_t i = 0; i < p.values().size(); ++i) {
    EXPECT_NEAR(p.values()[i], r.values()[i], 1e-11);
  }
}

TEST(Calibration, TwoClassesFollowTheSignOfTheCode) {
  OutputCode code = two_class_code();
  const Calibration calibration{.curves = {PlattCurve{.slope = -1, .intercept = 0}}};
  const DenseMatrix values(1, 1, std::log(3.0));
  EXPECT_NEAR(class_probabilities(calibration, code, values.view())(0, 1), 0.75, 1e-15);
  code.signs = {1, -1};  // as in a model file of LIBSVM
  EXPECT_NEAR(class_probabilities(calibration, code, values.view())(0, 0), 0.75, 1e-15);
}

TEST(Calibration, AllZeroOneVsRestProbabilitiesBecomeEqual) {
  const OutputCode code = rest_code(4);
  const Calibration calibration{
      .kind = CalibrationKind::isotonic,
      .curves = std::vector<CalibrationCurve>(4, IsotonicCurve{{0, 1}, {0, 1}})};
  const DenseMatrix values(1, 4, -3.0);
  const DenseMatrix answer = class_probabilities(calibration, code, values.view());
  for (const double p : answer.row(0)) EXPECT_EQ(p, 0.25);
}

TEST(Calibration, ValidateNamesTheBrokenPart) {
  const OutputCode code = two_class_code();
  EXPECT_THROW(Calibration{}.validate(code), InvalidArgument);
  EXPECT_THROW((Calibration{.curves = {IsotonicCurve{{0}, {0.5}}}}.validate(code)),
               InvalidArgument);
  const auto isotonic = [&](IsotonicCurve curve) {
    Calibration{.kind = CalibrationKind::isotonic, .curves = {std::move(curve)}}.validate(code);
  };
  EXPECT_NO_THROW(isotonic({{0, 1}, {0.2, 0.2}}));
  EXPECT_THROW(isotonic({{0, 0}, {0.2, 0.3}}), InvalidArgument);
  EXPECT_THROW(isotonic({{0, 1}, {0.3, 0.2}}), InvalidArgument);
  EXPECT_THROW(isotonic({{0, 1}, {0.3, 1.2}}), InvalidArgument);
  EXPECT_THROW(isotonic({{}, {}}), InvalidArgument);
  EXPECT_THROW(
      (void)fit_calibration(
          CalibrationKind::platt, code, DenseMatrix(2, 3).view(), std::vector<std::int32_t>{0, 1}),
      InvalidArgument);
  EXPECT_THROW(
      (void)fit_calibration(
          CalibrationKind::platt, code, DenseMatrix(2, 1).view(), std::vector<std::int32_t>{0, 2}),
      InvalidArgument);
}

}  // namespace
}  // namespace maxmargin
