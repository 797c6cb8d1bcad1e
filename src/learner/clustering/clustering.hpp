// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "maxmargin/core/options.hpp"
#include "maxmargin/io/run_report.hpp"
#include "maxmargin/kernel/choice.hpp"
#include "maxmargin/learner/cluster.hpp"
#include "maxmargin/learner/learner.hpp"

/// What clustering methods have in common: scaling, measures, model and verification. A method adds
/// its options (which describe themselves) and a few functions.
namespace maxmargin::learning {

/// What a method hands back.
struct Clustering {
  /// The cluster of every row; -1 is an outlier.
  std::vector<std::int32_t> labels = {};
  SolveReport report = {};
  /// Measures only the method knows, shown first.
  std::vector<std::pair<std::string, std::optional<double>>> metrics = {};
  /// Named lists and objects for the report, such as what a relaxation found.
  std::vector<std::pair<std::string, std::vector<ReportFields>>> tables = {};
  std::vector<std::pair<std::string, ReportFields>> objects = {};
  /// How far a recomputed objective may be off beyond its own digits: what rounding leaves of it
  /// where it is a difference of larger numbers.
  double objective_doubt = 0;
  /// Options whose value was found (a width): they stand over what was given.
  ReportFields used = {};
  /// The body of the model: the fields and sections that prediction needs, under the names that
  /// files of format 1 have; the header is added by ClusterLearner. Empty when the method has no
  /// rule for new points.
  std::optional<ModelDocument> model = std::nullopt;
  /// The kernel as used, its width resolved; unset for methods of the input space.
  std::optional<Kernel> kernel = std::nullopt;
  /// What was recorded at every iteration of the best run: one named column each, of equal length.
  std::vector<std::pair<std::string, std::vector<double>>> trace = {};
};

/// Where a model keeps Clustering::objective_doubt, where there is one.
inline constexpr const char* doubt_field = "objective_doubt";

/// What a model answers for new points.
struct ClusterAnswer {
  std::vector<std::int32_t> clusters = {};
  /// One row an example, one column a cluster, where the model has them (mixtures).
  std::optional<DenseMatrix> probabilities = std::nullopt;
};

/// A method behind the text of its options.
class ClusterLearner : public Learner {
 public:
  using Learner::Learner;

  [[nodiscard]] std::vector<OptionDescription> options() const override;
  [[nodiscard]] std::vector<OptionDescription> prediction_options() const override;
  void check_options(const OptionTexts& options) const override;
  [[nodiscard]] Training train(const LearnerData& data,
                               const TrainingRequest& request) const override;
  [[nodiscard]] Training train_and_check(const LearnerData& data,
                                         const TrainingRequest& request,
                                         const ClusterChecks& checks) const;
  [[nodiscard]] Prediction predict(const Model& model,
                                   const LearnerData& data,
                                   const OptionTexts& options,
                                   const Context& context) const override;
  /// Recomputes the objective of the labels that the model gives the data.
  [[nodiscard]] Verification verify(const Model& model,
                                    const LearnerData& data,
                                    const Context& context) const override;
  /// The same for the labels of a training, which need not be those of its model.
  [[nodiscard]] Verification verify_labels(const Training& training, const LearnerData& data) const;
  /// The same for what the method found on rows that are scaled already.
  [[nodiscard]] Verification verify_found(const Dataset& rows, const Clustering& found) const;
  [[nodiscard]] bool can_verify() const override { return true; }

  /// Runs the method on rows that are scaled already.
  [[nodiscard]] virtual Clustering run(const Dataset& rows,
                                       const OptionTexts& options,
                                       const Context& context) const = 0;
  /// Does it take that option?
  [[nodiscard]] bool takes(std::string_view option) const;
  [[nodiscard]] std::optional<std::size_t> model_features(const Model& model) const override {
    return features(model.document());
  }
  /// Number of features of the model.
  [[nodiscard]] virtual std::size_t features(const ModelDocument& model) const = 0;

