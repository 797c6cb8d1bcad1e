// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <utility>

#include "io/foreign/parts.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/model/machine.hpp"
#include "model/kernel/moved_linear.hpp"

/// Model files that svm-predict reads.
namespace maxmargin {

namespace {

/// A vector and its coefficients, ready to be written.
struct VectorLine {
  std::size_t vector = 0;
  std::vector<double> coefficients = {};
};

/// What is left to write once the classes are sorted out.
struct Lines {
  std::vector<double> rho = {};
  std::vector<VectorLine> vectors = {};
  /// One number a class; none without classes.
  std::vector<std::size_t> vectors_of_class = {};
  std::vector<double> prob_a = {};
  std::vector<double> prob_b = {};
};

struct KernelLines {
  std::string& to;

  void name(const char* kernel) const { to.append("kernel_type ").append(kernel) += '\n'; }
  void number(const char* key, double value) const {
    to.append(key) += ' ';
    append_number(to, value);
    to += '\n';
  }
  void operator()(const Linear&) const { name("linear"); }
  void operator()(const Polynomial& kernel) const {
    name("polynomial");
    number("degree", kernel.degree);
    number("gamma", kernel.gamma);
    number("coef0", kernel.coef0);
  }
  void operator()(const Rbf& kernel) const {
    name("rbf");
    number("gamma", kernel.gamma);
  }
  void operator()(const Sigmoid& kernel) const {
    name("sigmoid");
    number("gamma", kernel.gamma);
    number("coef0", kernel.coef0);
  }
  void operator()(const Precomputed&) const { name("precomputed"); }
  template <class Other>
  void operator()(const Other& kernel) const {
    throw InvalidArgument("the kernel " + kernel_name(kernel) +
                          " is none of LIBSVM's: linear, poly, rbf, sigmoid, precomputed");
  }
};

const KernelExpansion& expansion_of(const DecisionFunction& functions) {
  const auto* expansion = std::get_if<KernelExpansion>(&functions);
  require(expansion != nullptr,
          "a LIBSVM model is a sum of kernels; write a linear machine as a LIBLINEAR model");
  require(!expansion->minus_self, "an enclosing sphere (svdd) has no place in a LIBSVM model");
  require(expansion->coefficients.rows() == expansion->vectors.rows() &&
              expansion->coefficients.cols() == expansion->offsets.size(),
          "the model's vectors, coefficients and offsets do not fit together");
  return *expansion;
}

/// The class whose pairs are all those in which the vector has a coefficient. One pair alone leaves
/// two classes, and the sign says on which side the vector was.
std::size_t class_of_vector(const KernelExpansion& expansion,
                            const OutputCode& code,
                            std::size_t vector) {
  std::optional<std::pair<std::size_t, std::size_t>> candidates;
  std::size_t pair = 0;
  for (std::size_t a = 0; a < code.classes; ++a) {
    for (std::size_t b = a + 1; b < code.classes; ++b, ++pair) {
      const double coefficient = expansion.coefficients(vector, pair);
      if (coefficient == 0) continue;
      if (!candidates) {
        candidates = coefficient > 0 ? std::pair{a, b} : std::pair{b, a};
        continue;
      }
      const auto fits = [&](std::size_t c) { return c == a || c == b; };
      if (!fits(candidates->first)) candidates->first = candidates->second;
      if (!fits(candidates->second)) candidates->second = candidates->first;
      require(fits(candidates->first),
              "vector " + std::to_string(vector) +
                  " (from 0) belongs to more than one class, which LIBSVM models cannot hold");
    }
  }
  return candidates ? candidates->first : code.classes;
}

void sort_by_class(const std::vector<std::vector<VectorLine>>& by_class, Lines& lines) {
  for (const std::vector<VectorLine>& of_class : by_class) {
    lines.vectors_of_class.push_back(of_class.size());
    lines.vectors.insert(lines.vectors.end(), of_class.begin(), of_class.end());
  }
}

/// Our value >= 0 is the second class, theirs > 0 the first: the opposite sign decides alike.
Lines lines_of_two_classes(const KernelExpansion& expansion) {
  Lines lines{.rho = {expansion.offsets[0]}};
  std::vector<std::vector<VectorLine>> by_class(2);
  for (std::size_t i = 0; i < expansion.vectors.rows(); ++i) {
    const double coefficient = -expansion.coefficients(i, 0);
    if (coefficient != 0) by_class[coefficient > 0 ? 0 : 1].push_back({i, {coefficient}});
  }
  sort_by_class(by_class, lines);
  return lines;
}

Lines lines_of_pairs(const KernelExpansion& expansion, const OutputCode& code) {
  require(code.signs == one_vs_one_code(code.classes).signs,
          "a LIBSVM model has one function for each pair of classes (--multiclass ovo)");
  require(code.decoding == Decoding::votes,
          "svm-predict decides by votes, the model by " + std::string(to_string(code.decoding)));
  Lines lines;
  for (const double offset : expansion.offsets) lines.rho.push_back(-offset);
  std::vector<std::vector<VectorLine>> by_class(code.classes);
  for (std::size_t i = 0; i < expansion.vectors.rows(); ++i) {
    const std::size_t cls = class_of_vector(expansion, code, i);
    if (cls == code.classes) continue;
    VectorLine line{.vector = i};
    std::size_t pair = 0;
    for (std::size_t a = 0; a < code.classes; ++a) {
      for (std::size_t b = a + 1; b < code.classes; ++b, ++pair) {
        if (a == cls || b == cls) line.coefficients.push_back(expansion.coefficients(i, pair));
      }
    }
    by_class[cls].push_back(std::move(line));
  }
  sort_by_class(by_class, lines);
  return lines;
}

void add_probabilities(const Calibration& calibration, bool two_classes, Lines& lines) {
  require(calibration.curves.size() == lines.rho.size(),
          "the model's calibration must have one curve for each function");
  for (const CalibrationCurve& any : calibration.curves) {
    const auto* curve = std::get_if<PlattCurve>(&any);
    require(curve != nullptr, "a LIBSVM model holds Platt's curves alone, not isotonic ones");
    lines.prob_a.push_back(curve->slope);
    lines.prob_b.push_back(two_classes ? -curve->intercept : curve->intercept);
  }
}

Lines lines_of(const ForeignModel& model, const Classifier& classifier) {
  require_foreign_classifier(classifier);
  const OutputCode& code = classifier.code;
  const KernelExpansion& expansion = expansion_of(classifier.functions);
  require(expansion.offsets.size() == code.functions,
          "the model's functions are not as many as its code has");
  if (code.classes == 1) return {.vectors_of_class = {0}};
  require(code.classes > 2 || code.functions == 1,
          "a LIBSVM model of two classes has one function");
  Lines lines =
      code.classes == 2 ? lines_of_two_classes(expansion) : lines_of_pairs(expansion, code);
  const std::optional<Calibration>& calibration =
      model.calibration ? model.calibration : classifier.calibration;
  if (calibration) add_probabilities(*calibration, code.classes == 2, lines);
  return lines;
}

Lines lines_of(const ForeignModel& model, const Regressor& regressor) {
  require_foreign_scaler(regressor.scaler);
  const KernelExpansion& expansion = expansion_of(regressor.function);
  require(expansion.offsets.size() == 1, "a regressor is one function");
  const double offset = expansion.offsets[0];
  Lines lines{.rho = {model.learner == "one-class" ? strict_rho_of_offset(offset) : -offset}};
  for (std::size_t i = 0; i < expansion.vectors.rows(); ++i) {
    const double coefficient = expansion.coefficients(i, 0);
    if (coefficient != 0) lines.vectors.push_back({i, {coefficient}});
  }
  return lines;
}

std::string_view svm_type_of(const ForeignModel& model) {
  if (std::holds_alternative<Classifier>(model.machine)) {
    return model.learner == "nu-svc" ? "nu_svc" : "c_svc";
  }
  if (model.learner == "svr") return "epsilon_svr";
  if (model.learner == "nu-svr") return "nu_svr";
  require_field(model.learner == "one-class", "learner", model.learner, "one that LIBSVM has");
  return "one_class";
}

template <class Number>
void append_line(std::string& to, const char* key, const std::vector<Number>& values) {
  to += key;
  for (const Number value : values) {
    to += ' ';
    if constexpr (std::is_same_v<Number, double>) {
      append_number(to, value);
    } else {
      append_number(to, static_cast<std::int64_t>(value));
    }
  }
  to += '\n';
}

std::string header_of(const ForeignModel& model,
                      const KernelExpansion& expansion,
                      const Lines& lines) {
  std::string text = "svm_type " + std::string(svm_type_of(model)) + "\n";
  std::visit(KernelLines{text}, expansion.kernel);
  const auto* classifier = std::get_if<Classifier>(&model.machine);
  const std::size_t classes = classifier != nullptr ? classifier->classes.size() : 2;
  text += "nr_class " + std::to_string(classes) + "\n";
  text += "total_sv " + std::to_string(lines.vectors.size()) + "\n";
  append_line(text, "rho", lines.rho);
  if (classifier != nullptr) text += "label" + foreign_labels(classifier->classes) + "\n";
  if (!lines.prob_a.empty()) {
    append_line(text, "probA", lines.prob_a);
    append_line(text, "probB", lines.prob_b);
  }
  if (classifier != nullptr) append_line(text, "nr_sv", lines.vectors_of_class);
  return text + "SV\n";
}

void append_vector(std::string& to, const KernelExpansion& expansion, const VectorLine& line) {
  for (const double coefficient : line.coefficients) {
    append_number(to, coefficient);
    to += ' ';
  }
  const Row row = expansion.vectors.row(line.vector);
  if (std::holds_alternative<Precomputed>(expansion.kernel)) {
    to += "0:";
    append_number(to, static_cast<std::int64_t>(row.at(0)) + 1);
    to += ' ';
  } else {
    row.for_each([&](std::size_t column, double value) {
      if (value == 0) return;
      append_number(to, static_cast<std::int64_t>(column) + 1);
      to += ':';
      append_number(to, value);
      to += ' ';
    });
  }
  to += '\n';
}

/// A linear kernel with an origin as LIBSVM has it, without one.
ForeignModel without_origin(ForeignModel model) {
  DecisionFunction& functions = functions_of(model.machine);
  const auto* expansion = std::get_if<KernelExpansion>(&functions);
  if (expansion == nullptr || expansion->minus_self) return model;
  const InputScalingRule* const moved = moved_linear(expansion->kernel);
  if (moved != nullptr) functions = around_zero(*expansion, *moved);
  return model;
}

}  // namespace

void write_libsvm_model(const ForeignModel& given, OutputFile& output) {
  const ForeignModel model = without_origin(given);
  const Lines lines =
      std::visit([&](const auto& machine) { return lines_of(model, machine); }, model.machine);
  const auto* classifier = std::get_if<Classifier>(&model.machine);
  const KernelExpansion& expansion = expansion_of(
      classifier != nullptr ? classifier->functions : std::get<Regressor>(model.machine).function);
  std::string text = header_of(model, expansion, lines);
  constexpr std::size_t block_bytes = std::size_t{1} << 20;
  for (const VectorLine& line : lines.vectors) {
    append_vector(text, expansion, line);
    if (text.size() < block_bytes) continue;
    output.write(text);
    text.clear();
  }
  output.write(text);
}

}  // namespace maxmargin
