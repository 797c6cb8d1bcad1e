// SPDX-License-Identifier: Apache-2.0
#include "reference_machines.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <utility>

#include "learner/supervised/model_document.hpp"

namespace maxmargin::reference {

namespace {

constexpr Number infinity = std::numeric_limits<Number>::infinity();

/// The options that a model says it was trained with.
class Options {
 public:
  explicit Options(const ModelHeader& header) {
    for (const auto& [key, value] : header.options) all_.emplace(key, value);
  }
  [[nodiscard]] Number number(const std::string& key, Number otherwise) const {
    const auto at = all_.find(key);
    if (at == all_.end()) return otherwise;
    if (const auto* value = std::get_if<double>(&at->second)) return *value;
    if (const auto* value = std::get_if<std::int64_t>(&at->second)) return *value;
    if (const auto* value = std::get_if<std::string>(&at->second)) {
      if (*value == "inf" || *value == "infinity") return infinity;
      return otherwise;
    }
    return otherwise;
  }
  [[nodiscard]] bool truth(const std::string& key, bool otherwise) const {
    const auto at = all_.find(key);
    const bool* value = at == all_.end() ? nullptr : std::get_if<bool>(&at->second);
    return value == nullptr ? otherwise : *value;
  }
  [[nodiscard]] std::string name(const std::string& key, const std::string& otherwise) const {
    const auto at = all_.find(key);
    const auto* value = at == all_.end() ? nullptr : std::get_if<std::string>(&at->second);
    return value == nullptr ? otherwise : *value;
  }

 private:
  std::map<std::string, OptionScalar> all_ = {};
};

Number inner(const Dataset& data, std::size_t i, std::size_t j) {
  Number sum = 0;
  for (std::size_t k = 0; k < data.features(); ++k) {
    sum += static_cast<Number>(data.examples.dense()(i, k)) * data.examples.dense()(j, k);
  }
  return sum;
}

std::optional<Matrix> gram_of(const Dataset& data, const DecisionFunction& functions) {
  const std::size_t n = data.size();
  std::function<std::optional<Number>(std::size_t, std::size_t)> value =
      [&](std::size_t i, std::size_t j) { return std::optional(inner(data, i, j)); };
  if (const auto* expansion = std::get_if<KernelExpansion>(&functions)) {
    if (const auto* rbf = std::get_if<Rbf>(&expansion->kernel)) {
      value = [&data, gamma = static_cast<Number>(rbf->gamma)](std::size_t i, std::size_t j) {
        Number square = 0;
        for (std::size_t k = 0; k < data.features(); ++k) {
          const Number miss = static_cast<Number>(data.examples.dense()(i, k)) -
                              static_cast<Number>(data.examples.dense()(j, k));
          square += miss * miss;
        }
        return std::optional(std::exp(-gamma * square));
      };
    } else if (const auto* poly = std::get_if<Polynomial>(&expansion->kernel)) {
      value = [&data, poly](std::size_t i, std::size_t j) {
        const Number base = poly->gamma * inner(data, i, j) + static_cast<Number>(poly->coef0);
        Number power = 1;
        for (int k = 0; k < poly->degree; ++k) power *= base;
        return std::optional(power);
      };
    } else if (!std::holds_alternative<Linear>(expansion->kernel)) {
      return std::nullopt;
    }
  }
  Matrix gram(n, n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) gram(i, j) = *value(i, j);
  }
  return gram;
}

/// One function of the model on the training rows.
struct Function {
  Vector values = {};  ///< without offset
  Number offset = 0;
  Number square = 0;         ///< |w|^2 without offset
  Vector coefficients = {};  ///< of kernel machines, one a row
};

Function function_of(const DecisionFunction& functions,
                     std::size_t f,
                     const Dataset& data,
                     const Matrix& gram) {
  const std::size_t n = data.size();
  Function found{.values = Vector(n, 0)};
  if (const auto* linear = std::get_if<LinearFunctions>(&functions)) {
    found.offset = linear->offsets[f];
    for (std::size_t k = 0; k < data.features(); ++k) {
      const Number w = linear->weights(f, k);
      found.square += w * w;
      for (std::size_t i = 0; i < n; ++i) found.values[i] += w * data.examples.dense()(i, k);
    }
    return found;
  }
  const auto& expansion = std::get<KernelExpansion>(functions);
  found.offset = expansion.offsets[f];
  found.coefficients.assign(n, 0);
  for (std::size_t k = 0; k < expansion.training_rows.size(); ++k) {
    found.coefficients[expansion.training_rows[k]] += expansion.coefficients(k, f);
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      found.values[i] += gram(i, j) * found.coefficients[j];
    }
    found.square += found.coefficients[i] * found.values[i];
  }
  return found;
}

