// SPDX-License-Identifier: Apache-2.0
#include "cluster/mixture/step.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "core/parallel.hpp"
#include "linalg/blas.hpp"
#include "linalg/cholesky.hpp"
#include "linalg/eigen_symmetric.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/core/sizes.hpp"

namespace maxmargin::mixture {

// Expectation

namespace {

/// Posteriors below this add nothing that a double could show: the points are passed over.
constexpr double negligible = 1e-24;

Expectation empty_expectation(const MixtureModel& model) {
  const std::size_t k = model.components();
  const std::size_t d = model.means.cols();
  const bool has_second = model.covariance != Covariance::tied;
  return {.mass = std::vector<double>(k, 0.0),
          .first = DenseMatrix(k, d),
          .second = has_second ? DenseMatrix(model.covariances.rows(), model.covariances.cols())
                               : DenseMatrix()};
}

/// Adds the points of one block to the sums of one component.
class ComponentSums {
 public:
  ComponentSums(const MixtureModel& model, Expectation& sums, Workspace& work)
      : model_(model), sums_(sums), work_(work), chosen_(block_columns) {}

  void add(DenseView block, std::size_t j) {
    if (model_.covariance == Covariance::full) {
      add_products(block, j);
    } else {
      add_moments(block, j);
    }
  }

 private:
  void add_moments(DenseView block, std::size_t j) {
    const auto posteriors = work_.posteriors.row(j).first(block.cols);
    Moments moments;
    for (std::size_t f = 0; f < block.rows; ++f) {
      moments = weighted_moments(block.row(f), model_.means(j, f), posteriors);
      sums_.first(j, f) += moments.first;
      if (model_.covariance == Covariance::tied) continue;
      sums_.second(j, model_.covariance == Covariance::spherical ? 0 : f) += moments.second;
    }
    sums_.mass[j] += moments.zeroth;
  }
  /// Differences are scaled by the roots of the posteriors: their products then carry the
  /// posteriors.
  void add_products(DenseView block, std::size_t j) {
    const std::size_t count = choose(j, block.cols);
    if (count == 0) return;
    const std::size_t d = block.rows;
    const MutableDenseView differences = first_columns(work_.whitened, count);
    const std::span<const double> root(work_.scratch.data(), count);
    for (std::size_t f = 0; f < d; ++f) {
      const std::span<const double> x = block.row(f);
      const double mean = model_.means(j, f);
      if (count == block.cols) {
        scaled_difference(x, mean, root, differences.row(f));
        continue;
      }
      double* const out = differences.row(f).data();
      for (std::size_t i = 0; i < count; ++i) out[i] = (x[chosen_[i]] - mean) * root[i];
    }
    gemv(Transpose::no, 1.0, differences, root, 1.0, sums_.first.row(j));
    syrk_lower(
        Transpose::no, 1.0, differences, 1.0, sums_.second.view().middle_rows(j * d, (j + 1) * d));
  }
  /// The points that count, with the roots of their posteriors in the scratch row.
  std::size_t choose(std::size_t j, std::size_t columns) {
    const std::span<const double> posteriors = work_.posteriors.row(j);
    std::size_t count = 0;
    for (std::size_t i = 0; i < columns; ++i) {
      sums_.mass[j] += posteriors[i];
      if (posteriors[i] <= negligible) continue;
      chosen_[count] = i;
      work_.scratch[count] = std::sqrt(posteriors[i]);
      ++count;
    }
    return count;
  }

