// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "maxmargin/core/export.hpp"
#include "maxmargin/core/option.hpp"
#include "maxmargin/data/examples.hpp"
#include "maxmargin/kernel/gamma.hpp"
#include "maxmargin/kernel/kernel.hpp"

namespace maxmargin {

/// The kernel that options ask for: its widths may be rules that the training data decides, and it
/// may centre or iterate over the training data. A plain kernel is a choice, too:
/// `.kernel = Rbf{.gamma = 0.5}`, `.kernel = sum_of(Rbf{}, centred(Linear{}))`. As text it is a
/// name, whose parameters are options beside it, or an expression that holds its own
/// (docs/guide/kernels/combinations.md): "0.5*rbf(gamma=median) + linear".
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

  /// The name of a kernel or an expression. Throws InvalidArgument naming the place and what was
  /// expected there.
  [[nodiscard]] static KernelChoice parse(std::string_view text);
  /// The text that parse() reads as the same choice; of a kernel that a name and options describe
  /// it is the name.
  [[nodiscard]] std::string text() const;

  /// The kernel; its width counts only where rule() is empty, and widths in an expression only
  /// where it has no rule for them.
  [[nodiscard]] const Kernel& kernel() const noexcept { return kernel_; }
  /// How the width is found, where it is not fixed; empty for an expression.
  [[nodiscard]] const std::optional<GammaRule>& rule() const noexcept { return gamma_; }
  /// The kernel for these examples: all widths are numbers, and it is fitted().
  [[nodiscard]] Kernel resolved(const Examples& examples, const GammaOptions& options = {}) const;

  /// Options kernel, gamma, degree and coef0; of an expression also those of its parts (rbf.gamma,
  /// rbf[2].gamma where it names rbf twice), which reports leave to the expression.
  void describe(OptionVisitor& visit);
  /// The same and allow-indefinite, without which kernels known not to be positive semidefinite are
  /// refused.
  void describe(OptionVisitor& visit, bool& allow_indefinite);
  /// Is it known not to be positive semidefinite, or an expression of which that is not known?
  [[nodiscard]] bool is_indefinite() const;
  /// Why it is refused then: "rbf + sigmoid: not known to be positive semidefinite".
  [[nodiscard]] std::string indefinite_text() const;

 private:
  class NameValue;
  class GammaValue;
  class DegreeValue;
  class Coef0Value;
  class PartValue;

  /// Does the text hold the parameters?
  [[nodiscard]] bool is_expression() const;
  void read(std::string_view text);
  void describe_parts(OptionVisitor& visit);

  Kernel kernel_ = Rbf{};
  std::optional<GammaRule> gamma_ = GammaRule::scale();
  GammaRule fallback_ = GammaRule::scale();
  /// Of an expression's leaves in their order; missing ones are numbers.
  std::vector<std::optional<GammaRule>> part_rules_ = {};
  /// Was a single kernel written with its parameters?
  bool is_written_out_ = false;
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
