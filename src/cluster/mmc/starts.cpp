// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/mmc-alternating.md, "Starts"
#include "cluster/mmc/starts.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <variant>

#include "cluster/equal_rows.hpp"
#include "core/parallel.hpp"
#include "linalg/blas.hpp"
#include "linalg/block_eigenpairs.hpp"
#include "linalg/eigen_symmetric.hpp"
#include "maxmargin/cluster/kmeans/kernel_kmeans.hpp"
#include "maxmargin/cluster/spectral/spectral.hpp"
#include "maxmargin/core/number.hpp"
#include "maxmargin/core/rng.hpp"
#include "maxmargin/kernel/gram/gram.hpp"
#include "maxmargin/model/kernel/decision_function.hpp"
#include "maxmargin/solver/kmeans/kmeans.hpp"
#include "relax/balanced_classes.hpp"
#include "relax/class_polish.hpp"
#include "relax/label_rounding.hpp"

namespace maxmargin {

namespace {

constexpr std::size_t components = 4;
/// Up to so many features the scatter matrix is formed.
constexpr std::size_t most_scattered = 1000;
/// Up to so many points spectral clustering proposes labels.
constexpr std::size_t most_spectral = 2000;
constexpr std::array spectral_widths = {1.0, 4.0, 16.0, 64.0};

bool is_stopped(const MmcStartOptions& options) {
  return options.context.ask({.phase = "starts"}) != Continue::yes;
}

/// Values of linear functions (one a row of `directions`) on the points.
DenseMatrix projections(const MmcPoints& points,
                        const DenseMatrix& directions,
                        const MmcStartOptions& options) {
  LinearFunctions functions{.weights = directions,
                            .offsets = std::vector<double>(directions.rows(), 0.0)};
  if (points.shifts()) {
    for (std::size_t k = 0; k < directions.rows(); ++k) {
      functions.offsets[k] = -dot(directions.row(k), points.mean);
    }
  }
  return decision_values(functions, points.examples, {.context = options.context});
}

/// X'X v of the points (centred where the bias says so), rows of vectors.
void multiply_scatter(const MmcPoints& points,
                      DenseView vectors,
                      const MmcStartOptions& options,
                      MutableDenseView images) {
  DenseMatrix directions(vectors.rows, vectors.cols);
  for (std::size_t k = 0; k < vectors.rows; ++k) {
    std::ranges::copy(vectors.row(k), directions.row(k).begin());
  }
  const DenseMatrix values = projections(points, directions, options);
  // A direction a chunk: each is a sum in the order of the points.
  parallel_chunks(thread_count(options.context.threads),
                  vectors.rows,
                  1,
                  [&](std::size_t k, std::size_t, std::size_t) {
                    const std::span<double> image = images.row(k);
                    std::ranges::fill(image, 0.0);
                    double sum = 0;
                    for (std::size_t i = 0; i < values.rows(); ++i) {
                      points.examples.row(i).axpy_into(values(i, k), image);
                      sum += values(i, k);
                    }
                    if (points.shifts()) axpy(-sum, points.mean, image);
                  });
}

/// Leading principal components, one a row, the largest first.
DenseMatrix principal_directions(const MmcPoints& points, const MmcStartOptions& options) {
  const std::size_t d = points.examples.cols();
  const std::size_t count = std::min(components, d);
  EigenPairs pairs;
  if (d <= most_scattered) {
    ColumnMeans zero{.value = points.shifts() ? points.mean : std::vector<double>(d, 0.0)};
    pairs = eigen_symmetric(
        scatter_matrix(points.examples.points(), {}, zero, thread_count(options.context.threads))
            .view());
  } else {
    pairs = largest_eigenpairs(d,
                               [&](DenseView vectors, MutableDenseView images) {
                                 multiply_scatter(points, vectors, options, images);
                               },
                               {.count = count,
                                .tolerance = 1e-3,
                                .max_steps = 30,
                                .context = options.context.quiet()})
                .pairs;
  }
  DenseMatrix directions(count, d);
  for (std::size_t k = 0; k < count; ++k) {
    std::ranges::copy(pairs.vectors.row(pairs.vectors.rows() - 1 - k), directions.row(k).begin());
  }
  return directions;
}

DenseMatrix column(const DenseMatrix& matrix, std::size_t first, std::size_t count) {
  DenseMatrix part(matrix.rows(), count);
  for (std::size_t i = 0; i < matrix.rows(); ++i) {
    std::ranges::copy(matrix.row(i).subspan(first, count), part.row(i).begin());
  }
  return part;
}

/// Functions a labelling needs.
std::size_t functions_of(std::size_t classes) { return classes == 2 ? 1 : classes; }

/// Adds the labels that the values ask for, one start for every `functions_of` columns; once
/// stopped, no more than the first.
void add_by_values(const DenseMatrix& values,
                   const std::string& origin,
                   const MmcStartOptions& options,
                   std::vector<MmcStart>& starts) {
  const std::size_t functions = functions_of(options.classes);
  for (std::size_t k = 0; (k + 1) * functions <= values.cols(); ++k) {
    // Sorting many points, or for many starts, takes seconds.
    if (k > 0 && is_stopped(options)) return;
    starts.push_back(
        {origin + " " + std::to_string(k + 1),
         relabel(column(values, k * functions, functions).view(), options.least, options.most)});
  }
}

/// Squared distances to centres, for balance.
DenseMatrix centre_distances(const Examples& examples, const DenseMatrix& centres) {
  DenseMatrix distances(examples.rows(), centres.rows());
  for (std::size_t i = 0; i < examples.rows(); ++i) {
    for (std::size_t r = 0; r < centres.rows(); ++r) {
      distances(i, r) = examples.row(i).squared_distance(Row(centres.row(r)));
    }
  }
  return distances;
}

/// The same labels, but for as few points as the sizes ask.
std::vector<std::int32_t> repaired(std::span<const std::int32_t> labels,
                                   const MmcStartOptions& options) {
  DenseMatrix costs(labels.size(), options.classes, 1.0);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    costs(i, static_cast<std::size_t>(std::max(labels[i], 0))) = 0;
  }
  return balanced_classes(costs.view(), options.least, options.most);
}

/// Squared distances to the means of labelled points in feature space, less K_ii.
DenseMatrix mean_distances(const DenseMatrix& gram,
                           std::span<const std::int32_t> labels,
                           std::size_t classes) {
  std::vector<double> sizes(classes, 0.0);
  for (const std::int32_t label : labels) sizes[static_cast<std::size_t>(label)] += 1;
  DenseMatrix sums(gram.rows(), classes);
  std::vector<double> squares(classes, 0.0);
  for (std::size_t i = 0; i < gram.rows(); ++i) {
    for (std::size_t j = 0; j < gram.rows(); ++j) {
      sums(i, static_cast<std::size_t>(labels[j])) += gram(i, j);
    }
    const auto own = static_cast<std::size_t>(labels[i]);
    squares[own] += sums(i, own);
  }
  for (std::size_t i = 0; i < gram.rows(); ++i) {
    for (std::size_t r = 0; r < classes; ++r) {
      const double size = std::max(sizes[r], 1.0);
      sums(i, r) = squares[r] / (size * size) - 2 * sums(i, r) / size;
    }
  }
  return sums;
}

/// How many random starts are still wanted.
std::size_t missing(const std::vector<MmcStart>& starts, const MmcStartOptions& options) {
  return options.count > starts.size() ? options.count - starts.size() : 0;
}

}  // namespace

