// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "maxmargin/core/export.hpp"
#include "maxmargin/kernel/kernel.hpp"

/// Kernels from kernels. Every rule here keeps positive semidefiniteness (a difference does not,
/// so there is none). Two rules need the training examples and hold them: centring and iteration.
namespace maxmargin {

/// A + B
struct SumRule {
  Kernel a;
  Kernel b;
};
/// A * B
struct ProductRule {
  Kernel a;
  Kernel b;
};
/// factor * K
struct ScaleRule {
  Kernel kernel;
  double factor;
};
/// K^exponent
struct PowerRule {
  Kernel kernel;
  int exponent;
};
/// sum_p coefficients[p] K^p
struct SeriesRule {
  Kernel kernel;
  std::vector<double> coefficients;
};
/// exp(K)
struct ExpRule {
  Kernel kernel;
};
/// f(x) f(z)
struct RankOneRule {
  std::string name;
  std::function<double(const Row&)> function;
};
/// K(D^(1/2) (x - o), D^(1/2) (z - o)), D = diag(weights), o = origin
struct InputScalingRule {
  Kernel kernel;
  std::vector<double> weights;
  std::vector<double> origin = {};  ///< empty: 0
};
/// K(x, z) / sqrt(K(x, x) K(z, z))
struct NormaliseRule {
  Kernel kernel;
};

/// The training examples of a centred kernel with the means that centring subtracts. Means of
/// training examples are looked up by their entries; those of others cost n evaluations.
class MAXMARGIN_EXPORT KernelMeans {
 public:
  /// Evaluates the kernel between all pairs of rows. The result does not depend on the threads.
  KernelMeans(const Kernel& kernel,
              std::shared_ptr<const Examples> rows,
              std::optional<std::size_t> threads = std::nullopt);
  /// As they were found before. Requires a finite mean for every row, and a row.
  KernelMeans(std::shared_ptr<const Examples> rows, std::vector<double> row_means);

  [[nodiscard]] const std::shared_ptr<const Examples>& rows() const noexcept { return rows_; }
  /// (1/n) sum_l K(x_j, x_l) of every training example j.
  [[nodiscard]] std::span<const double> row_means() const noexcept { return row_means_; }
  /// (1/n^2) sum_jl K(x_j, x_l)
  [[nodiscard]] double grand_mean() const noexcept { return grand_mean_; }
  /// (1/n) sum_l K(x, x_l) if x is one of the training examples.
  [[nodiscard]] std::optional<double> known_mean(const Row& x) const;
  /// The same of any x.
  [[nodiscard]] double mean(const Kernel& kernel, const Row& x) const;

 private:
  void index_rows();

  std::shared_ptr<const Examples> rows_;
  std::vector<double> row_means_;
  double grand_mean_ = 0;
  /// Row numbers by a hash of the entries.
  std::unordered_multimap<std::uint64_t, std::size_t> by_entries_ = {};
};

/// Centring in feature space: K(x, z) - mean_l K(x, x_l) - mean_l K(z, x_l) + mean_lm K(x_l, x_m)
/// over the training examples, which are there once it is fitted.
struct CentredRule {
  Kernel kernel;
  std::shared_ptr<const KernelMeans> means = nullptr;
};
/// The iterated kernel (1/n) sum_l K(x, x_l) K(x_l, z) over the training examples, which are there
/// once it is fitted. Positive semidefinite whatever the symmetric K.
struct IteratedRule {
  Kernel kernel;
  std::shared_ptr<const Examples> rows = nullptr;
};

/// The node behind a Combined kernel.
struct Combination {
  std::variant<SumRule,
               ProductRule,
               ScaleRule,
               PowerRule,
               SeriesRule,
               ExpRule,
               RankOneRule,
               InputScalingRule,
               NormaliseRule,
               CentredRule,
               IteratedRule>
      rule;
};

/// K_a + K_b.
[[nodiscard]] MAXMARGIN_EXPORT Kernel sum_of(Kernel a, Kernel b);
/// K_a K_b.
[[nodiscard]] MAXMARGIN_EXPORT Kernel product_of(Kernel a, Kernel b);
/// factor K. Requires factor finite and > 0.
[[nodiscard]] MAXMARGIN_EXPORT Kernel scaled(Kernel kernel, double factor);
/// K^exponent. Requires exponent >= 1.
[[nodiscard]] MAXMARGIN_EXPORT Kernel power_of(Kernel kernel, int exponent);
/// coefficients[0] + coefficients[1] K + coefficients[2] K^2 + ... Requires at least one
/// coefficient, all finite and >= 0.
[[nodiscard]] MAXMARGIN_EXPORT Kernel polynomial_of(Kernel kernel,
                                                    std::vector<double> coefficients);
/// exp(K).
[[nodiscard]] MAXMARGIN_EXPORT Kernel exp_of(Kernel kernel);
/// f(x) f(z). `function` must be callable from several threads at once; `name` stands for it in
/// kernel_name, as a function cannot be written to a file.
[[nodiscard]] MAXMARGIN_EXPORT Kernel rank_one(std::string name,
                                               std::function<double(const Row&)> function);
/// K(D^(1/2) (x - o), D^(1/2) (z - o)) with D = diag(weights) and o = origin (empty: 0); features
/// beyond the weights are left out. Requires weights finite and >= 0, an entry of the origin,
/// finite, for each of them.
[[nodiscard]] MAXMARGIN_EXPORT Kernel with_scaled_inputs(Kernel kernel,
                                                         std::vector<double> weights,
                                                         std::vector<double> origin = {});
/// K(x - origin, z - origin): the examples are moved before anything is multiplied, so that data
/// far from 0 keeps its digits. Features beyond the origin are left out. Requires finite entries.
[[nodiscard]] MAXMARGIN_EXPORT Kernel with_origin(Kernel kernel, std::vector<double> origin);
/// K(x, z) / sqrt(K(x, x) K(z, z)), so that the diagonal is 1; 0 where K(x, x) or K(z, z) is 0.
/// Evaluation throws InvalidArgument where one of them is negative or not a number.
[[nodiscard]] MAXMARGIN_EXPORT Kernel normalised(Kernel kernel);
/// The kernel centred in feature space over training examples that fitted() gives it.
[[nodiscard]] MAXMARGIN_EXPORT Kernel centred(Kernel kernel);
/// The same with its means. Throws InvalidArgument without means.
[[nodiscard]] MAXMARGIN_EXPORT Kernel centred(Kernel kernel,
                                              std::shared_ptr<const KernelMeans> means);
/// The iterated kernel over training examples that fitted() gives it. Nested m times the Gram
/// matrix of the training examples is K^p / n^(p-1) with p = 2^m.
[[nodiscard]] MAXMARGIN_EXPORT Kernel iterated(Kernel kernel);
/// The same with its rows. Throws InvalidArgument without a row.
[[nodiscard]] MAXMARGIN_EXPORT Kernel iterated(Kernel kernel, std::shared_ptr<const Examples> rows);

/// The kernel with these training examples wherever it centres or iterates and has none yet; they
/// are copied once. Throws InvalidArgument where some are needed and there is none.
[[nodiscard]] MAXMARGIN_EXPORT Kernel fitted(const Kernel& kernel,
                                             const Examples& training,
                                             std::optional<std::size_t> threads = std::nullopt);

}  // namespace maxmargin
