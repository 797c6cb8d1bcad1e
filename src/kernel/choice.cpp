// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/kernel/choice.hpp"

#include <cmath>
#include <string>
#include <vector>

#include "maxmargin/core/error.hpp"
#include "maxmargin/core/number.hpp"

namespace maxmargin {

namespace {

constexpr int largest_degree = 1000;
constexpr std::string_view quantile_prefix = "quantile:";

/// The option is one of another kernel.
[[noreturn]] void refuse_parameter(std::string_view name, const Kernel& kernel) {
  throw InvalidArgument(flag_of(name) + ": the kernel " + kernel_name(kernel) +
                        " does not have it");
}

/// Where the kernel has a constant, a pointer to it.
double* coef0_in(Kernel& kernel) {
  if (auto* polynomial = std::get_if<Polynomial>(&kernel)) return &polynomial->coef0;
  if (auto* sigmoid = std::get_if<Sigmoid>(&kernel)) return &sigmoid->coef0;
  return nullptr;
}

}  // namespace

std::optional<GammaRule> parse_gamma_rule(std::string_view text) {
  if (text == "scale") return GammaRule::scale();
  if (text == "auto") return GammaRule::automatic();
  if (text == "median") return GammaRule::median();
  if (text == "neighbour") return GammaRule::neighbour();
  const bool is_quantile = text.starts_with(quantile_prefix);
  const auto value = parse_number(is_quantile ? text.substr(quantile_prefix.size()) : text);
  if (!value) return std::nullopt;
  if (is_quantile) {
    return *value >= 0 && *value <= 1 ? std::optional(GammaRule::quantile(*value)) : std::nullopt;
  }
  return *value > 0 && std::isfinite(*value) ? std::optional(GammaRule::number(*value))
                                             : std::nullopt;
}

std::string to_string(const GammaRule& rule) {
  switch (rule.kind) {
    case GammaRule::Kind::number:
      return format_number(rule.value);
    case GammaRule::Kind::scale:
      return "scale";
    case GammaRule::Kind::automatic:
      return "auto";
    case GammaRule::Kind::median:
      return "median";
    case GammaRule::Kind::quantile:
      return std::string(quantile_prefix) + format_number(rule.value);
    case GammaRule::Kind::neighbour:
      return "neighbour";
  }
  return "unknown";
}

class KernelChoice::NameValue final : public OptionValue {
 public:
  explicit NameValue(KernelChoice& choice) : choice_(choice) {}
  [[nodiscard]] OptionKind kind() const override { return OptionKind::name; }
  [[nodiscard]] std::string rule() const override { return "the name of a kernel"; }
  [[nodiscard]] std::vector<std::string_view> names() const override {
    return {kernel_names().begin(), kernel_names().end()};
  }
  [[nodiscard]] bool set(std::string_view text) override {
    const std::optional<Kernel> kernel = kernel_by_name(text);
    if (!kernel) return false;
    choice_.kernel_ = *kernel;
    // A polynomial's own width, 1, is its default.
    const bool by_rule = gamma_of(*kernel) && !std::holds_alternative<Polynomial>(*kernel);
    // A rule of its own is made for the kernel that stands there by default.
    const bool is_usual = std::holds_alternative<Rbf>(*kernel);
    const GammaRule rule = is_usual ? choice_.fallback_ : GammaRule::scale();
    choice_.gamma_ = by_rule ? std::optional(rule) : std::nullopt;
    return true;
  }
  [[nodiscard]] bool holds() const override { return true; }
  [[nodiscard]] OptionScalar scalar() const override { return kernel_name(choice_.kernel_); }

 private:
  KernelChoice& choice_;
};

class KernelChoice::GammaValue final : public OptionValue {
 public:
  explicit GammaValue(KernelChoice& choice) : choice_(choice) {}
  [[nodiscard]] OptionKind kind() const override { return OptionKind::text; }
  [[nodiscard]] std::string rule() const override {
    return "a number > 0, scale, auto, median, neighbour, or quantile:Q with Q in [0, 1]";
  }
  [[nodiscard]] bool set(std::string_view text) override {
    const std::optional<GammaRule> rule = parse_gamma_rule(text);
    if (!rule) return false;
    if (!gamma_of(choice_.kernel_)) refuse_parameter("gamma", choice_.kernel_);
    if (rule->kind == GammaRule::Kind::number) {
      choice_.kernel_ = with_gamma(choice_.kernel_, rule->value);
      choice_.gamma_.reset();
    } else {
      choice_.gamma_ = rule;
    }
    return true;
  }
  [[nodiscard]] bool holds() const override {
    const std::optional<double> gamma = gamma_of(choice_.kernel_);
    return choice_.gamma_ || !gamma || (*gamma > 0 && std::isfinite(*gamma));
  }
  [[nodiscard]] OptionScalar scalar() const override {
    if (choice_.gamma_) return to_string(*choice_.gamma_);
    const std::optional<double> gamma = gamma_of(choice_.kernel_);
    return gamma ? OptionScalar(*gamma) : OptionScalar{};
  }

