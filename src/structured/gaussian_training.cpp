// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/hmm.md, "Vectors"
#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <string>
#include <utility>

#include "core/memory_limit.hpp"
#include "linalg/eigen_symmetric.hpp"
#include "maxmargin/core/options.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/core/sizes.hpp"
#include "structured/gaussian_parts.hpp"
#include "structured/hmm_fit.hpp"
#include "structured/hmm_kernels.hpp"

namespace maxmargin {

namespace {

/// What is added to the counts of known states where a run begins with them: nothing is forbidden.
constexpr double known_smoothing = 1;

std::vector<std::size_t> lengths_of(std::span<const VectorSequence> vectors) {
  std::vector<std::size_t> lengths;
  for (const VectorSequence& each : vectors) lengths.push_back(each.rows());
  return lengths;
}

/// The vectors in their units, the factors of all positions, and the tables of expected counts.
void require_room(std::size_t positions,
                  std::size_t states,
                  std::size_t d,
                  const Context& context) {
  const std::size_t rows = checked_multiply(positions, checked_add(d, hmm_stride(states) + 1));
  const std::size_t tables =
      checked_multiply(HmmExpectation::most_parts + 4,
                       checked_multiply(states, checked_add(states, checked_multiply(d + 2, d))));
  require_within_limit(checked_multiply(sizeof(double), checked_add(rows, tables)),
                       context.memory_limit,
                       "an HMM of " + std::to_string(states) + " states on " +
                           std::to_string(positions) + " vectors of " + std::to_string(d) +
                           " features",
                       "use fewer states or positions");
}

/// Identity matrices (or their diagonals) behind means.
std::vector<double> with_unit_covariances(std::vector<double> means,
                                          std::size_t k,
                                          std::size_t d,
                                          HmmCovariance covariance) {
  for (std::size_t j = 0; j < k; ++j) {
    for (std::size_t r = 0; r < d; ++r) {
      if (covariance == HmmCovariance::diagonal) {
        means.push_back(1);
        continue;
      }
      for (std::size_t c = 0; c < d; ++c) means.push_back(r == c ? 1 : 0);
    }
  }
  return means;
}

/// Positions as means: each is drawn by its squared distance from those before (k-means++).
std::vector<double> drawn_means(const HmmVectors& vectors, std::size_t k, Rng& rng) {
  const std::size_t n = vectors.positions();
  std::vector<double> means;
  std::vector<double> distances(n, std::numeric_limits<double>::infinity());
  for (std::size_t j = 0; j < k; ++j) {
    double sum = 0;
    for (const double x : distances) sum += x;
    // Everything at once where all positions are taken, and for the first one.
    const std::size_t chosen = j == 0 || !(sum > 0) ? rng.index(n) : rng.discrete(distances);
    const auto mean = vectors.vector(chosen);
    means.insert(means.end(), mean.begin(), mean.end());
    for (std::size_t t = 0; t < n; ++t) {
      double squares = 0;
      const auto x = vectors.vector(t);
      for (std::size_t r = 0; r < x.size(); ++r) squares += (x[r] - mean[r]) * (x[r] - mean[r]);
      distances[t] = std::min(distances[t], squares);
    }
  }
  return means;
}

/// Sums over positions whose state is known, around the origin of the units.
std::vector<double> known_sums(const HmmVectors& vectors,
                               std::span<const LabelSequence> known,
                               std::size_t k) {
  std::vector<double> sums(vectors.sums(), 0.0);
  const std::size_t stride = hmm_stride(k);
  constexpr std::size_t block = 1024;
  std::vector<double> rows(block * stride);
  for (std::size_t s = 0; s < known.size(); ++s) {
    for (std::size_t begin = 0; begin < known[s].size(); begin += block) {
      const std::size_t end = std::min(known[s].size(), begin + block);
      std::ranges::fill(rows, 0.0);
      for (std::size_t t = begin; t < end; ++t) {
        if (known[s][t] != unknown_state) rows[(t - begin) * stride + known[s][t]] = 1;
      }
      vectors.add(s, begin, end, rows.data(), sums.data());
    }
  }
  return sums;
}

/// Means and covariances of what is known; without any, the origin and the identity.
std::vector<double> known_parameters(HmmVectors& vectors,
                                     std::span<const LabelSequence> known,
                                     std::size_t k,
                                     HmmCovariance covariance) {
  const std::size_t d = vectors.features();
  vectors.set_parameters(with_unit_covariances(std::vector<double>(k * d, 0.0), k, d, covariance));
  // Twice: around the means themselves nothing cancels.
  for (int pass = 0; pass < 2; ++pass) vectors.maximise(known_sums(vectors, known, k), 0);
  return vectors.parameters();
}

}  // namespace

void GaussianHmmOptions::describe(OptionVisitor& visit) {
  // Rounding would fill in what is below.
  static constexpr NumberRule floor_rule{"a finite number >= 1e-12",
                                         {.least = 1e-12, .has_least = true}};
  visit.whole({.name = "states", .help = "hidden states"}, states, {.least = 1});
  visit.name({.name = "covariance", .help = "shape of the states' covariance matrices"},
             covariance);
  visit.number(
      {.name = "variance-floor", .help = "least variance, features in units of their deviation"},
      variance_floor,
      floor_rule);
  visit.yes_no({.name = "with-end", .help = "let the model say where sequences end"}, with_end);
  visit.whole(
      {.name = "restarts", .help = "runs, of which the best is kept"}, restarts, {.least = 1});
  visit.whole({.name = "max-iterations", .help = "steps of each run at most"},
              max_iterations,
              {.least = 1});
  visit.number({.name = "tolerance", .help = "relative gain of the objective at which a run ends"},
               tolerance,
               rules::not_negative);
  visit.number({.name = "smoothing", .help = "added to every expected count of transitions"},
               smoothing,
               rules::not_negative);
  visit.check([this] {
    if (start) maxmargin::validate(*start);
  });
}

GaussianHmmResult train_gaussian_hmm(std::span<const VectorSequence> vectors,
                                     const GaussianHmmOptions& options) {
  validate(options);
  const FeatureUnits units = units_of(vectors, options.variance_floor);
  const std::size_t d = units.unit.size();
  const std::size_t k = options.start ? options.start->states() : options.states;
  const HmmCovariance covariance = options.start ? options.start->covariance : options.covariance;
  const bool with_end = options.start ? !options.start->end.empty() : options.with_end;
  require(!options.start || options.start->features() == d,
          "the start must have the features of the vectors");
  const std::vector<std::size_t> lengths = lengths_of(vectors);
  const std::size_t positions = std::accumulate(lengths.begin(), lengths.end(), std::size_t{0});
  require_room(positions, k, d, options.context);
  require_known(options.known, lengths, k);
  HmmVectors emissions(vectors, units, k, covariance, options.variance_floor);
  const auto start_of_run = [&](std::size_t r) -> HmmStart {
    if (options.start) {
      const GaussianHmm& given = *options.start;
      return {.chain = {.start = given.start, .transitions = given.transitions, .end = given.end},
              .emissions = parameters_in(given, units)};
    }
    if (r == 0 && has_known(options.known)) {
      return {
          .chain = chain_of_counts(
              count_known(options.known, k, with_end), known_smoothing, uniform_chain(k, with_end)),
          .emissions = known_parameters(emissions, options.known, k, covariance)};
    }
    Rng rng(options.context.seed, "Baum-Welch", r);
    HmmChain chain = drawn_chain(k, with_end, rng);
    return {.chain = std::move(chain),
            .emissions = with_unit_covariances(drawn_means(emissions, k, rng), k, d, covariance)};
  };
  HmmFit fit = fit_hidden_chain(emissions,
                                start_of_run,
                                {.restarts = options.start ? 1 : options.restarts,
                                 .max_iterations = options.max_iterations,
                                 .tolerance = options.tolerance,
                                 .smoothing = options.smoothing,
                                 .known = options.known,
                                 .context = options.context});
  // Densities were those of vectors in their units.
  const double offset = -static_cast<double>(positions) * units.log_volume();
  for (double& objective : fit.trace) objective += offset;
  for (HmmRestart& run : fit.restarts) run.objective += offset;
  fit.report.primal_objective = -fit.trace.back();
  return {.model = gaussian_of(std::move(fit.chain), fit.emissions, covariance, units),
          .log_likelihood = fit.log_likelihood + offset,
          .trace = std::move(fit.trace),
          .best_restart = fit.best_restart,
          .restarts = std::move(fit.restarts),
          .constant_features = units.constant,
          .report = std::move(fit.report)};
}

namespace {

/// sum of n log(n / sum of n) over the rows of smoothed counts.
double bound_of_chain(const HmmChain& counts, double smoothing) {
  double bound = 0;
  const auto add = [&](std::vector<double> row) {
    for (double& n : row) n += smoothing;
    const double all = std::accumulate(row.begin(), row.end(), 0.0);
    for (const double n : row) {
      if (n > 0) bound += n * std::log(n / all);
    }
  };
  add(counts.start);
  for (std::size_t i = 0; i < counts.start.size(); ++i) {
    const auto row = counts.transitions.row(i);
    std::vector<double> next(row.begin(), row.end());
    if (!counts.end.empty()) next.push_back(counts.end[i]);
    add(std::move(next));
  }
  return bound;
}

/// Of each state the largest likelihood of its vectors above the floor, from the eigenvalues of
/// their scatter (its diagonal): by von Neumann's trace inequality no matrix with eigenvalues above
/// the floor has a larger one.
double bound_of_densities(const HmmVectors& vectors,
                          std::span<const LabelSequence> states,
                          std::size_t k,
                          const GaussianHmmOptions& options) {
  const std::size_t d = vectors.features();
  double bound = 0;
  for (std::size_t j = 0; j < k; ++j) {
    const auto over = [&](const auto& visit) {
      std::size_t at = 0;
      for (const LabelSequence& y : states) {
        for (const std::uint32_t state : y) {
          if (state == j) visit(vectors.vector(at));
          ++at;
        }
      }
    };
    double n = 0;
    std::vector<double> mean(d, 0.0);
    over([&](std::span<const double> x) {
      n += 1;
      for (std::size_t r = 0; r < d; ++r) mean[r] += x[r];
    });
    if (n == 0) continue;
    for (double& each : mean) each /= n;
    DenseMatrix scatter(d, d, 0.0);
    const bool is_full = options.covariance == HmmCovariance::full;
    over([&](std::span<const double> x) {
      for (std::size_t r = 0; r < d; ++r) {
        for (std::size_t c = is_full ? 0 : r; c <= r; ++c) {
          scatter(r, c) += (x[r] - mean[r]) * (x[c] - mean[c]) / n;
        }
      }
    });
    std::vector<double> values(d);
    for (std::size_t r = 0; r < d; ++r) values[r] = scatter(r, r);
    if (is_full) values = eigenvalues_symmetric(scatter.view());
    for (const double value : values) {
      const double kept = std::max(value, options.variance_floor);
      bound -=
          n / 2 * (std::log(2 * std::numbers::pi) + std::log(kept) + std::max(value, 0.0) / kept);
    }
  }
  return bound;
}

}  // namespace

GaussianHmmResult estimate_gaussian_hmm(std::span<const VectorSequence> vectors,
                                        std::span<const LabelSequence> states,
                                        const GaussianHmmOptions& options) {
  validate(options);
  const FeatureUnits units = units_of(vectors, options.variance_floor);
  const std::size_t k = options.states;
  const std::vector<std::size_t> lengths = lengths_of(vectors);
  const std::size_t positions = std::accumulate(lengths.begin(), lengths.end(), std::size_t{0});
  require(states.size() == vectors.size(),
          "there must be one sequence of states for every one of vectors");
  require_room(positions, k, units.unit.size(), options.context);
  require_known(states, lengths, k);
  HmmVectors emissions(vectors, units, k, options.covariance, options.variance_floor);
  const HmmChain counts = count_known(states, k, options.with_end);
  const std::vector<double> parameters = known_parameters(emissions, states, k, options.covariance);
  GaussianHmmResult result{
      .model = gaussian_of(
          chain_of_counts(counts, options.smoothing, uniform_chain(k, options.with_end)),
          parameters,
          options.covariance,
          units),
      .constant_features = units.constant};
  const double known =
      std::accumulate(states.begin(), states.end(), 0.0, [](double sum, const LabelSequence& y) {
        return sum + static_cast<double>(y.size()) -
               static_cast<double>(std::ranges::count(y, unknown_state));
      });
  const double objective =
      gaussian_count_objective(result.model, vectors, states, options.smoothing);
  result.log_likelihood = objective;
  result.report.primal_objective = -objective;
  result.report.dual_objective =
      -(bound_of_chain(counts, options.smoothing) +
        bound_of_densities(emissions, states, k, options) - known * units.log_volume());
  return result;
}

}  // namespace maxmargin
