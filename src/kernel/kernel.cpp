// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/kernel/kernel.hpp"

#include <array>
#include <cmath>
#include <type_traits>

#include "kernel/overloaded.hpp"
#include "kernel/parts.hpp"
#include "maxmargin/kernel/combine.hpp"

namespace maxmargin {

namespace {

constexpr std::array<std::string_view, 12> names = {"linear",
                                                    "poly",
                                                    "rbf",
                                                    "laplace",
                                                    "absdiff",
                                                    "sentropic",
                                                    "sigmoid",
                                                    "cosine",
                                                    "intersection",
                                                    "chi-square",
                                                    "spectrum",
                                                    "precomputed"};
static_assert(names.size() + 1 == std::variant_size_v<Kernel>, "Combined has no name of its own");

/// The kernel of names[index] with default parameters.
template <std::size_t Index = 0>
Kernel default_kernel(std::size_t index) {
  if constexpr (Index + 1 < names.size()) {
    if (index != Index) return default_kernel<Index + 1>(index);
  }
  return std::variant_alternative_t<Index, Kernel>{};
}

/// Sums and products of PSD kernels are PSD; of anything else nothing is known in general.
Definiteness both(const Kernel& a, const Kernel& b) {
  return is_psd(a) && is_psd(b) ? Definiteness::positive_semidefinite : Definiteness::unknown;
}

Definiteness combination_definiteness(const Combination& combination) {
  return std::visit(Overloaded{
                        [](const SumRule& r) { return both(r.a, r.b); },
                        [](const ProductRule& r) { return both(r.a, r.b); },
                        [](const ScaleRule& r) { return definiteness(r.kernel); },
                        [](const PowerRule& r) {
                          return r.exponent == 1 ? definiteness(r.kernel)
                                                 : both(r.kernel, r.kernel);
                        },
                        [](const SeriesRule& r) { return both(r.kernel, r.kernel); },
                        [](const ExpRule& r) { return both(r.kernel, r.kernel); },
                        [](const RankOneRule&) { return Definiteness::positive_semidefinite; },
                        [](const InputScalingRule& r) { return both(r.kernel, r.kernel); },
                        [](const NormaliseRule& r) { return definiteness(r.kernel); },
                        [](const CentredRule& r) { return both(r.kernel, r.kernel); },
                        [](const IteratedRule&) { return Definiteness::positive_semidefinite; },
                    },
                    combination.rule);
}

/// A matrix is there and all its entries are finite.
void require_matrix(const Precomputed& kernel) {
  require(kernel.matrix != nullptr, "the matrix of the precomputed kernel is missing");
  const DenseMatrix& matrix = *kernel.matrix;
  for (std::size_t i = 0; i < matrix.rows(); ++i) {
    for (std::size_t j = 0; j < matrix.cols(); ++j) {
      if (std::isfinite(matrix(i, j))) continue;
      throw InvalidArgument("the entry in row " + std::to_string(i) + ", column " +
                            std::to_string(j) + " (from 0) is " + format_number(matrix(i, j)) +
                            ", must be finite");
    }
  }
}

void validate_parts(const Combination& combination) {
  for_each_part(combination, [](const Kernel& part) { validate(part); });
  const auto* centring = std::get_if<CentredRule>(&combination.rule);
  const auto* iteration = std::get_if<IteratedRule>(&combination.rule);
  require((centring == nullptr || centring->means != nullptr) &&
              (iteration == nullptr || iteration->rows != nullptr),
          "a centred or iterated kernel needs its training examples: fitted() gives them");
}

}  // namespace

std::string kernel_name(const Kernel& kernel) {
  if (std::holds_alternative<Combined>(kernel)) return kernel_expression(kernel);
  return std::string(names[kernel.index()]);
}

std::span<const std::string_view> kernel_names() noexcept { return names; }

std::optional<Kernel> kernel_by_name(std::string_view name) {
  for (std::size_t index = 0; index < names.size(); ++index) {
    if (names[index] == name) return default_kernel(index);
  }
  return std::nullopt;
}

std::optional<double> gamma_of(const Kernel& kernel) {
  return std::visit(
      [](const auto& k) -> std::optional<double> {
        if constexpr (requires { k.gamma; }) return k.gamma;
        return std::nullopt;
      },
      kernel);
}

Kernel with_gamma(Kernel kernel, double gamma) {
  require(gamma_of(kernel).has_value(), kernel_name(kernel) + " has no gamma");
  std::visit(
      [gamma](auto& k) {
        if constexpr (requires { k.gamma; }) k.gamma = gamma;
      },
      kernel);
  return kernel;
}

void validate(const Kernel& kernel) {
  std::visit(
      [&](const auto& k) {
        [[maybe_unused]] const auto name = [&](const char* parameter) {
          return "kernel " + kernel_name(kernel) + ": " + parameter;
        };
        using K = std::decay_t<decltype(k)>;
        if constexpr (requires { k.gamma; }) {
          // A sigmoid may fall.
          const bool any_sign = std::is_same_v<K, Sigmoid>;
          require_field(std::isfinite(k.gamma) && (any_sign || k.gamma > 0),
                        name("gamma"),
                        k.gamma,
                        any_sign ? "finite" : "finite and > 0");
        }
        if constexpr (requires { k.coef0; }) {
          require_field(std::isfinite(k.coef0), name("coef0"), k.coef0, "finite");
        }
        if constexpr (requires { k.degree; }) {
          require_field(k.degree >= 1, name("degree"), k.degree, ">= 1");
        }
        if constexpr (requires { k.length; }) {
          require_field(k.length >= 1, name("length"), k.length, ">= 1");
        }
        if constexpr (std::is_same_v<K, Precomputed>) require_matrix(k);
        if constexpr (std::is_same_v<K, Combined>) validate_parts(k.node());
      },
      kernel);
}

Definiteness definiteness(const Kernel& kernel) {
  return std::visit(
      Overloaded{
          // With coef0 < 0 the power series in x.z has a negative coefficient, which some set of
          // examples in some dimension turns into a negative eigenvalue.
          [](const Polynomial& k) {
            return k.coef0 >= 0 ? Definiteness::positive_semidefinite : Definiteness::indefinite;
          },
          [](const Sentropic&) { return Definiteness::indefinite; },
          [](const Sigmoid&) { return Definiteness::indefinite; },
          [](const Precomputed&) { return Definiteness::unknown; },
          [](const Combined& k) { return combination_definiteness(k.node()); },
          [](const auto&) { return Definiteness::positive_semidefinite; },
      },
      kernel);
}

bool is_for_strings(const Kernel& kernel) {
  bool found = false;
  for_each_leaf(
      kernel, [&](const Kernel& leaf) { found = found || std::holds_alternative<Spectrum>(leaf); });
  return found;
}

Examples index_examples(std::size_t n) {
  DenseMatrix indices = DenseMatrix::uninitialized(n, 1);
  for (std::size_t i = 0; i < n; ++i) indices(i, 0) = static_cast<double>(i);
  return indices;
}

}  // namespace maxmargin
