// SPDX-License-Identifier: Apache-2.0
// Laws that every task with an exact argmax keeps, one list of tasks for all of them.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "alignment_cases.hpp"
#include "binary_task.hpp"
#include "chain_cases.hpp"
#include "maxmargin/core/rng.hpp"
#include "maxmargin/linalg/matrix.hpp"
#include "maxmargin/problem/structural/ranking_risk.hpp"
#include "maxmargin/solver/structural/solution.hpp"
#include "maxmargin/structured/check_task.hpp"
#include "maxmargin/structured/structural_hinge.hpp"
#include "maxmargin/structured/tasks/alignment.hpp"
#include "maxmargin/structured/tasks/chain.hpp"
#include "maxmargin/structured/tasks/forest.hpp"
#include "maxmargin/structured/tasks/multilabel.hpp"
#include "maxmargin/structured/tasks/partition.hpp"
#include "maxmargin/structured/tasks/precision_at_k.hpp"
#include "partition_cases.hpp"
#include "problem/structural/contingency_risk.hpp"
#include "ranking_cases.hpp"
#include "structured/tasks/hierarchy.hpp"
#include "structured/tasks/multiclass.hpp"

namespace maxmargin {
namespace {

/// A task with its examples, seen as all tasks are.
class Problem {
 public:
  Problem() = default;
  Problem(const Problem&) = delete;
  Problem& operator=(const Problem&) = delete;
  virtual ~Problem() = default;

  [[nodiscard]] virtual const StructuralRisk& risk() const = 0;
  /// Loss of what w predicts for an example. Risks that are no tasks have a test of their own.
  [[nodiscard]] virtual std::optional<double> loss_of_prediction(
      std::size_t /*example*/, std::span<const double> /*w*/) const {
    return std::nullopt;
  }
  /// What brute force says of the task, and how many argmaxes it was to compare.
  struct Checked {
    TaskCheck found = {};
    std::size_t argmaxes = 0;
  };
  [[nodiscard]] virtual std::optional<Checked> check() const { return std::nullopt; }
};

template <class Task>
class TaskProblem final : public Problem {
 public:
  using Inputs = std::vector<typename Task::Input>;
  using Outputs = std::vector<typename Task::Output>;

  /// `owner` holds what task and inputs look at.
  TaskProblem(std::shared_ptr<const void> owner,
              Task task,
              Inputs inputs,
              Outputs outputs,
              Rescaling rescaling)
      : owner_(std::move(owner)),
        task_(std::move(task)),
        inputs_(std::move(inputs)),
        outputs_(std::move(outputs)),
        risk_(task_, inputs_, outputs_, rescaling) {}

  [[nodiscard]] const StructuralRisk& risk() const override { return risk_; }
  [[nodiscard]] std::optional<double> loss_of_prediction(std::size_t example,
                                                         std::span<const double> w) const override {
    return task_.loss(outputs_[example], task_.predict(inputs_[example], w));
  }
  [[nodiscard]] std::optional<Checked> check() const override {
    constexpr std::size_t rounds = 3;
    std::vector<std::pair<typename Task::Input, typename Task::Output>> samples;
    for (std::size_t i = 0; i < inputs_.size(); ++i) samples.emplace_back(inputs_[i], outputs_[i]);
    Rng rng(5, "every task");
    Checked checked;
    checked.found = check_task<Task>(task_, samples, rng, {.rounds = rounds});
    checked.argmaxes = samples.size() * rounds *
                       ((SlackRescalingTask<Task> ? 3U : 2U) + (LatentTask<Task> ? 1U : 0U));
    return checked;
  }

 private:
  std::shared_ptr<const void> owner_;
  Task task_;
  Inputs inputs_;
  Outputs outputs_;
  StructuralHinge<Task> risk_;
};

template <class Task>
std::unique_ptr<Problem> make_problem(std::shared_ptr<const void> owner,
                                      Task task,
                                      std::vector<typename Task::Input> inputs,
                                      std::vector<typename Task::Output> outputs,
                                      Rescaling rescaling) {
  return std::make_unique<TaskProblem<Task>>(
      std::move(owner), std::move(task), std::move(inputs), std::move(outputs), rescaling);
}

/// Points of several classes that overlap.
struct Cloud {
  Cloud(std::size_t n, std::size_t d, std::size_t k) : x(n, d) {
    Rng rng(11, "cloud");
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < d; ++j) x(i, j) = rng.normal() + (j % k == i % k ? 1 : 0);
      classes.push_back(static_cast<std::int32_t>(i % k));
    }
    for (std::size_t i = 0; i < n; ++i) rows.emplace_back(std::as_const(x).row(i));
  }
  DenseMatrix x;
  std::vector<std::int32_t> classes = {};
  std::vector<Row> rows = {};
};