 protected:
  [[nodiscard]] virtual std::vector<OptionDescription> own_options() const = 0;
  virtual void check_own_options(const OptionTexts& options) const = 0;
  /// Throws InvalidArgument for a value that breaks its rule; rules between options are not asked.
  virtual void check_own_values(const OptionTexts& options) const = 0;
  [[nodiscard]] virtual double objective(const Dataset& rows,
                                         std::span<const std::int32_t> labels,
                                         const ModelDocument& model) const = 0;
  [[nodiscard]] virtual ClusterAnswer answer(const ModelDocument& model,
                                             const Dataset& rows,
                                             const Context& context) const = 0;
  /// Of the rows the model was trained on.
  [[nodiscard]] virtual std::vector<std::int32_t> training_labels(const ModelDocument& model,
                                                                  const Dataset& rows,
                                                                  const Context& context) const = 0;
};

/// Options whose threads, seed, memory and callback are those of the run.
template <class O>
[[nodiscard]] O in_context(O options, const Context& context) {
  options.threads = context.threads;
  options.on_progress = context.on_progress;
  if constexpr (requires { options.seed; }) options.seed = context.seed;
  if constexpr (requires { options.memory_limit; }) options.memory_limit = context.memory_limit;
  return options;
}

/// The functions of a method whose options are O.
template <DescribesOptions O>
struct ClusterFunctions {
  Clustering (*run)(const Dataset& rows, const O& options, const Context& context) = nullptr;
  /// Recomputes the objective of `labels` from the model with code the method does not share.
  double (*objective)(const Dataset& rows,
                      std::span<const std::int32_t> labels,
                      const ModelDocument& model) = nullptr;
  /// Number of features of a model, and its answer for new rows.
  std::size_t (*features)(const ModelDocument& model) = nullptr;
  ClusterAnswer (*answer)(const ModelDocument& model,
                          const Dataset& rows,
                          const Context& context) = nullptr;
  /// Left out: it has none.
  Examples (*support_vectors)(const ModelDocument& model) = nullptr;
  /// The clusters of the training rows as the model keeps them; left out: what it answers for them.
  std::vector<std::int32_t> (*training_labels)(const ModelDocument& model) = nullptr;
};

/// Binds options and functions to the interface.
template <DescribesOptions O>
class ClusterEntry final : public ClusterLearner {
 public:
  ClusterEntry(const LearnerInfo& info, ClusterFunctions<O> functions, O defaults = {})
      : ClusterLearner(info), functions_(functions), defaults_(std::move(defaults)) {}

  [[nodiscard]] Clustering run(const Dataset& rows,
                               const OptionTexts& options,
                               const Context& context) const override {
    const O own = read(options);
    Clustering found = functions_.run(rows, own, context);
    ReportFields used;
    for (auto& [key, value] : option_values(own)) used.emplace_back(key, std::move(value));
    for (auto& [key, value] : found.used) put(used, key, std::move(value));
    found.used = std::move(used);
    return found;
  }
  [[nodiscard]] std::optional<Examples> support_vectors(const Model& model) const override {
    if (functions_.support_vectors == nullptr) return std::nullopt;
    return functions_.support_vectors(model.document());
  }
  [[nodiscard]] std::size_t features(const ModelDocument& model) const override {
    return functions_.features(model);
  }

 protected:
  [[nodiscard]] std::vector<OptionDescription> own_options() const override {
    return describe_options(defaults_);
  }
  void check_own_options(const OptionTexts& options) const override { (void)read(options); }
  void check_own_values(const OptionTexts& options) const override {
    check_option_values(defaults_, options);
  }
  [[nodiscard]] double objective(const Dataset& rows,
                                 std::span<const std::int32_t> labels,
                                 const ModelDocument& model) const override {
    return functions_.objective(rows, labels, model);
  }
  [[nodiscard]] ClusterAnswer answer(const ModelDocument& model,
                                     const Dataset& rows,
                                     const Context& context) const override {
    return functions_.answer(model, rows, context);
  }
  [[nodiscard]] std::vector<std::int32_t> training_labels(const ModelDocument& model,
                                                          const Dataset& rows,
                                                          const Context& context) const override {
    return functions_.training_labels != nullptr ? functions_.training_labels(model)
                                                 : functions_.answer(model, rows, context).clusters;
  }

 private:
  [[nodiscard]] O read(const OptionTexts& options) const {
    O own = defaults_;
    set_options(own, options, "the method " + std::string(info().name));
    validate(own);
    return own;
  }
  static void put(ReportFields& fields, const std::string& key, ReportValue value) {
    for (auto& field : fields) {
      if (field.first == key) {
        field.second = std::move(value);
        return;
      }
    }
    fields.emplace_back(key, std::move(value));
  }

  ClusterFunctions<O> functions_;
  O defaults_;
};

/// The families, one file each: they hand over their entries in the order that lists show them.
using LearnerList = std::vector<std::unique_ptr<const Learner>>;
void add_partition_methods(LearnerList& list);     // kmeans, kmedoids
void add_kernel_kmeans(LearnerList& list);         // kernel-kmeans
void add_hierarchical_methods(LearnerList& list);  // hierarchical
void add_mixtures(LearnerList& list);              // mixture
void add_spectral_methods(LearnerList& list);      // spectral, ratio-cut, ...
void add_sv_clustering(LearnerList& list);         // sv-clustering
void add_relabeler(LearnerList& list);             // relabeler
void add_mmc(LearnerList& list);                   // mmc
void add_scalable_mmc(LearnerList& list);          // mmc-alternating, mmc-cutting-plane

}  // namespace maxmargin::learning
