// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/kernel/combine.hpp"

#include <bit>
#include <cmath>
#include <memory>

#include "core/parallel.hpp"
#include "kernel/input_scaling.hpp"
#include "kernel/parts.hpp"
#include "kernel/tiles/row_means.hpp"

namespace maxmargin {

namespace {

template <class Rule>
Kernel combine(Rule rule) {
  return Combined(std::make_shared<const Combination>(Combination{std::move(rule)}));
}

}  // namespace

Kernel sum_of(Kernel a, Kernel b) { return combine(SumRule{std::move(a), std::move(b)}); }

Kernel product_of(Kernel a, Kernel b) { return combine(ProductRule{std::move(a), std::move(b)}); }

Kernel scaled(Kernel kernel, double factor) {
  require_field(std::isfinite(factor) && factor > 0, "scaled: factor", factor, "finite and > 0");
  return combine(ScaleRule{std::move(kernel), factor});
}

Kernel power_of(Kernel kernel, int exponent) {
  require_field(exponent >= 1, "the exponent of a kernel", exponent, ">= 1");
  return combine(PowerRule{std::move(kernel), exponent});
}

Kernel polynomial_of(Kernel kernel, std::vector<double> coefficients) {
  require(!coefficients.empty(), "a polynomial of a kernel must have a coefficient");
  for (const double c : coefficients) {
    require_field(std::isfinite(c) && c >= 0, "a coefficient of a kernel", c, "finite and >= 0");
  }
  return combine(SeriesRule{std::move(kernel), std::move(coefficients)});
}

Kernel exp_of(Kernel kernel) { return combine(ExpRule{std::move(kernel)}); }

Kernel rank_one(std::string name, std::function<double(const Row&)> function) {
  require(static_cast<bool>(function), "the function of the kernel is empty");
  return combine(RankOneRule{std::move(name), std::move(function)});
}

Kernel with_scaled_inputs(Kernel kernel, std::vector<double> weights, std::vector<double> origin) {
  for (const double w : weights) {
    require_field(std::isfinite(w) && w >= 0, "a weight of the inputs", w, "finite and >= 0");
  }
  require(origin.empty() || origin.size() == weights.size(),
          "the origin must have an entry for every weight");
  for (const double o : origin) {
    require_field(std::isfinite(o), "an entry of the origin", o, "finite");
  }
  return combine(InputScalingRule{std::move(kernel), std::move(weights), std::move(origin)});
}

Kernel with_origin(Kernel kernel, std::vector<double> origin) {
  std::vector<double> weights(origin.size(), 1.0);
  return with_scaled_inputs(std::move(kernel), std::move(weights), std::move(origin));
}

Kernel normalised(Kernel kernel) { return combine(NormaliseRule{std::move(kernel)}); }

namespace {

/// The same for dense and sparse rows with equal entries.
std::uint64_t hash_of(const Row& row) {
  std::uint64_t hash = 0x9e3779b97f4a7c15ULL;
  const auto mix = [&hash](std::uint64_t word) {
    hash = (hash ^ word) * 0xff51afd7ed558ccdULL;
    hash ^= hash >> 32U;
  };
  row.for_each([&](std::size_t column, double value) {
    if (value == 0) return;
    mix(column);
    mix(std::bit_cast<std::uint64_t>(value));
  });
  return hash;
}

bool are_equal(const Row& x, const Row& z) {
  if (x.is_dense() && z.is_dense() && x.dense().size() != z.dense().size()) return false;
  bool equal = true;
  for_each_pair(x, z, [&](double a, double b) { equal = equal && a == b; });
  return equal;
}

/// Fits the parts before what is made of them. The examples are kept once, and never borrowed: a
/// model outlives who lent them.
class Fitting {
 public:
  Fitting(const Examples& training, std::optional<std::size_t> threads)
      : training_(training), threads_(threads) {}

  Kernel operator()(const Kernel& kernel) {
    const auto* combined = std::get_if<Combined>(&kernel);
    if (combined == nullptr) return kernel;
    const Combination& node = combined->node();
    if (const auto* scaling = std::get_if<InputScalingRule>(&node.rule)) {
      InputScalingRule rule = *scaling;
      rule.kernel = fitted(rule.kernel, scale_inputs(training_, *scaling), threads_);
      return Combined(std::make_shared<const Combination>(Combination{std::move(rule)}));
    }
    if (const auto* centring = std::get_if<CentredRule>(&node.rule)) {
      if (centring->means != nullptr) return kernel;
      Kernel inner = (*this)(centring->kernel);
      auto means = std::make_shared<const KernelMeans>(inner, rows(), threads_);
      return centred(std::move(inner), std::move(means));
    }
    if (const auto* iteration = std::get_if<IteratedRule>(&node.rule)) {
      if (iteration->rows != nullptr) return kernel;
      return iterated((*this)(iteration->kernel), rows());
    }
    return with_parts(node, [this](const Kernel& part) { return (*this)(part); });
  }

