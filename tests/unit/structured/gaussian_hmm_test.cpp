// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/structured/gaussian_hmm.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>

#include "hmm_cases.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/core/options.hpp"

namespace maxmargin {
namespace {

/// k separated states in d features, covariances that are not round.
GaussianHmm drawn_model(std::size_t k, std::size_t d, HmmCovariance covariance, Rng& rng) {
  const Hmm chain = random_hmm(k, 2, false, rng);
  const bool is_full = covariance == HmmCovariance::full;
  GaussianHmm model{.start = chain.start,
                    .transitions = chain.transitions,
                    .covariance = covariance,
                    .means = DenseMatrix(k, d),
                    .covariances = DenseMatrix(is_full ? k * d : k, d)};
  for (double& x : model.means.values()) x = rng.normal(0, 2);
  for (std::size_t j = 0; j < k; ++j) {
    if (!is_full) {
      for (double& x : model.covariances.row(j)) x = rng.uniform(0.3, 1.5);
      continue;
    }
    DenseMatrix root(d, d);
    for (double& x : root.values()) x = rng.normal(0, 0.5);
    for (std::size_t r = 0; r < d; ++r) {
      for (std::size_t c = 0; c <= r; ++c) {
        double sum = r == c ? 0.3 : 0;
        for (std::size_t e = 0; e < d; ++e) sum += root(r, e) * root(c, e);
        model.covariances(j * d + r, c) = model.covariances(j * d + c, r) = sum;
      }
    }
  }
  return model;
}

struct Drawn {
  std::vector<VectorSequence> vectors;
  std::vector<LabelSequence> states;
};

Drawn drawn(const GaussianHmm& model, std::size_t n, std::size_t length, Rng& rng) {
  Drawn made;
  const std::size_t d = model.features();
  for (std::size_t i = 0; i < n; ++i) {
    VectorSequence x(length, d);
    LabelSequence y(length);
    for (std::size_t t = 0; t < length; ++t) {
      const auto next =
          t == 0 ? std::span<const double>(model.start) : model.transitions.row(y[t - 1]);
      y[t] = static_cast<std::uint32_t>(rng.discrete(next));
      for (std::size_t r = 0; r < d; ++r) x(t, r) = rng.normal(model.means(y[t], r), 0.7);
    }
    made.vectors.push_back(std::move(x));
    made.states.push_back(std::move(y));
  }
  return made;
}

/// N(x; mean, covariance) by the inverse and the determinant, for two features.
double plain_density(const GaussianHmm& model, std::size_t j, double x0, double x1) {
  const bool is_full = model.covariance == HmmCovariance::full;
  const double a = is_full ? model.covariances(2 * j, 0) : model.covariances(j, 0);
  const double b = is_full ? model.covariances(2 * j, 1) : 0;
  const double c = is_full ? model.covariances(2 * j + 1, 1) : model.covariances(j, 1);
  const double determinant = a * c - b * b;
  const double u = x0 - model.means(j, 0);
  const double v = x1 - model.means(j, 1);
  const double square = (c * u * u - 2 * b * u * v + a * v * v) / determinant;
  return std::exp(-square / 2) / (2 * std::numbers::pi * std::sqrt(determinant));
}

TEST(GaussianHmm, DensitiesAreTheFormula) {
  for (const HmmCovariance covariance : {HmmCovariance::diagonal, HmmCovariance::full}) {
    Rng rng(1);
    const GaussianHmm model = drawn_model(3, 2, covariance, rng);
    const Drawn data = drawn(model, 1, 50, rng);
    const DenseMatrix logs = gaussian_log_densities(model, data.vectors[0]);
    for (std::size_t t = 0; t < 50; ++t) {
      for (std::size_t j = 0; j < 3; ++j) {
        const double p = plain_density(model, j, data.vectors[0](t, 0), data.vectors[0](t, 1));
        EXPECT_NEAR(logs(t, j), std::log(p), 1e-10 * (1 + std::abs(std::log(p))));
      }
    }
  }
}

// One step by the sum over all paths, with one state known.
TEST(GaussianHmm, OneStepIsTheSumOverAllPaths) {
  for (const HmmCovariance covariance : {HmmCovariance::diagonal, HmmCovariance::full}) {
    Rng rng(2);
    const GaussianHmm start = drawn_model(2, 2, covariance, rng);
    const Drawn data = drawn(start, 3, 6, rng);
    std::vector<LabelSequence> known(3, LabelSequence(6, unknown_state));
    known[1][3] = 1;
    std::vector<double> n(2, 0.0);
    DenseMatrix first(2, 2, 0.0);
    std::vector<DenseMatrix> second(2, DenseMatrix(2, 2, 0.0));
    DenseMatrix pairs(2, 2, 0.0);
    double log_likelihood = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      const VectorSequence& x = data.vectors[i];
      double all = 0;
      std::vector<double> p(64);
      for (std::size_t path = 0; path < 64; ++path) {
        p[path] = 1;
        for (std::size_t t = 0; t < 6; ++t) {
          const std::size_t y = path >> t & 1;
          const std::size_t before = t > 0 ? path >> (t - 1) & 1 : 0;
          p[path] *= t == 0 ? start.start[y] : start.transitions(before, y);
          p[path] *= plain_density(start, y, x(t, 0), x(t, 1));
          if (known[i][t] != unknown_state && known[i][t] != y) p[path] = 0;
        }
        all += p[path];
      }
      log_likelihood += std::log(all);
      for (std::size_t path = 0; path < 64; ++path) {
        for (std::size_t t = 0; t < 6; ++t) {
          const std::size_t y = path >> t & 1;
          const double share = p[path] / all;
          n[y] += share;
          if (t > 0) pairs(path >> (t - 1) & 1, y) += share;
          for (std::size_t r = 0; r < 2; ++r) {
            first(y, r) += share * x(t, r);
            for (std::size_t c = 0; c < 2; ++c) second[y](r, c) += share * x(t, r) * x(t, c);
          }
        }
      }
    }
    const GaussianHmmResult found = train_gaussian_hmm(
        data.vectors,
        {.variance_floor = 1e-12, .start = start, .max_iterations = 1, .known = known});
    EXPECT_NEAR(found.trace[0], log_likelihood, 1e-10);
    for (std::size_t j = 0; j < 2; ++j) {
      for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_NEAR(
            found.model.transitions(j, i), pairs(j, i) / (pairs(j, 0) + pairs(j, 1)), 1e-12);
      }
      for (std::size_t r = 0; r < 2; ++r) {
        const double mean = first(j, r) / n[j];
        EXPECT_NEAR(found.model.means(j, r), mean, 1e-12 * (1 + std::abs(mean)));
        for (std::size_t c = 0; c < 2; ++c) {
          const double expected = second[j](r, c) / n[j] - mean * first(j, c) / n[j];
          if (covariance == HmmCovariance::full) {
            EXPECT_NEAR(found.model.covariances(2 * j + r, c), expected, 1e-11);
          } else if (r == c) {
            EXPECT_NEAR(found.model.covariances(j, r), expected, 1e-11);
          }
        }
      }
    }
  }
}