/// A problem as all of the following see it.
struct Given {
  const Dataset& data;
  Options options;
  Matrix gram;
  Vector signs = {};  ///< of two classes
  Vector targets = {};
  Vector weights = {};
  std::vector<Function> functions = {};

  [[nodiscard]] std::size_t size() const { return data.size(); }
  [[nodiscard]] const Function& function() const { return functions.front(); }
  [[nodiscard]] Number c() const { return options.number("C", 1); }
};

Interval negated(const Interval& i) { return {.low = -i.high, .high = -i.low}; }
Interval plus(const Interval& i, Number x) { return {.low = i.low + x, .high = i.high + x}; }

/// Hinges with margins to reach and costs of rows.
struct HingeProblem {
  Matrix gram = {};
  Vector signs = {};
  Vector wanted = {};
  Vector costs = {};
  bool free_offset = false;
  bool squared = false;
};

/// min 1/2 |w|^2 + sum cost max(0, wanted - y f)^(1 or 2) through its dual.
Interval hinge_optimum(const HingeProblem& given) {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < given.costs.size(); ++i) {
    if (given.costs[i] > 0) rows.push_back(i);
  }
  const std::size_t m = rows.size();
  QuadraticProgram program{.q = Matrix(m, m), .c = Vector(m), .upper = Vector(m)};
  if (given.free_offset && m > 0) {
    program.a = Matrix(1, m);
    program.b = {0};
    // With one class the offset alone meets every margin.
    const auto same = [&](std::size_t i) { return given.signs[i] == given.signs[rows.front()]; };
    if (std::ranges::all_of(rows, same)) return {};
  }
  for (std::size_t a = 0; a < m; ++a) {
    for (std::size_t b = 0; b < m; ++b) {
      program.q(a, b) = given.signs[rows[a]] * given.signs[rows[b]] * given.gram(rows[a], rows[b]);
    }
    program.c[a] = -given.wanted[rows[a]];
    program.upper[a] = given.costs[rows[a]];
    if (given.squared) {
      if (std::isfinite(program.upper[a])) program.q(a, a) += 1 / (2 * program.upper[a]);
      program.upper[a] = infinity;
    }
    if (given.free_offset) program.a(0, a) = given.signs[rows[a]];
  }
  return negated(solve(program).optimum);
}

Number hinge_objective(const HingeProblem& given, const Function& f, Number square) {
  Number sum = square / 2;
  for (std::size_t i = 0; i < given.costs.size(); ++i) {
    const Number miss =
        std::max<Number>(0, given.wanted[i] - given.signs[i] * (f.values[i] + f.offset));
    if (miss > 0 && given.costs[i] > 0)
      sum += given.costs[i] * (given.squared ? miss * miss : miss);
  }
  return sum;
}

HingeProblem hinges_of(const Given& given) {
  HingeProblem problem{.gram = given.gram,
                       .signs = given.signs,
                       .wanted = Vector(given.size(), 1),
                       .costs = given.weights,
                       .free_offset = given.options.truth("bias", true)};
  for (Number& cost : problem.costs) cost *= given.c();
  return problem;
}

/// Adds the constant feature of linear machines; returns |w|^2 with its weight.
Number penalise_offset(const Given& given, Matrix& gram) {
  if (!given.options.truth("bias", true)) return given.function().square;
  const Number scale = given.options.number("bias_scale", 1);
  for (std::size_t i = 0; i < gram.rows(); ++i) {
    for (std::size_t j = 0; j < gram.rows(); ++j) gram(i, j) += scale * scale;
  }
  const Number weight = given.function().offset / scale;
  return given.function().square + weight * weight;
}

