// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <memory>
#include <type_traits>
#include <utility>

#include "io/model/machine_file_parts.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/core/sizes.hpp"
#include "maxmargin/kernel/combine.hpp"

/// Kernels in model files. A combination is a field with the name of its rule; its parts are
/// kernels of their own under longer names, so that the fields spell the tree.
namespace maxmargin::detail {

namespace {

/// Files are read by recursion; no kernel that means anything is nested deeper.
constexpr int deepest_kernel = 64;

struct KernelWriter {
  ModelDocument& document;
  std::string name;
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
    KernelWriter{document, sub(part), depth + 1}.write(kernel);
  }

  template <class Simple>
  void write_parameters(const Simple& kernel) {
    if constexpr (requires { kernel.gamma; }) document.set_number(sub("gamma"), kernel.gamma);
    if constexpr (requires { kernel.coef0; }) document.set_number(sub("coef0"), kernel.coef0);
    if constexpr (requires { kernel.degree; }) document.set_integer(sub("degree"), kernel.degree);
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
    write_part("of", rule.kernel);
  }
  void write_rule(const NormaliseRule& rule) {
    document.set_string(name, "normalise");
    write_part("of", rule.kernel);
  }
  [[noreturn]] void write_rule(const RankOneRule& rule) const {
    throw InvalidArgument("the kernel rank-one(" + rule.name +
                          ") cannot be stored: a file cannot hold its function");
  }
};

class KernelReader {
 public:
  KernelReader(const ModelDocument& document, std::string name, int depth)
      : document_(document), name_(std::move(name)), depth_(depth) {}

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
  Kernel part(const char* which) { return KernelReader(document_, sub(which), depth_ + 1).read(); }
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
    if constexpr (std::is_same_v<Simple, Precomputed>) {
      const int columns = small_integer("columns");
      kernel.matrix = std::make_shared<const DenseMatrix>(0, static_cast<std::size_t>(columns));
    } else {
      checked_by_library(document_, name_, [&] { validate(Kernel(kernel)); });
    }
  }

  Kernel combination(const std::string& rule) {
    if (rule == "sum") return sum_of(part("a"), part("b"));
    if (rule == "product") return product_of(part("a"), part("b"));
    if (rule == "scale") return scaled(part("of"), document_.number(sub("factor")));
    if (rule == "power") return power_of(part("of"), small_integer("exponent"));
    if (rule == "polynomial") {
      return polynomial_of(part("of"), document_.numbers(sub("coefficients")));
    }
    if (rule == "exp") return exp_of(part("of"));
    if (rule == "scaled-inputs") {
      return with_scaled_inputs(part("of"), document_.numbers(sub("weights")));
    }
    if (rule == "normalise") return normalised(part("of"));
    refuse(document_, name_, "is no kernel that this library knows");
  }

  const ModelDocument& document_;
  std::string name_;
  int depth_;
};

}  // namespace

void store_kernel(ModelDocument& document, const std::string& name, const Kernel& kernel) {
  KernelWriter{document, name}.write(kernel);
}

Kernel load_kernel(const ModelDocument& document, const std::string& name) {
  return KernelReader(document, name, 0).read();
}

}  // namespace maxmargin::detail
