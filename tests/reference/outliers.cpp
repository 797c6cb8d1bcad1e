// SPDX-License-Identifier: Apache-2.0
// Learners that leave rows out, by trying every choice: ramp-svc, linear-ramp-svc, trimmed-svc,
// robust-svc and outlier-svc.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hinges.hpp"
#include "judges.hpp"

namespace maxmargin::reference {

namespace {

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

}  // namespace

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

}  // namespace maxmargin::reference
