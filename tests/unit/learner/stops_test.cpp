// SPDX-License-Identifier: Apache-2.0
//
// Every learner that is told to stop, at once or after some questions, still answers, soon and with
// a status that says so. Counted in questions, never in seconds.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "maxmargin/io/table/builtin.hpp"
#include "maxmargin/learner/cluster.hpp"
#include "maxmargin/learner/learner.hpp"
#include "maxmargin/learner/source.hpp"
#include "maxmargin/learner/tune.hpp"
#include "walk_data.hpp"

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

/// A set built in, or else a small one.
LearnerData data_of(const Learner& learner) {
  const std::string example(learner.info().example);
  if (!example.starts_with("builtin:")) return walk::data_for(learner.info());
  return read_training_data(learner, example, {}, {}, {});
}

/// Those that are over before anybody could ask: formulas, of so few rows.
bool is_formula(const Learner& learner) {
  // With labels hmm counts.
  return learner.info().name == "lda" || learner.info().name == "hmm";
}

TEST(Stops, EveryLearnerAnswersWhenTimeIsUpAtOnce) {
  std::size_t tried = 0;
  for (const Learner* learner : learners()) {
    SCOPED_TRACE(learner->info().name);
    Clock clock(0);
    const LearnerData data = data_of(*learner);
    const Training trained =
        learner->train(data, {.options = options_of(*learner), .context = clock.context()});
    ++tried;
    EXPECT_EQ(clock.asked == 0, is_formula(*learner));
    if (clock.asked == 0) continue;
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
  for (const Learner* learner : learners()) {
    const LearnerData data = data_of(*learner);
    for (const std::uint64_t patience : {0u, 3u, 17u}) {
      SCOPED_TRACE(std::string(learner->info().name) + " after " + std::to_string(patience));
      Clock clock(patience);
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

/// Says that time is up at the first question of a phase and from there on; keeps the names of the
/// phases it is asked in. Threads may ask at once.
class PhaseClock {
 public:
  explicit PhaseClock(std::string last = {}) : last_(std::move(last)) {}
  [[nodiscard]] Context context() {
    return {.threads = 2, .on_progress = [this](const Progress& progress) {
              const std::lock_guard lock(mutex_);
              phases_.emplace(progress.phase);
              if (progress.phase == last_) is_up_ = true;
              if (is_up_) ++late_;
              return is_up_ ? Continue::time_is_up : Continue::yes;
            }};
  }
  [[nodiscard]] const std::set<std::string>& phases() const { return phases_; }
  [[nodiscard]] std::uint64_t late() const { return late_; }

 private:
  std::mutex mutex_;
  std::string last_;
  std::set<std::string> phases_;
  bool is_up_ = false;
  std::uint64_t late_ = 0;
};

/// Settings that bring phases of their own.
std::vector<OptionTexts> settings_of(const Learner& learner) {
  std::vector<OptionTexts> all = {options_of(learner)};
  for (const auto& [name, value] : {std::pair("scale", "standard"),
                                    std::pair("probabilities", "sigmoid"),
                                    std::pair("bound", "relaxation"),
                                    std::pair("solver", "interior-point")}) {
    const std::vector<OptionDescription> known = learner.options();
    const auto at = std::ranges::find(known, std::string(name), &OptionDescription::name);
    if (at == known.end()) continue;
    const bool takes =
        at->names.empty() || std::ranges::find(at->names, std::string(value)) != at->names.end();
    if (!takes) continue;
    all.push_back(options_of(learner));
    all.back().emplace_back(name, value);
  }
  return all;
}

TEST(Stops, EveryLearnerStopsInEachOfItsPhases) {
  std::set<std::string> tried;
  for (const Learner* learner : learners()) {
    const LearnerData data = data_of(*learner);
    for (const OptionTexts& options : settings_of(*learner)) {
      PhaseClock whole;
      (void)learner->train(data, {.options = options, .context = whole.context()});
      for (const std::string& phase : whole.phases()) {
        SCOPED_TRACE(std::string(learner->info().name) + " in " + phase);
        PhaseClock clock(phase);
        const Training trained =
            learner->train(data, {.options = options, .context = clock.context()});
        EXPECT_GT(clock.late(), 0u);
        EXPECT_LT(clock.late(), 2000u);
        // What comes behind the answer may be missing; the answer stands.
        const bool is_behind =
            phase == "compare" || phase == "lower bound" || phase == "eigenvalues";
        const bool is_over = is_behind || is_formula(*learner);
        const Status status = trained.report.solve.status;
        EXPECT_TRUE(status == Status::time_limit || (is_over && is_success(status)));
        tried.insert(phase);
      }
    }
  }
  EXPECT_GT(tried.size(), 20u);
}

/// Nothing is said of a certificate that was not recomputed to its end, and the model is there.
TEST(Stops, VerificationStopsWhereverItIsAsked) {
  std::size_t stopped = 0;
  for (const Learner* learner : learners()) {
    if (!learner->can_verify()) continue;
    SCOPED_TRACE(learner->info().name);
    const LearnerData data = data_of(*learner);
    const Training trained = learner->train(data,
                                            {.options = options_of(*learner),
                                             .context = {.threads = 2},
                                             .keep_certificate = true,
                                             .is_part = true});
    ASSERT_TRUE(trained.model);
    PhaseClock whole;
    const Verification undisturbed = learner->verify(*trained.model, data, whole.context());
    EXPECT_NE(undisturbed.agrees, false) << undisturbed.complaint;
    if (!undisturbed.agrees) continue;
    EXPECT_TRUE(whole.phases().contains("verify"));
    for (const std::uint64_t patience : {0u, 1u, 5u}) {
      Clock clock(patience);
      const Verification found = learner->verify(*trained.model, data, clock.context());
      if (clock.late() == 0) continue;  // it was over by then
      EXPECT_FALSE(found.agrees.has_value());
      EXPECT_NE(found.complaint.find("before the certificate was recomputed"), std::string::npos);
      EXPECT_LT(clock.late(), 100u);
      ++stopped;
    }
  }
  EXPECT_GT(stopped, 60u);
}

/// Folds of which none was trained have no figure.
TEST(Stops, FoldsStop) {
  for (const Learner* learner : learners()) {
    // One-class machines are measured on labels of their own.
    if (!learner->has_folds() || learner->info().task == Task::detect) continue;
    // Its example is one query.
    if (learner->info().task == Task::rank) continue;
    const LearnerData data = data_of(*learner);
    for (const std::uint64_t patience : {0u, 7u}) {
      SCOPED_TRACE(std::string(learner->info().name) + " after " + std::to_string(patience));
      Clock clock(patience);
      const LearnerFolds found =
          cross_validate_learner(*learner, data, {.context = clock.context()}, {.folds = 3});
      if (clock.late() == 0) continue;
      EXPECT_EQ(found.report.solve.status, Status::time_limit);
      EXPECT_LT(clock.late(), 2000u);
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
