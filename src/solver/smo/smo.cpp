// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/smo.md
#include "solver/smo/smo.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "core/parallel.hpp"
#include "maxmargin/core/options.hpp"
#include "maxmargin/core/timer.hpp"
#include "solver/default_steps.hpp"
#include "solver/gap.hpp"
#include "solver/smo/inner.hpp"
#include "solver/smo/patience.hpp"
#include "solver/smo/separation.hpp"
#include "solver/smo/state.hpp"
#include "solver/smo/verdicts.hpp"
#include "solver/smo/working_set.hpp"

namespace maxmargin {

namespace {

/// New variables of a working set at most.
constexpr std::size_t most_fresh = 128;
/// New variables of the first working set; doubled until most_fresh. At the start all points look
/// alike, and a few of them tell much about the others.
constexpr std::size_t first_fresh = 32;
/// The inner level stops at this share of the violation it began with.
constexpr double inner_share = 0.1;
/// Working sets between two looks at what can be left out, the share of rows below which that pays,
/// and the share of the violation at which the rest counts as solved.
constexpr std::size_t shrink_period = 10;
constexpr double worth_shrinking = 0.5;
constexpr double shrunk_share = 0.1;
/// Offsets are searched for when the gap at a guess is within this multiple of the tolerance.
constexpr double near_the_end = 4;
/// Working sets in a row without a better dual after which there is nothing left but rounding.
constexpr std::size_t patience = 200;
/// What counts as a better dual, in relation to the objectives.
constexpr double least_gain = 1e-14;
/// The curvature of a pair that has none, as a share of the largest |K(x, x)|.
constexpr double flat_share = 1e-12;

/// The unit of the matrix: its largest diagonal entry, or 1 where all are 0.
double unit_of(std::span<const double> diagonal) {
  double largest = 0;
  for (const double entry : diagonal) largest = std::max(largest, std::abs(entry));
  return largest > 0 ? largest : 1;
}

/// One run: the loop of the page, step by step.
class Run {
 public:
  Run(const SvmDual& problem, const SmoOptions& options, std::span<const double> start)
      : problem_(problem),
        options_(options),
        capacity_(std::clamp<std::size_t>(problem.matrix->rows_held() / 2, 8, smo_working_set)),
        state_(problem, start, thread_count(options.context.threads)),
        is_given_start_(!start.empty()),
        verdicts_(problem, options, state_),
        working_set_(problem.variables(), capacity_),
        fresh_(std::min(first_fresh, capacity_)),
        least_curvature_(flat_share * unit_of(problem.matrix->diagonal())),
        may_shrink_(options.shrinking),
        patience_(options.other_operations, options.tolerance) {}

  [[nodiscard]] SmoSolution solve();

 private:
  /// The first point, of which the values are estimates: it claims nothing.
  [[nodiscard]] SmoSolution unmeasured(Continue answer, const Stopwatch& watch) const;
  /// Looks at the point; true when the run is over.
  [[nodiscard]] bool finished();
  void measure();
  /// Brings what was left out up to date and measures again.
  void look_at_all();
  [[nodiscard]] bool reached() const;
  /// Finds the margin, or that there is none.
  void separate();
  [[nodiscard]] Progress progress() const;
  /// Leaves out, now and then, what is at a bound for good.
  void shrink();
  void iterate();
  template <class T>
  void improve(const std::vector<std::size_t>& set,
               const std::vector<std::span<const T>>& rows,
               SmoInner<T>& inner);
  void apply(const std::vector<std::size_t>& set, const RowBlock& block);
  /// Gives the groups back what rounding took from their sums; false: nothing to speak of.
  bool give_back_sums();