TEST(GaussianHmm, TheLikelihoodNeverFallsAndIsTheModels) {
  for (const HmmCovariance covariance : {HmmCovariance::diagonal, HmmCovariance::full}) {
    for (const double floor : {1e-6, 0.5}) {
      Rng rng(3);
      const GaussianHmm truth = drawn_model(3, 4, covariance, rng);
      const Drawn data = drawn(truth, 5, 200, rng);
      const GaussianHmmResult found = train_gaussian_hmm(data.vectors,
                                                         {.states = 3,
                                                          .covariance = covariance,
                                                          .variance_floor = floor,
                                                          .restarts = 3,
                                                          .max_iterations = 50,
                                                          .tolerance = 0});
      EXPECT_TRUE(std::ranges::is_sorted(found.trace));
      validate(found.model);
      EXPECT_EQ(found.report.primal_objective, -found.trace.back());
      // The floor binds: no variance is below that share of its feature's.
      double least = std::numeric_limits<double>::infinity();
      for (std::size_t j = 0; j < 3 && covariance == HmmCovariance::diagonal; ++j) {
        for (const double x : found.model.covariances.row(j)) least = std::min(least, x);
      }
      EXPECT_GT(least, 0);
    }
  }
}

// Multiplied by powers of 2 the run is the same: means and variances move with the units.
TEST(GaussianHmm, ScalesWithTheData) {
  Rng rng(4);
  const GaussianHmm truth = drawn_model(3, 3, HmmCovariance::full, rng);
  const Drawn data = drawn(truth, 4, 100, rng);
  const GaussianHmmOptions options{
      .states = 3, .covariance = HmmCovariance::full, .restarts = 2, .max_iterations = 20};
  const GaussianHmmResult one = train_gaussian_hmm(data.vectors, options);
  for (const int k : {-300, -20, 1, 300}) {
    std::vector<VectorSequence> scaled = data.vectors;
    for (VectorSequence& x : scaled) {
      for (double& value : x.values()) value = std::ldexp(value, k);
    }
    const GaussianHmmResult other = train_gaussian_hmm(scaled, options);
    EXPECT_EQ(other.report.iterations, one.report.iterations);
    EXPECT_TRUE(
        std::ranges::equal(other.model.transitions.values(), one.model.transitions.values()));
    for (std::size_t j = 0; j < 3; ++j) {
      for (std::size_t r = 0; r < 3; ++r) {
        EXPECT_EQ(other.model.means(j, r), std::ldexp(one.model.means(j, r), k));
        EXPECT_EQ(other.model.covariances(j * 3 + r, r),
                  std::ldexp(one.model.covariances(j * 3 + r, r), 2 * k));
      }
    }
    // 400 positions of 3 features.
    EXPECT_NEAR(other.log_likelihood,
                one.log_likelihood - 1200 * k * std::numbers::ln2,
                1e-9 * (1 + std::abs(other.log_likelihood)));
  }
}