std::unique_ptr<Problem> binary(Rescaling rescaling) {
  const auto cloud = std::make_shared<Cloud>(30, 4, 2);
  std::vector<std::int32_t> signs;
  for (const std::int32_t cls : cloud->classes) signs.push_back(cls == 0 ? -1 : 1);
  return make_problem(cloud, BinaryTask(4), cloud->rows, signs, rescaling);
}

std::unique_ptr<Problem> multiclass(Rescaling rescaling) {
  const auto cloud = std::make_shared<Cloud>(32, 4, 4);
  DenseMatrix losses(4, 4);
  for (std::size_t y = 0; y < 4; ++y) {
    for (std::size_t z = 0; z < 4; ++z) losses(y, z) = y == z ? 0 : y / 2 == z / 2 ? 0.5 : 2;
  }
  return make_problem(cloud, MulticlassTask(4, 4, losses), cloud->rows, cloud->classes, rescaling);
}

std::unique_ptr<Problem> multilabel(Rescaling rescaling, bool interactions) {
  const auto cloud = std::make_shared<Cloud>(24, 4, 3);
  Rng rng(12, "flags");
  std::vector<LabelFlags> flags;
  for (std::size_t i = 0; i < 24; ++i) {
    LabelFlags own(4);
    for (std::size_t l = 0; l < 4; ++l) own[l] = cloud->x(i, l) + rng.normal() > 0.5 ? 1 : 0;
    flags.push_back(own);
  }
  return make_problem(
      cloud, MultilabelTask(4, 4, {.interactions = interactions}), cloud->rows, flags, rescaling);
}

std::unique_ptr<Problem> hierarchy(Rescaling rescaling) {
  struct World {
    Cloud cloud = Cloud(30, 4, 5);
    Taxonomy tree = Taxonomy(std::vector<TaxonomyLink>{{Label(0.0), Label(std::string("a"))},
                                                       {Label(1.0), Label(std::string("a"))},
                                                       {Label(2.0), Label(std::string("b"))},
                                                       {Label(3.0), Label(std::string("b"))},
                                                       {Label(4.0), std::nullopt}});
  };
  const auto world = std::make_shared<World>();
  std::vector<std::uint32_t> outputs;
  for (const std::int32_t cls : world->cloud.classes) {
    outputs.push_back(world->tree.find(Label(static_cast<double>(cls))).value());
  }
  return make_problem(world, HierarchyTask(world->tree, 4), world->cloud.rows, outputs, rescaling);
}

std::unique_ptr<Problem> chain(Rescaling rescaling, std::size_t order) {
  SequenceData data = chain_cases::planted_chains(20, 3, 13);
  // An empty sequence has one output, which costs nothing.
  data.inputs.push_back({});
  data.labels.push_back({});
  return make_problem(nullptr,
                      ChainTask({.labels = 3, .features = data.features, .order = order}),
                      data.inputs,
                      data.labels,
                      rescaling);
}

std::unique_ptr<Problem> alignment(AlignmentKind kind) {
  Rng rng(14, "pairs");
  std::vector<SequencePair> inputs;
  std::vector<Alignment> outputs;
  for (std::size_t k = 0; k < 10; ++k) {
    const std::size_t m = 3 + rng.index(2);
    const std::size_t n = 3 + rng.index(2);
    inputs.push_back({random_sequence(m, rng), random_sequence(n, rng)});
    outputs.push_back(random_alignment(m, n, rng));
  }
  return make_problem(nullptr,
                      AlignmentTask({.gap_opening = true, .kind = kind}),
                      inputs,
                      outputs,
                      Rescaling::margin);
}

std::unique_ptr<Problem> partition(PartitionLoss loss) {
  Rng rng(15, "partitions");
  std::vector<PartitionInput> inputs;
  std::vector<Partition> outputs;
  for (std::size_t k = 0; k < 12; ++k) {
    outputs.push_back(random_partition(6, 3, rng));
    inputs.push_back(planted_pairs(outputs.back(), 0.2, rng));
  }
  return make_problem(
      nullptr, ExactPartitionTask(5, {.loss = loss}), inputs, outputs, Rescaling::margin);
}

/// Truths are chains: what a convex step of the latent machine is given first.
std::unique_ptr<Problem> forest(double wrong_link, double share_of_pairs) {
  Rng rng(18, "forests");
  const ForestTask task(5, {.wrong_link = wrong_link});
  std::vector<PartitionInput> inputs;
  std::vector<LinkForest> outputs;
  for (std::size_t k = 0; k < 12; ++k) {
    const Partition truth = random_partition(5, 3, rng);
    inputs.push_back(share_of_pairs < 1 ? random_pairs(5, 5, share_of_pairs, rng)
                                        : planted_pairs(truth, 0.2, rng));
    outputs.push_back(task.chain(inputs.back(), truth));
  }
  return make_problem(nullptr, task, inputs, outputs, Rescaling::margin);
}

