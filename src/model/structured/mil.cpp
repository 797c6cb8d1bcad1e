// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/mil.md
#include "maxmargin/model/structured/mil.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "core/memory_limit.hpp"
#include "core/recomputation.hpp"
#include "kernel/gram/nystroem.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/core/options.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/core/sizes.hpp"
#include "maxmargin/data/queries.hpp"
#include "model/describe.hpp"
#include "model/linear/training.hpp"
#include "model/structured/hinge.hpp"
#include "model/structured/mil_instances.hpp"
#include "model/structured/mil_witnesses.hpp"
#include "model/structured/values_in_verify.hpp"

namespace maxmargin {

namespace {

std::string about(const Dataset& data) { return data.source.empty() ? "the data" : data.source; }

bool is_linear(const KernelChoice& choice) {
  return std::holds_alternative<Linear>(choice.kernel());
}

/// The rows as the machine sees them: features as they are, or those of the kernel.
class MachineRows {
 public:
  MachineRows(const Dataset& data, const MilOptions& options) {
    const Context& context = options.search.solving.context;
    if (is_linear(options.kernel)) {
      features_ = data.features();
      for (std::size_t i = 0; i < data.size(); ++i) rows_.push_back(data.examples.row(i));
      return;
    }
    const std::size_t n = data.size();
    require_within_limit(checked_multiply(checked_multiply(8, n), 2 * n),
                         context.memory_limit,
                         "mil with a kernel on " + std::to_string(n) + " rows",
                         "use the linear kernel, or fewer rows");
    const Kernel kernel = options.kernel.resolved(data.examples, {.context = context});
    fit_ = fit_nystroem(
        kernel, data.examples, {.landmarks = n, .tolerance = 1e-12, .context = context});
    features_ = fit_->map.features();
    for (std::size_t i = 0; i < n; ++i) {
      rows_.emplace_back(std::as_const(fit_->features).row(i));
    }
  }

  [[nodiscard]] std::span<const Row> rows() const { return rows_; }
  [[nodiscard]] std::size_t features() const { return features_; }
  /// The function w.x + offset.
  [[nodiscard]] DecisionFunction function(std::span<const double> w, double offset) const {
    DenseMatrix weights(1, features_);
    std::ranges::copy(w.first(features_), weights.row(0).begin());
    if (!fit_) return LinearFunctions{.weights = std::move(weights), .offsets = {offset}};
    return KernelExpansion{.kernel = fit_->map.kernel,
                           .vectors = fit_->map.landmarks,
                           .coefficients = fit_->map.landmark_coefficients(weights.view()),
                           .offsets = {offset},
                           .training_rows = fit_->map.rows};
  }