TEST(GaussianHmm, BitsDoNotDependOnThreads) {
  Rng rng(5);
  const GaussianHmm truth = drawn_model(6, 5, HmmCovariance::full, rng);
  const Drawn data = drawn(truth, 1, 20000, rng);
  const auto run = [&](std::size_t threads) {
    return train_gaussian_hmm(data.vectors,
                              {.states = 6,
                               .covariance = HmmCovariance::full,
                               .restarts = 1,
                               .max_iterations = 4,
                               .context = {.threads = threads}});
  };
  const GaussianHmmResult one = run(1);
  for (const std::size_t threads : {2U, 5U}) {
    const GaussianHmmResult other = run(threads);
    EXPECT_EQ(other.trace, one.trace);
    EXPECT_TRUE(
        std::ranges::equal(other.model.covariances.values(), one.model.covariances.values()));
  }
}

/// 300 vectors of two features by a rule that other programs repeat.
VectorSequence ruled_vectors() {
  VectorSequence x(300, 2);
  std::uint64_t s = 1;
  const auto next = [&] {
    s = (s * 1103515245 + 12345) % 2147483648;
    return static_cast<double>((s >> 16) % 1000) / 1000;
  };
  for (std::size_t t = 0; t < 300; ++t) {
    x(t, 0) = next() + (t / 25 % 2 == 1 ? 1.5 : 0);
    x(t, 1) = next() + x(t, 0) * 0.5;
  }
  return x;
}

