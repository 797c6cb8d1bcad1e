// SPDX-License-Identifier: Apache-2.0
//
// docs/design/scaling.md, "Shifts": where a problem stays what it is when all rows are moved by one
// vector, far data have the answer of near data. Walks the table of learners.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "law_tables.hpp"
#include "maxmargin/core/number.hpp"

namespace maxmargin {
namespace {

/// What of an answer the last digits of the data do not decide.
enum class Holds {
  all,
  all_but_bound,  ///< the bound is proven in both places, and another one
  objective,      ///< several answers have it
  certificate     ///< a search, which goes another way: what it found is as good as it says
};

/// One line of the table of laws.
struct Law {
  std::string_view learner;
  OptionTexts options = {};
  Holds holds = Holds::all;
};

/// Every learner of tables whose problem has no place of its own, with the kernels for which that
/// is so.
std::vector<Law> table_of_laws() {
  const OptionTexts linear = {{"kernel", "linear"}};
  const OptionTexts rbf = {{"kernel", "rbf"}, {"gamma", "0.25"}};
  const OptionTexts laplace = {{"kernel", "laplace"}, {"gamma", "0.25"}};
  const OptionTexts absdiff = {{"kernel", "absdiff"}, {"gamma", "0.25"}};
  const OptionTexts near = {{"tolerance", "1e-7"}};
  const OptionTexts three = {{"k", "3"}};
  const OptionTexts two = {{"k", "2"}};
  const auto with = [](OptionTexts base, const OptionTexts& more) {
    base.insert(base.end(), more.begin(), more.end());
    return base;
  };
  std::vector<Law> laws;
  for (const char* const name :
       {"svc", "nu-svc", "svr", "nu-svr", "svdd", "ramp-svc", "trimmed-svc", "centroid-svc"}) {
    OptionTexts more = near;
    if (std::string_view(name) == "nu-svc") more.emplace_back("nu", "0.2");
    laws.push_back(
        {.learner = name,
         .options = with(linear, more),
         .holds = std::string_view(name) == "ramp-svc" ? Holds::all_but_bound : Holds::all});
    laws.push_back({name, with(rbf, more)});
    laws.push_back({name, with(laplace, more)});
  }
  laws.push_back({"svc", with(absdiff, near)});
  laws.push_back({"svc", with({{"kernel", "rbf"}}, near)});
  laws.push_back({"svc", with({{"kernel", "rbf"}, {"gamma", "median"}}, near)});
  laws.push_back({"svc", with({{"kernel", "rbf"}, {"gamma", "neighbour"}}, near)});
  laws.push_back({"svc", with({{"kernel", "linear+rbf(gamma=0.25)"}}, near)});
  laws.push_back({"svc", with(with(linear, {{"solver", "interior-point"}}), near)});
  laws.push_back({"svc", with(with(linear, {{"scale", "standard"}}), near)});
  laws.push_back({"svc", with(with(linear, {{"loss", "squared-hinge"}}), near)});
  laws.push_back({"linear-svc", with({{"scale", "standard"}}, near)});
  for (const char* const name : {"one-class", "cs-svc"}) {
    laws.push_back({name, with(rbf, near)});
    laws.push_back({name, with(laplace, near)});
  }
  for (const char* const name : {"lp-svc", "loo-svc"}) {
    laws.push_back({.learner = name, .options = rbf, .holds = Holds::objective});
    laws.push_back({.learner = name, .options = laplace, .holds = Holds::objective});
  }
  for (const char* const name : {"robust-svc", "outlier-svc", "s3vm"}) {
    const OptionTexts more = {{"bias", "center"}, {"C", "1"}, {"tolerance", "1e-6"}};
    laws.push_back({name, with(linear, more)});
    laws.push_back({name, with(rbf, more)});
  }
  for (const char* const name : {"tsvm", "s3vm-cccp"}) {
    laws.push_back({name, with(with(linear, {{"solver", "kernel"}, {"C", "1"}}), near)});
    laws.push_back({name, with(with(rbf, {{"solver", "kernel"}, {"C", "1"}}), near)});
  }
  laws.push_back({"lda"});
  laws.push_back({"rank", near});
  laws.push_back({"kmeans", three});
  laws.push_back({"kmedoids", three});
  laws.push_back({"kernel-kmeans", with(linear, three)});
  laws.push_back({"kernel-kmeans", with(rbf, three)});
  laws.push_back({"hierarchical", three});
  laws.push_back({"hierarchical", with(three, {{"linkage", "average"}})});
  laws.push_back({"mixture", three});
  for (const char* const name : {"spectral", "normalized-cut", "ratio-cut"}) {
    laws.push_back({name, three});
  }
  laws.push_back({"min-cut", two});
  laws.push_back({"sv-clustering"});
  laws.push_back({"sv-clustering", rbf});
  laws.push_back(
      {.learner = "relabeler", .options = with(linear, two), .holds = Holds::certificate});
  laws.push_back({"relabeler", with(rbf, two)});
  laws.push_back({"mmc", with(linear, two)});
  laws.push_back({"mmc", with(rbf, two)});
  laws.push_back({"mmc-alternating", with(with(linear, two), near)});
  laws.push_back(
      {.learner = "mmc-alternating", .options = with(rbf, three), .holds = Holds::certificate});
  laws.push_back({.learner = "mmc-cutting-plane", .options = two, .holds = Holds::certificate});
  return laws;
}

/// Learners without a law, and why.
const std::vector<std::pair<std::string_view, std::string_view>> lawless = {
    {"linear-svr", "the bias is a weight and costs something"},
    {"linear-ramp-svc", "the bias is a weight and costs something"},
    {"perceptron", "the bias is a weight of a constant feature"},
    {"multiclass", "no bias"},
    {"mil", "the constant is paid for"},
    {"multilabel", "the bias is a weight and costs something"},
    {"sequence", "features of text are counts"},
    {"hmm", "symbols have no unit"},
    {"partition", "features hold a constant"},
    {"coreference", "features hold a constant"},
    {"align", "features count residues"},
    {"motif", "bases have no unit"},
};

/// The largest difference of two values in a column.
double spread_of(const DenseMatrix& x) {
  double spread = 0;
  for (std::size_t j = 0; j < x.cols(); ++j) {
    double low = x(0, j);
    double high = x(0, j);
    for (std::size_t i = 0; i < x.rows(); ++i) {
      low = std::min(low, x(i, j));
      high = std::max(high, x(i, j));
    }
    spread = std::max(spread, high - low);
  }
  return spread;
}

/// The same points far away and near 0. Only the far ones are rounded, as they are in a file: near
/// is far minus the shift, which is exact as no coordinate is larger than the shift.
struct Places {
  DenseMatrix far;
  DenseMatrix near;
};

Places places_of(const Dataset& base, double t) {
  DenseMatrix x = base.examples.to_dense();
  const double spread = spread_of(x);
  const double shift = t * spread;
  for (std::size_t j = 0; j < x.cols(); ++j) {
    const double first = x(0, j);
    for (std::size_t i = 0; i < x.rows(); ++i) x(i, j) -= first;
  }
  Places made{.far = x, .near = x};
  for (std::size_t k = 0; k < x.values().size(); ++k) {
    made.far.values()[k] = x.values()[k] + shift;
    made.near.values()[k] = made.far.values()[k] - shift;
    EXPECT_EQ(made.near.values()[k] + shift, made.far.values()[k]);
  }
  return made;
}

struct Course {
  SolveReport solve = {};
  std::vector<std::int32_t> clusters = {};
  Prediction said = {};
  Verification verified = {};
  bool is_detector = false;
};

Course run_on(const Learner& entry, const Dataset& base, const Law& law, DenseMatrix x) {
  const LearnerData data = laws::data_with(entry, base, std::move(x));
  Training trained = entry.train(data,
                                 {.options = law.options,
                                  .context = {.threads = 1},
                                  .keep_certificate = true,
                                  .is_part = true});
  Course run{.solve = trained.report.solve,
             .clusters = std::move(trained.clusters),
             .is_detector = entry.info().task == Task::detect};
  if (trained.model) {
    const std::vector<OptionDescription> offered = entry.prediction_options();
    const bool scores =
        std::ranges::any_of(offered, [](const auto& o) { return o.name == "scores"; });
    const OptionTexts asked = scores ? OptionTexts{{"scores", "true"}} : OptionTexts{};
    run.said = entry.predict(*trained.model, data, asked, {.threads = 1});
    if (entry.can_verify()) run.verified = entry.verify(*trained.model, data, {.threads = 1});
  }
  return run;
}

/// Is the decision on row i clear of rounding? Rows on a boundary, as support vectors of one-class
/// machines are, may fall on either side.
bool is_clear(const Course& near, std::size_t i) {
  if (near.is_detector) {
    // All rows may be on the boundary: the objective is the scale.
    return std::abs(near.said.values[i]) > 1e-3 * std::abs(near.solve.primal_objective.value_or(0));
  }
  const DenseMatrix& scores = near.said.scores;
  if (scores.rows() == 0) return true;
  double largest = 0;
  for (const double score : scores.values()) largest = std::max(largest, std::abs(score));
  std::vector<double> row(scores.row(i).begin(), scores.row(i).end());
  if (row.size() == 1) row.push_back(0);
  std::ranges::sort(row, std::greater<>());
  return row[0] - row[1] > 1e-3 * largest;
}

void expect_same_labels(const Course& near, const Course& far) {
  const std::size_t n = near.said.labels.size();
  ASSERT_EQ(far.said.labels.size(), n);
  std::size_t clear = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (!is_clear(near, i)) continue;
    ++clear;
    EXPECT_EQ(far.said.labels[i].text(), near.said.labels[i].text()) << "row " << i;
  }
  if (!near.is_detector) {
    EXPECT_GE(2 * clear, n) << "too few rows to speak of";
  }
}

/// To a share of the objective: a bound of 0 is found up to its rounding.
void expect_equal(const char* what,
                  std::optional<double> near,
                  std::optional<double> far,
                  double objective,
                  double share = 1e-6) {
  ASSERT_EQ(far.has_value(), near.has_value()) << what;
  if (!far) return;
  EXPECT_NEAR(*far, *near, share * std::max(std::abs(*near), std::abs(objective))) << what;
}

/// What rounding may have added is taken from bounds of relaxations, and depends on the place.
constexpr double share_of_bounds = 1e-4;

/// Rows are about 1 in size, and so are losses: an optimum of this is 0 up to rounding, and no
/// share of it means anything.
constexpr double nothing = 1e-7;

bool is_nothing(const Course& near) {
  return near.solve.primal_objective && std::abs(*near.solve.primal_objective) <= nothing;
}

/// How often there was nothing to compare, or no labels: a few times, or the laws are not tried.
struct Compared {
  std::size_t runs = 0;
  std::size_t skipped = 0;
};

void expect_same(const Course& near, const Course& far, const Law& law, Compared& compared) {
  EXPECT_EQ(to_string(far.solve.status), to_string(near.solve.status)) << far.solve.message;
  EXPECT_NE(far.verified.agrees, false) << far.verified.complaint;
  if (law.holds == Holds::certificate) return;
  ++compared.runs;
  if (is_nothing(near)) {
    ++compared.skipped;
    return;
  }
  // One of several machines may have an optimum of 0, where any function is as good.
  const bool has_parts_of_nothing = near.solve.status == Status::solved_inaccurate;
  if (law.holds != Holds::objective && has_parts_of_nothing) {
    ++compared.skipped;
  } else if (law.holds != Holds::objective) {
    EXPECT_TRUE(far.clusters == near.clusters) << "other clusters";
    EXPECT_TRUE(far.said.clusters == near.said.clusters) << "clusters of a prediction";
    expect_same_labels(near, far);
  }
  const double objective = near.solve.primal_objective.value_or(0);
  expect_equal("primal", near.solve.primal_objective, far.solve.primal_objective, objective);
  expect_equal("dual", near.solve.dual_objective, far.solve.dual_objective, objective);
  if (law.holds == Holds::all_but_bound) return;
  expect_equal("bound", near.solve.lower_bound, far.solve.lower_bound, objective, share_of_bounds);
}

class ShiftLaw : public ::testing::TestWithParam<const Learner*> {};

TEST_P(ShiftLaw, PlacesChangeNothing) {
  const Learner& entry = *GetParam();
  const auto is_lawless = [&](const auto& each) { return each.first == entry.info().name; };
  bool has_law = std::ranges::any_of(lawless, is_lawless);
  Compared compared;
  for (const laws::Rows& table : laws::tables) {
    const Dataset base = laws::rows_of(table);
    for (const Law& law : table_of_laws()) {
      if (law.learner != entry.info().name) continue;
      has_law = true;
      for (const double t : {1.0, 1e2, 1e4, 1e6, 1e8}) {
        SCOPED_TRACE(std::string(table.name) + ":" + laws::text_of(law.options) + " at " +
                     format_number(t));
        const Places places = places_of(base, t);
        expect_same(run_on(entry, base, law, places.near),
                    run_on(entry, base, law, places.far),
                    law,
                    compared);
      }
    }
  }
  EXPECT_TRUE(has_law) << "docs/design/scaling.md and this test say nothing of it";
  EXPECT_LE(5 * compared.skipped, compared.runs) << "too often there is nothing to compare";
}

INSTANTIATE_TEST_SUITE_P(Learners,
                         ShiftLaw,
                         ::testing::ValuesIn(learners().begin(), learners().end()),
                         [](const auto& each) { return laws::test_name(*each.param); });

}  // namespace
}  // namespace maxmargin
