// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/s3vm.md
#include "maxmargin/model/semi/s3vm_cccp.hpp"

#include <cmath>

#include "kernel/near_origin.hpp"
#include "maxmargin/core/number.hpp"
#include "model/kernel/training.hpp"
#include "model/semi/training.hpp"

namespace maxmargin {

namespace {

/// Every row to its side, and rows on the flat top of the loss out of the way.
std::vector<std::int8_t> sides(std::span<const double> values, double flat) {
  std::vector<std::int8_t> signs(values.size());
  for (std::size_t k = 0; k < values.size(); ++k) {
    const std::int8_t side = values[k] >= 0 ? 1 : -1;
    signs[k] = std::abs(values[k]) < flat ? std::int8_t{0} : side;
  }
  return signs;
}

std::vector<UnlabelledCosts> rising_costs(double c, bool continuation) {
  constexpr int doublings = 10;
  if (c == 0) return {};
  std::vector<UnlabelledCosts> levels;
  for (int k = continuation ? doublings : 0; k >= 0; --k) {
    levels.push_back({std::ldexp(c, -k), std::ldexp(c, -k)});
  }
  return levels;
}

/// mean or none. A share, as the windows of other learners have it, holds the mean as well.
class MeanBalance final : public detail::NameChoice {
 public:
  explicit MeanBalance(bool& member) : NameChoice({mean, none}), member_(member) {}
  [[nodiscard]] bool set(std::string_view text) override {
    const std::optional<double> share = parse_number(text);
    const bool holds_mean = text == mean || (share && rules::share_below_one.holds(*share));
    if (!holds_mean && text != none) return false;
    member_ = holds_mean;
    return true;
  }
  [[nodiscard]] bool holds() const override { return true; }
  [[nodiscard]] OptionScalar scalar() const override { return std::string(member_ ? mean : none); }

 private:
  static constexpr std::string_view mean = "mean";
  static constexpr std::string_view none = "none";
  bool& member_;
};

}  // namespace

void S3vmCccpOptions::describe(OptionVisitor& visit) {
  static constexpr NumberRule ramp_rule{"a number in (-1, 0]",
                                        {.least = -1, .most = 0, .has_most = true}};
  describe_semi(visit, c, unlabelled_c, kernel, allow_indefinite, solver);
  MeanBalance balance_value(balance);
  visit.option({.name = "balance",
                .help = "mean: hold the mean score at that of the labels; none: do not",
                .value = "mean|none"},
               balance_value);
  visit.number({.name = "ramp",
                .help = "where the loss of unlabelled rows is flat; 0 leaves none out",
                .value = "S"},
               ramp,
               ramp_rule);
  visit.yes_no({.name = "continuation", .help = "let the cost of unlabelled rows grow"},
               continuation);
  describe_class_weights(visit, class_weights);
  control.describe(visit);
}

TrainedSemiSupervised train_s3vm_cccp(const Dataset& data, const S3vmCccpOptions& options) {
  validate(options);
  const Kernel given = resolved_kernel(options.kernel, data, options.control);
  // Features are those of the data.
  const bool by_kernel = resolve_solver(options.solver, given, data.size()) == SemiSolver::kernel;
  const Kernel kernel = by_kernel ? near_origin(given, data.examples) : given;
  const SemiTerms terms{.c = options.c,
                        .kernel = kernel,
                        .solver = options.solver,
                        .class_weights = options.class_weights,
                        .hold_mean = options.balance,
                        .control = options.control};
  const double flat = -options.ramp;
  const std::vector<UnlabelledCosts> levels =
      rising_costs(options.unlabelled_c.value_or(options.c), options.continuation);
  return train_semi_supervised(data, terms, [&](double, std::size_t) {
    return SemiRule{.assign = [flat](std::span<const double> values,
                                     std::span<const double>,
                                     const UnlabelledCosts&) { return sides(values, flat); },
                    .left_out = 1 - flat,
                    .levels = levels};
  });
}

}  // namespace maxmargin