 private:
  std::shared_ptr<const Examples> rows() {
    if (shared_ == nullptr) shared_ = std::make_shared<const Examples>(training_.owned());
    return shared_;
  }

  const Examples& training_;
  std::optional<std::size_t> threads_;
  std::shared_ptr<const Examples> shared_ = nullptr;
};

bool needs_fitting(const Kernel& kernel) {
  const auto* combined = std::get_if<Combined>(&kernel);
  if (combined == nullptr) return false;
  const Combination& node = combined->node();
  if (const auto* centring = std::get_if<CentredRule>(&node.rule)) {
    if (centring->means == nullptr) return true;
  }
  if (const auto* iteration = std::get_if<IteratedRule>(&node.rule)) {
    if (iteration->rows == nullptr) return true;
  }
  bool any = false;
  for_each_part(node, [&](const Kernel& part) { any = any || needs_fitting(part); });
  return any;
}

}  // namespace

KernelMeans::KernelMeans(const Kernel& kernel,
                         std::shared_ptr<const Examples> rows,
                         std::optional<std::size_t> threads)
    : rows_(std::move(rows)) {
  require(rows_ != nullptr && rows_->rows() > 0, "centred kernel: there are no training examples");
  check_domain(kernel, *rows_);
  row_means_ = row_means_over(kernel, *rows_, *rows_, thread_count(threads));
  index_rows();
}

KernelMeans::KernelMeans(std::shared_ptr<const Examples> rows, std::vector<double> row_means)
    : rows_(std::move(rows)), row_means_(std::move(row_means)) {
  require(rows_ != nullptr && rows_->rows() > 0, "centred kernel: there are no training examples");
  require(row_means_.size() == rows_->rows(), "centred kernel: there must be a mean for each row");
  for (const double mean : row_means_) {
    require_field(std::isfinite(mean), "centred kernel: mean of a row", mean, "finite");
  }
  index_rows();
}

void KernelMeans::index_rows() {
  double sum = 0;
  for (const double mean : row_means_) sum += mean;
  grand_mean_ = sum / static_cast<double>(row_means_.size());
  by_entries_.reserve(rows_->rows());
  for (std::size_t i = 0; i < rows_->rows(); ++i) {
    const std::uint64_t hash = hash_of(rows_->row(i));
    // Of equal rows one is enough.
    if (!by_entries_.contains(hash) || !known_mean(rows_->row(i))) by_entries_.emplace(hash, i);
  }
}

std::optional<double> KernelMeans::known_mean(const Row& x) const {
  const auto [first, last] = by_entries_.equal_range(hash_of(x));
  for (auto each = first; each != last; ++each) {
    if (are_equal(x, rows_->row(each->second))) return row_means_[each->second];
  }
  return std::nullopt;
}

double KernelMeans::mean(const Kernel& kernel, const Row& x) const {
  if (const std::optional<double> known = known_mean(x)) return *known;
  double sum = 0;
  for (std::size_t l = 0; l < rows_->rows(); ++l) sum += evaluate(kernel, x, rows_->row(l));
  return sum / static_cast<double>(rows_->rows());
}

Kernel centred(Kernel kernel) {
  return Combined(std::make_shared<const Combination>(Combination{CentredRule{std::move(kernel)}}));
}

Kernel centred(Kernel kernel, std::shared_ptr<const KernelMeans> means) {
  require(means != nullptr, "centred: the means are missing");
  return Combined(std::make_shared<const Combination>(
      Combination{CentredRule{std::move(kernel), std::move(means)}}));
}

Kernel iterated(Kernel kernel) {
  return Combined(
      std::make_shared<const Combination>(Combination{IteratedRule{std::move(kernel)}}));
}

Kernel iterated(Kernel kernel, std::shared_ptr<const Examples> rows) {
  require(rows != nullptr && rows->rows() > 0, "iterated kernel: there are no training examples");
  check_domain(kernel, *rows);
  return Combined(std::make_shared<const Combination>(
      Combination{IteratedRule{std::move(kernel), std::move(rows)}}));
}

Kernel fitted(const Kernel& kernel, const Examples& training, std::optional<std::size_t> threads) {
  return needs_fitting(kernel) ? Fitting(training, threads)(kernel) : kernel;
}

}  // namespace maxmargin
