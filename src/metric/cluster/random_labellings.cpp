// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/johnson-sb.md, "Random labellings"
#include "maxmargin/metric/cluster/random_labellings.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>
#include <string>

#include "core/parallel.hpp"
#include "linalg/blas.hpp"
#include "maxmargin/core/options.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/metric/cluster/geometry.hpp"

namespace maxmargin {

namespace {

/// Labellings that share one matrix product.
constexpr std::size_t labellings_at_once = 64;

/// What all labellings of one matrix share.
struct GramSums {
  double trace = 0;
  double all = 0;
  std::vector<double> of_row = {};
};

GramSums sums_of(DenseView gram) {
  GramSums sums{.of_row = std::vector<double>(gram.rows, 0.0)};
  for (std::size_t i = 0; i < gram.rows; ++i) {
    const auto row = gram.row(i);
    sums.trace += row[i];
    sums.of_row[i] = std::accumulate(row.begin(), row.end(), 0.0);
    sums.all += sums.of_row[i];
  }
  return sums;
}

/// The sums of squares of some labellings: trace - sum_c 1'K_c 1 / n_c. The last class needs no
/// product of its own: with s_c the indicator of class c, the others' indicators tell it,
/// s_k' K s_k = s_k' K 1 - sum_{c < k} s_k' K s_c.
class LabellingBlock {
 public:
  LabellingBlock(DenseView gram, const GramSums& sums, std::size_t k)
      : gram_(gram),
        sums_(sums),
        k_(k),
        members_(labellings_at_once, gram.rows),
        products_(labellings_at_once, gram.rows) {}

  void measure(const std::vector<std::vector<std::int32_t>>& labellings, std::span<double> result) {
    const std::size_t count = labellings.size();
    std::vector<double> last(count, 0.0);
    for (std::size_t b = 0; b < count; ++b) {
      result[b] = sums_.trace;
      for (std::size_t i = 0; i < gram_.rows; ++i) {
        if (is_last(labellings[b][i])) last[b] += sums_.of_row[i];
      }
    }
    const MutableDenseView members = members_.view().middle_rows(0, count);
    const MutableDenseView products = products_.view().middle_rows(0, count);
    for (std::size_t c = 0; c + 1 < k_; ++c) {
      for (std::size_t b = 0; b < count; ++b) {
        for (std::size_t i = 0; i < gram_.rows; ++i) {
          members(b, i) = labellings[b][i] == static_cast<std::int32_t>(c) ? 1.0 : 0.0;
        }
      }
      gemm(Transpose::no, Transpose::no, 1.0, members, gram_, 0.0, products);
      for (std::size_t b = 0; b < count; ++b) add_class(labellings[b], c, b, result[b], last[b]);
    }
    for (std::size_t b = 0; b < count; ++b) {
      const auto size = std::ranges::count_if(labellings[b], [&](auto l) { return is_last(l); });
      result[b] -= last[b] / static_cast<double>(size);
    }
  }

 private:
  [[nodiscard]] bool is_last(std::int32_t label) const {
    return static_cast<std::size_t>(label) + 1 == k_;
  }
  void add_class(std::span<const std::int32_t> labels,
                 std::size_t c,
                 std::size_t b,
                 double& result,
                 double& last) const {
    double own = 0;
    double size = 0;
    for (std::size_t i = 0; i < labels.size(); ++i) {
      if (static_cast<std::size_t>(labels[i]) == c) {
        own += products_(b, i);
        size += 1;
      } else if (is_last(labels[i])) {
        last -= products_(b, i);
      }
    }
    result -= own / size;
  }

