// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/settle.hpp"
#include "learner/settle.hpp"
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
  /// Options whose value was found (a width): they stand over what was given.
  ReportFields used = {};
  /// The body of the model: the fields and sections that prediction needs, under the names that
  /// files of format 1 have; the header is added by ClusterLearner. Empty when the run
  /// ended without a sound answer.
  std::optional<ModelDocument> model = std::nullopt;
  /// The kernel as used, its width resolved; unset for methods of the input space.
  std::optional<Kernel> kernel = std::nullopt;
  /// What was recorded at every iteration of the best run: one named column each, of equal length.
  std::vector<std::pair<std::string, std::vector<double>>> trace = {};
};

/// What a model answers for new points.
struct ClusterAnswer {
  std::vector<std::int32_t> clusters = {};
  /// One row an example, one column a cluster, where the model has them (mixtures).
  std::optional<DenseMatrix> probabilities = std::nullopt;
};

/// What verifying finds anew.
struct Recomputed {
  double objective = 0;
  /// Empty: the method's dual is not recomputed, and only held to be no larger.
  std::optional<double> dual = std::nullopt;
  /// What rounding leaves of it beyond its own digits.
  double doubt = 0;
  /// Whether bounds are proved at all, and the one that was.
  bool proves_bounds = false;
  std::optional<double> bound = std::nullopt;
};

/// A method behind the text of its options.
class ClusterLearner : public Learner {
 public:
  using Learner::Learner;

  [[nodiscard]] std::vector<OptionDescription> options() const override;
  [[nodiscard]] std::vector<OptionDescription> prediction_options() const override;
  void check_options(const OptionTexts& options) const override;
  void check_values(const OptionTexts& options) const override;
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
  [[nodiscard]] Verification verify_labels(const Training& training,
                                           const LearnerData& data,
                                           const Context& context = {}) const;
  /// The same for what the method found on rows that are scaled already.
  [[nodiscard]] Verification verify_found(const Dataset& rows,
                                          const Clustering& found,
                                          const Context& context) const;
  [[nodiscard]] bool can_verify() const override { return true; }

  /// Runs the method on rows that are scaled already.
  [[nodiscard]] virtual Clustering run(const Dataset& rows,
                                       const OptionTexts& options,
                                       const Context& context) const = 0;
  /// Does a run with these options of its own record a trace?
  [[nodiscard]] virtual bool records_steps(const OptionTexts& own) const = 0;
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
                                         const ModelDocument& model,
                                         const Context& context) const = 0;
  /// Its dual objective, recomputed too; empty: it has none, or none that a model can tell.
  [[nodiscard]] virtual std::optional<double> dual(const ModelDocument& model) const = 0;
  /// How far that may be off by rounding beyond its own digits, where it is a difference of larger
  /// numbers. Computed anew: what a file says of its own rounding proves nothing.
  [[nodiscard]] virtual double doubt(const Dataset& rows,
                                     const ModelDocument& model,
                                     double objective) const = 0;
  /// The bound that `objective` proved with the model's certificate; empty: there was none.
  [[nodiscard]] virtual std::optional<double> proved_bound(const ModelDocument& model) const = 0;
  /// Are bounds proved at all? Others are what a run said.
  [[nodiscard]] virtual bool proves_bounds() const = 0;
  [[nodiscard]] virtual ClusterAnswer answer(const ModelDocument& model,
                                             const Dataset& rows,
                                             const Context& context) const = 0;
  /// Of the rows the model was trained on.
  [[nodiscard]] virtual std::vector<std::int32_t> training_labels(const ModelDocument& model,
                                                                  const Dataset& rows,
                                                                  const Context& context) const = 0;

 private:
  [[nodiscard]] Recomputed recompute(const Dataset& rows,
                                     std::span<const std::int32_t> labels,
                                     const ModelDocument& model,
                                     const Context& context) const;
};

/// Options in the context of the run.
template <class O>
[[nodiscard]] O in_context(O options, const Context& context) {
  options.context = context;
  return options;
}