std::vector<std::size_t> sample_rows(const Examples& examples,
                                     std::size_t classes,
                                     std::uint64_t seed) {
  if (examples.rows() <= sampled_points) return {};
  std::vector<std::size_t> rows = Rng(seed, "mmc sample").sample(examples.rows(), sample_size);
  std::ranges::sort(rows);
  if (distinct_rows(examples.select(rows), classes) < classes) rows.clear();
  return rows;
}

std::vector<std::int32_t> relabel(DenseView values, std::size_t least, std::size_t most) {
  if (values.cols > 1) return balanced_classes(class_losses(values).view(), least, most);
  std::vector<double> scores(values.rows);
  for (std::size_t i = 0; i < values.rows; ++i) scores[i] = values(i, 0);
  return labels_of(balanced_signs(scores, least));
}

std::vector<MmcStart> direction_starts(const MmcPoints& points,
                                       const DenseMatrix& directions,
                                       const MmcStartOptions& options) {
  std::vector<MmcStart> starts;
  if (directions.rows() > 0 && options.classes == 2) {
    add_by_values(projections(points, directions, options), "relaxation", options, starts);
  }
  return starts;
}

std::vector<MmcStart> feature_starts(const MmcPoints& points,
                                     const DenseMatrix& directions,
                                     const MmcStartOptions& options) {
  std::vector<MmcStart> starts = direction_starts(points, directions, options);
  const KmeansOptions kmeans{.k = options.classes,
                             .restarts = 3,
                             .max_iterations = 50,
                             .context = options.context,
                             .lower_bound_limit = 0};
  const KmeansSolution means = points.examples.is_dense()
                                   ? solve_kmeans(points.examples.dense(), kmeans)
                                   : solve_kmeans(points.examples.sparse(), kmeans);
  starts.push_back(
      {"k-means",
       balanced_classes(
           centre_distances(points.examples, means.centres).view(), options.least, options.most)});
  if (options.classes == 2 && options.count > 1 && !is_stopped(options)) {
    const DenseMatrix values = projections(points, principal_directions(points, options), options);
    add_by_values(column(values, 0, std::min(values.cols(), options.count - 1)),
                  "principal component",
                  options,
                  starts);
  }
  const std::size_t more = missing(starts, options);
  if (more > 0 && !is_stopped(options)) {
    DenseMatrix random(more * functions_of(options.classes), points.examples.cols());
    Rng rng(options.context.seed, "mmc start");
    for (double& x : random.values()) x = rng.normal();
    add_by_values(projections(points, random, options), "random direction", options, starts);
  }
  return starts;
}

