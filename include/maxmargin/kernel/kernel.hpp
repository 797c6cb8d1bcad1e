// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "maxmargin/core/export.hpp"
#include "maxmargin/data/examples.hpp"
#include "maxmargin/linalg/row.hpp"

/// Kernels: symmetric functions K(x, z) of two examples. A closed set of small structs in one
/// variant; fast code visits it once per matrix, never once per entry. Parameters mean the same
/// everywhere (docs/guide/kernels.md). Sparse rows mix with dense ones and with each other, their
/// missing entries are 0; two dense rows must have equal length.
namespace maxmargin {

/// x.z
struct Linear {};

/// (gamma x.z + coef0)^degree; homogeneous with coef0 = 0. gamma > 0 and degree >= 1.
struct Polynomial {
  double gamma = 1;
  double coef0 = 0;
  int degree = 3;
};

/// exp(-gamma |x-z|_2^2). gamma > 0, here and in all that follow.
struct Rbf {
  double gamma = 1;
};

/// exp(-gamma |x-z|_1)
struct Laplace {
  double gamma = 1;
};

/// exp(-gamma sqrt(|x-z|_1)): the root is over the whole sum.
struct Absdiff {
  double gamma = 1;
};

/// exp(-gamma sum_j (x_j - z_j) ln(x_j / z_j)), the symmetric Kullback-Leibler divergence. Every
/// entry must be > 0. Not positive semidefinite, not even on probability vectors.
struct Sentropic {
  double gamma = 1;
};

/// tanh(gamma x.z + coef0). Not positive semidefinite.
struct Sigmoid {
  double gamma = 1;
  double coef0 = 0;
};

/// x.z / (|x| |z|); 0 when x or z is the zero vector.
struct Cosine {};

/// sum_j min(x_j, z_j). Entries must be >= 0.
struct HistogramIntersection {};

/// exp(-gamma sum_j (x_j - z_j)^2 / (x_j + z_j)) with 0/0 = 0. Entries must be >= 0.
struct ChiSquare {
  double gamma = 1;
};

/// The spectrum kernel of strings: the product of the counts of all substrings of `length` bytes,
/// which overlap. Examples are strings as encode_strings makes them. length >= 1.
struct Spectrum {
  int length = 3;
};

/// Values read from a matrix: an example is a row number, held as its only feature, and
/// K(x, z) = matrix(x, z). Training uses an n x n matrix; prediction an m x n one, whose rows are
/// the new examples and whose columns the training examples. See index_examples.
struct Precomputed {
  std::shared_ptr<const DenseMatrix> matrix = nullptr;
};

struct Combination;

/// A kernel made from other kernels by the functions of kernel/combine.hpp. Immutable and shared:
/// copying it copies a pointer.
class MAXMARGIN_EXPORT Combined {
 public:
  explicit Combined(std::shared_ptr<const Combination> node) : node_(std::move(node)) {}
  [[nodiscard]] const Combination& node() const noexcept { return *node_; }

 private:
  std::shared_ptr<const Combination> node_;
};

using Kernel = std::variant<Linear,
                            Polynomial,
                            Rbf,
                            Laplace,
                            Absdiff,
                            Sentropic,
                            Sigmoid,
                            Cosine,
                            HistogramIntersection,
                            ChiSquare,
                            Spectrum,
                            Precomputed,
                            Combined>;

/// The name used on the command line and in model files: "linear", "poly", "rbf", "laplace",
/// "absdiff", "sentropic", "sigmoid", "cosine", "intersection", "chi-square", "spectrum",
/// "precomputed"; a combination is written as kernel_expression does.
[[nodiscard]] MAXMARGIN_EXPORT std::string kernel_name(const Kernel& kernel);

/// The names of all kernels but combinations, in the order above.
[[nodiscard]] MAXMARGIN_EXPORT std::span<const std::string_view> kernel_names() noexcept;

/// The kernel of that name with default parameters (a precomputed one still lacks its matrix).
[[nodiscard]] MAXMARGIN_EXPORT std::optional<Kernel> kernel_by_name(std::string_view name);

/// The kernel with all its parameters as an expression that the option `kernel` reads
/// (kernel/choice.hpp): "rbf(gamma=0.1)", "0.5*rbf(gamma=0.1) + center(linear)". What only C++ can
/// make has no such text: rank-one(NAME), scaled-inputs(K), polynomial(K) are names alone.
[[nodiscard]] MAXMARGIN_EXPORT std::string kernel_expression(const Kernel& kernel);

/// Is it a kernel of strings? The parts of a combination are all or none.
[[nodiscard]] MAXMARGIN_EXPORT bool is_for_strings(const Kernel& kernel);

/// The width parameter, of kernels that have one.
[[nodiscard]] MAXMARGIN_EXPORT std::optional<double> gamma_of(const Kernel& kernel);

/// The same kernel with another width. Throws InvalidArgument for a kernel without gamma.
[[nodiscard]] MAXMARGIN_EXPORT Kernel with_gamma(Kernel kernel, double gamma);

/// Checks the parameters (of all parts of a combination).
MAXMARGIN_EXPORT void validate(const Kernel& kernel);

/// What is known of c'Kc over all finite sets of examples in the kernel's domain.
enum class Definiteness {
  positive_semidefinite,  ///< never negative: a Mercer kernel
  indefinite,             ///< negative for some examples, in some dimension
  unknown                 ///< depends on data (a matrix from outside, a product with such a one)
};

[[nodiscard]] MAXMARGIN_EXPORT Definiteness definiteness(const Kernel& kernel);

/// True for kernels that are positive semidefinite whatever the examples.
[[nodiscard]] inline bool is_psd(const Kernel& kernel) {
  return definiteness(kernel) == Definiteness::positive_semidefinite;
}

/// Throws InvalidArgument naming row and column (both from 0) of the first entry outside the
/// kernel's domain: all want finite values, Sentropic wants > 0 (so no missing entry either),
/// histogram intersection and chi-square want >= 0, a spectrum kernel wants strings, a precomputed
/// kernel wants row numbers of its matrix. A combination wants what its parts want; what rank_one's
/// function accepts is its own affair.
MAXMARGIN_EXPORT void check_domain(const Kernel& kernel, const Examples& examples);

/// K(x, z) in double, straight from the formula: the plain twin of every fast path. Does not check
/// the domain, except that a precomputed kernel throws for a row number outside its matrix.
[[nodiscard]] MAXMARGIN_EXPORT double evaluate(const Kernel& kernel, const Row& x, const Row& z);

/// The n x 1 matrix 0, 1, ..., n-1: the examples a precomputed n x n kernel speaks of.
[[nodiscard]] MAXMARGIN_EXPORT Examples index_examples(std::size_t n);

}  // namespace maxmargin