// hmmlearn 0.3.3, GaussianHMM(2, implementation="scaling", n_iter=5, tol=-inf) without priors.
TEST(GaussianHmm, EqualsHmmlearn) {
  const std::vector<VectorSequence> vectors{ruled_vectors()};
  GaussianHmm start{.start = {0.6, 0.4},
                    .transitions = table({{0.7, 0.3}, {0.4, 0.6}}),
                    .covariance = HmmCovariance::diagonal,
                    .means = table({{0.4, 0.5}, {1.6, 1.2}}),
                    .covariances = table({{0.3, 0.4}, {0.5, 0.6}})};
  const auto run = [&] {
    return train_gaussian_hmm(
        vectors, {.variance_floor = 1e-12, .start = start, .max_iterations = 5, .tolerance = 0});
  };
  const GaussianHmmResult diagonal = run();
  ASSERT_EQ(diagonal.trace.size(), 6u);
  EXPECT_NEAR(diagonal.trace[0], -539.4854075412162, 1e-9);
  EXPECT_NEAR(diagonal.trace[1], -232.14219449402825, 1e-9);
  EXPECT_NEAR(diagonal.trace[5], -183.45828916993375, 1e-8);
  start.covariance = HmmCovariance::full;
  start.covariances = table({{0.3, 0.1}, {0.1, 0.4}, {0.5, -0.1}, {-0.1, 0.6}});
  const GaussianHmmResult full = run();
  EXPECT_NEAR(full.trace[0], -539.66167211337472, 1e-9);
  EXPECT_NEAR(full.trace[1], -184.04928847241902, 1e-9);
  EXPECT_NEAR(full.trace[5], -146.69693627076481, 1e-8);
}

TEST(GaussianHmm, CountsReachTheirBoundWithAndWithoutTheFloor) {
  for (const HmmCovariance covariance : {HmmCovariance::diagonal, HmmCovariance::full}) {
    for (const double floor : {1e-9, 0.9}) {
      Rng rng(6);
      const GaussianHmm truth = drawn_model(3, 3, covariance, rng);
      Drawn data = drawn(truth, 4, 60, rng);
      data.states[0][5] = unknown_state;
      const GaussianHmmOptions options{
          .states = 3, .covariance = covariance, .variance_floor = floor, .smoothing = 0.5};
      const GaussianHmmResult found = estimate_gaussian_hmm(data.vectors, data.states, options);
      EXPECT_NEAR(*found.report.primal_objective,
                  *found.report.dual_objective,
                  1e-10 * std::abs(*found.report.primal_objective));
      // Another mean is worse, and so is a covariance that is wider.
      GaussianHmm other = found.model;
      other.means(1, 1) += 0.01;
      EXPECT_LT(gaussian_count_objective(other, data.vectors, data.states, 0.5),
                found.log_likelihood);
      other = found.model;
      for (double& x : other.covariances.values()) x *= 1.01;
      EXPECT_LT(gaussian_count_objective(other, data.vectors, data.states, 0.5),
                found.log_likelihood);
    }
  }
}

TEST(GaussianHmm, AConstantFeatureAndRowsThatFillNoSpaceHaveTheFloor) {
  Rng rng(7);
  std::vector<VectorSequence> vectors(1, VectorSequence(200, 3));
  for (std::size_t t = 0; t < 200; ++t) {
    vectors[0](t, 0) = 7;
    vectors[0](t, 1) = rng.normal(t % 40 < 20 ? 0 : 5, 1);
    vectors[0](t, 2) = 2 * vectors[0](t, 1);
  }
  for (const HmmCovariance covariance : {HmmCovariance::diagonal, HmmCovariance::full}) {
    const GaussianHmmResult found = train_gaussian_hmm(
        vectors, {.states = 2, .covariance = covariance, .variance_floor = 1e-4, .restarts = 2});
    EXPECT_EQ(found.constant_features, std::vector<std::size_t>{0});
    EXPECT_TRUE(std::ranges::is_sorted(found.trace));
    EXPECT_NEAR(found.model.means(0, 0), 7, 1e-12);
    EXPECT_NEAR(found.model.covariances(0, 0), 49e-4, 1e-12);
    validate(found.model);
  }
}