std::vector<MmcStart> gram_starts(const DenseMatrix& gram, const MmcStartOptions& options) {
  std::vector<MmcStart> starts;
  const KernelKmeansClustering means = cluster_kernel_kmeans(
      gram.view(),
      {.k = options.classes, .restarts = 3, .lower_bound_limit = 0, .context = options.context});
  starts.push_back({"kernel k-means",
                    balanced_classes(mean_distances(gram, means.labels, options.classes).view(),
                                     options.least,
                                     options.most)});
  if (options.classes == 2 && options.count > 1 && !is_stopped(options)) {
    for (LabelCandidate& candidate :
         round_principal_components(gram.view(),
                                    std::min(components, options.count - 1),
                                    {.least = options.least, .context = options.context})) {
      starts.push_back({std::move(candidate.origin), labels_of(candidate.signs)});
    }
  }
  const std::size_t more = missing(starts, options);
  if (more > 0 && !is_stopped(options)) {
    DenseMatrix random(more * functions_of(options.classes), gram.rows());
    Rng rng(options.context.seed, "mmc start");
    for (double& x : random.values()) x = rng.normal();
    DenseMatrix images(random.rows(), gram.rows());
    multiply_symmetric(
        gram.view(), random.view(), images.view(), thread_count(options.context.threads));
    DenseMatrix values(gram.rows(), random.rows());
    for (std::size_t k = 0; k < random.rows(); ++k) {
      for (std::size_t i = 0; i < gram.rows(); ++i) values(i, k) = images(k, i);
    }
    add_by_values(values, "random function", options, starts);
  }
  return starts;
}

std::vector<MmcStart> spectral_starts(const Dataset& data,
                                      const Kernel& kernel,
                                      const MmcStartOptions& options) {
  std::vector<MmcStart> starts;
  const auto* rbf = std::get_if<Rbf>(&kernel);
  if (rbf == nullptr || data.size() > most_spectral) return starts;
  for (const double width : spectral_widths) {
    if (is_stopped(options)) break;
    const std::string origin = "spectral, gamma x " + format_number(width);
    const Rbf narrower{.gamma = width * rbf->gamma};
    if (options.classes == 2) {
      const LabelCandidate candidate =
          round_spectral(gram(narrower, data.examples, {.context = options.context}),
                         origin,
                         {.least = options.least, .context = options.context});
      starts.push_back({origin, labels_of(candidate.signs)});
      continue;
    }
    const SpectralClustering found =
        cluster_spectral({.examples = data.examples},
                         {.k = options.classes, .kernel = narrower, .context = options.context});
    starts.push_back({origin, repaired(found.labels, options)});
  }
  return starts;
}

}  // namespace maxmargin