std::unique_ptr<Problem> precision_at_k() {
  const auto data = std::make_shared<testing::RankingCase>(
      testing::random_ranking({7, 9, 6, 8, 10, 7}, 4, 2, 16));
  const PrecisionAtKTask task(4, 3);
  Rng rng(16, "precision");
  const std::vector<double> w = testing::normal_weights(4, rng);
  std::vector<std::vector<Row>> inputs;
  std::vector<TopRows> outputs;
  for (std::size_t q = 0; q < data->queries.size(); ++q) {
    std::vector<Row> rows;
    std::vector<std::uint8_t> relevant;
    for (std::size_t i = data->queries.begins[q]; i < data->queries.begins[q + 1]; ++i) {
      rows.emplace_back(std::as_const(data->sparse).row(i));
      relevant.push_back(data->queries.grades[i] > 0 ? 1 : 0);
    }
    outputs.push_back(task.complete(rows, task.truth_of(relevant), w));
    inputs.push_back(std::move(rows));
  }
  return make_problem(data, task, inputs, outputs, Rescaling::margin);
}

/// Risks whose outputs are never written down.
template <class Risk, class Options>
class QueryProblem final : public Problem {
 public:
  explicit QueryProblem(const Options& options)
      : data_(testing::random_ranking({9, 12, 7, 10, 8}, 4, 3, 17)),
        risk_(data_.sparse_rows(), data_.queries, options) {}
  [[nodiscard]] const StructuralRisk& risk() const override { return risk_; }

 private:
  testing::RankingCase data_;
  Risk risk_;
};

std::unique_ptr<Problem> ranking() {
  return std::make_unique<QueryProblem<RankingRisk, RankingOptions>>(RankingOptions{});
}
std::unique_ptr<Problem> table(TableLoss loss) {
  return std::make_unique<QueryProblem<ContingencyRisk, ContingencyOptions>>(
      ContingencyOptions{.loss = loss, .bias = 1});
}

struct Kind {
  std::string name;
  double c;
  std::function<std::unique_ptr<Problem>()> make;
};

std::vector<Kind> exact_kinds() {
  std::vector<Kind> kinds;
  for (const Rescaling rescaling : {Rescaling::margin, Rescaling::slack}) {
    const std::string suffix = rescaling == Rescaling::margin ? "" : "_slack";
    const auto add = [&](const std::string& name, double c, const auto& make) {
      kinds.push_back({name + suffix, c, make});
    };
    add("binary", 0.2, [=] { return binary(rescaling); });
    add("multiclass", 0.1, [=] { return multiclass(rescaling); });
    add("multilabel", 0.1, [=] { return multilabel(rescaling, false); });
    add("multilabel_pairs", 0.1, [=] { return multilabel(rescaling, true); });
    add("hierarchy", 0.1, [=] { return hierarchy(rescaling); });
    add("chain_order_1", 0.1, [=] { return chain(rescaling, 1); });
    add("chain_order_2", 0.1, [=] { return chain(rescaling, 2); });
  }
  kinds.push_back({"alignment_global", 5, [] { return alignment(AlignmentKind::global); }});
  kinds.push_back({"alignment_local", 5, [] { return alignment(AlignmentKind::local); }});
  kinds.push_back({"partition_pairs", 0.05, [] { return partition(PartitionLoss::pairs); }});
  kinds.push_back({"partition_links", 0.1, [] { return partition(PartitionLoss::links); }});
  kinds.push_back({"forest", 0.1, [] { return forest(1, 1); }});
  kinds.push_back({"forest_recall", 0.1, [] { return forest(0.1, 1); }});
  kinds.push_back({"forest_few_pairs", 0.1, [] { return forest(1, 0.4); }});
  kinds.push_back({"precision_at_k", 1, precision_at_k});
  kinds.push_back({"ranking", 0.5, ranking});
  kinds.push_back({"table_error", 5, [] { return table(TableLoss::error); }});
  kinds.push_back({"table_f1", 5, [] { return table(TableLoss::f1); }});
  kinds.push_back({"table_precision", 5, [] { return table(TableLoss::precision_at_k); }});
  kinds.push_back({"table_recall", 5, [] { return table(TableLoss::recall_at_k); }});
  return kinds;
}

class EveryExactTask : public ::testing::TestWithParam<Kind> {};

INSTANTIATE_TEST_SUITE_P(Tasks,
                         EveryExactTask,
                         ::testing::ValuesIn(exact_kinds()),
                         [](const auto& kind) { return kind.param.name; });

