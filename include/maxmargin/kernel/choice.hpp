// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <optional>
#include <string_view>
#include <utility>

#include "maxmargin/core/export.hpp"
#include "maxmargin/core/option.hpp"
#include "maxmargin/data/examples.hpp"
#include "maxmargin/kernel/gamma.hpp"
#include "maxmargin/kernel/kernel.hpp"

namespace maxmargin {

/// The kernel that options ask for: its width may be a rule that the training data decides. A plain
/// kernel is a choice, too: `.kernel = Rbf{.gamma = 0.5}`.
class MAXMARGIN_EXPORT KernelChoice {
 public:
  /// rbf of the width that the rule `scale` finds.
  KernelChoice() = default;
  /// This kernel as it is.
  template <class K>
  requires(std::constructible_from<Kernel, K> &&
           !std::same_as<std::remove_cvref_t<K>, KernelChoice>)
      KernelChoice(K&& kernel)  // NOLINT: implicit on purpose
      : kernel_(std::forward<K>(kernel)), gamma_(std::nullopt) {}
  /// This kernel with a width found by the rule, which is also that of rbf kernels chosen by
  /// name.
  [[nodiscard]] static KernelChoice with_rule(Kernel kernel, GammaRule rule);

  /// The kernel; its width counts only where rule() is empty.
  [[nodiscard]] const Kernel& kernel() const noexcept { return kernel_; }
  /// How the width is found, where it is not fixed.
  [[nodiscard]] const std::optional<GammaRule>& rule() const noexcept { return gamma_; }
  /// The kernel for these examples.
  [[nodiscard]] Kernel resolved(const Examples& examples, const GammaOptions& options = {}) const;

  /// Options kernel, gamma, degree and coef0.
  void describe(OptionVisitor& visit);
  /// The same and allow-indefinite, without which kernels known not to be positive semidefinite are
  /// refused.
  void describe(OptionVisitor& visit, bool& allow_indefinite);
  /// Are kernels of this name known not to be positive semidefinite?
  [[nodiscard]] bool is_indefinite() const;

 private:
  class NameValue;
  class GammaValue;
  class DegreeValue;
  class Coef0Value;

  Kernel kernel_ = Rbf{};
  std::optional<GammaRule> gamma_ = GammaRule::scale();
  GammaRule fallback_ = GammaRule::scale();
};

/// Reads a number > 0, scale, auto, median, neighbour, or quantile:Q; empty for other texts.
[[nodiscard]] MAXMARGIN_EXPORT std::optional<GammaRule> parse_gamma_rule(std::string_view text);
/// The text that parse_gamma_rule reads back.
[[nodiscard]] MAXMARGIN_EXPORT std::string to_string(const GammaRule& rule);

/// The same options with the kernel resolved on these examples.
template <class Options>
[[nodiscard]] Options with_kernel_for(Options options,
                                      const Examples& examples,
                                      const GammaOptions& gamma) {
  options.kernel = options.kernel.resolved(examples, gamma);
  return options;
}

}  // namespace maxmargin
