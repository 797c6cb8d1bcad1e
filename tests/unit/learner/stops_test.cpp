// SPDX-License-Identifier: Apache-2.0
//
// Every learner that is told to stop, at once or after some questions, still answers, soon and with
// a status that says so. Counted in questions, never in seconds.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "maxmargin/io/table/builtin.hpp"
#include "maxmargin/learner/cluster.hpp"
#include "maxmargin/learner/learner.hpp"
#include "maxmargin/learner/source.hpp"

namespace maxmargin {
namespace {

/// Says yes `patience` times, then that time is up; counts what it is asked after that.
struct Clock {
  explicit Clock(std::uint64_t answers) : patience(answers) {}
  [[nodiscard]] Context context() {
    return {.threads = 2, .on_progress = [this](const Progress&) {
              if (++asked <= patience) return Continue::yes;
              return Continue::time_is_up;
            }};
  }
  [[nodiscard]] std::uint64_t late() const { return asked > patience ? asked - patience : 0; }
  std::uint64_t patience;
  std::uint64_t asked = 0;
};

OptionTexts options_of(const Learner& learner) {
  if (learner.info().task != Task::cluster) return {};
  for (const OptionDescription& option : learner.options()) {
    if (option.name == "k") return {{"k", "2"}};
  }
  return {};
}

/// Those that are tried on rows with a set built in.
std::vector<const Learner*> learners_of_rows() {
  std::vector<const Learner*> found;
  for (const Learner* each : learners()) {
    if (each->info().data == DataKind::table && !each->info().example.empty()) {
      found.push_back(each);
    }
  }
  return found;
}

TEST(Stops, EveryLearnerAnswersWhenTimeIsUpAtOnce) {
  std::size_t tried = 0;
  for (const Learner* learner : learners_of_rows()) {
    SCOPED_TRACE(learner->info().name);
    Clock clock(0);
    const LearnerData data =
        read_training_data(*learner, std::string(learner->info().example), {}, {}, {});
    const Training trained =
        learner->train(data, {.options = options_of(*learner), .context = clock.context()});
    ++tried;
    if (clock.asked == 0) continue;  // a closed formula, which is over before anybody could ask
    EXPECT_EQ(trained.report.solve.status, Status::time_limit);
    // A bound, if any, is below what is returned.
    const SolveReport& solve = trained.report.solve;
    if (solve.primal_objective && solve.lower_bound) {
      EXPECT_LE(*solve.lower_bound, *solve.primal_objective);
    }
    if (learner->info().task == Task::cluster) {
      EXPECT_EQ(trained.clusters.size(), std::get<TableData>(data).data.size());
    } else {
      EXPECT_TRUE(trained.model.has_value());
    }
    EXPECT_LT(clock.late(), 2000u);
  }
  EXPECT_GT(tried, 30u);
}

TEST(Stops, AModelThatIsLeftPredictsAndIsNoLie) {
  for (const Learner* learner : learners_of_rows()) {
    for (const std::uint64_t patience : {0u, 3u, 17u}) {
      SCOPED_TRACE(std::string(learner->info().name) + " after " + std::to_string(patience));
      Clock clock(patience);
      const LearnerData data =
          read_training_data(*learner, std::string(learner->info().example), {}, {}, {});
      const Training trained = learner->train(
          data,
          {.options = options_of(*learner), .context = clock.context(), .keep_certificate = true});
      if (!trained.model) continue;
      EXPECT_FALSE(learner->predict(*trained.model, data, {}, {}).lines.empty());
      if (!learner->can_verify()) continue;
      const Verification found = learner->verify(*trained.model, data, {});
      EXPECT_NE(found.agrees, false) << found.complaint;
    }
  }
}

/// What a comparison gives each method: what is left over those that are left.
TEST(Stops, MethodsThatAreComparedShareTheTime) {
  const TableData data{.data = make_builtin("gaussians,n=60,seed=1")};
  std::vector<std::size_t> left;
  const ShareOfTime share = [&](std::size_t runs_left) -> ProgressCallback {
    left.push_back(runs_left);
    // The first uses up its share, the others have time.
    const bool first = left.size() == 1;
    return [first](const Progress&) { return first ? Continue::time_is_up : Continue::yes; };
  };
  const ClusterComparison found =
      compare_clusterings({"kmedoids", "kmeans"}, data, {{"k", "2"}}, {}, {}, share);
  EXPECT_EQ(left, (std::vector<std::size_t>{2, 1}));
  ASSERT_EQ(found.contestants.size(), 2u);
  EXPECT_EQ(found.contestants[0].report.solve.status, Status::time_limit);
  EXPECT_TRUE(is_success(found.contestants[1].report.solve.status));
}

}  // namespace
}  // namespace maxmargin