/// Those that are tasks. The risks that are none are compared with all pairs and all signs in
/// ranking_risk_test and contingency_risk_test.
std::vector<Kind> task_kinds() {
  std::vector<Kind> kinds = exact_kinds();
  std::erase_if(kinds, [](const Kind& kind) {
    return kind.name == "ranking" || kind.name.starts_with("table_");
  });
  return kinds;
}

class EveryTask : public EveryExactTask {};
INSTANTIATE_TEST_SUITE_P(Tasks, EveryTask, ::testing::ValuesIn(task_kinds()), [](const auto& kind) {
  return kind.param.name;
});

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double square = 0;
  for (std::size_t j = 0; j < a.size(); ++j) square += (a[j] - b[j]) * (a[j] - b[j]);
  return std::sqrt(square);
}

// seed-yu facts 11 and 12. No bound of one solver is above an objective of another, and P is
// 1-strongly convex, so that each w is within sqrt(2 gap) of the best. The subgradient proves
// nothing; it comes within 5 %.
TEST_P(EveryExactTask, SolversReachTheSameObjectiveWithinTheirGaps) {
  const std::unique_ptr<Problem> problem = GetParam().make();
  const StructuralRisk& risk = problem->risk();
  ASSERT_TRUE(risk.is_exact());
  const double c = GetParam().c;
  const StructuralOptions options{.c = c, .tolerance = 1e-3, .max_passes = 20000};
  const double at_zero = structural_primal(risk, c, std::vector<double>(risk.dimension(), 0.0));
  std::vector<StructuralSolution> found;
  for (const StructuralMethod method : {StructuralMethod::n_slack,
                                        StructuralMethod::one_slack,
                                        StructuralMethod::block_frank_wolfe}) {
    SCOPED_TRACE(to_string(method));
    found.push_back(solve_structural(risk, method, options));
    const SolveReport& report = found.back().report;
    ASSERT_EQ(report.status, Status::solved);
    const double primal = structural_primal(risk, c, found.back().w);
    EXPECT_NEAR(*report.primal_objective, primal, 1e-9 * primal);
    EXPECT_LE(relative_gap(primal, *report.dual_objective), 1e-3 * (1 + 1e-6));
    // Something was learnt, or the test would show little.
    EXPECT_LT(primal, 0.99 * at_zero);
  }
  for (const StructuralSolution& a : found) {
    for (const StructuralSolution& b : found) {
      EXPECT_LE(*a.report.dual_objective, *b.report.primal_objective * (1 + 1e-12));
      EXPECT_LE(distance(a.w, b.w),
                std::sqrt(2 * std::max(0.0, *a.report.gap())) +
                    std::sqrt(2 * std::max(0.0, *b.report.gap())) + 1e-9);
    }
  }
  const StructuralSolution rough = solve_structural(
      risk, StructuralMethod::subgradient, {.c = c, .tolerance = 1e-5, .max_passes = 3000});
  const double primal = structural_primal(risk, c, rough.w);
  EXPECT_NEAR(*rough.report.primal_objective, primal, 1e-9 * primal);
  EXPECT_FALSE(rough.report.dual_objective);
  EXPECT_GE(primal, *found[0].report.dual_objective * (1 - 1e-12));
  EXPECT_LE(primal, 1.05 * *found[0].report.primal_objective);
}

// Predictions and all argmaxes that a task offers against the list of its outputs.
TEST_P(EveryTask, PassesCheckTask) {
  const std::unique_ptr<Problem> problem = GetParam().make();
  const std::optional<Problem::Checked> checked = problem->check();
  ASSERT_TRUE(checked);
  EXPECT_EQ(checked->found.faults, std::vector<std::string>());
  EXPECT_EQ(checked->found.missed, 0u);
  EXPECT_EQ(checked->found.compared, checked->argmaxes);
}

// seed-yu fact 17: at any w an example's slack is at least the loss of what w predicts.
TEST_P(EveryTask, SlacksAreAtLeastLossesOfPredictions) {
  const std::unique_ptr<Problem> problem = GetParam().make();
  const StructuralRisk& risk = problem->risk();
  Rng rng(6, "every task");
  double losses = 0;
  for (const double size : {0.0, 0.1, 1.0}) {
    std::vector<double> w(risk.dimension());
    for (double& weight : w) weight = size * rng.normal();
    for (std::size_t i = 0; i < risk.examples(); ++i) {
      const std::optional<double> loss = problem->loss_of_prediction(i, w);
      ASSERT_TRUE(loss);
      StructuralPlane plane;
      risk.largest_plane(i, w, plane);
      EXPECT_GE(plane.offset - plane.slope.dot(w), *loss - 1e-9);
      losses += *loss;
    }
  }
  EXPECT_GT(losses, 0);
}

}  // namespace
}  // namespace maxmargin
