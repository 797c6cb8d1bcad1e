// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "io/model/machine_file_parts.hpp"
#include "kernel/expression.hpp"
#include "kernel/parts.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/core/sizes.hpp"
#include "maxmargin/kernel/combine.hpp"

/// Kernels in model files. A combination is a field with the name of its rule; its parts are
/// kernels of their own under longer names, so that the fields spell the tree.
namespace maxmargin {

namespace {

/// Files are read by recursion; no kernel that means anything is nested deeper.
constexpr int deepest_kernel = 64;

/// Evaluation is exponential in these.
bool is_shallow(const Kernel& kernel) {
  const auto is_function = [](const Combination& node) {
    return std::holds_alternative<NormaliseRule>(node.rule) ||
           std::holds_alternative<CentredRule>(node.rule) ||
           std::holds_alternative<ExpRule>(node.rule) ||
           std::holds_alternative<IteratedRule>(node.rule);
  };
  const auto iterates = [](const Combination& node) {
    return std::holds_alternative<IteratedRule>(node.rule);
  };
  return nesting_of(kernel, is_function) <= deepest_functions &&
         nesting_of(kernel, iterates) <= deepest_iterations;
}

std::string deep_text() {
  return "nested too deeply: at most " + std::to_string(deepest_functions) +
         " of normalize, center, exp and iterate within each other, and " +
         std::to_string(deepest_iterations) + " of iterate";
}

/// Names of the parts that hold training rows.
using StoredRows = std::vector<std::pair<std::string, std::shared_ptr<const Examples>>>;

struct KernelWriter {
  ModelDocument& document;
  std::string name;
  StoredRows& stored_rows;
  int depth = 0;

  void write(const Kernel& kernel) {
    require(depth < deepest_kernel,
            "the kernel is a combination of more than " + std::to_string(deepest_kernel) +
                " levels, which a model file cannot hold");
    if (const auto* combined = std::get_if<Combined>(&kernel)) {
      std::visit([this](const auto& rule) { write_rule(rule); }, combined->node().rule);
    } else {
      document.set_string(name, kernel_name(kernel));
      std::visit([this](const auto& simple) { write_parameters(simple); }, kernel);
    }
  }

 private:
  [[nodiscard]] std::string sub(const char* part) const { return name + "." + part; }
  void write_part(const char* part, const Kernel& kernel) {
    KernelWriter{document, sub(part), stored_rows, depth + 1}.write(kernel);
  }

  template <class Simple>
  void write_parameters(const Simple& kernel) {
    if constexpr (requires { kernel.gamma; }) document.set_number(sub("gamma"), kernel.gamma);
    if constexpr (requires { kernel.coef0; }) document.set_number(sub("coef0"), kernel.coef0);
    if constexpr (requires { kernel.degree; }) document.set_integer(sub("degree"), kernel.degree);
    if constexpr (requires { kernel.length; }) document.set_integer(sub("length"), kernel.length);
    if constexpr (std::is_same_v<Simple, Precomputed>) {
      require(kernel.matrix != nullptr,
              "a precomputed kernel without its matrix cannot be stored: the number of training "
              "examples is not known");
      document.set_integer(sub("columns"), narrow<std::int64_t>(kernel.matrix->cols()));
    }
  }

  void write_rule(const SumRule& rule) { write_pair("sum", rule.a, rule.b); }
  void write_rule(const ProductRule& rule) { write_pair("product", rule.a, rule.b); }
  void write_pair(const char* rule, const Kernel& a, const Kernel& b) {
    document.set_string(name, rule);
    write_part("a", a);
    write_part("b", b);
  }
  void write_rule(const ScaleRule& rule) {
    document.set_string(name, "scale");
    document.set_number(sub("factor"), rule.factor);
    write_part("of", rule.kernel);
  }
  void write_rule(const PowerRule& rule) {
    document.set_string(name, "power");
    document.set_integer(sub("exponent"), rule.exponent);
    write_part("of", rule.kernel);
  }
  void write_rule(const SeriesRule& rule) {
    document.set_string(name, "polynomial");
    document.set_numbers(sub("coefficients"), rule.coefficients);
    write_part("of", rule.kernel);
  }
  void write_rule(const ExpRule& rule) {
    document.set_string(name, "exp");
    write_part("of", rule.kernel);
  }
  void write_rule(const InputScalingRule& rule) {
    document.set_string(name, "scaled-inputs");
    document.set_numbers(sub("weights"), rule.weights);
    if (!rule.origin.empty()) document.set_numbers(sub("origin"), rule.origin);
    write_part("of", rule.kernel);
  }
  void write_rule(const NormaliseRule& rule) {
    document.set_string(name, "normalise");
    write_part("of", rule.kernel);
  }
  void write_rule(const CentredRule& rule) {
    document.set_string(name, "center");
    write_part("of", rule.kernel);
    require(rule.means != nullptr, "the kernel lacks the training examples it is centred over");
    const std::span<const double> means = rule.means->row_means();
    document.set_numbers(sub("row_means"), {means.begin(), means.end()});
    write_rows(rule.means->rows());
  }
  void write_rule(const IteratedRule& rule) {
    document.set_string(name, "iterate");
    write_part("of", rule.kernel);
    require(rule.rows != nullptr, "the kernel lacks the training examples it is iterated over");
    write_rows(rule.rows);
  }
  /// Rows that several parts share are stored once: the others name the part that has them.
  void write_rows(const std::shared_ptr<const Examples>& rows) {
    const auto known = std::ranges::find(stored_rows, rows, &StoredRows::value_type::second);
    if (known != stored_rows.end()) {
      document.set_string(sub("rows_of"), known->first);
      return;
    }
    store_examples(document, sub("rows"), *rows);
    stored_rows.emplace_back(name, rows);
  }
  [[noreturn]] void write_rule(const RankOneRule& rule) const {
    throw InvalidArgument("the kernel rank-one(" + rule.name +
                          ") cannot be stored: a file cannot hold its function");
  }
};

class KernelReader {
 public:
  KernelReader(ModelDocument& document, std::string name, StoredRows& read_rows, int depth)
      : document_(document), name_(std::move(name)), read_rows_(read_rows), depth_(depth) {}

