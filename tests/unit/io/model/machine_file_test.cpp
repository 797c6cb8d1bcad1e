// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/io/model/machine_file.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <memory>

#include "maxmargin/core/error.hpp"
#include "maxmargin/core/rng.hpp"
#include "maxmargin/kernel/combine.hpp"
#include "written_bytes.hpp"

namespace maxmargin {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

DenseMatrix random_matrix(std::size_t rows, std::size_t cols, std::uint64_t seed) {
  Rng rng(seed, "machine-file-test");
  DenseMatrix matrix(rows, cols);
  for (double& value : matrix.values()) value = std::exp(20 * rng.normal()) * rng.normal();
  return matrix;
}

KernelExpansion expansion_of(Kernel kernel, std::size_t functions) {
  return {.kernel = std::move(kernel),
          .vectors = random_matrix(5, 3, 1),
          .coefficients = random_matrix(5, functions, 2),
          .offsets = std::vector<double>(functions, -0.1),
          .training_rows = {0, 7, 9, 11, 4000000000}};
}

Classifier three_classes() {
  Classifier model;
  model.classes = {Label(-1.5), Label(2.0), Label("iris setosa")};
  model.code = one_vs_one_code(3);
  model.functions = expansion_of(Rbf{.gamma = 0.1}, 3);
  return model;
}

/// A document's walk through a file.
ModelDocument through_file(const ModelDocument& document, ModelFormat format) {
  Input input = Input::from_memory(
      "file.mm", written_bytes([&](OutputFile& file) { write_model(document, file, format); }));
  return read_model(input);
}

ModelDocument document_of(const Classifier& model) {
  ModelDocument document("svc", "file.mm");
  add_classifier(document, model);
  return document;
}

Classifier reread(const Classifier& model, ModelFormat format = ModelFormat::text) {
  return classifier_of(through_file(document_of(model), format));
}

/// The message of loading, or nothing.
std::string problem_in(const ModelDocument& document) {
  return problem_of<ModelFormatError>([&] { return classifier_of(document); });
}

void expect_same_bits(std::span<const double> a, std::span<const double> b) {
  ASSERT_EQ(a.size(), b.size());
  if (a.empty()) return;
  EXPECT_EQ(std::memcmp(a.data(), b.data(), a.size_bytes()), 0);
}

void expect_same_matrix(const DenseMatrix& a, const DenseMatrix& b) {
  EXPECT_EQ(a.rows(), b.rows());
  EXPECT_EQ(a.cols(), b.cols());
  expect_same_bits(a.values(), b.values());
}

void expect_same_expansion(const KernelExpansion& a, const KernelExpansion& b) {
  EXPECT_EQ(kernel_name(a.kernel), kernel_name(b.kernel));
  ASSERT_EQ(a.vectors.is_dense(), b.vectors.is_dense());
  expect_same_matrix(a.vectors.to_dense(), b.vectors.to_dense());
  expect_same_matrix(a.coefficients, b.coefficients);
  expect_same_bits(a.offsets, b.offsets);
  EXPECT_EQ(a.training_rows, b.training_rows);
  EXPECT_EQ(a.minus_self, b.minus_self);
}

/// A copy of the document without, or with another, entry of that name.
template <class Change>
ModelDocument changed(const ModelDocument& document, const std::string& name, const Change& put) {
  ModelDocument copy(document.learner(), "file.mm");
  for (const auto& field : document.fields()) {
    if (field.name == name) {
      put(copy);
      continue;
    }
    if (const auto* text = std::get_if<std::string>(&field.value)) {
      copy.set_string(field.name, *text);
    } else if (const auto* whole = std::get_if<std::int64_t>(&field.value)) {
      copy.set_integer(field.name, *whole);
    } else if (const auto* number = std::get_if<double>(&field.value)) {
      copy.set_number(field.name, *number);
    } else {
      copy.set_boolean(field.name, std::get<bool>(field.value));
    }
  }
  for (const auto& section : document.sections()) {
    if (section.name == name) {
      put(copy);
    } else if (const auto* labels = std::get_if<std::vector<Label>>(&section.content)) {
      copy.set_labels(section.name, *labels);
    } else if (const auto* strings = std::get_if<std::vector<std::string>>(&section.content)) {
      copy.set_strings(section.name, *strings);
    } else if (const auto* numbers = std::get_if<std::vector<double>>(&section.content)) {
      copy.set_numbers(section.name, *numbers);
    } else if (const auto* dense = std::get_if<DenseMatrix>(&section.content)) {
      copy.set_dense(section.name, *dense);
    } else {
      copy.set_sparse(section.name, std::get<SparseMatrix>(section.content));
    }
  }
  return copy;
}

TEST(MachineFile, AClassifierComesBackBitForBit) {
  const Classifier model = three_classes();
  for (const ModelFormat format : {ModelFormat::text, ModelFormat::binary}) {
    const Classifier copy = reread(model, format);
    EXPECT_EQ(copy.classes, model.classes);
    EXPECT_EQ(copy.code.kind, MulticlassKind::one_vs_one);
    EXPECT_EQ(copy.code.decoding, model.code.decoding);
    EXPECT_EQ(copy.code.signs, model.code.signs);
    EXPECT_FALSE(copy.calibration);
    EXPECT_FALSE(copy.scaler);
    expect_same_expansion(std::get<KernelExpansion>(copy.functions),
                          std::get<KernelExpansion>(model.functions));
  }
}

/// Kernels that read back are equal when they give the same values, bit for bit.
TEST(MachineFile, EveryKernelComesBackWithItsParameters) {
  const std::vector<Kernel> kernels = {
      Linear{},
      Polynomial{.gamma = 0.3, .coef0 = -0.7, .degree = 5},
      Rbf{.gamma = 1.0 / 3},
      Laplace{.gamma = 0.1},
      Absdiff{.gamma = 0.2},
      Sentropic{.gamma = 0.3},
      Sigmoid{.gamma = 0.05, .coef0 = -1.0 / 7},
      Cosine{},
      HistogramIntersection{},
      ChiSquare{.gamma = 2.0 / 3},
      sum_of(Rbf{.gamma = 0.7}, product_of(Linear{}, Laplace{.gamma = 1.0 / 9})),
      scaled(Linear{}, 1.0 / 3),
      power_of(sum_of(Linear{}, Cosine{}), 3),
      polynomial_of(Linear{}, {0.1, 0, 1.0 / 3}),
      exp_of(scaled(Linear{}, 0.01)),
      with_scaled_inputs(Rbf{.gamma = 0.5}, {0.1, 2, 1.0 / 3}),
      normalised(Polynomial{.gamma = 1, .coef0 = 1, .degree = 2})};
  Rng rng(3, "machine-file-test");
  DenseMatrix points(2, 3);
  for (double& value : points.values()) value = 0.1 + rng.uniform();
  const Row x(points.row(0));
  const Row z(points.row(1));
  for (const Kernel& kernel : kernels) {
    Classifier model = three_classes();
    KernelExpansion expansion = expansion_of(kernel, 3);
    expansion.vectors = DenseMatrix(5, 3, 0.25);  // in the domain of every kernel
    model.functions = expansion;
    for (const ModelFormat format : {ModelFormat::text, ModelFormat::binary}) {
      const Classifier read = reread(model, format);
      const Kernel& copy = std::get<KernelExpansion>(read.functions).kernel;
      EXPECT_EQ(kernel_name(copy), kernel_name(kernel));
      EXPECT_EQ(evaluate(copy, x, z), evaluate(kernel, x, z)) << kernel_name(kernel);
      EXPECT_EQ(evaluate(copy, x, x), evaluate(kernel, x, x)) << kernel_name(kernel);
    }
  }
}

/// Kernels with training rows give the same values for known and for new rows.
TEST(MachineFile, CentredAndIteratedKernelsKeepTheirRowsOnce) {
  const Examples training(random_matrix(20, 3, 11));
  const Kernel kernel = fitted(sum_of(normalised(centred(Rbf{.gamma = 1.0 / 3})),
                                      product_of(iterated(Linear{}), centred(Linear{}))),
                               training);
  Classifier model = three_classes();
  model.functions = expansion_of(kernel, 3);
  const DenseMatrix fresh = random_matrix(2, 3, 12);
  for (const ModelFormat format : {ModelFormat::text, ModelFormat::binary}) {
    const Classifier read = reread(model, format);
    const Kernel& copy = std::get<KernelExpansion>(read.functions).kernel;
    EXPECT_EQ(kernel_name(copy), kernel_name(kernel));
    EXPECT_EQ(evaluate(copy, Row(fresh.row(0)), Row(fresh.row(1))),
              evaluate(kernel, Row(fresh.row(0)), Row(fresh.row(1))));
    EXPECT_EQ(evaluate(copy, training.row(3), Row(fresh.row(1))),
              evaluate(kernel, training.row(3), Row(fresh.row(1))));
  }
  const ModelDocument document = document_of(model);
  std::size_t stored = 0;
  for (const auto& section : document.sections())
    stored += section.name.ends_with(".rows") ? 1U : 0U;
  EXPECT_EQ(stored, 1u);
  EXPECT_EQ(document.string("kernel.b.a.rows_of"), "kernel.a.of");
  for (const char* const name :
       {"kernel.a.of.rows", "kernel.a.of.row_means", "kernel.b.a.rows_of"}) {
    EXPECT_NE(problem_in(changed(document, name, [](ModelDocument&) {})), "") << name;
  }
  const ModelDocument short_means =
      changed(document, "kernel.a.of.row_means", [](ModelDocument& other) {
        other.set_numbers("kernel.a.of.row_means", {1, 2});
      });
  EXPECT_NE(problem_in(short_means).find("a mean for each row"), std::string::npos);
}

TEST(MachineFile, APrecomputedKernelKeepsRowNumbersAndTheirNumber) {
  Classifier model = three_classes();
  KernelExpansion expansion =
      expansion_of(Precomputed{std::make_shared<const DenseMatrix>(random_matrix(12, 12, 4))}, 3);
  DenseMatrix rows(5, 1);
  for (std::size_t i = 0; i < 5; ++i) rows(i, 0) = static_cast<double>(2 * i);
  expansion.vectors = rows;
  model.functions = expansion;
  const Classifier copy = reread(model);
  const auto& read = std::get<KernelExpansion>(copy.functions);
  const auto& kernel = std::get<Precomputed>(read.kernel);
  EXPECT_EQ(kernel.matrix->rows(), 0u);
  EXPECT_EQ(kernel.matrix->cols(), 12u);
  expect_same_matrix(read.vectors.to_dense(), rows);

  rows(3, 0) = 12;  // the matrix has columns 0 to 11
  const ModelDocument broken = changed(document_of(model), "vectors", [&](ModelDocument& other) {
    other.set_dense("vectors", rows);
  });
  EXPECT_NE(problem_in(broken).find("kernel.columns"), std::string::npos);
}

TEST(MachineFile, KernelsWithCodeInThemCannotBeStored) {
  Classifier model = three_classes();
  model.functions =
      expansion_of(sum_of(Linear{}, rank_one("length", [](const Row&) { return 1.0; })), 3);
  const std::string problem =
      problem_of<InvalidArgument>([&] { return document_of(model).learner(); });
  EXPECT_NE(problem.find("rank-one(length)"), std::string::npos) << problem;
}

TEST(MachineFile, DeeplyNestedKernelsAreRefusedBothWays) {
  Kernel kernel = Linear{};
  for (int level = 0; level < 63; ++level) kernel = scaled(kernel, 1);
  Classifier model = three_classes();
  model.functions = expansion_of(kernel, 3);
  EXPECT_EQ(problem_in(document_of(model)), "");
  model.functions = expansion_of(scaled(kernel, 1), 3);
  EXPECT_THROW((void)document_of(model), InvalidArgument);

  ModelDocument document("svc", "file.mm");
  std::string name = "kernel";
  for (int level = 0; level < 65; ++level, name += ".of") document.set_string(name, "exp");
  document.set_string("machine", "classifier");
  document.set_string("function", "kernel");
  document.set_labels("classes", {Label(0.0), Label(1.0)});
  document.set_numbers("offsets", {0});
  document.set_string("code.kind", "ovo");
  document.set_string("code.decoding", "value");
  DenseMatrix signs(2, 1, -1.0);
  signs(1, 0) = 1;
  document.set_dense("code.signs", signs);
  EXPECT_NE(problem_in(document).find("nested too deeply"), std::string::npos);
}

TEST(MachineFile, SparseVectorsStaySparse) {
  Classifier model = three_classes();
  auto& expansion = std::get<KernelExpansion>(model.functions);
  DenseMatrix dense = random_matrix(5, 3, 1);
  dense(0, 1) = 0;
  dense(2, 0) = 0;
  dense(2, 1) = 0;
  dense(2, 2) = 0;
  expansion.vectors = to_sparse(dense.view());
  const Classifier copy = reread(model);
  expect_same_expansion(std::get<KernelExpansion>(copy.functions), expansion);
}

/// Of the 45 functions of ten classes a vector takes part in nine.
TEST(MachineFile, CoefficientsAreStoredInTheSmallerForm) {
  Classifier model;
  for (int c = 0; c < 10; ++c) model.classes.emplace_back(static_cast<double>(c));
  model.code = one_vs_one_code(10);
  KernelExpansion expansion = expansion_of(Linear{}, 45);
  for (std::size_t i = 0; i < 5; ++i) {
    for (std::size_t f = 0; f < 45; ++f) {
      if (f % 5 != i) expansion.coefficients(i, f) = 0;
    }
  }
  expansion.coefficients(2, 0) = -0.0;  // a zero keeps its sign
  model.functions = expansion;
  const ModelDocument document = document_of(model);
  EXPECT_EQ(document.sparse("coefficients").entries(), 46u);
  const Classifier copy = reread(model);
  expect_same_expansion(std::get<KernelExpansion>(copy.functions), expansion);
  EXPECT_EQ(document_of(three_classes()).dense("coefficients").rows(), 5u);
}

TEST(MachineFile, LinearFunctionsComeBackBitForBit) {
  for (const bool mostly_zero : {false, true}) {
    Classifier model;
    model.classes = {Label(0.0), Label(1.0)};
    model.code = one_vs_rest_code(2);
    LinearFunctions functions{.weights = random_matrix(1, 40, 6), .offsets = {-0.0}};
    for (std::size_t j = 1; mostly_zero && j < 40; ++j) functions.weights(0, j) = 0;
    model.functions = functions;
    model.feature_names.resize(40, "with \"quotes\"\n");
    const ModelDocument document = document_of(model);
    EXPECT_EQ(std::holds_alternative<SparseMatrix>(document.sections().back().content),
              mostly_zero);
    const Classifier copy = classifier_of(through_file(document, ModelFormat::text));
    expect_same_matrix(std::get<LinearFunctions>(copy.functions).weights, functions.weights);
    expect_same_bits(std::get<LinearFunctions>(copy.functions).offsets, functions.offsets);
    EXPECT_EQ(copy.feature_names, model.feature_names);
  }
}

TEST(MachineFile, CalibrationsComeBackBitForBit) {
  Classifier model = three_classes();
  model.calibration = Calibration{
      .kind = CalibrationKind::platt,
      .curves = {PlattCurve{-1.0 / 3, 0.1}, PlattCurve{-2, -0.0}, PlattCurve{-1e-300, 1e300}}};
  const Calibration platt = reread(model).calibration.value();
  for (std::size_t f = 0; f < 3; ++f) {
    const auto& before = std::get<PlattCurve>(model.calibration->curves[f]);
    const auto& after = std::get<PlattCurve>(platt.curves[f]);
    expect_same_bits(std::vector<double>{before.slope, before.intercept},
                     std::vector<double>{after.slope, after.intercept});
  }
  model.calibration = Calibration{.kind = CalibrationKind::isotonic,
                                  .curves = {IsotonicCurve{{-1, 0.1, 3}, {0, 1.0 / 3, 1}},
                                             IsotonicCurve{{0.5}, {0.5}},
                                             IsotonicCurve{{-1e300, 1e300}, {0.25, 0.25}}}};
  const Calibration isotonic = reread(model).calibration.value();
  ASSERT_EQ(isotonic.curves.size(), 3u);
  EXPECT_EQ(isotonic.kind, CalibrationKind::isotonic);
  for (std::size_t f = 0; f < 3; ++f) {
    const auto& before = std::get<IsotonicCurve>(model.calibration->curves[f]);
    const auto& after = std::get<IsotonicCurve>(isotonic.curves[f]);
    EXPECT_EQ(after.scores, before.scores);
    EXPECT_EQ(after.probabilities, before.probabilities);
  }
}

TEST(MachineFile, TheScalerComesAlong) {
  Classifier model = three_classes();
  model.scaler = fit_scaler(random_matrix(9, 3, 8), parse_scaling("range"));
  const Classifier copy = reread(model);
  ASSERT_TRUE(copy.scaler);
  EXPECT_EQ(copy.scaler->minimum, model.scaler->minimum);
  model.scaler = fit_scaler(random_matrix(9, 4, 8), parse_scaling("standard"));
  EXPECT_THROW((void)document_of(model), InvalidArgument);
}

TEST(MachineFile, ARegressorComesBackBitForBit) {
  Regressor model;
  KernelExpansion sphere = expansion_of(Rbf{.gamma = 2}, 1);
  sphere.minus_self = true;
  model.function = sphere;
  model.feature_names = {"a", "b", "c"};
  ModelDocument document("svdd", "file.mm");
  add_regressor(document, model);
  EXPECT_EQ(machine_kind(document), MachineKind::regressor);
  const Regressor copy = regressor_of(through_file(document, ModelFormat::text));
  expect_same_expansion(std::get<KernelExpansion>(copy.function), sphere);
  EXPECT_EQ(copy.feature_names, model.feature_names);
  EXPECT_NE(problem_in(document).find("must be 'classifier'"), std::string::npos);
  EXPECT_EQ(machine_kind(ModelDocument("kmeans")), MachineKind::none);
}

TEST(MachineFile, LargePartsMoveOutOfADocumentThatIsGivenUp) {
  ModelDocument document = document_of(three_classes());
  const double* vectors = document.dense("vectors").data();
  const Classifier model = classifier_of(std::move(document));
  EXPECT_EQ(std::get<KernelExpansion>(model.functions).vectors.dense().data, vectors);
}

TEST(MachineFile, ReportsComeBackWithoutTheirSeconds) {
  std::vector<MachineReport> machines(3);
  machines[0].report.status = Status::time_limit;
  machines[0].report.message = "stopped";
  machines[0].report.iterations = 12345678901;
  machines[0].report.primal_objective = 1.0 / 3;
  machines[0].report.dual_objective = -infinity;
  machines[0].report.seconds = {{"solve", 1.5}};
  machines[1].support_vectors = 7;
  machines[1].bounded = 5;
  machines[1].squared_norm = 0.1;
  machines[1].report.lower_bound = 0.2;
  machines[2].report.warnings = {"first", "second\nline"};
  machines[2].report.dual_residual = 1e-9;
  ModelDocument document("svc");
  add_machine_reports(document, machines);
  const std::vector<MachineReport> copy =
      machine_reports_of(through_file(document, ModelFormat::text));
  ASSERT_EQ(copy.size(), 3u);
  EXPECT_EQ(copy[0].report.status, Status::time_limit);
  EXPECT_EQ(copy[0].report.message, "stopped");
  EXPECT_EQ(copy[0].report.iterations, 12345678901u);
  EXPECT_EQ(copy[0].report.primal_objective, 1.0 / 3);
  EXPECT_EQ(copy[0].report.dual_objective, -infinity);
  EXPECT_TRUE(copy[0].report.seconds.empty());
  EXPECT_FALSE(copy[0].report.lower_bound);
  EXPECT_EQ(copy[1].report.status, Status::solved);
  EXPECT_EQ(copy[1].support_vectors, 7u);
  EXPECT_EQ(copy[1].bounded, 5u);
  EXPECT_EQ(copy[1].squared_norm, 0.1);
  EXPECT_EQ(copy[1].report.lower_bound, 0.2);
  EXPECT_EQ(copy[2].report.warnings, (std::vector<std::string>{"first", "second\nline"}));
  EXPECT_EQ(copy[2].report.dual_residual, 1e-9);
  EXPECT_TRUE(machine_reports_of(ModelDocument("svc")).empty());
}

TEST(MachineFile, BrokenReportsAreRefused) {
  const auto problem = [](double iterations, const char* status, double warned) {
    ModelDocument document("svc", "file.mm");
    DenseMatrix table(1, 9);
    table(0, 0) = iterations;
    document.set_dense("machines", table);
    document.set_strings("machines.status", {status});
    document.set_strings("machines.warnings", {"text"});
    document.set_numbers("machines.warned", {warned});
    return problem_of<ModelFormatError>([&] { return machine_reports_of(document); });
  };
  EXPECT_EQ(problem(5, "solved", 0), "");
  EXPECT_NE(problem(-5, "solved", 0), "");
  EXPECT_NE(problem(0.5, "solved", 0), "");
  EXPECT_NE(problem(not_a_number, "solved", 0), "");
  EXPECT_NE(problem(5, "splendid", 0), "");
  EXPECT_NE(problem(5, "solved", 1), "");
  EXPECT_NE(problem(5, "solved", -1), "");
}

// ---- damage ----

/// A classifier with every part a file can hold.
Classifier everything() {
  Classifier model = three_classes();
  model.functions = expansion_of(
      sum_of(scaled(Rbf{.gamma = 2}, 0.5), polynomial_of(Polynomial{.degree = 2}, {1, 0.5})), 3);
  model.calibration = Calibration{.kind = CalibrationKind::isotonic,
                                  .curves = {IsotonicCurve{{-1, 1}, {0, 1}},
                                             IsotonicCurve{{-1, 1}, {0, 1}},
                                             IsotonicCurve{{-1, 1}, {0, 1}}}};
  model.scaler = fit_scaler(random_matrix(9, 3, 8), parse_scaling("range"));
  model.feature_names = {"a", "b", "c"};
  return model;
}

TEST(MachineFileDamage, EveryMissingPartIsNamed) {
  const ModelDocument document = document_of(everything());
  ASSERT_EQ(problem_in(document), "");
  std::vector<std::string> names;
  for (const auto& field : document.fields()) names.push_back(field.name);
  for (const auto& section : document.sections()) names.push_back(section.name);
  for (const std::string& name : names) {
    const ModelDocument without = changed(document, name, [](ModelDocument&) {});
    const bool optional = name == "training_rows" || name == "feature_names" ||
                          name == "calibration.kind" || name == "scaler.kind";
    const std::string problem = problem_in(without);
    EXPECT_EQ(problem.empty(), optional) << name;
    const bool named = problem.find("'" + name + "' is missing") != std::string::npos;
    EXPECT_NE(named, optional) << problem;
  }
}

TEST(MachineFileDamage, ValuesOutOfRangeAreRefusedWithTheirName) {
  const ModelDocument document = document_of(everything());
  struct Damage {
    std::string name;
    std::function<void(ModelDocument&, const std::string&)> put;
  };
  const auto numbers = [](std::vector<double> values) {
    return [values](ModelDocument& d, const std::string& n) { d.set_numbers(n, values); };
  };
  const auto dense = [](std::size_t rows, std::size_t cols, double value) {
    return [=](ModelDocument& d, const std::string& n) {
      d.set_dense(n, DenseMatrix(rows, cols, value));
    };
  };
  const auto text = [](std::string value) {
    return [value](ModelDocument& d, const std::string& n) { d.set_string(n, value); };
  };
  const auto number = [](double value) {
    return [value](ModelDocument& d, const std::string& n) { d.set_number(n, value); };
  };
  const auto labels = [](std::vector<Label> values) {
    return [values](ModelDocument& d, const std::string& n) { d.set_labels(n, values); };
  };
  const std::vector<Damage> damages = {
      {"machine", text("oracle")},
      {"classes", labels({})},
      {"classes", labels({Label(1.0), Label(2.0), Label(1.0)})},
      {"code.kind", text("all")},
      {"code.decoding", text("dice")},
      {"code.signs", dense(3, 3, 0.5)},
      {"code.signs", dense(3, 3, 1)},
      {"code.signs", dense(2, 3, 1)},
      {"offsets", numbers({})},
      {"offsets", numbers({1, 2, not_a_number})},
      {"vectors", dense(5, 3, infinity)},
      {"coefficients", dense(5, 2, 1)},
      {"coefficients", dense(4, 3, 1)},
      {"coefficients", dense(5, 3, not_a_number)},
      {"training_rows", numbers({1, 2})},
      {"training_rows", numbers({1, 2, 3, 4, -5})},
      {"training_rows", numbers({1, 2, 3, 4, 0.5})},
      {"training_rows", numbers({1, 2, 3, 4, infinity})},
      {"kernel", text("magic")},
      {"kernel.a.factor", number(-1)},
      {"kernel.a.of.gamma", number(0)},
      {"kernel.a.of.gamma", number(not_a_number)},
      {"kernel.b.of.degree", [](ModelDocument& d, const std::string& n) { d.set_integer(n, 0); }},
      {"kernel.b.of.degree",
       [](ModelDocument& d, const std::string& n) { d.set_integer(n, std::int64_t{1} << 40); }},
      {"kernel.b.coefficients", numbers({})},
      {"kernel.b.coefficients", numbers({-1})},
      {"calibration.kind", text("guess")},
      {"calibration.counts", numbers({2, 2})},
      {"calibration.counts", numbers({2, 2, 1})},
      {"calibration.counts", numbers({2, 4, 0})},
      {"calibration.counts", numbers({2, 2, 1e18})},
      {"calibration.points", dense(6, 2, 0.5)},
      {"calibration.points", dense(6, 1, 0.5)},
      {"calibration.points", dense(0, 2, 0.5)},
      {"feature_names",
       [](ModelDocument& d, const std::string& n) {
         d.set_strings(n, {"a", "b"});
       }},
  };
  for (const Damage& damage : damages) {
    const ModelDocument broken =
        changed(document, damage.name, [&](ModelDocument& copy) { damage.put(copy, damage.name); });
    const std::string problem = problem_in(broken);
    EXPECT_TRUE(problem.starts_with("file.mm: ")) << damage.name << ": " << problem;
  }
}

/// A sparse matrix of a few bytes may claim any number of columns.
TEST(MachineFileDamage, ClaimedSizesDoNotTakeMemory) {
  Classifier model;
  model.classes = {Label(0.0), Label(1.0)};
  model.code = one_vs_rest_code(2);
  model.functions = LinearFunctions{.weights = DenseMatrix(1, 40), .offsets = {0}};
  Buffer<std::int64_t> offsets(2, 0);
  const SparseMatrix wide(2147483647, offsets, Buffer<std::int32_t>(), Buffer<double>());
  ModelDocument document = document_of(model);
  document =
      changed(document, "weights", [&](ModelDocument& copy) { copy.set_sparse("weights", wide); });
  EXPECT_NE(problem_in(document).find("must be 1 x 40"), std::string::npos);
}

/// Whatever a single changed word says, the model is refused or has its parts in order.
TEST(MachineFileDamage, NoChangedWordBreaksTheReader) {
  const std::string text = written_bytes(
      [](OutputFile& file) { write_model(document_of(everything()), file, ModelFormat::text); });
  const auto reseal = [](std::string body) {
    std::uint64_t hash = 0xcbf29ce484222325u;
    for (const char c : body) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    char line[64];
    std::snprintf(
        line, sizeof line, "checksum fnv1a64 %016llx\n", static_cast<unsigned long long>(hash));
    return body + line;
  };
  const std::string body = text.substr(0, text.rfind("checksum"));
  std::size_t refused = 0;
  std::size_t accepted = 0;
  const auto attempt = [&](const std::string& bytes) {
    try {
      Input input = Input::from_memory("file.mm", bytes);
      const Classifier model = classifier_of(read_model(input));
      const auto& expansion = std::get<KernelExpansion>(model.functions);
      EXPECT_EQ(expansion.coefficients.rows(), expansion.vectors.rows());
      EXPECT_EQ(expansion.coefficients.cols(), model.code.functions);
      EXPECT_EQ(model.classes.size(), model.code.classes);
      ++accepted;
    } catch (const ModelFormatError&) {
      ++refused;
    }
  };
  for (std::size_t begin = 0; begin < body.size();) {
    const std::size_t end = body.find_first_of(" \n", begin);
    for (const char* word : {"nan", "-1", "0", "7", "1e300", "18446744073709551615", "x", ""}) {
      attempt(reseal(body.substr(0, begin) + word + body.substr(end)));
    }
    if (body[end] == '\n') attempt(reseal(body.substr(0, end + 1)));
    begin = end + 1;
  }
  EXPECT_GT(refused, 1000u);
  EXPECT_GT(accepted, 100u);  // a changed value of a vector is as good as another
}

}  // namespace
}  // namespace maxmargin