  const MixtureModel& model_;
  Expectation& sums_;
  Workspace& work_;
  std::vector<std::size_t> chosen_;
};

/// Leaves posteriors and log densities of block b in the workspace.
using FillPosteriors = std::function<void(std::size_t b, Workspace& work)>;

void add_blocks(const Points& points,
                const MixtureModel& model,
                const FillPosteriors& fill,
                std::size_t begin,
                std::size_t end,
                Expectation& sums) {
  Workspace work(points.features(), model.components());
  ComponentSums components(model, sums, work);
  for (std::size_t b = begin; b < end; ++b) {
    const DenseView block = points.block(b);
    const std::span<const double> weights = points.block_weights(b);
    fill(b, work);
    for (std::size_t i = 0; i < block.cols; ++i) {
      sums.log_likelihood += (weights.empty() ? 1.0 : weights[i]) * work.log_densities[i];
    }
    for (std::size_t j = 0; j < model.components(); ++j) {
      if (!weights.empty()) {
        const std::span<double> row = work.posteriors.row(j);
        for (std::size_t i = 0; i < block.cols; ++i) row[i] *= weights[i];
      }
      components.add(block, j);
    }
  }
}

void add_to(const Expectation& part, Expectation& sum) {
  sum.log_likelihood += part.log_likelihood;
  for (std::size_t j = 0; j < sum.mass.size(); ++j) sum.mass[j] += part.mass[j];
  axpy(1.0, part.first.values(), sum.first.values());
  axpy(1.0, part.second.values(), sum.second.values());
}

/// Of the covariances of k components.
std::size_t covariance_numbers(Covariance covariance, std::size_t k, std::size_t d) {
  switch (covariance) {
    case Covariance::spherical:
      return k;
    case Covariance::diagonal:
      return checked_multiply(k, d);
    case Covariance::full:
      return checked_multiply(k, checked_multiply(d, d));
    case Covariance::tied:
      return checked_multiply(d, d);
  }
  throw InternalError("unknown covariance");
}

/// Of one Expectation.
std::size_t sum_numbers(Covariance covariance, std::size_t k, std::size_t d) {
  const std::size_t second =
      covariance == Covariance::tied ? 0 : covariance_numbers(covariance, k, d);
  return checked_add(checked_multiply(k, d + 1), second);
}

/// Blocks handed to one task: up to 64 tasks, fewer when their sums would take much memory.
std::size_t blocks_per_task(const Points& points, std::size_t numbers) {
  constexpr std::size_t most_numbers = std::size_t{1} << 25;  // 256 MB
  const std::size_t tasks = std::clamp<std::size_t>(most_numbers / numbers, 4, 64);
  return std::max<std::size_t>(1, chunk_count(points.blocks(), tasks));
}

Expectation sums_of_points(const Points& points,
                           const MixtureModel& model,
                           const FillPosteriors& fill) {
  Expectation total = empty_expectation(model);
  const std::size_t chunk =
      blocks_per_task(points, sum_numbers(model.covariance, model.components(), points.features()));
  std::vector<Expectation> parts(chunk_count(points.blocks(), chunk));
  parallel_chunks(points.threads(),
                  points.blocks(),
                  chunk,
                  [&](std::size_t c, std::size_t begin, std::size_t end) {
                    parts[c] = empty_expectation(model);
                    add_blocks(points, model, fill, begin, end, parts[c]);
                  });
  for (const Expectation& part : parts) add_to(part, total);
  return total;
}

}  // namespace

std::size_t numbers_of_run(const Points& points, Covariance covariance, std::size_t components) {
  const std::size_t d = points.features();
  const std::size_t sums = sum_numbers(covariance, components, d);
  const std::size_t parts = chunk_count(points.blocks(), blocks_per_task(points, sums));
  // The sums of all tasks and their total; the model, the next one and what densities need.
  const std::size_t model = checked_add(checked_multiply(components, d + 1),
                                        covariance_numbers(covariance, components, d));
  return checked_add(checked_multiply(parts + 1, sums), checked_multiply(4, model));
}

Expectation expectation(const Points& points,
                        const MixtureModel& model,
                        const Densities& densities) {
  return sums_of_points(points, model, [&](std::size_t b, Workspace& work) {
    densities.posteriors(points.block(b), work);
  });
}

// Maximisation

namespace {

/// Below this share of all weight a component is empty.
constexpr double empty_share = 1e-14;

/// The nearest matrix to `covariance` in likelihood whose eigenvalues are at least `floor`
/// (mixture.md derives it): smaller ones become the floor.
void raise_eigenvalues(MutableDenseView covariance, double floor) {
  const std::size_t d = covariance.rows;
  DenseMatrix less = DenseMatrix::uninitialized(d, d);
  for (std::size_t a = 0; a < d; ++a) {
    std::ranges::copy(covariance.row(a), less.row(a).begin());
    less(a, a) -= floor;
  }
  if (Cholesky::factor(less.view(), 0.0)) return;  // all are above
  EigenPairs pairs = eigen_symmetric(covariance);
  for (std::size_t t = 0; t < d; ++t) {
    const double root = std::sqrt(std::max(pairs.values[t], floor));
    for (double& entry : pairs.vectors.row(t)) entry *= root;
  }
  syrk_lower(Transpose::yes, 1.0, pairs.vectors.view(), 0.0, covariance);
  mirror_lower(covariance);
}

/// (scatter - sum_j mass_j mean_j mean_j') / total: the covariance within the components.
DenseMatrix within_covariance(const Points& points,
                              std::span<const double> mass,
                              const DenseMatrix& means) {
  DenseMatrix scaled = means;
  for (std::size_t j = 0; j < mass.size(); ++j) {
    const double root = std::sqrt(mass[j]);
    for (double& value : scaled.row(j)) value *= root;
  }
  DenseMatrix within = points.scatter();
  const double share = 1 / points.total_weight();
  syrk_lower(Transpose::yes, -share, scaled.view(), share, within.view());
  mirror_lower(within.view());
  return within;
}

/// Covariances of component j from its sums; `step` is the way of its mean.
void set_covariance(const Expectation& found,
                    std::size_t j,
                    std::span<const double> step,
                    double floor,
                    MixtureModel& model) {
  const std::size_t d = step.size();
  const double mass = found.mass[j];
  if (model.covariance == Covariance::spherical) {
    double sum = found.second(j, 0) / mass;
    for (const double way : step) sum -= way * way;
    model.covariances(j, 0) = std::max(sum / static_cast<double>(d), floor);
  } else if (model.covariance == Covariance::diagonal) {
    for (std::size_t f = 0; f < d; ++f) {
      model.covariances(j, f) = std::max(found.second(j, f) / mass - step[f] * step[f], floor);
    }
  } else if (model.covariance == Covariance::full) {
    const MutableDenseView own = model.covariances.view().middle_rows(j * d, (j + 1) * d);
    for (std::size_t a = 0; a < d; ++a) {
      for (std::size_t b = 0; b <= a; ++b) {
        own(a, b) = found.second(j * d + a, b) / mass - step[a] * step[b];
      }
    }
    mirror_lower(own);
    raise_eigenvalues(own, floor);
  }
}

}  // namespace

MixtureModel maximisation(const Points& points,
                          const MixtureModel& model,
                          const Expectation& found,
                          const MixtureOptions& options,
                          double floor) {
  MixtureModel next = model;
  const std::size_t d = points.features();
  std::vector<double> step(d);
  for (std::size_t j = 0; j < model.components(); ++j) {
    const double mass = found.mass[j];
    const bool is_empty = mass <= empty_share * points.total_weight();
    if (!options.equal_weights) next.weights[j] = is_empty ? 0 : mass / points.total_weight();
    if (is_empty) continue;
    for (std::size_t f = 0; f < d; ++f) {
      step[f] = found.first(j, f) / mass;
      next.means(j, f) += step[f];
    }
    if (!options.fixed_variance) set_covariance(found, j, step, floor, next);
  }
  if (model.covariance == Covariance::tied) {
    next.covariances = within_covariance(points, found.mass, next.means);
    raise_eigenvalues(next.covariances.view(), floor);
  }
  return next;
}

namespace {

/// The covariance within the clusters in the form of one component of the kind: all of it, its
/// diagonal, or the mean of its diagonal; no eigenvalue below the floor.
std::vector<double> pooled_covariance(const Points& points,
                                      const MixtureModel& model,
                                      std::span<const double> mass,
                                      double floor) {
  if (!is_axis_parallel(model.covariance)) {
    DenseMatrix within = within_covariance(points, mass, model.means);
    raise_eigenvalues(within.view(), floor);
    return {within.values().begin(), within.values().end()};
  }
  std::vector<double> variances(points.scatter().row(0).begin(), points.scatter().row(0).end());
  double sum = 0;
  for (std::size_t f = 0; f < variances.size(); ++f) {
    for (std::size_t j = 0; j < mass.size(); ++j) {
      variances[f] -= mass[j] * model.means(j, f) * model.means(j, f);
    }
    variances[f] = std::max(variances[f] / points.total_weight(), floor);
    sum += variances[f];
  }
  if (model.covariance == Covariance::diagonal) return variances;
  return {sum / static_cast<double>(variances.size())};
}

/// Posteriors 0 and 1.
void fill_hard(std::span<const std::int32_t> labels, Workspace& work) {
  std::ranges::fill(work.posteriors.values(), 0.0);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    work.posteriors(static_cast<std::size_t>(labels[i]), i) = 1;
    work.log_densities[i] = 0;
  }
}

}  // namespace

