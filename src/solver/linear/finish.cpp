// SPDX-License-Identifier: Apache-2.0
#include "solver/linear/finish.hpp"

#include <cmath>
#include <limits>
#include <string>

#include "maxmargin/core/number.hpp"
#include "maxmargin/core/options.hpp"
#include "maxmargin/core/require.hpp"

namespace maxmargin {

void LinearOptions::describe(OptionVisitor& visit) {
  visit.number({.name = "tolerance", .help = "relative duality gap at which it stops"},
               tolerance,
               rules::share_inside);
  visit.number({.name = "kkt-tolerance",
                .help = "largest violation at which dual coordinate descent stops instead"},
               kkt_tolerance,
               rules::positive);
  visit.whole({.name = "max-iterations",
               .help = "passes or Newton steps at most",
               .fallback = "10 minutes of work"},
              max_iterations);
  visit.yes_no({.name = "shrinking", .help = "leave out coefficients that stay at a bound"},
               shrinking);
  describe_method(visit, method, kkt_tolerance);
}

namespace linear {

double half_squared_norm(std::span<const double> w) {
  double sum = 0;
  for (const double value : w) sum += value * value;
  return sum / 2;
}

void close_report(SolveReport& report,
                  Status status,
                  std::uint64_t iterations,
                  std::string_view unit,
                  double tolerance,
                  PhaseTimer& timer) {
  report.status = status;
  report.iterations = iterations;
  report.seconds = timer.finish();
  if (status == Status::solved) return;
  if (status == Status::numerical_failure) {
    report.message = "the numbers of the problem are too large for double precision";
    return;
  }
  report.message = "stopped after " + std::to_string(iterations) + " " + std::string(unit);
  if (const auto gap = report.relative_gap()) {
    report.message +=
        " at relative gap " + format_number(*gap) + ", wanted " + format_number(tolerance);
  }
}

void require_solvable(const LinearRisk& problem,
                      const LinearOptions& options,
                      std::span<const double> start,
                      std::size_t length) {
  validate(options);
  validate(problem);
  require(start.empty() || start.size() == length,
          "a linear solver's start has " + std::to_string(start.size()) + " elements, must have " +
              std::to_string(length));
  for (const double value : start) {
    require_field(std::isfinite(value), "element of a linear solver's start", value, "finite");
  }
  require(problem.rows() < std::numeric_limits<std::uint32_t>::max(),
          "linear solvers take fewer than 2^32 - 1 rows");
}

}  // namespace linear

}  // namespace maxmargin