std::optional<Verdict> judge_svc(const Given& given) {
  if (!std::isfinite(given.c())) return std::nullopt;
  HingeProblem problem = hinges_of(given);
  problem.squared = given.options.name("loss", "hinge") == "squared-hinge";
  return Verdict{hinge_objective(problem, given.function(), given.function().square),
                 hinge_optimum(problem)};
}

std::optional<Verdict> judge_linear_svc(const Given& given) {
  const std::string loss = given.options.name("loss", "hinge");
  if (given.options.name("penalty", "l2") != "l2" || loss == "logistic") return std::nullopt;
  HingeProblem problem = hinges_of(given);
  problem.free_offset = false;
  problem.squared = loss == "squared-hinge";
  const Number square = penalise_offset(given, problem.gram);
  return Verdict{hinge_objective(problem, given.function(), square), hinge_optimum(problem)};
}

std::optional<Verdict> judge_centroid_svc(const Given& given) {
  HingeProblem problem = hinges_of(given);
  const Number lambda = given.options.number("lambda", -1);
  if (lambda < 0) return std::nullopt;
  for (const Number sign : {1.0L, -1.0L}) {
    Number total = 0;
    for (std::size_t i = 0; i < given.size(); ++i) {
      if (given.signs[i] == sign) total += given.weights[i];
    }
    if (!(total > 0)) continue;
    Vector means(given.size(), 0);
    Number norm = 0;
    for (std::size_t i = 0; i < given.size(); ++i) {
      for (std::size_t j = 0; j < given.size(); ++j) {
        if (given.signs[j] == sign) means[i] += given.weights[j] / total * given.gram(i, j);
      }
    }
    for (std::size_t i = 0; i < given.size(); ++i) {
      if (given.signs[i] == sign) norm += given.weights[i] / total * means[i];
    }
    for (std::size_t i = 0; i < given.size(); ++i) {
      if (given.signs[i] != sign) continue;
      const Number square = given.gram(i, i) - 2 * means[i] + norm;
      problem.wanted[i] = 1 - lambda * std::max<Number>(0, square);
    }
  }
  return Verdict{hinge_objective(problem, given.function(), given.function().square),
                 hinge_optimum(problem)};
}

/// min 1/2 |w|^2 + sum cost max(0, |f - t| - epsilon)^(1 or 2).
std::optional<Verdict> judge_tube(const Given& given,
                                  Matrix gram,
                                  Number square,
                                  bool free_offset) {
  const std::size_t n = given.size();
  const Number epsilon = given.options.number("epsilon", 0.1L);
  const bool squared = given.options.name("loss", "epsilon") == "squared-epsilon";
  Verdict verdict{.objective = square / 2};
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < n; ++i) {
    const Number cost = given.c() * given.weights[i];
    const Number miss = std::max<Number>(
        0,
        std::abs(given.function().values[i] + given.function().offset - given.targets[i]) -
            epsilon);
    if (cost > 0) {
      verdict.objective += cost * (squared ? miss * miss : miss);
      rows.push_back(i);
    }
  }
  const std::size_t m = rows.size();
  if (m == 0) return verdict;
  QuadraticProgram program{.q = Matrix(2 * m, 2 * m), .c = Vector(2 * m), .upper = Vector(2 * m)};
  if (free_offset) {
    program.a = Matrix(1, 2 * m);
    program.b = {0};
  }
  for (std::size_t a = 0; a < 2 * m; ++a) {
    const Number sign = a < m ? 1 : -1;
    const std::size_t i = rows[a % m];
    const Number cost = given.c() * given.weights[i];
    for (std::size_t b = 0; b < 2 * m; ++b) {
      program.q(a, b) = sign * (b < m ? 1 : -1) * gram(i, rows[b % m]);
    }
    program.c[a] = epsilon - sign * given.targets[i];
    program.upper[a] = cost;
    if (squared) program.upper[a] = infinity;
    if (squared) program.q(a, a) += 1 / (2 * cost);
    if (free_offset) program.a(0, a) = sign;
  }
  verdict.optimum = negated(solve(program).optimum);
  return verdict;
}

