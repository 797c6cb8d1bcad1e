// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/hard-margin.md
#include "solver/hull/nearest_points.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

#include "core/parallel.hpp"
#include "maxmargin/core/number.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/core/timer.hpp"
#include "solver/hull/face.hpp"

namespace maxmargin {

namespace {

using Number = AffineFace::Number;
using Vector = AffineFace::Vector;

constexpr std::size_t point_chunk = 512;
/// The loop stops at this share of the tolerance: what is reported is measured afterwards.
constexpr double inner_share = 0.1;
/// Steps in a row that bring 0 no nearer after which there is nothing left but rounding.
constexpr std::size_t patience = 20;

/// What a combination may be longer in the check than it was in the loop.
constexpr double check_slack = 4;
constexpr std::string_view narrow_message =
    "the margin, if there is one, is too narrow beside the data for its digits";

/// A vertex of the set of differences x_plus - x_minus; without an offset one of sign_i x_i.
struct Vertex {
  std::size_t plus;
  std::size_t minus;  ///< the same as plus, without an offset
  bool operator==(const Vertex&) const = default;
};

/// One run: the steps of the page.
class Run {
 public:
  Run(const HullProblem& problem, const HullOptions& options)
      : problem_(problem), options_(options), threads_(thread_count(options.context.threads)) {}

  [[nodiscard]] HullSolution solve();

 private:
  /// The vertex of least product with the direction, and that product.
  [[nodiscard]] std::pair<Vertex, double> farthest_back(const std::vector<double>& direction) const;
  [[nodiscard]] Vector difference(const Vertex& vertex) const;
  [[nodiscard]] Vertex first_vertex() const;
  /// Moves to the point of the hull of the face that is nearest to 0, leaving out vertices.
  void minimise_over_face();
  void leave_out_empty();
  [[nodiscard]] HullSolution answer(Status status, std::string message) const;
  /// The weights prove, when summed up afresh, that there is no margin.
  [[nodiscard]] HullSolution hulls_meet() const;
  [[nodiscard]] double length() const;

