// SPDX-License-Identifier: Apache-2.0
#include "learner_options.hpp"

#include <algorithm>
#include <cmath>

#include "data_source.hpp"
#include "maxmargin/core/number.hpp"
#include "maxmargin/io/table/read_data.hpp"
#include "option_table.hpp"

namespace maxmargin::tool {

namespace {

[[noreturn]] void refuse(std::string_view option, std::string_view value, std::string_view rule) {
  throw UsageError(main_flag(option) + " " + std::string(value) + ": must be " + std::string(rule));
}

double finite_number(const TrainingInput& input, std::string_view option, double fallback) {
  return number_of(
      input.arguments,
      option,
      fallback,
      [](double x) { return std::isfinite(x); },
      "a finite number");
}

}  // namespace

double number_of(const Arguments& arguments,
                 std::string_view option,
                 double fallback,
                 bool (*holds)(double),
                 std::string_view rule) {
  const std::optional<std::string> text = arguments.text(option);
  if (!text) return fallback;
  const std::optional<double> value = parse_number(*text);
  if (!value || !holds(*value)) refuse(option, *text, rule);
  return *value;
}

std::optional<double> balance_of(const Arguments& arguments, std::optional<double> fallback) {
  const std::optional<std::string> text = arguments.text("balance");
  if (!text) return fallback;
  if (*text == "none") return std::nullopt;
  return number_of(
      arguments,
      "balance",
      0,
      [](double share) { return share >= 0 && share < 1; },
      "a number in [0, 1), or none");
}

double parse_cost(std::string_view text, bool infinite_allowed) {
  const std::optional<double> value = parse_number(text);
  if (!value || !(*value > 0) || (std::isinf(*value) && !infinite_allowed)) {
    refuse("C", text, infinite_allowed ? "a number > 0, or inf" : "a finite number > 0");
  }
  return *value;
}

double cost_of(const TrainingInput& input, bool infinite_allowed) {
  return parse_cost(input.arguments.text_or("C", "1"), infinite_allowed);
}

double nu_of(const TrainingInput& input) {
  const double nu = finite_number(input, "nu", 0.5);
  if (!(nu > 0 && nu <= 1)) refuse("nu", format_number(nu), "in (0, 1]");
  return nu;
}

double outlier_share_of(const TrainingInput& input) {
  const double nu = finite_number(input, "nu", 0.5);
  if (!(nu >= 0 && nu < 1)) refuse("nu", format_number(nu), "in [0, 1)");
  return nu;
}

double epsilon_of(const TrainingInput& input) {
  const double epsilon = finite_number(input, "epsilon", 0.1);
  if (epsilon < 0) refuse("epsilon", format_number(epsilon), "a number >= 0");
  return epsilon;
}

ClassWeights class_weights_of(const TrainingInput& input) {
  const std::optional<std::string> text = input.arguments.text("class-weight");
  if (!text) return {};
  try {
    return parse_class_weights(*text);
  } catch (const InvalidArgument&) {
    refuse("class-weight", *text, "balanced or LABEL=WEIGHT,...");
  }
}

MulticlassKind multiclass_of(const TrainingInput& input,
                             std::string_view fallback,
                             const std::vector<std::string>& allowed) {
  return parse_multiclass(input.arguments.choice_or("multiclass", fallback, allowed));
}

namespace {

/// A table of -1, 0 and +1, one row a class in the order of the classes.
OutputCode code_from_file(const std::string& path, std::size_t classes) {
  const Dataset table = read_data(path, {.label = "none"});
  if (table.size() != classes) {
    throw FileError(path,
                    "has " + std::to_string(table.size()) + " rows, the data " +
                        std::to_string(classes) + " classes");
  }
  return user_code(table.examples.to_dense().view());
}

OutputCode wanted_code(const std::string& text, std::size_t classes, std::uint64_t seed) {
  constexpr std::string_view random = "random:";
  if (text == "exhaustive") return exhaustive_code(classes);
  if (text == "random") return random_code(classes, std::nullopt, seed);
  if (!text.starts_with(random)) return code_from_file(text, classes);
  const std::optional<std::int64_t> functions = parse_integer(text.substr(random.size()));
  if (!functions || *functions < 1) refuse("code", text, "random:N with a whole number N >= 1");
  return random_code(classes, static_cast<std::size_t>(*functions), seed);
}

}  // namespace

std::optional<OutputCode> code_of(const TrainingInput& input, const Dataset& data) {
  const Arguments& arguments = input.arguments;
  if (!arguments.has("code") && !arguments.has("decoding")) return std::nullopt;
  if (arguments.text("multiclass") != "ecoc") {
    throw UsageError("--code and --decoding belong to --multiclass ecoc");
  }
  const std::string decoding = arguments.choice_or("decoding", "margin", {"margin", "hamming"});
  OutputCode code = wanted_code(arguments.text_or("code", "random"),
                                classes_of(data.labels).count(),
                                arguments.whole("seed", 0).value_or(0));
  code.decoding = parse_decoding(decoding);
  return code;
}

std::optional<std::size_t> memory_limit_of(const Arguments& arguments) {
  const std::optional<std::string> text = arguments.text("memory-limit");
  if (!text) return std::nullopt;
  const std::optional<std::uint64_t> bytes = parse_byte_size(*text);
  if (!bytes || *bytes == 0) {
    throw UsageError("--memory-limit " + *text + ": must be a size such as 500M or 4G");
  }
  return static_cast<std::size_t>(*bytes);
}

TrainingControl control_of(const TrainingInput& input) {
  const Arguments& arguments = input.arguments;
  TrainingControl control;
  control.tolerance = arguments.positive("tolerance").value_or(control.tolerance);
  control.max_iterations = arguments.whole("max-iterations", 1);
  control.memory_limit = input.memory_limit;
  control.threads = threads_of(arguments);
  control.seed = arguments.whole("seed", 0).value_or(control.seed);
  control.keep_dual = arguments.has("verify");
  control.on_progress = input.progress;
  return control;
}

GammaRule parse_gamma(std::string_view text) {
  constexpr std::string_view quantile = "quantile:";
  GammaRule rule;
  if (text == "scale") {
    rule = GammaRule::scale();
  } else if (text == "auto") {
    rule = GammaRule::automatic();
  } else if (text == "median") {
    rule = GammaRule::median();
  } else if (text == "neighbour") {
    rule = GammaRule::neighbour();
  } else {
    const bool is_quantile = text.starts_with(quantile);
    const auto value = parse_number(is_quantile ? text.substr(quantile.size()) : text);
    const bool fits =
        value && (is_quantile ? *value >= 0 && *value <= 1 : *value > 0 && std::isfinite(*value));
    if (!fits) {
      refuse("gamma",
             text,
             "a number > 0, scale, auto, median, neighbour, or quantile:Q with Q in [0, 1]");
    }
    rule = is_quantile ? GammaRule::quantile(*value) : GammaRule::number(*value);
  }
  return rule;
}

namespace {

/// The parameters that a kernel has no use for.
void refuse_foreign_parameters(const Kernel& kernel, const TrainingInput& input) {
  const bool is_polynomial = std::holds_alternative<Polynomial>(kernel);
  const auto check = [&](std::string_view option, bool has) {
    if (has || !input.arguments.has(option)) return;
    throw UsageError(main_flag(option) + ": the kernel " + kernel_name(kernel) +
                     " does not have it");
  };
  check("gamma", gamma_of(kernel).has_value());
  check("degree", is_polynomial);
  check("coef0", is_polynomial || std::holds_alternative<Sigmoid>(kernel));
}

/// gamma as --gamma says; its default is the rule `scale` (poly: 1; LIBSVM: 1/d).
double gamma_for(const TrainingInput& input, const Examples& examples, bool is_polynomial) {
  const char* const fallback = input.kkt_tolerance ? "auto" : is_polynomial ? "1" : "scale";
  const GammaRule rule = parse_gamma(input.arguments.text_or("gamma", fallback));
  return resolve_gamma(rule,
                       examples,
                       {.seed = input.arguments.whole("seed", 0).value_or(0),
                        .threads = threads_of(input.arguments)});
}

}  // namespace

Kernel kernel_of(const TrainingInput& input, const Examples& examples, std::string_view fallback) {
  const std::vector<std::string> names(kernel_names().begin(), kernel_names().end());
  const std::string name = input.arguments.choice_or("kernel", fallback, names);
  Kernel kernel = *kernel_by_name(name);
  refuse_foreign_parameters(kernel, input);
  if (auto* precomputed = std::get_if<Precomputed>(&kernel)) {
    precomputed->matrix = input.kernel_matrix;
    return kernel;
  }
  const bool is_polynomial = std::holds_alternative<Polynomial>(kernel);
  if (gamma_of(kernel)) kernel = with_gamma(kernel, gamma_for(input, examples, is_polynomial));
  if (auto* polynomial = std::get_if<Polynomial>(&kernel)) {
    constexpr std::uint64_t largest_degree = 1000;
    const std::uint64_t degree = input.arguments.whole("degree", 1).value_or(3);
    if (degree > largest_degree) refuse("degree", std::to_string(degree), "at most 1000");
    polynomial->degree = static_cast<int>(degree);
    polynomial->coef0 = finite_number(input, "coef0", 0);
  }
  if (auto* sigmoid = std::get_if<Sigmoid>(&kernel)) {
    sigmoid->coef0 = finite_number(input, "coef0", 0);
  }
  return kernel;
}

Kernel definite_kernel_of(const TrainingInput& input,
                          const Examples& examples,
                          std::string_view fallback) {
  Kernel kernel = kernel_of(input, examples, fallback);
  if (!input.arguments.has("allow-indefinite")) {
    refuse_indefinite(kernel, input, "; --allow-indefinite takes it all the same");
  }
  return kernel;
}

void refuse_indefinite(const Kernel& kernel, const TrainingInput& input, std::string_view rest) {
  const bool measured = std::holds_alternative<Precomputed>(kernel) && input.negative_eigenvalue;
  if (!measured && definiteness(kernel) != Definiteness::indefinite) return;
  const std::string found =
      measured ? " (an eigenvalue is " + format_number(*input.negative_eigenvalue, 4) + ")" : "";
  throw UsageError("--kernel " + kernel_name(kernel) + ": not positive semidefinite" + found +
                   std::string(rest));
}

void show_kernel(const Kernel& kernel, ReportFields& fields) {
  fields.emplace_back("kernel", kernel_name(kernel));
  if (const std::optional<double> gamma = gamma_of(kernel)) fields.emplace_back("gamma", *gamma);
  if (const auto* polynomial = std::get_if<Polynomial>(&kernel)) {
    fields.emplace_back("degree", whole(static_cast<std::uint64_t>(polynomial->degree)));
    fields.emplace_back("coef0", polynomial->coef0);
  }
  if (const auto* sigmoid = std::get_if<Sigmoid>(&kernel)) {
    fields.emplace_back("coef0", sigmoid->coef0);
  }
}

void show_control(const TrainingControl& control,
                  const TrainingInput& input,
                  ReportFields& fields) {
  if (input.arguments.has("class-weight")) {
    fields.emplace_back("class_weight", *input.arguments.text("class-weight"));
  }
  if (input.kkt_tolerance) {
    fields.emplace_back("kkt_tolerance", *input.kkt_tolerance);
  } else {
    fields.emplace_back("tolerance", control.tolerance);
  }
  if (control.max_iterations) {
    fields.emplace_back("max_iterations", whole(*control.max_iterations));
  }
  fields.emplace_back("seed", whole(control.seed));
}

}  // namespace maxmargin::tool