std::optional<Verdict> judge_svr(const Given& given) {
  return judge_tube(given, given.gram, given.function().square, given.options.truth("bias", true));
}

std::optional<Verdict> judge_linear_svr(const Given& given) {
  Matrix gram = given.gram;
  const Number square = penalise_offset(given, gram);
  return judge_tube(given, std::move(gram), square, false);
}

Number total(const Vector& values) {
  Number sum = 0;
  for (const Number value : values) sum += value;
  return sum;
}

/// min 1/2 |w|^2 - nu W rho + sum weight max(0, rho - f).
std::optional<Verdict> judge_one_class(const Given& given) {
  const std::size_t n = given.size();
  const Number budget = given.options.number("nu", 0.5L) * total(given.weights);
  const Number rho = -given.function().offset;
  Verdict verdict{.objective = given.function().square / 2 - budget * rho};
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < n; ++i) {
    verdict.objective += given.weights[i] * std::max<Number>(0, rho - given.function().values[i]);
    if (given.weights[i] > 0) rows.push_back(i);
  }
  QuadraticProgram program{.q = Matrix(rows.size(), rows.size()),
                           .c = Vector(rows.size(), 0),
                           .a = Matrix(1, rows.size()),
                           .b = {budget}};
  for (std::size_t a = 0; a < rows.size(); ++a) {
    for (std::size_t b = 0; b < rows.size(); ++b) program.q(a, b) = given.gram(rows[a], rows[b]);
    program.a(0, a) = 1;
    program.upper.push_back(given.weights[rows[a]]);
  }
  verdict.optimum = negated(solve(program).optimum);
  return verdict;
}

/// min R^2 + sum cost max(0, |phi - centre|^2 - R^2).
std::optional<Verdict> judge_svdd(const Given& given) {
  const std::size_t n = given.size();
  const Number nu = given.options.number("nu", 0);
  const Number weight = total(given.weights);
  const Number centre = given.function().square / 4;
  const Number radius = centre + given.function().offset;
  Verdict verdict{.objective = radius};
  std::vector<std::size_t> rows;
  Vector costs(n, 0);
  for (std::size_t i = 0; i < n; ++i) {
    if (!(given.weights[i] > 0)) continue;
    rows.push_back(i);
    costs[i] = nu > 0 ? std::min<Number>(1, given.weights[i] / (nu * weight)) : 1;
    const Number square = given.gram(i, i) - given.function().values[i] + centre;
    verdict.objective += costs[i] * std::max<Number>(0, square - radius);
  }
  QuadraticProgram program{
      .q = Matrix(rows.size(), rows.size()), .a = Matrix(1, rows.size()), .b = {1}};
  for (std::size_t a = 0; a < rows.size(); ++a) {
    for (std::size_t b = 0; b < rows.size(); ++b) {
      program.q(a, b) = 2 * given.gram(rows[a], rows[b]);
    }
    program.c.push_back(-given.gram(rows[a], rows[a]));
    program.a(0, a) = 1;
    program.upper.push_back(costs[rows[a]]);
  }
  verdict.optimum = negated(solve(program).optimum);
  return verdict;
}

/// min 1/2 |w|^2 - nu W rho + sum weight max(0, rho - y f); the model is divided by rho.
std::optional<Verdict> judge_nu_svc(const Given& given) {
  const std::size_t n = given.size();
  const Number budget = given.options.number("nu", 0.5L) * total(given.weights);
  Number size = 0;
  for (const Number b : given.function().coefficients) size += std::abs(b);
  const Number scale = size > 0 ? budget / size : 0;
  std::vector<std::pair<Number, Number>> margins;
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < n; ++i) {
    if (!(given.weights[i] > 0)) continue;
    rows.push_back(i);
    const Number value = given.function().values[i] + given.function().offset;
    margins.emplace_back(scale * given.signs[i] * value, given.weights[i]);
  }
  Number least = infinity;
  for (const auto& at : margins) {
    Number sum = -budget * at.first;
    for (const auto& [margin, weight] : margins) {
      sum += weight * std::max<Number>(0, at.first - margin);
    }
    least = std::min(least, sum);
  }
  Verdict verdict{.objective = scale * scale * given.function().square / 2 + least};
  const std::size_t m = rows.size();
  QuadraticProgram program{
      .q = Matrix(m, m), .c = Vector(m, 0), .a = Matrix(2, m), .b = {0, budget}};
  for (std::size_t a = 0; a < m; ++a) {
    for (std::size_t b = 0; b < m; ++b) {
      program.q(a, b) = given.signs[rows[a]] * given.signs[rows[b]] * given.gram(rows[a], rows[b]);
    }
    program.a(0, a) = given.signs[rows[a]];
    program.a(1, a) = 1;
    program.upper.push_back(given.weights[rows[a]]);
  }
  verdict.optimum = negated(solve(program).optimum);
  return verdict;
}