  const HullProblem& problem_;
  const HullOptions& options_;
  std::size_t threads_;
  AffineFace face_;
  std::vector<Vertex> vertices_;
  Vector weights_;
  Vector nearest_;
  std::uint64_t steps_ = 0;
};

double Run::length() const {
  Number sum = 0;
  for (const Number x : nearest_) sum += x * x;
  return static_cast<double>(std::sqrt(sum));
}

std::pair<Vertex, double> Run::farthest_back(const std::vector<double>& direction) const {
  struct Ends {
    std::size_t least = 0;
    std::size_t most = 0;
    double least_value = std::numeric_limits<double>::infinity();
    double most_value = -std::numeric_limits<double>::infinity();
  };
  const DenseView& points = problem_.points;
  std::vector<Ends> parts(chunk_count(points.rows, point_chunk));
  parallel_chunks(threads_,
                  points.rows,
                  point_chunk,
                  [&](std::size_t chunk, std::size_t begin, std::size_t end) {
                    Ends& ends = parts[chunk];
                    for (std::size_t i = begin; i < end; ++i) {
                      if (problem_.signs[i] == 0) continue;
                      const std::span<const double> x = points.row(i);
                      double value = 0;
                      for (std::size_t j = 0; j < x.size(); ++j) value += direction[j] * x[j];
                      if (!problem_.offset) value *= problem_.signs[i];
                      const bool positive = problem_.signs[i] > 0 || !problem_.offset;
                      if (positive && value < ends.least_value) {
                        ends.least = i;
                        ends.least_value = value;
                      } else if (!positive && value > ends.most_value) {
                        ends.most = i;
                        ends.most_value = value;
                      }
                    }
                  });
  Ends all;
  for (const Ends& part : parts) {
    if (part.least_value < all.least_value) {
      all.least = part.least;
      all.least_value = part.least_value;
    }
    if (part.most_value > all.most_value) {
      all.most = part.most;
      all.most_value = part.most_value;
    }
  }
  if (!problem_.offset) return {{all.least, all.least}, all.least_value};
  // Afresh in extended precision: both may be large beside their difference.
  const Vertex vertex{all.least, all.most};
  const Vector edge = difference(vertex);
  Number value = 0;
  for (std::size_t j = 0; j < edge.size(); ++j) value += edge[j] * direction[j];
  return {vertex, static_cast<double>(value)};
}

Vector Run::difference(const Vertex& vertex) const {
  const std::span<const double> plus = problem_.points.row(vertex.plus);
  const std::span<const double> minus = problem_.points.row(vertex.minus);
  Vector result(plus.size());
  for (std::size_t j = 0; j < result.size(); ++j) {
    result[j] = problem_.offset ? static_cast<Number>(plus[j]) - static_cast<Number>(minus[j])
                                : static_cast<Number>(problem_.signs[vertex.plus]) *
                                      static_cast<Number>(plus[j]);
  }
  return result;
}

Vertex Run::first_vertex() const {
  std::size_t plus = problem_.signs.size();
  std::size_t minus = plus;
  for (std::size_t i = problem_.signs.size(); i-- > 0;) {
    if (problem_.signs[i] > 0) plus = i;
    if (problem_.signs[i] < 0) minus = i;
  }
  if (problem_.offset) {
    require(plus < problem_.signs.size() && minus < problem_.signs.size(),
            "nearest points: there must be a point of each sign");
    return {plus, minus};
  }
  require(std::min(plus, minus) < problem_.signs.size(), "nearest points: there is no point");
  return {std::min(plus, minus), std::min(plus, minus)};
}

void Run::leave_out_empty() {
  for (std::size_t k = vertices_.size(); k-- > 0;) {
    if (weights_[k] > 0 || vertices_.size() == 1) continue;
    face_.remove(k);
    vertices_.erase(vertices_.begin() + static_cast<std::ptrdiff_t>(k));
    weights_.erase(weights_.begin() + static_cast<std::ptrdiff_t>(k));
  }
}

void Run::minimise_over_face() {
  while (true) {
    AffineFace::Nearest found = face_.nearest();
    if (std::ranges::all_of(found.weights, [](Number weight) { return weight > 0; })) {
      weights_ = std::move(found.weights);
      nearest_ = std::move(found.point);
      return;
    }
    // As far towards it as the hull reaches; the vertex that stops the way is left out.
    Number reach = 1;
    std::size_t stop = 0;
    for (std::size_t k = 0; k < weights_.size(); ++k) {
      if (found.weights[k] > 0) continue;
      const Number way = weights_[k] - found.weights[k];
      const Number share = way > 0 ? weights_[k] / way : 0;
      if (share <= reach) {
        reach = share;
        stop = k;
      }
    }
    for (std::size_t k = 0; k < weights_.size(); ++k) {
      weights_[k] += reach * (found.weights[k] - weights_[k]);
    }
    weights_[stop] = 0;
    leave_out_empty();
  }
}

HullSolution Run::answer(Status status, std::string message) const {
  HullSolution solution;
  solution.weights.assign(problem_.points.rows, 0.0);
  Vector all(problem_.points.rows, 0);
  for (std::size_t k = 0; k < vertices_.size(); ++k) {
    all[vertices_[k].plus] += weights_[k];
    if (problem_.offset) all[vertices_[k].minus] += weights_[k];
  }
  Vector sum(problem_.points.cols, 0);
  for (std::size_t i = 0; i < all.size(); ++i) {
    solution.weights[i] = static_cast<double>(all[i]);
    if (solution.weights[i] == 0) continue;
    const std::span<const double> x = problem_.points.row(i);
    const Number factor =
        static_cast<Number>(solution.weights[i]) * static_cast<Number>(problem_.signs[i]);
    for (std::size_t j = 0; j < sum.size(); ++j) sum[j] += factor * static_cast<Number>(x[j]);
  }
  Number square = 0;
  for (const Number x : sum) square += x * x;
  solution.distance = static_cast<double>(std::sqrt(square));
  solution.direction.assign(nearest_.begin(), nearest_.end());
  solution.report.status = status;
  solution.report.message = std::move(message);
  solution.report.iterations = steps_;
  return solution;
}

HullSolution Run::hulls_meet() const {
  HullSolution found = answer(Status::primal_infeasible, "");
  if (found.distance <= check_slack * options_.rounding) {
    found.report.message =
        "the two classes cannot be separated: a point of the one's convex hull is within " +
        format_number(found.distance, 2) + " of the other's";
    return found;
  }
  return answer(Status::numerical_failure, std::string(narrow_message));
}

HullSolution Run::solve() {
  // Step 1.
  vertices_ = {first_vertex()};
  weights_ = {1};
  nearest_ = difference(vertices_.front());
  (void)face_.add(nearest_);
  double least = std::numeric_limits<double>::infinity();
  std::size_t without_gain = 0;
  while (true) {
    // Step 2.
    const double distance = length();
    if (distance <= options_.rounding) return hulls_meet();
    if (distance < least * (1 - 1e-12)) {
      least = distance;
      without_gain = 0;
    } else {
      ++without_gain;
    }
    const std::vector<double> direction(nearest_.begin(), nearest_.end());
    const auto [vertex, back] = farthest_back(direction);
    const double share = back / (distance * distance);
    if (share > 0 && 1 - share * share <= inner_share * options_.tolerance) {
      return answer(Status::solved, "");
    }
    const bool known = std::ranges::find(vertices_, vertex) != vertices_.end();
    if (known || without_gain > patience || !face_.add(difference(vertex))) {
      if (share > 0 && 1 - share * share <= options_.tolerance) return answer(Status::solved, "");
      return answer(Status::numerical_failure, std::string(narrow_message));
    }
    const Continue said = options_.context.ask({.phase = "nearest points", .iteration = steps_});
    if (said != Continue::yes) {
      // The weights are those before the vertex came.
      vertices_.push_back(vertex);
      weights_.push_back(0);
      return answer(status_of(said), "");
    }
    vertices_.push_back(vertex);
    weights_.push_back(0);
    ++steps_;
    minimise_over_face();
  }
}

}  // namespace

HullSolution solve_nearest_points(const HullProblem& problem, const HullOptions& options) {
  require(problem.signs.size() == problem.points.rows,
          "nearest points: one sign a point is wanted");
  const Stopwatch watch;
  HullSolution solution = Run(problem, options).solve();
  solution.report.seconds = {{"nearest points", watch.seconds()}};
  return solution;
}

}  // namespace maxmargin