 private:
  KernelChoice& choice_;
};

class KernelChoice::DegreeValue final : public OptionValue {
 public:
  explicit DegreeValue(KernelChoice& choice) : choice_(choice) {}
  [[nodiscard]] OptionKind kind() const override { return OptionKind::whole; }
  [[nodiscard]] std::string rule() const override {
    return "a whole number from 1 to " + std::to_string(largest_degree);
  }
  [[nodiscard]] bool set(std::string_view text) override {
    const std::optional<std::int64_t> degree = parse_integer(text);
    if (!degree || *degree < 1 || *degree > largest_degree) return false;
    auto* polynomial = std::get_if<Polynomial>(&choice_.kernel_);
    if (polynomial == nullptr) refuse_parameter("degree", choice_.kernel_);
    polynomial->degree = static_cast<int>(*degree);
    return true;
  }
  [[nodiscard]] bool holds() const override {
    const auto* polynomial = std::get_if<Polynomial>(&choice_.kernel_);
    return polynomial == nullptr ||
           (polynomial->degree >= 1 && polynomial->degree <= largest_degree);
  }
  [[nodiscard]] OptionScalar scalar() const override {
    const auto* polynomial = std::get_if<Polynomial>(&choice_.kernel_);
    return polynomial == nullptr ? OptionScalar{} : OptionScalar(std::int64_t{polynomial->degree});
  }

 private:
  KernelChoice& choice_;
};

class KernelChoice::Coef0Value final : public OptionValue {
 public:
  explicit Coef0Value(KernelChoice& choice) : choice_(choice) {}
  [[nodiscard]] OptionKind kind() const override { return OptionKind::number; }
  [[nodiscard]] std::string rule() const override { return std::string(rules::finite.words); }
  [[nodiscard]] bool set(std::string_view text) override {
    const std::optional<double> value = parse_number(text);
    if (!value || !std::isfinite(*value)) return false;
    double* const member = coef0_in(choice_.kernel_);
    if (member == nullptr) refuse_parameter("coef0", choice_.kernel_);
    *member = *value;
    return true;
  }
  [[nodiscard]] bool holds() const override {
    const double* const member = coef0_in(choice_.kernel_);
    return member == nullptr || std::isfinite(*member);
  }
  [[nodiscard]] OptionScalar scalar() const override {
    const double* const member = coef0_in(choice_.kernel_);
    return member == nullptr ? OptionScalar{} : OptionScalar(*member);
  }

 private:
  KernelChoice& choice_;
};

KernelChoice KernelChoice::with_rule(Kernel kernel, GammaRule rule) {
  KernelChoice choice;
  choice.kernel_ = std::move(kernel);
  choice.gamma_ = rule;
  choice.fallback_ = rule;
  return choice;
}

Kernel KernelChoice::resolved(const Examples& examples, const GammaOptions& options) const {
  return gamma_ ? with_gamma(kernel_, resolve_gamma(*gamma_, examples, options)) : kernel_;
}

void KernelChoice::describe(OptionVisitor& visit) {
  NameValue name(*this);
  visit.option({.name = "kernel", .help = "similarity of two rows"}, name);
  GammaValue gamma(*this);
  visit.option(
      {.name = "gamma",
       .help = "width of the kernel: a number, scale, auto, median, quantile:Q or neighbour",
       .value = "G",
       .fallback = fallback_.kind == GammaRule::Kind::neighbour ? "neighbour; 1 for poly"
                                                                : "scale; 1 for poly"},
      gamma);
  DegreeValue degree(*this);
  visit.option({.name = "degree", .help = "degree of the polynomial kernel", .fallback = "3"},
               degree);
  Coef0Value coef0(*this);
  visit.option(
      {.name = "coef0", .help = "constant of the polynomial and sigmoid kernels", .fallback = "0"},
      coef0);
}

void KernelChoice::describe(OptionVisitor& visit, bool& allow_indefinite) {
  describe(visit);
  visit.yes_no({.name = "allow-indefinite",
                .help = "accept a kernel that is not positive semidefinite (a precomputed one is "
                        "measured)"},
               allow_indefinite);
  visit.rule(allow_indefinite || !is_indefinite(),
             "--kernel " + kernel_name(kernel_) +
                 ": not positive semidefinite; --allow-indefinite takes it all the same");
}

bool KernelChoice::is_indefinite() const {
  return definiteness(kernel_) == Definiteness::indefinite;
}

}  // namespace maxmargin