/// Linear programs of lp-svc and loo-svc through their duals: max sum l with slacks t of
/// sum_i l_i column_ij + t_j = 1.
Interval lp_optimum(const Matrix& columns,
                    const Vector& costs,
                    const Vector& signs,
                    bool free_offset,
                    bool two_sided) {
  const std::size_t n = costs.size();
  const std::size_t m = columns.cols();
  const std::size_t equations = m + (free_offset ? 1 : 0);
  QuadraticProgram program{.q = Matrix(n + m, n + m),
                           .c = Vector(n + m, 0),
                           .a = Matrix(equations, n + m),
                           .b = Vector(equations, 1),
                           .upper = Vector(n + m, infinity)};
  if (two_sided) program.upper.assign(n + m, 2);
  for (std::size_t i = 0; i < n; ++i) {
    program.c[i] = -1;
    program.upper[i] = costs[i];
    for (std::size_t j = 0; j < m; ++j) program.a(j, i) = columns(i, j);
    if (free_offset) program.a(m, i) = signs[i];
  }
  for (std::size_t j = 0; j < m; ++j) program.a(j, n + j) = 1;
  if (free_offset) program.b[m] = 0;
  return negated(solve(program).optimum);
}

std::optional<Verdict> judge_lp(const Given& given, bool leave_one_out) {
  if (!std::isfinite(given.c())) return std::nullopt;
  const bool slides = leave_one_out || given.options.name("form", "slides") == "slides";
  const Number lambda = leave_one_out ? given.options.number("lambda", 1) : 0;
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (given.weights[i] > 0) rows.push_back(i);
  }
  const auto penalty = [&](std::size_t j) {
    const Number self = std::abs(given.gram(j, j));
    return leave_one_out && self != 0 ? self : Number{1};
  };
  Verdict verdict;
  Matrix columns(rows.size(), rows.size());
  Vector costs;
  Vector signs;
  for (std::size_t a = 0; a < rows.size(); ++a) {
    const std::size_t i = rows[a];
    const Number y = given.signs[i];
    const Number u = std::abs(given.function().coefficients[i]);
    costs.push_back(given.c() * given.weights[i]);
    signs.push_back(y);
    const Number value = given.function().values[i] + given.function().offset;
    verdict.objective +=
        u * penalty(i) +
        costs.back() * std::max<Number>(0, 1 - y * value + lambda * u * given.gram(i, i));
    for (std::size_t b = 0; b < rows.size(); ++b) {
      const std::size_t j = rows[b];
      columns(a, b) = y * given.gram(i, j) * (slides ? given.signs[j] : 1);
      if (i == j) columns(a, b) -= lambda * given.gram(i, i);
      columns(a, b) /= penalty(j);
    }
  }
  if (rows.empty()) return verdict;
  verdict.optimum = lp_optimum(columns, costs, signs, given.options.truth("bias", true), !slides);
  return verdict;
}

std::optional<Verdict> judge_lp_svc(const Given& given) { return judge_lp(given, false); }
std::optional<Verdict> judge_loo_svc(const Given& given) { return judge_lp(given, true); }

/// The least of the intervals: of every choice of outliers.
class Least {
 public:
  void take(const Interval& one) {
    best_.low = std::min(best_.low, one.low);
    best_.high = std::min(best_.high, one.high);
  }
  [[nodiscard]] Interval found() const { return best_; }