  DenseView gram_;
  const GramSums& sums_;
  std::size_t k_;
  DenseMatrix members_;
  DenseMatrix products_;
};

/// Sums are differences of the trace and what may be as large: where they nearly vanish, as with as
/// many clusters as points, their own size says nothing of their errors.
double rounding_of(DenseView gram, std::span<const double> sorted_sums) {
  double size = 0;
  for (std::size_t i = 0; i < gram.rows; ++i) size += std::abs(gram(i, i));
  constexpr double relative = 1e-12;
  return relative * std::max({size, std::abs(sorted_sums.front()), std::abs(sorted_sums.back())});
}

void require_square(DenseView gram, std::size_t k, const char* function) {
  require(gram.rows == gram.cols, std::string(function) + ": the Gram matrix must be square");
  require(gram.rows >= k,
          std::string(function) + ": there must be at least as many rows as clusters");
}

}  // namespace

std::vector<std::int32_t> draw_labels(std::size_t n, std::size_t k, Rng& rng) {
  require(k >= 1 && k <= n, "draw_labels: the number of classes must be from 1 to that of labels");
  std::vector<std::int32_t> labels(n);
  constexpr int most_draws = 100;
  for (int draw = 0; draw < most_draws; ++draw) {
    std::vector<bool> seen(k, false);
    for (std::int32_t& label : labels) {
      const std::size_t c = rng.index(k);
      label = static_cast<std::int32_t>(c);
      seen[c] = true;
    }
    if (std::ranges::find(seen, false) == seen.end()) return labels;
  }
  // Nearly as many classes as labels: give every class one place and draw the rest.
  const std::vector<std::size_t> places = rng.sample(n, k);
  for (std::size_t c = 0; c < k; ++c) labels[places[c]] = static_cast<std::int32_t>(c);
  return labels;
}

void RandomLabellingOptions::describe(OptionVisitor& visit) {
  visit.whole({.name = "k", .help = "number of clusters"}, k, {.least = 2});
  visit.whole(
      {.name = "count", .help = "labellings to draw; more are more exact"}, count, {.least = 1});
  visit.threads(context.threads);
}

std::vector<double> random_label_sums(DenseView gram, const RandomLabellingOptions& options) {
  validate(options);
  require_square(gram, options.k, "random_label_sums");
  const GramSums sums = sums_of(gram);
  std::vector<double> result(options.count);
  SharedProgress progress(options.context.on_progress);
  std::atomic<std::size_t> drawn = 0;
  parallel_chunks(thread_count(options.context.threads),
                  options.count,
                  labellings_at_once,
                  [&](std::size_t /*chunk*/, std::size_t begin, std::size_t end) {
                    const Continue answer = progress({.phase = "random labels",
                                                      .iteration = drawn.fetch_add(end - begin),
                                                      .max_iterations = options.count});
                    if (answer != Continue::yes) return;
                    std::vector<std::vector<std::int32_t>> labellings;
                    for (std::size_t index = begin; index < end; ++index) {
                      Rng rng(options.context.seed, "random labelling", index);
                      labellings.push_back(draw_labels(gram.rows, options.k, rng));
                    }
                    LabellingBlock block(gram, sums, options.k);
                    block.measure(labellings, std::span(result).subspan(begin, end - begin));
                  });
  if (progress.answer() != Continue::yes) return {};
  return result;
}

ChanceLaw chance_law(DenseView gram, const RandomLabellingOptions& options) {
  ChanceLaw law{.sums = random_label_sums(gram, options)};
  if (law.sums.empty()) return law;
  std::ranges::sort(law.sums);
  const std::vector<std::int32_t> one(gram.rows, 0);
  law.one_cluster = kernel_sum_of_squares(gram, one).total;
  law.rounding = rounding_of(gram, law.sums);
  // Within rounding there is nothing to fit.
  if (law.sums.size() < 4 || law.sums.back() - law.sums.front() <= law.rounding) return law;
  // A kernel that is not positive semidefinite may have sums above that of one cluster.
  const bool bounded = law.one_cluster > law.sums.back() + law.rounding;
  JohnsonSbFitOptions fit;
  if (bounded) fit.largest_upper_end = law.one_cluster;
  law.fit = fit_johnson_sb(law.sums, fit);
  return law;
}

double ChanceLaw::p_value(double sum) const { return fit ? fit->law.cdf(sum) : share_at_most(sum); }

double ChanceLaw::share_at_most(double sum) const {
  require(!sums.empty(), "ChanceLaw: no labellings were drawn, so there is no p-value");
  const auto end = std::ranges::upper_bound(sums, sum + rounding);
  return static_cast<double>(end - sums.begin()) / static_cast<double>(sums.size());
}

}  // namespace maxmargin
