// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/kernel/choice.hpp"

#include <algorithm>
#include <climits>
#include <cmath>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "core/memory_limit.hpp"
#include "core/own_values.hpp"
#include "kernel/expression.hpp"
#include "kernel/parts.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/core/number.hpp"

namespace maxmargin {

namespace {

constexpr std::string_view quantile_prefix = "quantile:";

/// The option is one of another kernel.
[[noreturn]] void refuse_parameter(std::string_view name, const Kernel& kernel) {
  throw OptionConflict(flag_of(name) + ": the kernel " + kernel_name(kernel) + " does not have it");
}

/// Parameters stand in the expression or beside a name, not both.
[[noreturn]] void refuse_beside(std::string_view name) {
  throw OptionConflict(
      flag_of(name) + ": --kernel holds its parameters itself; write it there, as in rbf(gamma=1)");
}

/// The text for as long as the program runs, as descriptions of options want it. Expressions are
/// short, so that there are few texts.
std::string_view kept(std::string text) {
  static std::mutex mutex;
  static std::set<std::string, std::less<>> texts;
  const std::lock_guard lock(mutex);
  return *texts.insert(std::move(text)).first;
}

/// Iterated kernels keep the values between all training rows, each.
int iterations_in(const Kernel& kernel) {
  const auto* combined = std::get_if<Combined>(&kernel);
  if (combined == nullptr) return 0;
  int count = std::holds_alternative<IteratedRule>(combined->node().rule) ? 1 : 0;
  for_each_part(combined->node(), [&](const Kernel& part) { count += iterations_in(part); });
  return count;
}

/// Throws InvalidArgument where that parameter of the kernel, which C++ programs may set to
/// anything, breaks the rule that its text would break.
void require_parameter(const Kernel& kernel, std::string_view parameter, std::string_view name) {
  const std::string value = std::visit(
      [&](const auto& k) {
        double number = 0;
        if constexpr (requires { k.gamma; }) number = parameter == "gamma" ? k.gamma : number;
        if constexpr (requires { k.coef0; }) number = parameter == "coef0" ? k.coef0 : number;
        if constexpr (requires { k.degree; }) number = parameter == "degree" ? k.degree : number;
        if constexpr (requires { k.length; }) number = parameter == "length" ? k.length : number;
        return format_number(number);
      },
      kernel);
  Kernel copy = kernel;
  std::optional<GammaRule> none;
  const std::string rule = set_kernel_parameter(copy, none, parameter, value);
  if (!rule.empty()) throw InvalidArgument(breach(name, value, rule));
}

/// Where the kernel has a constant, a pointer to it.
double* coef0_in(Kernel& kernel) {
  if (auto* polynomial = std::get_if<Polynomial>(&kernel)) return &polynomial->coef0;
  if (auto* sigmoid = std::get_if<Sigmoid>(&kernel)) return &sigmoid->coef0;
  return nullptr;
}

/// Can a text say this rule, but for its parts? Training examples, matrices and code are in memory
/// alone.
struct HasText {
  bool operator()(const CentredRule& rule) const { return rule.means == nullptr; }
  bool operator()(const IteratedRule& rule) const { return rule.rows == nullptr; }
  bool operator()(const SeriesRule&) const { return false; }
  bool operator()(const RankOneRule&) const { return false; }
  bool operator()(const InputScalingRule&) const { return false; }
  template <class Rule>
  bool operator()(const Rule&) const {
    return true;
  }
};

/// Does parse() make the same kernel of its text?
bool has_expression(const Kernel& kernel) {
  if (const auto* matrix = std::get_if<Precomputed>(&kernel)) return matrix->matrix == nullptr;
  const auto* combined = std::get_if<Combined>(&kernel);
  if (combined == nullptr) return true;
  bool has_text = std::visit(HasText{}, combined->node().rule);
  for_each_part(combined->node(),
                [&](const Kernel& part) { has_text = has_text && has_expression(part); });
  return has_text;
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
  [[nodiscard]] std::string rule() const override {
    return "the name of a kernel, or an expression such as 0.5*rbf(gamma=1) + linear";
  }
  [[nodiscard]] std::vector<std::string_view> names() const override {
    return {kernel_names().begin(), kernel_names().end()};
  }
  [[nodiscard]] bool set(std::string_view text) override {
    // What can be no expression is a misspelt name.
    constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_";
    if (!kernel_by_name(text) && text.find_first_not_of(letters) == std::string_view::npos) {
      return false;
    }
    choice_.read(text);
    return true;
  }
  // The options of its parameters have their rules.
  [[nodiscard]] bool holds() const override { return true; }
  [[nodiscard]] OptionScalar scalar() const override { return choice_.text(); }
  [[nodiscard]] bool has_text() const override { return has_expression(choice_.kernel_); }

 private:
  KernelChoice& choice_;
};

class KernelChoice::GammaValue final : public OptionValue {
 public:
  explicit GammaValue(KernelChoice& choice) : choice_(choice) {}
  [[nodiscard]] OptionKind kind() const override { return OptionKind::text; }
  [[nodiscard]] std::string rule() const override { return std::string(gamma_rule_words); }
  [[nodiscard]] std::vector<std::string_view> names() const override {
    return {"scale", "auto", "median", "neighbour", quantile_prefix};
  }
  [[nodiscard]] bool set(std::string_view text) override {
    const std::optional<GammaRule> rule = parse_gamma_rule(text);
    if (!rule) return false;
    if (choice_.is_expression()) refuse_beside("gamma");
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

class KernelChoice::DegreeValue final : public OptionValue, public RawNumber {
 public:
  explicit DegreeValue(KernelChoice& choice) : choice_(choice) {}
  [[nodiscard]] OptionKind kind() const override { return OptionKind::whole; }
  [[nodiscard]] std::string rule() const override {
    return "a whole number from 1 to " + std::to_string(largest_kernel_degree);
  }
  [[nodiscard]] std::optional<NumberRange> range() const override {
    return NumberRange{
        .least = 1, .most = largest_kernel_degree, .has_least = true, .has_most = true};
  }
  [[nodiscard]] bool set(std::string_view text) override {
    const std::optional<std::uint64_t> degree = parse_whole(text);
    if (!degree || *degree < 1 || *degree > largest_kernel_degree) return false;
    if (choice_.is_expression()) refuse_beside("degree");
    auto* polynomial = std::get_if<Polynomial>(&choice_.kernel_);
    if (polynomial == nullptr) refuse_parameter("degree", choice_.kernel_);
    polynomial->degree = static_cast<int>(*degree);
    return true;
  }
  [[nodiscard]] bool assign(double number) override {
    auto* const polynomial = std::get_if<Polynomial>(&choice_.kernel_);
    if (polynomial == nullptr || number != std::floor(number) || std::abs(number) > INT_MAX) {
      return false;
    }
    polynomial->degree = static_cast<int>(number);
    return true;
  }
  [[nodiscard]] bool holds() const override {
    const auto* polynomial = std::get_if<Polynomial>(&choice_.kernel_);
    return polynomial == nullptr ||
           (polynomial->degree >= 1 && polynomial->degree <= largest_kernel_degree);
  }
  [[nodiscard]] OptionScalar scalar() const override {
    const auto* polynomial = std::get_if<Polynomial>(&choice_.kernel_);
    return polynomial == nullptr ? OptionScalar{} : OptionScalar(std::int64_t{polynomial->degree});
  }

 private:
  KernelChoice& choice_;
};

class KernelChoice::Coef0Value final : public OptionValue, public RawNumber {
 public:
  explicit Coef0Value(KernelChoice& choice) : choice_(choice) {}
  [[nodiscard]] OptionKind kind() const override { return OptionKind::number; }
  [[nodiscard]] std::string rule() const override { return std::string(rules::finite.words); }
  [[nodiscard]] std::optional<NumberRange> range() const override { return rules::finite.range; }
  [[nodiscard]] bool set(std::string_view text) override {
    const std::optional<double> value = parse_number(text);
    if (!value || !std::isfinite(*value)) return false;
    if (choice_.is_expression()) refuse_beside("coef0");
    double* const member = coef0_in(choice_.kernel_);
    if (member == nullptr) refuse_parameter("coef0", choice_.kernel_);
    *member = *value;
    return true;
  }
  [[nodiscard]] bool assign(double number) override {
    double* const member = coef0_in(choice_.kernel_);
    if (member != nullptr) *member = number;
    return member != nullptr;
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

/// A parameter of a kernel in an expression. It is no value of its own: the expression holds it.
class KernelChoice::PartValue final : public OptionValue {
 public:
  /// The parameter of the leaf; `others`, where the name fits several, are the names to choose
  /// from.
  PartValue(KernelChoice& choice,
            std::size_t leaf,
            std::string_view parameter,
            std::string others = {})
      : choice_(choice), leaf_(leaf), parameter_(parameter), others_(std::move(others)) {}
  [[nodiscard]] OptionKind kind() const override { return OptionKind::text; }
  [[nodiscard]] std::string rule() const override { return rule_; }
  [[nodiscard]] bool set(std::string_view text) override {
    if (!others_.empty()) throw InvalidArgument(others_);
    const bool is_single = !std::holds_alternative<Combined>(choice_.kernel_);
    if (!is_single) {
      choice_.part_rules_.resize(std::max(choice_.part_rules_.size(), leaf_ + 1));
    }
    std::optional<GammaRule>& rule = is_single ? choice_.gamma_ : choice_.part_rules_[leaf_];
    std::size_t next = 0;
    choice_.kernel_ = with_leaves(choice_.kernel_, [&](Kernel leaf) {
      if (next++ == leaf_) rule_ = set_kernel_parameter(leaf, rule, parameter_, text);
      return leaf;
    });
    return rule_.empty();
  }
  // describe_parts() checks it: as no value of its own it has no text for the message.
  [[nodiscard]] bool holds() const override { return true; }
  [[nodiscard]] OptionScalar scalar() const override { return {}; }

 private:
  KernelChoice& choice_;
  std::size_t leaf_;
  std::string_view parameter_;
  std::string others_;
  std::string rule_ = {};
};

KernelChoice KernelChoice::with_rule(Kernel kernel, GammaRule rule) {
  KernelChoice choice;
  choice.kernel_ = std::move(kernel);
  choice.gamma_ = rule;
  choice.fallback_ = rule;
  return choice;
}

KernelChoice KernelChoice::parse(std::string_view text) {
  KernelChoice choice;
  choice.read(text);
  return choice;
}

void KernelChoice::read(std::string_view text) {
  KernelExpression found;
  const std::optional<Kernel> named = kernel_by_name(text);
  if (named) {
    found = {.kernel = *named, .rules = {default_rule(*named, fallback_)}};
  } else {
    found = parse_kernel(text, fallback_);
  }
  const bool is_combined = std::holds_alternative<Combined>(found.kernel);
  is_written_out_ = !named && !is_combined;
  gamma_ = is_combined ? std::nullopt : found.rules.front();
  kernel_ = std::move(found.kernel);
  part_rules_.clear();
  if (is_combined) part_rules_ = std::move(found.rules);
}

bool KernelChoice::is_expression() const {
  return is_written_out_ || std::holds_alternative<Combined>(kernel_);
}

std::string KernelChoice::text() const {
  // No option beside the name says how long substrings are.
  const bool whole =
      std::holds_alternative<Combined>(kernel_) || std::holds_alternative<Spectrum>(kernel_);
  return whole ? expression_text(kernel_, part_rules_) : kernel_name(kernel_);
}

Kernel KernelChoice::resolved(const Examples& examples, const GammaOptions& options) const {
  const int iterations = iterations_in(kernel_);
  if (iterations > 0) {
    const std::size_t n = examples.rows();
    require_within_limit(static_cast<std::size_t>(iterations) * n * n * sizeof(double),
                         options.context.memory_limit,
                         "--kernel " + text() + " over " + std::to_string(n) + " rows",
                         "take fewer rows, or a kernel without iterate");
  }
  if (gamma_) return with_gamma(kernel_, resolve_gamma(*gamma_, examples, options));
  std::size_t next = 0;
  const Kernel kernel = with_leaves(kernel_, [&](const Kernel& leaf) {
    const std::size_t place = next++;
    if (place >= part_rules_.size() || !part_rules_[place]) return leaf;
    return with_gamma(leaf, resolve_gamma(*part_rules_[place], examples, options));
  });
  return fitted(kernel, examples, options.context.threads);
}

void KernelChoice::describe(OptionVisitor& visit) {
  NameValue name(*this);
  visit.option({.name = "kernel", .help = "similarity of two rows: a kernel or an expression"},
               name);
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
  // No option beside the name says how long substrings are.
  if (is_expression() || std::holds_alternative<Spectrum>(kernel_)) describe_parts(visit);
}

void KernelChoice::describe_parts(OptionVisitor& visit) {
  std::vector<Kernel> leaves;
  for_each_leaf(kernel_, [&](const Kernel& leaf) { leaves.push_back(leaf); });
  std::set<std::string, std::less<>> ambiguous;
  for (std::size_t leaf = 0; leaf < leaves.size(); ++leaf) {
    const std::string name = kernel_name(leaves[leaf]);
    const auto same = [&](const Kernel& other) { return kernel_name(other) == name; };
    const auto before = leaves.begin() + static_cast<std::ptrdiff_t>(leaf);
    const std::string number =
        "[" + std::to_string(std::count_if(leaves.begin(), before, same) + 1) + "]";
    const bool is_only = std::count_if(leaves.begin(), leaves.end(), same) == 1;
    for (const std::string_view parameter : kernel_parameters(leaves[leaf])) {
      const std::string behind = "." + std::string(parameter);
      std::string plain = name;
      plain.append(behind);
      std::string numbered = name;
      numbered.append(number).append(behind);
      PartValue value(*this, leaf, parameter);
      visit.option({.name = kept(is_only ? plain : numbered),
                    .help = "a parameter of the expression's kernel",
                    .alias = is_only ? kept(numbered) : std::string_view{}},
                   value);
      const bool has_rule = leaf < part_rules_.size() && part_rules_[leaf] && parameter == "gamma";
      visit.check([&] {
        if (!has_rule) require_parameter(leaves[leaf], parameter, is_only ? plain : numbered);
      });
      if (is_only || !ambiguous.insert(plain).second) continue;
      std::string refusal = "--";
      refusal.append(plain).append(": the expression has more than one ").append(name);
      refusal.append("; write ").append(name).append("[1]").append(behind);
      refusal.append(", ").append(name).append("[2]").append(behind).append(" in their order");
      PartValue several(*this, leaf, parameter, std::move(refusal));
      visit.option({.name = kept(plain), .help = "a parameter of several kernels"}, several);
    }
  }
}

void KernelChoice::describe(OptionVisitor& visit, bool& allow_indefinite) {
  describe(visit);
  visit.yes_no({.name = "allow-indefinite",
                .help = "accept a kernel that is not positive semidefinite (a precomputed one is "
                        "measured)"},
               allow_indefinite);
  visit.rule(allow_indefinite || !is_indefinite(),
             "--kernel " + indefinite_text() + "; --allow-indefinite takes it all the same");
}

bool KernelChoice::is_indefinite() const {
  const Definiteness known = definiteness(kernel_);
  if (known != Definiteness::unknown) return known == Definiteness::indefinite;
  // A matrix is measured once it is there.
  bool has_matrix = false;
  for_each_leaf(kernel_, [&](const Kernel& leaf) {
    has_matrix = has_matrix || std::holds_alternative<Precomputed>(leaf);
  });
  return !has_matrix;
}

std::string KernelChoice::indefinite_text() const {
  const bool is_known = definiteness(kernel_) == Definiteness::indefinite;
  return text() +
         (is_known ? ": not positive semidefinite" : ": not known to be positive semidefinite");
}

}  // namespace maxmargin