MixtureModel model_of_clusters(const Points& points,
                               std::span<const std::int32_t> labels,
                               const MixtureOptions& options,
                               double floor) {
  const std::size_t k = options.k;
  const std::size_t d = points.features();
  MixtureModel model{.covariance = options.covariance,
                     .weights = std::vector<double>(k, 1 / static_cast<double>(k)),
                     .means = DenseMatrix(k, d)};
  const bool is_tied = options.covariance == Covariance::tied;
  const std::size_t width = options.covariance == Covariance::spherical ? 1 : d;
  model.covariances = DenseMatrix(covariance_numbers(options.covariance, k, d) / width, width);
  const Expectation found = sums_of_points(points, model, [&](std::size_t b, Workspace& work) {
    fill_hard(labels.subspan(b * block_columns, points.block(b).cols), work);
  });
  model = maximisation(points, model, found, options, floor);
  const std::vector<double> pooled = pooled_covariance(points, model, found.mass, floor);
  const std::size_t cells = pooled.size();
  const double prior = options.covariance == Covariance::full ? static_cast<double>(d + 1) : 1.0;
  for (std::size_t j = 0; j < k && !is_tied; ++j) {
    const std::span<double> own = model.covariances.values().subspan(j * cells, cells);
    const double share = prior / (found.mass[j] + prior);
    for (std::size_t e = 0; e < cells; ++e) own[e] += share * (pooled[e] - own[e]);
  }
  if (options.fixed_variance) {
    std::ranges::fill(model.covariances.values(), *options.fixed_variance);
  }
  return model;
}

void most_likely_of_block(const Workspace& work, std::span<std::int32_t> labels) {
  for (std::size_t i = 0; i < labels.size(); ++i) {
    std::size_t best = 0;
    for (std::size_t j = 1; j < work.posteriors.rows(); ++j) {
      if (work.posteriors(j, i) > work.posteriors(best, i)) best = j;
    }
    labels[i] = static_cast<std::int32_t>(best);
  }
}

std::vector<std::int32_t> most_likely(const Points& points,
                                      std::size_t components,
                                      const Densities& densities) {
  std::vector<std::int32_t> labels(points.size());
  parallel_chunks(
      points.threads(), points.blocks(), 4, [&](std::size_t, std::size_t begin, std::size_t end) {
        Workspace work(points.features(), components);
        for (std::size_t b = begin; b < end; ++b) {
          densities.posteriors(points.block(b), work);
          most_likely_of_block(work,
                               std::span(labels).subspan(b * block_columns, points.block(b).cols));
        }
      });
  return labels;
}

}  // namespace maxmargin::mixture