 private:
  Interval best_{.low = infinity, .high = infinity};
};

constexpr std::size_t most_choices = 7;

/// The ramp at level s: every set of rows is left out once.
std::optional<Interval> ramp_optimum(const HingeProblem& all, Number s) {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < all.costs.size(); ++i) {
    if (all.costs[i] > 0) rows.push_back(i);
  }
  if (rows.size() > most_choices) return std::nullopt;
  Least least;
  for (std::size_t set = 0; set < std::size_t{1} << rows.size(); ++set) {
    HingeProblem part = all;
    Number constant = 0;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      if ((set >> k & 1) == 0) continue;
      constant += (1 - s) * part.costs[rows[k]];
      part.costs[rows[k]] = 0;
    }
    least.take(plus(hinge_optimum(part), constant));
  }
  return least.found();
}

Number ramp_objective(const HingeProblem& all, const Function& f, Number square, Number s) {
  Number sum = square / 2;
  for (std::size_t i = 0; i < all.costs.size(); ++i) {
    const Number margin = all.signs[i] * (f.values[i] + f.offset);
    if (all.costs[i] > 0) {
      sum += all.costs[i] * std::min(1 - s, std::max<Number>(0, 1 - margin));
    }
  }
  return sum;
}

/// A share of the costs counts: all but one of the rows wholly or not at all.
std::optional<Interval> trimmed_optimum(const HingeProblem& all, Number rho) {
  std::vector<std::size_t> rows;
  Number budget = 0;
  for (std::size_t i = 0; i < all.costs.size(); ++i) {
    if (!(all.costs[i] > 0)) continue;
    rows.push_back(i);
    budget += rho * all.costs[i];
  }
  if (rho >= 1) return hinge_optimum(all);
  if (rows.size() > most_choices) return std::nullopt;
  Least least;
  for (std::size_t set = 0; set < std::size_t{1} << rows.size(); ++set) {
    HingeProblem part = all;
    Number rest = budget;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      if ((set >> k & 1) != 0) {
        rest -= part.costs[rows[k]];
      } else {
        part.costs[rows[k]] = 0;
      }
    }
    const Number rounding = 1e-12L * budget;
    if (rest < -rounding) continue;
    if (rest <= rounding) {
      least.take(hinge_optimum(part));
      continue;
    }
    for (std::size_t k = 0; k < rows.size(); ++k) {
      if ((set >> k & 1) != 0 || all.costs[rows[k]] < rest) continue;
      HingeProblem with_part = part;
      with_part.costs[rows[k]] = rest;
      least.take(hinge_optimum(with_part));
    }
  }
  return least.found();
}

Number trimmed_objective(const HingeProblem& all, const Function& f, Number square, Number rho) {
  std::vector<std::pair<Number, Number>> losses;
  Number budget = 0;
  for (std::size_t i = 0; i < all.costs.size(); ++i) {
    if (!(all.costs[i] > 0)) continue;
    const Number margin = all.signs[i] * (f.values[i] + f.offset);
    losses.emplace_back(std::max<Number>(0, 1 - margin), all.costs[i]);
    budget += rho * all.costs[i];
  }
  std::ranges::sort(losses);
  Number sum = square / 2;
  for (const auto& [loss, cost] : losses) {
    sum += loss * std::clamp<Number>(rho < 1 ? budget : cost, 0, cost);
    budget -= cost;
  }
  return sum;
}

std::optional<Verdict> verdict_of(Number objective, const std::optional<Interval>& optimum) {
  if (!optimum) return std::nullopt;
  return Verdict{objective, *optimum};
}

std::optional<Verdict> judge_ramp_svc(const Given& given) {
  const HingeProblem problem = hinges_of(given);
  const Number s = given.options.number("ramp", 0);
  return verdict_of(ramp_objective(problem, given.function(), given.function().square, s),
                    ramp_optimum(problem, s));
}

std::optional<Verdict> judge_linear_ramp_svc(const Given& given) {
  HingeProblem problem = hinges_of(given);
  problem.free_offset = false;
  const Number square = penalise_offset(given, problem.gram);
  const Number s = given.options.number("ramp", 0);
  return verdict_of(ramp_objective(problem, given.function(), square, s), ramp_optimum(problem, s));
}