  Kernel read() {
    demand(depth_ < deepest_kernel, document_, name_, "is a kernel nested too deeply");
    const std::string& rule = document_.string(name_);
    if (std::optional<Kernel> simple = kernel_by_name(rule)) {
      std::visit([this](auto& kernel) { read_parameters(kernel); }, *simple);
      return *std::move(simple);
    }
    return checked_by_library(document_, name_, [&] { return combination(rule); });
  }

 private:
  [[nodiscard]] std::string sub(const char* part) const { return name_ + "." + part; }
  Kernel part(const char* which) {
    return KernelReader(document_, sub(which), read_rows_, depth_ + 1).read();
  }
  std::shared_ptr<const Examples> rows() {
    if (!document_.has(sub("rows_of"))) {
      read_rows_.emplace_back(
          name_, std::make_shared<const Examples>(load_examples(document_, sub("rows"))));
      return read_rows_.back().second;
    }
    const std::string& owner = document_.string(sub("rows_of"));
    const auto known = std::ranges::find(read_rows_, owner, &StoredRows::value_type::first);
    demand(known != read_rows_.end(),
           document_,
           sub("rows_of"),
           "must name a part of the kernel before it that has rows");
    return known->second;
  }
  Kernel centred_kernel() {
    Kernel inner = part("of");
    std::vector<double> row_means = document_.numbers(sub("row_means"));
    auto means = std::make_shared<const KernelMeans>(rows(), std::move(row_means));
    check_domain(inner, *means->rows());
    return centred(std::move(inner), std::move(means));
  }
  Kernel iterated_kernel() {
    Kernel inner = part("of");
    return iterated(std::move(inner), rows());
  }
  Kernel scaled_inputs_kernel() {
    Kernel inner = part("of");
    std::vector<double> weights = document_.numbers(sub("weights"));
    if (!document_.has(sub("origin"))) return with_scaled_inputs(inner, std::move(weights));
    std::vector<double> origin = document_.numbers(sub("origin"));
    demand(origin.size() == weights.size(),
           document_,
           sub("origin"),
           "must have as many numbers as there are weights");
    return with_scaled_inputs(std::move(inner), std::move(weights), std::move(origin));
  }
  int small_integer(const char* which) {
    const std::int64_t value = document_.integer(sub(which));
    demand(value >= 1 && value <= std::numeric_limits<int>::max(),
           document_,
           sub(which),
           "must be >= 1 and at most 2^31 - 1");
    return static_cast<int>(value);
  }

  template <class Simple>
  void read_parameters(Simple& kernel) {
    if constexpr (requires { kernel.gamma; }) kernel.gamma = document_.number(sub("gamma"));
    if constexpr (requires { kernel.coef0; }) kernel.coef0 = document_.number(sub("coef0"));
    if constexpr (requires { kernel.degree; }) kernel.degree = small_integer("degree");
    if constexpr (requires { kernel.length; }) kernel.length = small_integer("length");
    if constexpr (std::is_same_v<Simple, Precomputed>) {
      const int columns = small_integer("columns");
      kernel.matrix = std::make_shared<const DenseMatrix>(0, static_cast<std::size_t>(columns));
    } else {
      checked_by_library(document_, name_, [&] { validate(Kernel(kernel)); });
    }
  }

  Kernel combination(const std::string& rule) {
    if (rule == "sum" || rule == "product") {
      // The first part may hold the rows of the second.
      Kernel a = part("a");
      Kernel b = part("b");
      return rule == "sum" ? sum_of(std::move(a), std::move(b))
                           : product_of(std::move(a), std::move(b));
    }
    if (rule == "scale") return scaled(part("of"), document_.number(sub("factor")));
    if (rule == "power") return power_of(part("of"), small_integer("exponent"));
    if (rule == "polynomial") {
      return polynomial_of(part("of"), document_.numbers(sub("coefficients")));
    }
    if (rule == "exp") return exp_of(part("of"));
    if (rule == "scaled-inputs") {
      return scaled_inputs_kernel();
    }
    if (rule == "normalise") return normalised(part("of"));
    if (rule == "center") return centred_kernel();
    if (rule == "iterate") return iterated_kernel();
    refuse(document_, name_, "is no kernel that this library knows");
  }

  ModelDocument& document_;
  std::string name_;
  StoredRows& read_rows_;
  int depth_;
};

}  // namespace

void store_kernel(ModelDocument& document, const std::string& name, const Kernel& kernel) {
  require(is_shallow(kernel), "the kernel is " + deep_text());
  StoredRows stored_rows;
  KernelWriter{document, name, stored_rows}.write(kernel);
}

Kernel load_kernel(ModelDocument& document, const std::string& name) {
  StoredRows read_rows;
  Kernel kernel = KernelReader(document, name, read_rows, 0).read();
  demand(is_shallow(kernel), document, name, "is a kernel " + deep_text());
  return kernel;
}

}  // namespace maxmargin