  const SvmDual& problem_;
  const SmoOptions& options_;
  std::size_t capacity_;
  SmoState state_;
  bool is_given_start_;
  SmoVerdicts verdicts_;
  SmoWorkingSet working_set_;
  SmoInner<float> inner_float_;
  SmoInner<double> inner_double_;
  SmoViolation violation_;
  SmoObjectives objectives_;
  std::vector<double> improved_;
  std::size_t fresh_;  ///< new variables of the next working set
  double least_curvature_;
  bool may_shrink_;
  std::size_t since_shrinking_ = 0;
  double violation_before_shrinking_ = 0;
  double best_dual_ = -std::numeric_limits<double>::infinity();
  std::size_t sets_without_gain_ = 0;
  bool has_separated_ = false;
  SmoPatience patience_;
  bool gave_up_ = false;
  bool stuck_ = false;  ///< the last working set changed nothing
  std::uint64_t steps_ = 0;
  Status status_ = Status::solved;
  std::string message_;
};

void Run::measure() {
  violation_ = working_set_.violation(state_);
  // The best offsets lie between top and bottom; the middle tells whether they are worth finding.
  std::vector<double> middle(problem_.group_sum.size());
  for (std::size_t g = 0; g < middle.size(); ++g) {
    middle[g] = 0.5 * (violation_.top[g] + violation_.bottom[g]);
    if (!std::isfinite(middle[g])) middle.clear();
  }
  objectives_ = state_.objectives_at(middle);
  const double gap = relative_gap(objectives_.primal, objectives_.dual);
  if (!middle.empty() && gap <= near_the_end * options_.tolerance) {
    objectives_ = state_.objectives();
  }
}

void Run::look_at_all() {
  if (state_.all_rows_kept()) return;
  state_.catch_up(capacity_);
  working_set_.restrict_to({});
  measure();
}

bool Run::reached() const {
  if (!(violation_.largest > 0)) return true;
  if (options_.kkt_tolerance) return violation_.largest <= *options_.kkt_tolerance;
  return is_within(objectives_.primal, objectives_.dual, options_.tolerance);
}

bool Run::finished() {
  measure();
  if (!(objectives_.dual <= best_dual_ + least_gain * objectives_.size())) {
    best_dual_ = objectives_.dual;
    sets_without_gain_ = 0;
  } else if (++sets_without_gain_ >= patience) {
    stuck_ = true;
  }
  // Long sums of changes lose digits; a verdict is about values that are summed up once.
  if (reached() && state_.may_have_drifted(options_.tolerance * objectives_.size())) {
    state_.sum_up_again(capacity_);
    working_set_.restrict_to({});
    measure();
  }
  if (reached() && give_back_sums()) measure();
  // What was left out may have come to matter: look at all of it before any verdict.
  const bool solved_rest = violation_.largest <= shrunk_share * violation_before_shrinking_;
  if (!state_.all_rows_kept() &&
      (reached() || solved_rest || stuck_ || verdicts_.is_zero(objectives_))) {
    // At the limits of rounding leaving out and looking again would never end.
    if (stuck_) may_shrink_ = false;
    stuck_ = false;
    sets_without_gain_ = 0;
    best_dual_ = -std::numeric_limits<double>::infinity();
    look_at_all();
  }
  status_ = Status::solved;
  // A hard margin that is missed has no finite primal.
  const bool overflows = !std::isfinite(objectives_.dual) ||
                         (!std::isfinite(objectives_.primal) && !state_.has_hard_margin());
  if (!violation_.finite || overflows) {
    status_ = Status::numerical_failure;
    message_ = "kernel values overflow: scale the features or choose another kernel";
    return true;
  }
  if (reached()) return true;
  if (!has_separated_ && verdicts_.has_narrow_margin()) {
    separate();
    return true;
  }
  if (verdicts_.is_zero(objectives_)) {
    status_ = Status::solved_inaccurate;
    message_ =
        "the optimum is zero: both objectives are below 1e-4 tolerance of the problem's own scale";
    return true;
  }
  if (verdicts_.is_lost_in_rounding(objectives_)) {
    status_ = Status::solved_inaccurate;
    message_ = "objectives and gap are rounding beside the objective at zero, n times C";
    return true;
  }
  if (stuck_ && state_.has_hard_margin() && !has_separated_) {
    separate();
    return true;
  }
  if (stuck_) {
    status_ = Status::no_progress;
    message_ = "steps no longer change the coefficients";
    return true;
  }
  if (options_.max_iterations && steps_ >= *options_.max_iterations) {
    status_ = Status::iteration_limit;
    return true;
  }
  if (patience_.ends(relative_gap(objectives_.primal, objectives_.dual))) {
    gave_up_ = true;
    status_ = Status::no_progress;
    message_ = "many steps, and the gap is not about to close";
    return true;
  }
  const Continue answer = options_.context.ask(progress());
  if (answer == Continue::yes) return false;
  status_ = status_of(answer);
  return true;
}

Progress Run::progress() const {
  Progress progress{.phase = "smo",
                    .iteration = steps_,
                    .max_iterations = options_.max_iterations,
                    .primal_objective = objectives_.primal,
                    .dual_objective = objectives_.dual,
                    .gap = violation_.largest,
                    .target = options_.kkt_tolerance};
  if (!options_.kkt_tolerance) {
    progress.gap = relative_gap(objectives_.primal, objectives_.dual);
    progress.target = options_.tolerance;
  }
  return progress;
}

void Run::separate() {
  has_separated_ = true;
  Separation found = separate_by_matrix(problem_, options_);
  status_ = found.status;
  message_ = std::move(found.message);
  if (found.status == Status::primal_infeasible && std::isfinite(objectives_.primal)) {
    // The point at hand separates: the margin is only too narrow for that.
    status_ = Status::no_progress;
    message_ = "the margin is too narrow for the digits of the kernel values";
  }
  if (found.status != Status::solved) return;
  state_.move_to(std::move(found.coefficients), capacity_);
  working_set_.restrict_to({});
  measure();
  if (reached()) return;
  status_ = Status::no_progress;
  message_ = "the margin is too narrow for the digits of the kernel values";
}

void Run::shrink() {
  if (!may_shrink_ || ++since_shrinking_ < shrink_period) return;
  since_shrinking_ = 0;
  std::vector<std::uint32_t> variables = working_set_.still_active(state_, violation_);
  if (state_.all_rows_kept()) {
    std::vector<std::uint32_t> rows;
    rows.reserve(variables.size());
    for (const std::uint32_t v : variables) {
      rows.push_back(static_cast<std::uint32_t>(problem_.row_of(v)));
    }
    std::ranges::sort(rows);
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    // Scattered updates cost more than streams.
    const auto all = static_cast<double>(problem_.matrix->size());
    if (rows.empty() || static_cast<double>(rows.size()) > worth_shrinking * all) return;
    violation_before_shrinking_ = violation_.largest;
    state_.keep_rows(std::move(rows));
  }
  working_set_.restrict_to(std::move(variables));
}

void Run::iterate() {
  shrink();
  const std::vector<std::size_t>& set = working_set_.choose(state_, violation_, fresh_);
  fresh_ = std::min({2 * fresh_, most_fresh, capacity_});
  std::vector<std::size_t> rows;
  rows.reserve(set.size());
  for (const std::size_t v : set) rows.push_back(problem_.row_of(v));
  const RowBlock block = problem_.matrix->rows(rows);
  std::visit(
      [&](const auto& spans) {
        using T =
            std::remove_const_t<typename std::remove_cvref_t<decltype(spans[0])>::element_type>;
        if constexpr (std::is_same_v<T, float>) {
          improve(set, spans, inner_float_);
        } else {
          improve(set, spans, inner_double_);
        }
      },
      block.rows);
  apply(set, block);
}

template <class T>
void Run::improve(const std::vector<std::size_t>& set,
                  const std::vector<std::span<const T>>& rows,
                  SmoInner<T>& inner) {
  std::vector<std::uint32_t> columns;
  columns.reserve(set.size());
  for (const std::size_t v : set) {
    columns.push_back(static_cast<std::uint32_t>(problem_.row_of(v)));
  }
  // Places: the variables of a group side by side, each group padded to whole vectors.
  std::vector<std::size_t> place(set.size());
  std::vector<std::pair<std::size_t, std::size_t>> groups;
  std::size_t next = 0;
  for (std::size_t k = 0; k < set.size(); ++k) {
    if (k == 0 || state_.group_of(set[k]) != state_.group_of(set[k - 1])) {
      next = (next + smo_lanes - 1) / smo_lanes * smo_lanes;
      groups.emplace_back(next, next);
    }
    place[k] = next++;
    groups.back().second = (next + smo_lanes - 1) / smo_lanes * smo_lanes;
  }
  const std::size_t places = (next + smo_lanes - 1) / smo_lanes * smo_lanes;
  std::vector<std::size_t> paddings;
  for (std::size_t k = 0, m = 0; k < places; ++k) {
    if (m < set.size() && place[m] == k) {
      ++m;
    } else {
      paddings.push_back(k);
    }
  }
  inner.reset(places, state_.pairs(), least_curvature_);
  for (const auto& [begin, end] : groups) inner.add_group(begin, end);
  const std::span<const double> diagonal = problem_.matrix->diagonal();
  for (std::size_t k = 0; k < set.size(); ++k) {
    const std::size_t v = set[k];
    const std::size_t row = problem_.row_of(v);
    inner.set(place[k],
              {.b = state_.coefficients()[v],
               .lower = problem_.lower[v],
               .upper = problem_.upper[v],
               .score = state_.score(v),
               .diagonal = diagonal[row],
               .ridge = state_.ridge_of(v)});
    const std::span<T> target = inner.matrix_row(place[k]);
    for (const std::size_t padding : paddings) target[padding] = T{0};
    const T* row_values = rows[k].data();
    for (std::size_t m = 0; m < set.size(); ++m) target[place[m]] = row_values[columns[m]];
  }
  std::uint64_t limit = 50 * set.size() + 1000;
  if (options_.max_iterations) limit = std::min(limit, *options_.max_iterations - steps_);
  const std::uint64_t made = inner.solve(inner_share * violation_.largest, limit);
  steps_ += made;
  patience_.add(made * places + set.size() * set.size());
  improved_.resize(set.size());
  for (std::size_t k = 0; k < set.size(); ++k) improved_[k] = inner.coefficient(place[k]);
}

void Run::apply(const std::vector<std::size_t>& set, const RowBlock& block) {
  std::vector<SmoState::Change> changes;
  RowBlock changed;
  std::visit(
      [&](const auto& rows) {
        std::remove_cvref_t<decltype(rows)> moved;
        for (std::size_t k = 0; k < set.size(); ++k) {
          if (improved_[k] == state_.coefficients()[set[k]]) continue;
          changes.push_back({set[k], improved_[k]});
          moved.push_back(rows[k]);
        }
        changed.rows = std::move(moved);
      },
      block.rows);
  stuck_ = changes.empty();
  patience_.add(changes.size() * state_.rows_kept());
  state_.apply(changes, changed);
}

bool Run::give_back_sums() {
  const std::vector<SmoState::Change> changes = state_.lost_sums();
  if (changes.empty()) return false;
  std::vector<std::size_t> rows;
  rows.reserve(changes.size());
  for (const SmoState::Change& change : changes) rows.push_back(problem_.row_of(change.variable));
  state_.apply(changes, problem_.matrix->rows(rows));
  return true;
}

SmoSolution Run::unmeasured(Continue answer, const Stopwatch& watch) const {
  SmoSolution solution;
  solution.coefficients.assign(state_.coefficients().begin(), state_.coefficients().end());
  solution.values.assign(state_.values().begin(), state_.values().end());
  solution.offsets = state_.objectives().offsets;
  solution.report.status = status_of(answer);
  solution.report.message = "ended before the values at the first point were summed up";
  solution.report.seconds = {{"solve", watch.seconds()}};
  return solution;
}

SmoSolution Run::solve() {
  const Stopwatch watch;
  // Of a start that was given the caller wants the objectives in any case.
  const Context nobody;
  const Continue answer = state_.sum_up(capacity_, is_given_start_ ? nobody : options_.context);
  if (answer != Continue::yes) return unmeasured(answer, watch);
  while (!finished()) iterate();
  look_at_all();
  (void)give_back_sums();
  objectives_ = state_.objectives();
  verdicts_.doubt(objectives_, status_, message_);
  SmoSolution solution;
  solution.coefficients.assign(state_.coefficients().begin(), state_.coefficients().end());
  solution.values.assign(state_.values().begin(), state_.values().end());
  solution.offsets = objectives_.offsets;
  solution.kkt_violation = violation_.largest;
  solution.gave_up = gave_up_;
  solution.report.status = status_;
  solution.report.message = message_;
  solution.report.iterations = steps_;
  solution.report.primal_objective = objectives_.primal;
  solution.report.dual_objective = objectives_.dual;
  solution.report.seconds = {{"solve", watch.seconds()}};
  return solution;
}

}  // namespace

void SmoOptions::describe(OptionVisitor& visit) {
  visit.number({.name = "tolerance", .help = "relative duality gap at which it stops"},
               tolerance,
               rules::share_inside);
  visit.number({.name = "kkt-tolerance", .help = "largest KKT violation at which it stops instead"},
               kkt_tolerance,
               rules::positive);
  visit.whole({.name = "max-iterations", .help = "steps at most", .fallback = "10 minutes of work"},
              max_iterations);
  visit.yes_no({.name = "shrinking", .help = "leave out variables that stay at a bound"},
               shrinking);
  visit.threads(context.threads);
}

SmoSolution solve_smo(const SvmDual& problem,
                      const SmoOptions& options,
                      std::span<const double> start) {
  validate(options);
  validate(problem);
  // A step looks at the working set, and with others of its set brings all values up to date.
  constexpr double operations_of_inner_step = 2 * smo_working_set;
  SmoOptions limited = options;
  if (!limited.max_iterations) {
    limited.max_iterations =
        default_steps(operations_of_inner_step + static_cast<double>(problem.variables()));
  }
  return Run(problem, limited, start).solve();
}

}  // namespace maxmargin