std::optional<Verdict> judge_trimmed_svc(const Given& given) {
  const HingeProblem problem = hinges_of(given);
  const Number rho = given.options.number("rho", 1);
  return verdict_of(trimmed_objective(problem, given.function(), given.function().square, rho),
                    trimmed_optimum(problem, rho));
}

/// The feature space that stands for a bias in robust-svc and outlier-svc; |w|^2 there.
Number change_space(const Given& given, Matrix& gram) {
  const std::string bias = given.options.name("bias", "constant");
  const std::size_t n = given.size();
  if (bias == "constant") {
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) gram(i, j) += 1;
    }
    return given.function().square + given.function().offset * given.function().offset;
  }
  if (bias == "center") {
    Vector means(n, 0);
    Number all = 0;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) means[i] += gram(i, j) / static_cast<Number>(n);
      all += means[i] / static_cast<Number>(n);
    }
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) gram(i, j) += all - means[i] - means[j];
    }
  }
  return given.function().square;
}

std::optional<Verdict> judge_robust_svc(const Given& given) {
  HingeProblem problem = hinges_of(given);
  problem.free_offset = false;
  const Number square = change_space(given, problem.gram);
  return verdict_of(ramp_objective(problem, given.function(), square, 0), ramp_optimum(problem, 0));
}

std::optional<Verdict> judge_outlier_svc(const Given& given) {
  HingeProblem problem = hinges_of(given);
  problem.free_offset = false;
  const Number square = change_space(given, problem.gram);
  const Number rho = given.options.number("rho", 1);
  return verdict_of(trimmed_objective(problem, given.function(), square, rho),
                    trimmed_optimum(problem, rho));
}

/// Crammer and Singer: u_ir >= 0 for the other classes r of row i, sum_r u_ir + slack = cost.
std::optional<Verdict> judge_cs_svc(const Given& given) {
  const std::size_t n = given.size();
  const std::size_t k = given.functions.size();
  const bool fits = k > 1 && std::ranges::max(given.signs) < static_cast<Number>(k);
  if (!fits || n * k > 60) return std::nullopt;
  const Number bias = given.options.truth("bias", true) ? 1 : 0;
  Verdict verdict;
  for (const Function& f : given.functions) {
    verdict.objective += (f.square + f.offset * f.offset) / 2;
  }
  std::vector<std::pair<std::size_t, std::size_t>> variables;
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < n; ++i) {
    if (!(given.weights[i] > 0)) continue;
    const auto own = static_cast<std::size_t>(given.signs[i]);
    Number miss = 0;
    for (std::size_t r = 0; r < k; ++r) {
      if (r == own) continue;
      variables.emplace_back(rows.size(), r);
      const Function& mine = given.functions[own];
      const Function& other = given.functions[r];
      miss = std::max(miss, 1 + other.values[i] + other.offset - mine.values[i] - mine.offset);
    }
    rows.push_back(i);
    verdict.objective += given.c() * given.weights[i] * miss;
  }
  const std::size_t m = variables.size();
  const std::size_t all = m + rows.size();
  QuadraticProgram program{.q = Matrix(all, all),
                           .c = Vector(all, 0),
                           .a = Matrix(rows.size(), all),
                           .upper = Vector(all, infinity)};
  for (std::size_t a = 0; a < m; ++a) {
    const auto [row_a, r] = variables[a];
    const auto own_a = static_cast<std::size_t>(given.signs[rows[row_a]]);
    for (std::size_t b = 0; b < m; ++b) {
      const auto [row_b, t] = variables[b];
      const auto own_b = static_cast<std::size_t>(given.signs[rows[row_b]]);
      // <e_own - e_r, e_own' - e_t> of the classes.
      const Number classes =
          (own_a == own_b ? 1 : 0) - (own_a == t ? 1 : 0) - (r == own_b ? 1 : 0) + (r == t ? 1 : 0);
      program.q(a, b) = classes * (given.gram(rows[row_a], rows[row_b]) + bias);
    }
    program.c[a] = -1;
    program.a(row_a, a) = 1;
  }
  for (std::size_t row = 0; row < rows.size(); ++row) {
    program.a(row, m + row) = 1;
    const Number cost = given.c() * given.weights[rows[row]];
    program.b.push_back(cost);
    for (std::size_t a = 0; a < m; ++a) {
      if (variables[a].first == row) program.upper[a] = cost;
    }
    program.upper[m + row] = cost;
  }
  if (!rows.empty()) verdict.optimum = negated(solve(program).optimum);
  return verdict;
}

