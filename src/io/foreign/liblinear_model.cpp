// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "io/foreign/parts.hpp"
#include "io/quote.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/core/sizes.hpp"
#include "maxmargin/core/suggest.hpp"

/// Model files of LIBLINEAR: a header of `name values` lines, then one line of weights a feature.
namespace maxmargin {

namespace {

constexpr auto largest_int = std::int64_t{std::numeric_limits<std::int32_t>::max()};

enum class SolverKind { classify, probabilities, crammer_singer, regress, one_class };

struct Solver {
  std::string_view name;
  std::string_view learner;
  SolverKind kind;
};

/// The first of a learner is the one a model of ours is written as.
constexpr std::array<Solver, 12> solvers = {
    Solver{"L2R_L2LOSS_SVC_DUAL", "linear-svc", SolverKind::classify},
    Solver{"L2R_L2LOSS_SVC", "linear-svc", SolverKind::classify},
    Solver{"L2R_L1LOSS_SVC_DUAL", "linear-svc", SolverKind::classify},
    Solver{"L1R_L2LOSS_SVC", "linear-svc", SolverKind::classify},
    Solver{"L2R_LR", "logistic", SolverKind::probabilities},
    Solver{"L1R_LR", "logistic", SolverKind::probabilities},
    Solver{"L2R_LR_DUAL", "logistic", SolverKind::probabilities},
    Solver{"MCSVM_CS", "cs-svc", SolverKind::crammer_singer},
    Solver{"L2R_L2LOSS_SVR", "linear-svr", SolverKind::regress},
    Solver{"L2R_L2LOSS_SVR_DUAL", "linear-svr", SolverKind::regress},
    Solver{"L2R_L1LOSS_SVR_DUAL", "linear-svr", SolverKind::regress},
    Solver{"ONECLASS_SVM", "one-class", SolverKind::one_class}};

bool classifies(const Solver& solver) {
  return solver.kind != SolverKind::regress && solver.kind != SolverKind::one_class;
}

// ---- reading ----

struct Header {
  const Solver* solver = nullptr;
  std::optional<std::int64_t> classes = std::nullopt;
  std::optional<std::int64_t> features = std::nullopt;
  std::optional<double> bias = std::nullopt;
  std::optional<double> rho = std::nullopt;
  std::vector<Label> labels = {};
};

/// Reads one line of the header; false at the line `w`.
bool read_header_line(ForeignText& text, Header& header) {
  text.next_line("the line 'w'");
  const std::string key(text.word("a name"));
  if (key == "w") {
    text.end_line();
    return false;
  }
  if (key == "solver_type") {
    const std::string_view name = text.word("a solver");
    const auto* found = std::ranges::find(solvers, name, &Solver::name);
    if (found == solvers.end()) text.fail("unknown solver_type " + quote(name));
    header.solver = found;
  } else if (key == "nr_class") {
    header.classes = text.whole("the number of classes", 1, largest_int);
  } else if (key == "nr_feature") {
    header.features = text.whole("the number of features", 0, largest_int - 1);
  } else if (key == "bias") {
    header.bias = text.finite("bias");
  } else if (key == "rho") {
    header.rho = text.finite("rho");
  } else if (key == "label") {
    header.labels = parse_foreign_labels(text);
  } else {
    text.fail("unknown name " + quote(key) + " in the header");
  }
  text.end_line();
  return true;
}

Header read_header(ForeignText& text) {
  Header header;
  while (read_header_line(text, header)) {
  }
  const auto check = [&](bool holds, const char* problem) {
    if (!holds) text.fail(problem);
  };
  check(header.solver != nullptr, "the header has no line 'solver_type'");
  check(header.classes.has_value(), "the header has no line 'nr_class'");
  check(header.features.has_value(), "the header has no line 'nr_feature'");
  check(header.bias.has_value(), "the header has no line 'bias'");
  if (classifies(*header.solver)) {
    check(header.labels.size() == static_cast<std::size_t>(*header.classes),
          "label must have nr_class numbers");
  }
  if (header.solver->kind == SolverKind::one_class) {
    check(header.rho.has_value(), "the header has no line 'rho'");
  }
  return header;
}

/// Columns of weights in the file.
std::size_t column_count(const Header& header) {
  if (!classifies(*header.solver)) return 1;
  const std::size_t classes = header.labels.size();
  return classes == 2 && header.solver->kind != SolverKind::crammer_singer ? 1 : classes;
}

LinearFunctions read_weights(ForeignText& text, const Header& header) {
  const std::size_t columns = column_count(header);
  const auto features = static_cast<std::size_t>(*header.features);
  const bool has_bias = *header.bias >= 0;
  // A weight takes two bytes of the file.
  if (features > text.bytes_left() / 2 / columns + 1) {
    text.fail("nr_feature " + std::to_string(features) + " lines of weights do not fit the " +
              std::to_string(text.bytes_left()) + " bytes that follow");
  }
  LinearFunctions functions{.weights = DenseMatrix(columns, features),
                            .offsets = std::vector<double>(columns, 0.0)};
  for (std::size_t j = 0; j < features + (has_bias ? 1 : 0); ++j) {
    text.next_line("weights, line " + std::to_string(j + 1) + " of " +
                   std::to_string(features + (has_bias ? 1 : 0)));
    for (std::size_t f = 0; f < columns; ++f) {
      const double weight = text.finite("a weight");
      if (j < features) {
        functions.weights(f, j) = weight;
      } else {
        functions.offsets[f] = weight * *header.bias;
      }
    }
    text.end_line();
  }
  if (text.next_line()) text.fail("expected the end of the file after the weights");
  for (const double offset : functions.offsets) {
    if (!std::isfinite(offset)) text.fail("the weight of the bias is too large");
  }
  return functions;
}

/// Their value > 0 means the first class of two; ours >= 0 the second. Of Crammer and Singer's two
/// columns predict looks at the first.
LinearFunctions turned(const LinearFunctions& functions) {
  LinearFunctions one{.weights = DenseMatrix(1, functions.weights.cols()),
                      .offsets = {-functions.offsets[0]}};
  std::ranges::transform(functions.weights.row(0), one.weights.values().begin(), std::negate<>());
  return one;
}

Classifier classifier_from(const Header& header, LinearFunctions functions) {
  Classifier model;
  model.classes = header.labels;
  const std::size_t classes = model.classes.size();
  const bool direct = header.solver->kind == SolverKind::crammer_singer;
  model.code = direct && classes > 2 ? direct_code(classes) : one_vs_rest_code(classes);
  if (direct) model.code.kind = MulticlassKind::direct;
  model.functions = classes == 2 ? turned(functions) : std::move(functions);
  return model;
}

// ---- writing ----

const Solver& solver_for(const ForeignModel& model) {
  std::vector<std::string_view> names;
  for (const Solver& solver : solvers) {
    names.push_back(solver.name);
    if (model.solver.empty() ? solver.learner == model.learner : solver.name == model.solver) {
      return solver;
    }
  }
  if (!model.solver.empty()) {
    throw InvalidArgument("solver '" + model.solver + "' is not one of LIBLINEAR's" +
                          suggest_names(model.solver, names));
  }
  require_field(std::holds_alternative<Classifier>(model.machine),
                "learner",
                model.learner,
                "one that LIBLINEAR has");
  return solvers.front();  // any linear classifier applies in the same way
}

const LinearFunctions& linear_of(const DecisionFunction& functions) {
  const auto* linear = std::get_if<LinearFunctions>(&functions);
  require(linear != nullptr,
          "a LIBLINEAR model holds weights of features; write a sum of kernels as a LIBSVM model");
  require(linear->weights.rows() == linear->offsets.size() && !linear->offsets.empty(),
          "the model's weights and offsets do not fit together");
  return *linear;
}

/// The functions as LIBLINEAR has them.
LinearFunctions functions_of(const Classifier& model, const Solver& solver) {
  require_foreign_classifier(model);
  const LinearFunctions& functions = linear_of(model.functions);
  const OutputCode& code = model.code;
  require(functions.offsets.size() == code.functions,
          "the model's functions are not as many as its code has");
  require(code.decoding == Decoding::value && code.kind != MulticlassKind::ecoc,
          "a LIBLINEAR model has one function for each class (--multiclass ovr or direct), and "
          "the largest value wins");
  if (code.classes != 2) return functions;
  require(code.functions == 1, "a LIBLINEAR model of two classes has one function");
  LinearFunctions first = turned(functions);
  if (solver.kind != SolverKind::crammer_singer) return first;
  LinearFunctions both{.weights = DenseMatrix(2, first.weights.cols()),
                       .offsets = {first.offsets[0], functions.offsets[0]}};
  std::ranges::copy(first.weights.row(0), both.weights.row(0).begin());
  std::ranges::copy(functions.weights.row(0), both.weights.row(1).begin());
  return both;
}

}  // namespace

ForeignModel parse_liblinear_model(ForeignText& text) {
  const Header header = read_header(text);
  LinearFunctions functions = read_weights(text, header);
  ForeignModel model{.learner = std::string(header.solver->learner),
                     .solver = std::string(header.solver->name)};
  if (!classifies(*header.solver)) {
    if (header.solver->kind == SolverKind::one_class) {
      // A bias beside rho does not occur: the program does not train with both.
      functions.offsets[0] += offset_of_strict_rho(*header.rho);
      if (!std::isfinite(functions.offsets[0])) text.fail("rho is too large");
    }
    model.machine = Regressor{.function = std::move(functions)};
    return model;
  }
  Classifier classifier = classifier_from(header, std::move(functions));
  if (header.solver->kind == SolverKind::probabilities) {
    // Each function is a log-odds already.
    model.calibration = Calibration{.kind = CalibrationKind::platt,
                                    .curves = {classifier.code.functions, PlattCurve{-1, 0}}};
  }
  model.machine = std::move(classifier);
  return model;
}

void write_liblinear_model(const ForeignModel& model, OutputFile& output) {
  const Solver& solver = solver_for(model);
  const auto* classifier = std::get_if<Classifier>(&model.machine);
  require(classifies(solver) == (classifier != nullptr),
          "the machine is not of the kind that the learner or solver names");
  LinearFunctions functions;
  if (classifier != nullptr) {
    functions = functions_of(*classifier, solver);
  } else {
    const auto& regressor = std::get<Regressor>(model.machine);
    require_foreign_scaler(regressor.scaler);
    functions = linear_of(regressor.function);
    require(functions.offsets.size() == 1, "a regressor is one function");
  }
  const bool one_class = solver.kind == SolverKind::one_class;
  const bool has_bias =
      !one_class && std::ranges::any_of(functions.offsets, [](double b) { return b != 0; });

  std::string text = "solver_type " + std::string(solver.name) + "\n";
  text += "nr_class " + std::to_string(classifier ? classifier->classes.size() : 2) + "\n";
  if (classifier != nullptr) text += "label" + foreign_labels(classifier->classes) + "\n";
  text += "nr_feature " + std::to_string(functions.weights.cols()) + "\n";
  text += has_bias ? "bias 1\n" : "bias -1\n";
  if (one_class) {
    text += "rho ";
    append_number(text, strict_rho_of_offset(functions.offsets[0]));
    text += '\n';
  }
  text += "w\n";
  constexpr std::size_t block_bytes = std::size_t{1} << 20;
  for (std::size_t j = 0; j < functions.weights.cols() + (has_bias ? 1 : 0); ++j) {
    for (std::size_t f = 0; f < functions.offsets.size(); ++f) {
      append_number(text,
                    j < functions.weights.cols() ? functions.weights(f, j) : functions.offsets[f]);
      text += ' ';
    }
    text += '\n';
    if (text.size() < block_bytes) continue;
    output.write(text);
    text.clear();
  }
  output.write(text);
}

}  // namespace maxmargin
