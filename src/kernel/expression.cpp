// SPDX-License-Identifier: Apache-2.0
#include "kernel/expression.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "kernel/parts.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/core/number.hpp"
#include "maxmargin/core/option.hpp"
#include "maxmargin/core/suggest.hpp"
#include "maxmargin/kernel/choice.hpp"

namespace maxmargin {

namespace {

/// An expression is read, evaluated and stored by recursion.
constexpr int deepest_nesting = 24;
constexpr std::size_t most_kernels = 32;
constexpr std::size_t longest_text = 4000;

constexpr std::array<std::string_view, 4> functions = {"normalize", "center", "exp", "iterate"};

bool is_blank(char c) { return c == ' ' || c == '\t'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_shown(char c) { return c >= ' ' && c <= '~'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// A name as messages show it.
std::string shown_name(std::string_view name) {
  constexpr std::size_t longest = 40;
  return std::string(name.substr(0, longest)) + (name.size() > longest ? "..." : "");
}

std::string degree_rule() {
  return "a whole number from 1 to " + std::to_string(largest_kernel_degree);
}

class Parser {
 public:
  Parser(std::string_view text, const GammaRule& usual) : text_(text), usual_(usual) {}

  KernelExpression parse() {
    if (text_.size() > longest_text) {
      throw InvalidArgument("--kernel: the expression has " + std::to_string(text_.size()) +
                            " characters, at most " + std::to_string(longest_text) + " are taken");
    }
    Kernel kernel = sum();
    if (!at_end()) expected("+, *, ^ or the end");
    return {.kernel = std::move(kernel), .rules = std::move(rules_)};
  }

 private:
  /// A factor of a product: a kernel, or a number.
  struct Factor {
    std::optional<Kernel> kernel = std::nullopt;
    double number = 1;
  };

  [[noreturn]] void fail_at(std::size_t place, const std::string& problem) const {
    std::string shown;
    constexpr std::size_t most_shown = 200;
    for (const char c : text_.substr(0, most_shown)) shown += is_shown(c) ? c : '?';
    if (text_.size() > most_shown) shown += "...";
    throw InvalidArgument(breach(
        "kernel",
        shown,
        "a known name or an expression; character " + std::to_string(place + 1) + ": " + problem));
  }
  [[noreturn]] void fail(const std::string& problem) const { fail_at(at_, problem); }
  /// At the next character that is no blank.
  [[noreturn]] void expected(const std::string& what) {
    skip_blanks();
    if (at_ == text_.size()) fail("expected " + what + ", found the end");
    if (!is_shown(text_[at_])) fail("expected " + what + ", found a byte that is no letter");
    fail("expected " + what + ", found '" + std::string(1, text_[at_]) + "'");
  }

  void skip_blanks() {
    while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
  }
  bool at_end() {
    skip_blanks();
    return at_ == text_.size();
  }
  /// The next character that is no blank; a zero byte at the end.
  char next() { return at_end() ? '\0' : text_[at_]; }
  bool take(char c) {
    if (at_end() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void expect(char c, const std::string& where) {
    if (!take(c)) expected("'" + std::string(1, c) + "' " + where);
  }

  std::string_view word() {
    skip_blanks();
    const std::size_t begin = at_;
    while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]) ||
                                  text_[at_] == '-' || text_[at_] == '_')) {
      ++at_;
    }
    return text_.substr(begin, at_ - begin);
  }

  Kernel sum() {
    Kernel total = product();
    while (take('+')) total = sum_of(std::move(total), product());
    return total;
  }

  Kernel product() {
    const std::size_t begin = at_;
    std::optional<Kernel> value;
    std::optional<double> number;
    do {
      Factor factor = read_factor();
      if (!factor.kernel) {
        number = number.value_or(1.0) * factor.number;
      } else if (value) {
        value = product_of(*std::move(value), *std::move(factor.kernel));
      } else {
        value = std::move(factor.kernel);
      }
    } while (take('*'));
    if (!value) expected("* and a kernel behind the number");
    if (!number) return *std::move(value);
    if (!(*number > 0 && std::isfinite(*number))) {
      fail_at(begin, "the factor is " + format_number(*number) + ", must be finite and > 0");
    }
    return scaled(*std::move(value), *number);
  }

  Factor read_factor() {
    const char c = next();
    if (is_digit(c) || c == '.') return {.number = read_number()};
    if (c == '-') fail("a difference of kernels, or a kernel with a minus, is no kernel");
    Kernel kernel = atom();
    if (take('^')) {
      const std::size_t place = at_;
      const std::optional<std::int64_t> exponent = parse_integer(digits());
      if (!exponent || *exponent < 1 || *exponent > largest_kernel_degree) {
        fail_at(place, "the exponent must be " + degree_rule());
      }
      kernel = power_of(std::move(kernel), static_cast<int>(*exponent));
    }
    return {.kernel = std::move(kernel)};
  }

  std::string_view digits() {
    skip_blanks();
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  double read_number() {
    double value = 0;
    const char* const begin = text_.data() + at_;
    const char* const end = scan_number(begin, text_.data() + text_.size(), value);
    if (end == begin) expected("a number");
    const std::size_t place = at_;
    at_ += static_cast<std::size_t>(end - begin);
    if (!(value > 0 && std::isfinite(value))) fail_at(place, "a factor must be finite and > 0");
    return value;
  }

  Kernel atom() {
    if (next() == '(') {
      ++at_;
      return inside("behind the expression in parentheses");
    }
    const std::size_t begin = at_;
    const std::string_view name = word();
    if (name.empty() || !is_letter(name.front())) {
      at_ = begin;
      expected("a kernel, a number or '('");
    }
    if (std::ranges::find(functions, name) == functions.end()) return leaf(begin, name);
    expect('(', "behind " + std::string(name));
    if (++functions_around_ > deepest_functions) {
      fail_at(begin,
              "functions nested deeper than " + std::to_string(deepest_functions) + " levels");
    }
    const bool iterates = name == "iterate";
    if (iterates && ++iterations_around_ > deepest_iterations) {
      fail_at(begin,
              "iterate nested deeper than " + std::to_string(deepest_iterations) + " levels");
    }
    Kernel kernel = apply(name, inside("behind its kernel"));
    --functions_around_;
    if (iterates) --iterations_around_;
    return kernel;
  }

  /// A sum and the parenthesis that closes it.
  Kernel inside(const std::string& where) {
    if (++nesting_ > deepest_nesting) {
      fail("nested deeper than " + std::to_string(deepest_nesting) + " levels");
    }
    Kernel kernel = sum();
    expect(')', where);
    --nesting_;
    return kernel;
  }

  static Kernel apply(std::string_view function, Kernel kernel) {
    if (function == "normalize") return normalised(std::move(kernel));
    if (function == "center") return centred(std::move(kernel));
    if (function == "exp") return exp_of(std::move(kernel));
    return iterated(std::move(kernel));
  }

  Kernel leaf(std::size_t begin, std::string_view name) {
    std::optional<Kernel> kernel = kernel_by_name(name);
    if (!kernel) {
      std::vector<std::string_view> known(kernel_names().begin(), kernel_names().end());
      known.insert(known.end(), functions.begin(), functions.end());
      fail_at(begin, "no kernel is called " + shown_name(name) + suggest_names(name, known));
    }
    if (std::holds_alternative<Precomputed>(*kernel)) {
      fail_at(begin, "precomputed stands alone: combine the matrix before it is read");
    }
    std::optional<GammaRule> rule = default_rule(*kernel, usual_);
    if (take('(')) parameters(name, *kernel, rule);
    const bool of_strings = std::holds_alternative<Spectrum>(*kernel);
    if (!rules_.empty() && of_strings != of_strings_) {
      fail_at(begin, "spectrum reads strings, the other kernels numbers: they do not go together");
    }
    of_strings_ = of_strings;
    rules_.push_back(rule);
    if (rules_.size() > most_kernels) {
      fail_at(begin, "more than " + std::to_string(most_kernels) + " kernels");
    }
    return *std::move(kernel);
  }

  void parameters(std::string_view kernel_name, Kernel& kernel, std::optional<GammaRule>& rule) {
    std::vector<std::string_view> seen;
    if (take(')')) return;
    do {
      skip_blanks();
      const std::size_t place = at_;
      const std::string_view name = word();
      if (name.empty()) expected("the name of a parameter");
      if (std::ranges::find(seen, name) != seen.end()) {
        fail_at(place, shown_name(name) + " is given twice");
      }
      seen.push_back(name);
      expect('=', "behind " + shown_name(name));
      skip_blanks();
      const std::size_t value_place = at_;
      while (at_ < text_.size() && text_[at_] != ',' && text_[at_] != ')') ++at_;
      std::string_view value = text_.substr(value_place, at_ - value_place);
      while (!value.empty() && is_blank(value.back())) value.remove_suffix(1);
      const std::vector<std::string_view> known = kernel_parameters(kernel);
      if (std::ranges::find(known, name) == known.end()) {
        fail_at(place,
                std::string(kernel_name) + " has no parameter " + shown_name(name) +
                    (known.empty() ? ", nor any other" : suggest_names(name, known)));
      }
      const std::string rule_of_value = set_kernel_parameter(kernel, rule, name, value);
      if (!rule_of_value.empty()) {
        fail_at(value_place, std::string(name) + " must be " + rule_of_value);
      }
    } while (take(','));
    expect(')', "or ',' behind the parameter");
  }

  std::string_view text_;
  const GammaRule& usual_;
  std::size_t at_ = 0;
  int nesting_ = 0;
  int functions_around_ = 0;
  int iterations_around_ = 0;
  std::vector<std::optional<GammaRule>> rules_ = {};
  bool of_strings_ = false;
};

/// How tightly a text binds: a sum may stand where a sum may, and so on.
enum class Binding { sum, product, factor, atom };

/// Writes a kernel, whose leaves take the rules in their order.
class Writer {
 public:
  explicit Writer(const std::vector<std::optional<GammaRule>>& rules) : rules_(rules) {}

  std::string write(const Kernel& kernel, Binding least) {
    const auto* combined = std::get_if<Combined>(&kernel);
    if (combined == nullptr) return leaf(kernel);
    const Combination& node = combined->node();
    const bool enclosed = binding_of(node) < least;
    const std::string text =
        std::visit([this](const auto& rule) { return write_rule(rule); }, node.rule);
    return enclosed ? "(" + text + ")" : text;
  }

 private:
  static Binding binding_of(const Combination& node) {
    if (std::holds_alternative<SumRule>(node.rule)) return Binding::sum;
    if (std::holds_alternative<ProductRule>(node.rule)) return Binding::product;
    // The number of a product stands in front of it, once.
    if (std::holds_alternative<ScaleRule>(node.rule)) return Binding::product;
    if (std::holds_alternative<PowerRule>(node.rule)) return Binding::factor;
    return Binding::atom;
  }
  static bool is_scaled(const Kernel& kernel) {
    const auto* combined = std::get_if<Combined>(&kernel);
    return combined != nullptr && std::holds_alternative<ScaleRule>(combined->node().rule);
  }

  std::string write_rule(const SumRule& rule) {
    const std::string a = write(rule.a, Binding::sum);
    return a + " + " + write(rule.b, Binding::product);
  }
  std::string write_rule(const ProductRule& rule) {
    const std::string a = write(rule.a, is_scaled(rule.a) ? Binding::factor : Binding::product);
    return a + "*" + write(rule.b, Binding::factor);
  }
  std::string write_rule(const ScaleRule& rule) {
    return format_number(rule.factor) + "*" +
           write(rule.kernel, is_scaled(rule.kernel) ? Binding::factor : Binding::product);
  }
  std::string write_rule(const PowerRule& rule) {
    return write(rule.kernel, Binding::atom) + "^" + std::to_string(rule.exponent);
  }
  std::string write_rule(const SeriesRule& rule) { return call("polynomial", rule.kernel); }
  std::string write_rule(const ExpRule& rule) { return call("exp", rule.kernel); }
  std::string write_rule(const RankOneRule& rule) { return "rank-one(" + rule.name + ")"; }
  std::string write_rule(const InputScalingRule& rule) {
    return call(rule.origin.empty() ? "scaled-inputs" : "moved-inputs", rule.kernel);
  }
  std::string write_rule(const NormaliseRule& rule) { return call("normalize", rule.kernel); }
  std::string write_rule(const CentredRule& rule) { return call("center", rule.kernel); }
  std::string write_rule(const IteratedRule& rule) { return call("iterate", rule.kernel); }
  std::string call(const char* function, const Kernel& kernel) {
    return std::string(function) + "(" + write(kernel, Binding::sum) + ")";
  }

  std::string leaf(const Kernel& kernel) {
    const std::optional<GammaRule> rule =
        next_ < rules_.size() ? rules_[next_] : std::optional<GammaRule>{};
    ++next_;
    std::string text = kernel_name(kernel);
    const char* before = "(";
    const auto add = [&](const char* name, const std::string& value) {
      text += std::string(before) + name + "=" + value;
      before = ", ";
    };
    std::visit(
        [&](const auto& k) {
          if constexpr (requires { k.gamma; }) {
            add("gamma", rule ? to_string(*rule) : format_number(k.gamma));
          }
          if constexpr (requires { k.degree; }) add("degree", std::to_string(k.degree));
          if constexpr (requires { k.coef0; }) add("coef0", format_number(k.coef0));
          if constexpr (requires { k.length; }) add("length", std::to_string(k.length));
        },
        kernel);
    return *before == '(' ? text : text + ")";
  }

  const std::vector<std::optional<GammaRule>>& rules_;
  std::size_t next_ = 0;
};

}  // namespace

KernelExpression parse_kernel(std::string_view text, const GammaRule& usual) {
  return Parser(text, usual).parse();
}

std::string expression_text(const Kernel& kernel,
                            const std::vector<std::optional<GammaRule>>& rules) {
  return Writer(rules).write(kernel, Binding::sum);
}

std::string kernel_expression(const Kernel& kernel) { return expression_text(kernel); }

std::string set_kernel_parameter(Kernel& kernel,
                                 std::optional<GammaRule>& rule,
                                 std::string_view name,
                                 std::string_view value) {
  if (name == "gamma") {
    const std::optional<GammaRule> read = parse_gamma_rule(value);
    if (!read) return std::string(gamma_rule_words);
    rule = read;
    if (read->kind == GammaRule::Kind::number) {
      kernel = with_gamma(std::move(kernel), read->value);
      rule.reset();
    }
    return {};
  }
  if (name == "coef0") {
    const std::optional<double> read = parse_number(value);
    if (!read || !std::isfinite(*read)) return std::string(rules::finite.words);
    std::visit(
        [&](auto& k) {
          if constexpr (requires { k.coef0; }) k.coef0 = *read;
        },
        kernel);
    return {};
  }
  const std::optional<std::int64_t> read = parse_integer(value);
  if (!read || *read < 1 || *read > largest_kernel_degree) return degree_rule();
  std::visit(
      [&](auto& k) {
        if constexpr (requires { k.degree; }) k.degree = static_cast<int>(*read);
        if constexpr (requires { k.length; }) k.length = static_cast<int>(*read);
      },
      kernel);
  return {};
}

std::vector<std::string_view> kernel_parameters(const Kernel& kernel) {
  return std::visit(
      [](const auto& k) {
        std::vector<std::string_view> names;
        if constexpr (requires { k.gamma; }) names.emplace_back("gamma");
        if constexpr (requires { k.degree; }) names.emplace_back("degree");
        if constexpr (requires { k.coef0; }) names.emplace_back("coef0");
        if constexpr (requires { k.length; }) names.emplace_back("length");
        return names;
      },
      kernel);
}

std::optional<GammaRule> default_rule(const Kernel& kernel, const GammaRule& usual) {
  // A polynomial's own width, 1, is its default.
  if (!gamma_of(kernel) || std::holds_alternative<Polynomial>(kernel)) return std::nullopt;
  // A rule of its own is made for the kernel that stands there by default.
  return std::holds_alternative<Rbf>(kernel) ? usual : GammaRule::scale();
}

}  // namespace maxmargin