/// 16 roundings of every term of f(x_i), times the cost of the row.
Number rounding_of(const Given& given, const DecisionFunction& functions) {
  const Number unit = 16 * std::numeric_limits<double>::epsilon();
  Number sum = 0;
  for (std::size_t f = 0; f < given.functions.size(); ++f) {
    Number size = 0;
    for (std::size_t i = 0; i < given.functions[f].coefficients.size(); ++i) {
      size += std::abs(given.functions[f].coefficients[i]) * std::sqrt(given.gram(i, i));
    }
    if (std::holds_alternative<LinearFunctions>(functions)) {
      size = std::sqrt(given.functions[f].square);
    }
    sum += unit * size * size;
    for (std::size_t i = 0; i < given.size(); ++i) {
      const Number cost = given.c() * given.weights[i];
      if (!std::isfinite(cost)) continue;
      sum +=
          unit * cost * (size * std::sqrt(given.gram(i, i)) + std::abs(given.functions[f].offset));
    }
  }
  return sum;
}

using Judge = std::optional<Verdict> (*)(const Given&);
const std::map<std::string_view, Judge> judges = {{"svc", judge_svc},
                                                  {"linear-svc", judge_linear_svc},
                                                  {"centroid-svc", judge_centroid_svc},
                                                  {"svr", judge_svr},
                                                  {"linear-svr", judge_linear_svr},
                                                  {"one-class", judge_one_class},
                                                  {"svdd", judge_svdd},
                                                  {"nu-svc", judge_nu_svc},
                                                  {"cs-svc", judge_cs_svc},
                                                  {"lp-svc", judge_lp_svc},
                                                  {"loo-svc", judge_loo_svc},
                                                  {"ramp-svc", judge_ramp_svc},
                                                  {"linear-ramp-svc", judge_linear_ramp_svc},
                                                  {"trimmed-svc", judge_trimmed_svc},
                                                  {"robust-svc", judge_robust_svc},
                                                  {"outlier-svc", judge_outlier_svc}};

}  // namespace

std::optional<Verdict> judge(const Model& model, const Dataset& data) {
  const LearnerInfo& info = model.learner().info();
  const auto found = judges.find(info.name);
  if (found == judges.end()) return std::nullopt;
  const Machine& machine = learning::machine_of(model, info.task);
  const DecisionFunction& functions = functions_of(machine);
  std::optional<Matrix> gram = gram_of(data, functions);
  if (!gram) return std::nullopt;
  Given given{.data = data, .options = Options(model.header()), .gram = std::move(*gram)};
  const bool direct = info.name == "cs-svc";
  given.weights.assign(data.size(), 1);
  if (!data.weights.empty()) given.weights.assign(data.weights.begin(), data.weights.end());
  if (info.task == Task::classify) {
    const Classes classes = classes_of(data.labels);
    if (classes.count() != 2 && !direct) return std::nullopt;
    for (const std::int32_t c : classes.of_row) {
      given.signs.push_back(direct ? static_cast<Number>(c) : static_cast<Number>(2 * c - 1));
    }
  } else if (info.task == Task::regress) {
    for (const double target : data.labels.numbers()) given.targets.push_back(target);
  }
  const std::size_t count =
      std::visit([](const auto& each) { return each.offsets.size(); }, functions);
  for (std::size_t f = 0; f < count; ++f) {
    given.functions.push_back(function_of(functions, f, data, given.gram));
  }
  if (count != 1 && !direct) return std::nullopt;
  std::optional<Verdict> verdict = found->second(given);
  if (verdict) verdict->rounding = rounding_of(given, functions);
  return verdict;
}

}  // namespace maxmargin::reference
