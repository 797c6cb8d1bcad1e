// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>

#include "io/foreign/parts.hpp"
#include "io/quote.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/core/memory.hpp"
#include "maxmargin/core/sizes.hpp"

/// Model files of svm-train. A header of `name values` lines, then one line a support vector.
namespace maxmargin {

namespace {

constexpr auto largest_int = std::int64_t{std::numeric_limits<std::int32_t>::max()};
constexpr std::int64_t largest_index = largest_int - 1;

struct SvmType {
  std::string_view name;
  std::string_view learner;
  bool classifies;
};
constexpr std::array<SvmType, 5> svm_types = {SvmType{"c_svc", "svc", true},
                                              SvmType{"nu_svc", "nu-svc", true},
                                              SvmType{"one_class", "one-class", false},
                                              SvmType{"epsilon_svr", "svr", false},
                                              SvmType{"nu_svr", "nu-svr", false}};

/// The header as it stands in the file.
struct Header {
  const SvmType* type = nullptr;
  std::string kernel = {};
  std::optional<double> gamma = std::nullopt;
  std::optional<double> coef0 = std::nullopt;
  std::optional<std::int64_t> degree = std::nullopt;
  std::optional<std::int64_t> classes = std::nullopt;
  std::optional<std::int64_t> vectors = std::nullopt;
  std::optional<std::vector<double>> rho = std::nullopt;
  std::optional<std::vector<Label>> labels = std::nullopt;
  std::optional<std::vector<std::int64_t>> vectors_of_class = std::nullopt;
  std::vector<double> prob_a = {};
  std::vector<double> prob_b = {};
};

/// Reads one line of the header; false at the line `SV`.
bool read_header_line(ForeignText& text, Header& header) {
  text.next_line("the line 'SV'");
  const std::string key(text.word("a name"));
  if (key == "SV") {
    text.end_line();
    return false;
  }
  if (key == "svm_type") {
    const std::string_view name = text.word("a type of machine");
    const auto* found = std::ranges::find(svm_types, name, &SvmType::name);
    if (found == svm_types.end()) text.fail("unknown svm_type " + quote(name));
    header.type = found;
  } else if (key == "kernel_type") {
    header.kernel = text.word("a kernel");
  } else if (key == "gamma") {
    header.gamma = text.finite("gamma");
  } else if (key == "coef0") {
    header.coef0 = text.finite("coef0");
  } else if (key == "degree") {
    header.degree = text.whole("degree", 0, largest_int);
  } else if (key == "nr_class") {
    header.classes = text.whole("the number of classes", 1, largest_int);
  } else if (key == "total_sv") {
    header.vectors = text.whole("the number of support vectors", 0, largest_int);
  } else if (key == "rho") {
    header.rho = text.numbers("rho");
  } else if (key == "label") {
    header.labels = parse_foreign_labels(text);
  } else if (key == "probA") {
    header.prob_a = text.numbers("probA");
  } else if (key == "probB") {
    header.prob_b = text.numbers("probB");
  } else if (key == "nr_sv") {
    std::vector<std::int64_t>& counts = header.vectors_of_class.emplace();
    while (!text.at_line_end()) {
      counts.push_back(text.whole("a number of support vectors", 0, largest_int));
    }
  } else if (key == "prob_density_marks") {
    (void)text.numbers("a density mark");  // of no use for labels or scores
  } else {
    text.fail("unknown name " + quote(key) + " in the header");
  }
  text.end_line();
  return true;
}

template <class T>
const T& given(const ForeignText& text, const std::optional<T>& value, const char* name) {
  if (!value) text.fail(std::string("the header has no line '") + name + "'");
  return *value;
}

void check_counts(const ForeignText& text,
                  const Header& header,
                  std::size_t classes,
                  std::size_t functions) {
  const auto check = [&](bool holds, const char* problem) {
    if (!holds) text.fail(problem);
  };
  check(header.rho->size() == functions, "rho must have one number for each pair of classes");
  check(header.labels->size() == classes, "label must have nr_class numbers");
  const std::vector<std::int64_t>& counts = given(text, header.vectors_of_class, "nr_sv");
  check(counts.size() == classes, "nr_sv must have nr_class numbers");
  check(std::accumulate(counts.begin(), counts.end(), std::int64_t{0}) == *header.vectors,
        "the numbers of nr_sv must add up to total_sv");
  check(header.prob_a.size() == header.prob_b.size() &&
            (header.prob_a.empty() || header.prob_a.size() == functions),
        "probA and probB must have one number for each pair of classes");
}

/// A short file may ask for much: k labels make k (k - 1) / 2 functions.
void check_memory(const ForeignText& text, std::size_t bytes, const char* what) {
  try {
    require_memory(bytes, what);
  } catch (const InvalidArgument& problem) {
    text.fail(problem.what());
  }
}

Header read_header(ForeignText& text) {
  Header header;
  while (read_header_line(text, header)) {
  }
  if (header.type == nullptr) text.fail("the header has no line 'svm_type'");
  (void)given(text, header.vectors, "total_sv");
  (void)given(text, header.rho, "rho");
  (void)given(text, header.classes, "nr_class");
  // A vector takes a line of a coefficient at least.
  if (static_cast<std::size_t>(*header.vectors) > text.bytes_left() / 2 + 1) {
    text.fail("total_sv " + std::to_string(*header.vectors) + " lines do not fit the " +
              std::to_string(text.bytes_left()) + " bytes that follow");
  }
  if (header.type->classifies) {
    const std::size_t classes = given(text, header.labels, "label").size();
    if (static_cast<std::size_t>(*header.classes) != classes) {
      text.fail("label must have nr_class numbers");
    }
    const std::size_t functions = classes * (classes - 1) / 2;
    check_counts(text, header, classes, functions);
    check_memory(text, checked_multiply(classes, functions), "the code of all pairs of classes");
  } else if (header.rho->size() != 1) {
    text.fail("rho must be one number for a machine of this type");
  }
  return header;
}

Kernel kernel_of(ForeignText& text, const Header& header) {
  Kernel kernel = Linear{};
  if (header.kernel == "polynomial") {
    kernel = Polynomial{.gamma = given(text, header.gamma, "gamma"),
                        .coef0 = given(text, header.coef0, "coef0"),
                        .degree = static_cast<int>(given(text, header.degree, "degree"))};
  } else if (header.kernel == "rbf") {
    kernel = Rbf{.gamma = given(text, header.gamma, "gamma")};
  } else if (header.kernel == "sigmoid") {
    kernel = Sigmoid{.gamma = given(text, header.gamma, "gamma"),
                     .coef0 = given(text, header.coef0, "coef0")};
  } else if (header.kernel == "precomputed") {
    return Precomputed{};  // its matrix gets its columns once the vectors are known
  } else if (header.kernel != "linear") {
    text.fail("unknown or missing kernel_type " + quote(header.kernel, "''"));
  }
  try {
    validate(kernel);
  } catch (const InvalidArgument& problem) {
    text.fail(std::string("a kernel that maxmargin cannot apply: ") + problem.what());
  }
  return kernel;
}

/// The support vectors and the columns of coefficients in front of them.
struct VectorLines {
  Examples vectors = {};
  /// One row a vector.
  DenseMatrix coefficients = {};
  std::int64_t largest_serial = 0;
};

void read_coefficients(ForeignText& text, std::span<double> into) {
  for (double& value : into) value = text.finite("a coefficient");
}

DenseMatrix memory_for(ForeignText& text, std::size_t rows, std::size_t cols) {
  check_memory(text, checked_multiply(checked_multiply(rows, cols), 8), "the coefficients");
  return {rows, cols};
}

VectorLines read_vectors(ForeignText& text, std::size_t count, std::size_t coefficients) {
  VectorLines lines;
  lines.coefficients = memory_for(text, count, coefficients);
  Buffer<std::int64_t> offsets(1, 0);
  Buffer<std::int32_t> columns;
  Buffer<double> values;
  std::int64_t width = 0;
  for (std::size_t i = 0; i < count; ++i) {
    text.next_line("support vector " + std::to_string(i + 1) + " of " + std::to_string(count));
    read_coefficients(text, lines.coefficients.row(i));
    std::int64_t last = 0;
    while (!text.at_line_end()) {
      last = text.entry_index(last, largest_index);
      columns.push_back(static_cast<std::int32_t>(last - 1));
      values.push_back(text.entry_value());
    }
    width = std::max(width, last);
    offsets.push_back(static_cast<std::int64_t>(values.size()));
  }
  lines.vectors = SparseMatrix(
      static_cast<std::size_t>(width), std::move(offsets), std::move(columns), std::move(values));
  return lines;
}

/// Lines `coefficients 0:serial` of a precomputed kernel.
VectorLines read_serials(ForeignText& text, std::size_t count, std::size_t coefficients) {
  VectorLines lines;
  lines.coefficients = memory_for(text, count, coefficients);
  DenseMatrix rows(count, 1);
  for (std::size_t i = 0; i < count; ++i) {
    text.next_line("support vector " + std::to_string(i + 1) + " of " + std::to_string(count));
    read_coefficients(text, lines.coefficients.row(i));
    (void)text.entry_index(-1, 0);
    const std::int64_t serial = text.whole("the number of a training row", 1, largest_index);
    text.end_line();
    rows(i, 0) = static_cast<double>(serial - 1);
    lines.largest_serial = std::max(lines.largest_serial, serial);
  }
  lines.vectors = std::move(rows);
  return lines;
}

VectorLines read_lines(ForeignText& text, Kernel& kernel, std::size_t count, std::size_t columns) {
  // Every coefficient takes two bytes of the file.
  if (columns > 0 && count > text.bytes_left() / 2 / columns + 1) {
    text.fail("the file is too short for its support vectors");
  }
  VectorLines lines;
  if (auto* precomputed = std::get_if<Precomputed>(&kernel)) {
    lines = read_serials(text, count, columns);
    precomputed->matrix =
        std::make_shared<const DenseMatrix>(0, static_cast<std::size_t>(lines.largest_serial));
  } else {
    lines = read_vectors(text, count, columns);
  }
  if (text.next_line()) text.fail("expected the end of the file after the support vectors");
  return lines;
}

/// Their k - 1 columns hold, for a vector of class c, its coefficients against the other classes in
/// order. Ours has a column for every pair.
DenseMatrix spread_over_pairs(ForeignText& text,
                              const DenseMatrix& columns,
                              const std::vector<std::int64_t>& vectors_of_class) {
  const std::size_t classes = vectors_of_class.size();
  DenseMatrix pairs = memory_for(text, columns.rows(), classes * (classes - 1) / 2);
  std::size_t vector = 0;
  for (std::size_t c = 0; c < classes; ++c) {
    for (std::int64_t v = 0; v < vectors_of_class[c]; ++v, ++vector) {
      std::size_t pair = 0;
      for (std::size_t a = 0; a < classes; ++a) {
        for (std::size_t b = a + 1; b < classes; ++b, ++pair) {
          if (a == c) pairs(vector, pair) = columns(vector, b - 1);
          if (b == c) pairs(vector, pair) = columns(vector, a);
        }
      }
    }
  }
  return pairs;
}

void negate(std::span<double> values) {
  for (double& value : values) value = -value;
}

/// Their value > 0 means the first class of two; ours >= 0 the second: the opposite sign decides
/// every case alike, 0 included. With more classes both rules are the same (Decoding::votes).
void turn_signs(KernelExpansion& expansion, Calibration* calibration) {
  negate(expansion.coefficients.values());
  negate(expansion.offsets);
  if (calibration == nullptr) return;
  auto& curve = std::get<PlattCurve>(calibration->curves[0]);
  curve.intercept = -curve.intercept;
}

std::optional<Calibration> calibration_of(const Header& header) {
  if (header.prob_a.empty()) return std::nullopt;
  Calibration calibration;
  for (std::size_t f = 0; f < header.prob_a.size(); ++f) {
    calibration.curves.emplace_back(PlattCurve{header.prob_a[f], header.prob_b[f]});
  }
  return calibration;
}

ForeignModel classifier_from(ForeignText& text, Header& header, Kernel kernel) {
  ForeignModel model{.learner = std::string(header.type->learner)};
  Classifier classifier;
  classifier.classes = std::move(*header.labels);
  const std::size_t classes = classifier.classes.size();
  classifier.code = one_vs_one_code(classes);
  model.calibration = calibration_of(header);

  const auto count = static_cast<std::size_t>(*header.vectors);
  VectorLines lines = read_lines(text, kernel, count, classes - 1);
  KernelExpansion expansion{.kernel = std::move(kernel), .vectors = std::move(lines.vectors)};
  if (classes == 1) {
    // No function tells one class from itself; ours has one that is not looked at.
    expansion.coefficients = DenseMatrix(count, 1);
    expansion.offsets = {-1.0};
  } else {
    expansion.coefficients =
        classes == 2 ? std::move(lines.coefficients)
                     : spread_over_pairs(text, lines.coefficients, *header.vectors_of_class);
    expansion.offsets = std::move(*header.rho);
    negate(expansion.offsets);
    if (classes == 2) turn_signs(expansion, model.calibration ? &*model.calibration : nullptr);
  }
  classifier.functions = std::move(expansion);
  model.machine = std::move(classifier);
  return model;
}

ForeignModel regressor_from(ForeignText& text, Header& header, Kernel kernel) {
  VectorLines lines = read_lines(text, kernel, static_cast<std::size_t>(*header.vectors), 1);
  const double rho = header.rho->front();
  const bool one_class = header.type->learner == "one-class";
  const double offset = one_class ? offset_of_strict_rho(rho) : -rho;
  if (!std::isfinite(offset)) text.fail("rho is too large");
  Regressor regressor;
  regressor.function = KernelExpansion{.kernel = std::move(kernel),
                                       .vectors = std::move(lines.vectors),
                                       .coefficients = std::move(lines.coefficients),
                                       .offsets = {offset}};
  return {.learner = std::string(header.type->learner), .machine = std::move(regressor)};
}

}  // namespace

ForeignModel parse_libsvm_model(ForeignText& text) {
  Header header = read_header(text);
  Kernel kernel = kernel_of(text, header);
  return header.type->classifies ? classifier_from(text, header, std::move(kernel))
                                 : regressor_from(text, header, std::move(kernel));
}

}  // namespace maxmargin