 private:
  std::vector<Row> rows_;
  std::size_t features_ = 0;
  std::optional<NystroemFit> fit_;
};

/// Two labels, the positive one the larger.
struct Sides {
  std::vector<Label> classes = {};
  std::vector<std::uint8_t> is_positive = {};  ///< one a bag
};

Sides sides_of(const Bags& bags, const Dataset& data) {
  Sides sides{.classes = bags.labels};
  std::ranges::sort(sides.classes);
  sides.classes.erase(std::unique(sides.classes.begin(), sides.classes.end()), sides.classes.end());
  require(sides.classes.size() == 2,
          about(data) + ": bags must have two labels, here there " +
              (sides.classes.size() == 1 ? "is 1" : "are " + std::to_string(sides.classes.size())));
  for (const Label& label : bags.labels) {
    sides.is_positive.push_back(label == sides.classes[1] ? std::uint8_t{1} : std::uint8_t{0});
  }
  return sides;
}

/// Value of the feature that stands for the bias, 0 without one.
double constant_of(const MilOptions& options) { return options.bias ? options.bias_scale : 0.0; }

double share_right(std::span<const BagValue> values, std::span<const std::uint8_t> is_positive) {
  double right = 0;
  for (std::size_t b = 0; b < values.size(); ++b) {
    right += (values[b].value > 0) == (is_positive[b] != 0) ? 1 : 0;
  }
  return right / static_cast<double>(values.size());
}

LatentSolution search_bags(const MachineRows& rows,
                           const Bags& bags,
                           const Sides& sides,
                           const MilOptions& options,
                           const StructuralState* start) {
  HiddenWitnesses risk(rows.rows(), bags, sides.is_positive, rows.features(), constant_of(options));
  return solve_latent(risk, options.search, start);
}

LatentSolution search_rows(const MachineRows& rows,
                           const Bags& bags,
                           const Sides& sides,
                           const MilOptions& options,
                           const StructuralState* start) {
  HiddenSigns risk(rows.rows(), bags, sides.is_positive, rows.features(), constant_of(options));
  return solve_latent(risk, options.search, start);
}

double squared_norm_of(const DecisionFunction& function, double constant, const Context& context) {
  const auto with_bias = [&](double sum, double offset) {
    return constant > 0 ? sum + (offset / constant) * (offset / constant) : sum;
  };
  double sum = 0;
  if (const auto* const linear = std::get_if<LinearFunctions>(&function)) {
    for (const double w : linear->weights.values()) sum += w * w;
    return with_bias(sum, linear->offsets[0]);
  }
  const auto& expansion = std::get<KernelExpansion>(function);
  return with_bias(squared_norm_in_verify(expansion, context), expansion.offsets[0]);
}

/// What a bag costs with the margins of its rows: hidden signs are those that cost least.
double cost_of_rows(std::span<const double> values, bool is_positive) {
  double sum = 0;
  double least_more = std::numeric_limits<double>::infinity();
  for (const double f : values) {
    const double as_negative = hinge_loss(-f);
    const double cost = is_positive ? std::min(as_negative, hinge_loss(f)) : as_negative;
    sum += cost;
    least_more = std::min(least_more, hinge_loss(f) - cost);
  }
  return is_positive ? sum + least_more : sum;
}

}  // namespace

void MilOptions::describe(OptionVisitor& visit) {
  visit.name(
      {.name = "margin",
       .help = "whose margin counts: a bag's by its best row (MI-SVM), or every row's (mi-SVM)"},
      margin);
  search.describe(visit, {LatentStart::given, LatentStart::random, LatentStart::weights});
  kernel.describe(visit);
  visit.rule(!std::holds_alternative<Precomputed>(kernel.kernel()),
             "--kernel precomputed: mil computes the kernel of rows itself");
  visit.rule(search.start != LatentStart::weights || is_linear(kernel),
             "--start weights: with a kernel there are no weights to begin with");
  visit.rule(!kernel.is_indefinite(),
             "--kernel " + kernel.indefinite_text() + ", mil needs one that is");
  describe_linear_bias(visit, bias, bias_scale);
}

Bags bags_of(const Dataset& data) {
  require(!data.groups.empty() || data.size() == 0,
          "the rows are in no bags, say which by --bag or qid");
  Bags bags{.begins = bag_begins(data.groups)};
  for (std::size_t b = 0; b < bags.size(); ++b) {
    const std::size_t first = bags.begins[b];
    for (std::size_t j = first; j < bags.begins[b + 1]; ++j) {
      const auto fail = [&](const std::string& what) {
        throw InvalidArgument("row " + std::to_string(j + 1) + " (from 1) has another " + what +
                              " than the first row of its bag " + std::to_string(data.groups[j]));
      };
      if (data.has_labels() && data.labels.at(j) != data.labels.at(first)) fail("label");
      if (!data.weights.empty() && data.weights[j] != data.weights[first]) fail("weight");
    }
    bags.weights.push_back(data.weights.empty() ? 1.0 : data.weights[first]);
  }
  if (!data.has_labels()) return bags;
  for (std::size_t b = 0; b < bags.size(); ++b) {
    const std::optional<Label> label = data.labels.at(bags.begins[b]);
    if (!label) {
      // Prediction may meet them; training refuses.
      bags.labels.clear();
      return bags;
    }
    bags.labels.push_back(*label);
  }
  return bags;
}

TrainedMil train_mil(const Dataset& data, const MilOptions& options, const StructuralState* start) {
  validate(options);
  data.validate();
  require(data.size() > 0, about(data) + ": there are no bags to learn from");
  const Bags bags = bags_of(data);
  require(!bags.labels.empty(), about(data) + ": every bag must have a label");
  const Sides sides = sides_of(bags, data);
  const MachineRows rows(data, options);
  MilOptions own = options;
  const double constant = constant_of(options);
  const auto offset_of = [&](std::span<const double> w) {
    return constant > 0 ? constant * w.back() : 0.0;
  };
  own.search.measure = [&](std::span<const double> w) {
    std::vector<double> values;
    for (const Row& row : rows.rows()) {
      values.push_back(row.dot(w.first(rows.features())) + offset_of(w));
    }
    return std::optional(share_right(bag_values(values, bags.begins), sides.is_positive));
  };
  TrainedMil trained;
  trained.search = options.margin == MilMargin::bag ? search_bags(rows, bags, sides, own, start)
                                                    : search_rows(rows, bags, sides, own, start);
  const std::vector<double>& w = trained.search.w;
  trained.weights = w.size();
  trained.model = {.classes = sides.classes,
                   .code = one_vs_one_code(2),
                   .functions = rows.function(w, offset_of(w)),
                   .feature_names = data.feature_names};
  return trained;
}

std::vector<BagValue> bag_values(std::span<const double> values,
                                 std::span<const std::size_t> begins) {
  std::vector<BagValue> best;
  for (std::size_t b = 0; b + 1 < begins.size(); ++b) {
    require(begins[b] < begins[b + 1] && begins[b + 1] <= values.size(), "a bag has no rows");
    BagValue own{.value = values[begins[b]], .witness = begins[b]};
    for (std::size_t j = begins[b] + 1; j < begins[b + 1]; ++j) {
      if (values[j] > own.value) own = {.value = values[j], .witness = j};
    }
    best.push_back(own);
  }
  return best;
}

double mil_objective(const Classifier& model, const Dataset& data, const MilOptions& options) {
  const Bags bags = bags_of(data);
  require(!bags.labels.empty(), about(data) + ": every bag must have a label");
  const Context& context = options.search.solving.context;
  const std::vector<double> of_rows = values_in_verify(model.functions, data.examples, context);
  double losses = 0;
  for (std::size_t b = 0; b < bags.size(); ++b) {
    ask_in_verify(context);
    const bool is_positive = bags.labels[b] == model.classes[1];
    const auto own =
        std::span(of_rows).subspan(bags.begins[b], bags.begins[b + 1] - bags.begins[b]);
    const double best = *std::ranges::max_element(own);
    losses += bags.weights[b] * (options.margin == MilMargin::instance
                                     ? cost_of_rows(own, is_positive)
                                     : hinge_loss(is_positive ? best : -best));
  }
  return 0.5 * squared_norm_of(model.functions, constant_of(options), context) +
         options.search.solving.c * losses;
}

}  // namespace maxmargin