/// The functions of a method whose options are O.
template <DescribesOptions O>
struct ClusterFunctions {
  Clustering (*run)(const Dataset& rows, const O& options, const Context& context) = nullptr;
  /// Recomputes the objective of `labels` from the model with code the method does not share. Asks
  /// whether it goes on (core/recomputation.hpp).
  double (*objective)(const Dataset& rows,
                      std::span<const std::int32_t> labels,
                      const ModelDocument& model,
                      const Context& context) = nullptr;
  /// Number of features of a model, and its answer for new rows.
  std::size_t (*features)(const ModelDocument& model) = nullptr;
  ClusterAnswer (*answer)(const ModelDocument& model,
                          const Dataset& rows,
                          const Context& context) = nullptr;
  /// Left out: it has none.
  Examples (*support_vectors)(const ModelDocument& model) = nullptr;
  /// The clusters of the training rows as the model keeps them; left out, or none: what it answers
  /// for them.
  std::vector<std::int32_t> (*training_labels)(const ModelDocument& model) = nullptr;
  /// Does a run record a trace? Left out: never.
  bool (*records_steps)(const O& options) = nullptr;
  /// Recomputes the dual objective; left out: it has none, or none that a model can tell.
  double (*dual)(const ModelDocument& model) = nullptr;
  /// As ClusterLearner::doubt; left out: the objective is exact to its digits.
  double (*doubt)(const Dataset& rows, const ModelDocument& model, double objective) = nullptr;
  /// As ClusterLearner::proved_bound; left out: bounds are not proved.
  std::optional<double> (*proved_bound)(const ModelDocument& model) = nullptr;
  /// Is the option `tolerance` a relative gap? Others (the residual of an eigenvector) are no
  /// measure of how far an answer may be from its bound.
  bool tolerance_is_gap = true;
};

/// Of methods that record every run.
template <DescribesOptions O>
[[nodiscard]] bool always_records(const O& /*options*/) {
  return true;
}

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
    settle(found.report);
    const ReportFields no_gap = {};
    const ReportFields& decide = functions_.tolerance_is_gap ? found.used : no_gap;
    settle_status(info(), decide, found.report, found.objects, found.tables);
    return found;
  }
  [[nodiscard]] std::optional<Examples> support_vectors(const Model& model) const override {
    if (functions_.support_vectors == nullptr) return std::nullopt;
    return functions_.support_vectors(model.document());
  }
  [[nodiscard]] bool records_steps(const OptionTexts& own) const override {
    return functions_.records_steps != nullptr && functions_.records_steps(read(own));
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
                                 const ModelDocument& model,
                                 const Context& context) const override {
    return functions_.objective(rows, labels, model, context);
  }
  [[nodiscard]] std::optional<double> dual(const ModelDocument& model) const override {
    if (functions_.dual == nullptr) return std::nullopt;
    return functions_.dual(model);
  }
  [[nodiscard]] double doubt(const Dataset& rows,
                             const ModelDocument& model,
                             double objective) const override {
    return functions_.doubt == nullptr ? 0 : functions_.doubt(rows, model, objective);
  }
  [[nodiscard]] std::optional<double> proved_bound(const ModelDocument& model) const override {
    return functions_.proved_bound == nullptr ? std::nullopt : functions_.proved_bound(model);
  }
  [[nodiscard]] bool proves_bounds() const override { return functions_.proved_bound != nullptr; }
  [[nodiscard]] ClusterAnswer answer(const ModelDocument& model,
                                     const Dataset& rows,
                                     const Context& context) const override {
    return functions_.answer(model, rows, context);
  }
  [[nodiscard]] std::vector<std::int32_t> training_labels(const ModelDocument& model,
                                                          const Dataset& rows,
                                                          const Context& context) const override {
    std::vector<std::int32_t> kept;
    if (functions_.training_labels != nullptr) kept = functions_.training_labels(model);
    return kept.empty() ? functions_.answer(model, rows, context).clusters : kept;
  }

 private:
  [[nodiscard]] O read(const OptionTexts& options) const {
    O own = defaults_;
    set_options(own, options, "the method " + std::string(info().name));
    validate(own);
    return own;
  }
  static void put(ReportFields& fields, const std::string& key, ReportValue value) {
    const auto at = std::ranges::find(fields, key, &ReportFields::value_type::first);
    if (std::holds_alternative<std::monostate>(value)) {
      if (at != fields.end()) fields.erase(at);
    } else if (at != fields.end()) {
      at->second = std::move(value);
    } else {
      fields.emplace_back(key, std::move(value));
    }
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