TEST(GaussianHmm, SmallData) {
  const std::vector<VectorSequence> one{table({{1, 2}})};
  const GaussianHmmResult found = train_gaussian_hmm(one, {.states = 1, .restarts = 1});
  EXPECT_EQ(found.model.means(0, 1), 2);
  EXPECT_EQ(found.constant_features.size(), 2u);
  const std::vector<VectorSequence> two{table({{1}, {3}}), VectorSequence()};
  const GaussianHmmResult more = train_gaussian_hmm(two, {.states = 3, .restarts = 2});
  EXPECT_TRUE(std::ranges::is_sorted(more.trace));
}

TEST(GaussianHmm, RefusesWhatDoesNotFit) {
  const std::vector<VectorSequence> none;
  EXPECT_THROW((void)train_gaussian_hmm(none), InvalidArgument);
  const std::vector<VectorSequence> widths{table({{1}}), table({{1, 2}})};
  EXPECT_THROW((void)train_gaussian_hmm(widths), InvalidArgument);
  const std::vector<VectorSequence> infinite{
      table({{1}, {std::numeric_limits<double>::infinity()}})};
  EXPECT_THROW((void)train_gaussian_hmm(infinite), InvalidArgument);
  const std::vector<VectorSequence> good{table({{1}, {2}})};
  EXPECT_THROW((void)train_gaussian_hmm(good, {.variance_floor = 0}), InvalidArgument);
  EXPECT_THROW((void)train_gaussian_hmm(good, {.states = 0}), InvalidArgument);
  GaussianHmm model{.start = {1},
                    .transitions = table({{1}}),
                    .covariance = HmmCovariance::diagonal,
                    .means = table({{0}}),
                    .covariances = table({{-1}})};
  EXPECT_THROW(validate(model), InvalidArgument);
  model.covariances(0, 0) = 1;
  validate(model);
  EXPECT_THROW((void)gaussian_log_densities(model, table({{1, 2}})), InvalidArgument);
}

// A model that is written must be one: its variances are doubles with all their digits.
TEST(GaussianHmm, RefusesUnitsWhoseSquaresNoDoubleHolds) {
  const auto scaled = [](double unit) {
    return std::vector<VectorSequence>{
        table({{1, unit}, {2, 3 * unit}, {1, 2 * unit}, {5, 7 * unit}})};
  };
  const std::vector<LabelSequence> states{{0, 1, 0, 1}};
  for (const double unit : {1e-170, 1e-152, 1e160}) {
    const std::vector<VectorSequence> vectors = scaled(unit);
    for (const bool counts : {false, true}) {
      try {
        if (counts) {
          (void)estimate_gaussian_hmm(vectors, states, {.states = 2});
        } else {
          (void)train_gaussian_hmm(vectors, {.states = 2});
        }
        FAIL() << unit;
      } catch (const InvalidArgument& error) {
        EXPECT_TRUE(std::string(error.what()).starts_with("feature 2: its values are too")) << unit;
      }
    }
  }
  const std::vector<VectorSequence> constant{table({{1e-170}, {1e-170}})};
  EXPECT_THROW((void)train_gaussian_hmm(constant, {.states = 1}), InvalidArgument);
  for (const double unit : {1e-149, 1e152}) {
    validate(train_gaussian_hmm(scaled(unit), {.states = 2, .restarts = 2}).model);
    validate(estimate_gaussian_hmm(scaled(unit), states, {.states = 2}).model);
  }
}

TEST(GaussianHmm, CountsOfWhatDoesNotFitAreRefused) {
  const std::vector<VectorSequence> vectors{table({{1}, {2}})};
  const std::vector<LabelSequence> states{{0, 1}};
  const GaussianHmm model = estimate_gaussian_hmm(vectors, states, {.states = 2}).model;
  const std::vector<std::vector<LabelSequence>> misfits{
      {}, {{0}}, {{0, 1, 0}}, {{0, 1}, {0}}, {{0, 2}}};
  for (const std::vector<LabelSequence>& misfit : misfits) {
    EXPECT_THROW((void)gaussian_count_objective(model, vectors, misfit, 0), InvalidArgument);
  }
}

}  // namespace
}  // namespace maxmargin
