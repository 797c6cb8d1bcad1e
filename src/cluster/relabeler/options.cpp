// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "core/cluster_count.hpp"
#include "core/conditional_options.hpp"
#include "core/own_values.hpp"
#include "maxmargin/cluster/relabeler/relabeler.hpp"
#include "model/describe.hpp"

namespace maxmargin {

namespace {

/// The flag that asks for annealing.
class AnnealValue final : public OptionValue {
 public:
  explicit AnnealValue(RelabelerSearch& search) : search_(search) {}
  [[nodiscard]] OptionKind kind() const override { return OptionKind::yes_no; }
  [[nodiscard]] std::string rule() const override { return "true or false"; }
  [[nodiscard]] bool set(std::string_view text) override {
    if (text != "true" && text != "false") return false;
    if (text == "true") {
      search_ = RelabelerSearch::annealing;
    } else if (search_ == RelabelerSearch::annealing) {
      search_ = RelabelerSearch::restarts;
    }
    return true;
  }
  [[nodiscard]] bool holds() const override { return true; }
  [[nodiscard]] OptionScalar scalar() const override {
    return search_ == RelabelerSearch::annealing;
  }

 private:
  RelabelerSearch& search_;
};

/// A perturbation, which asks for a chain where there is none.
class PerturbationValue final : public OptionValue, public RawNumber {
 public:
  PerturbationValue(OptionValue& value, RelabelerSearch& search) : value_(value), search_(search) {}
  [[nodiscard]] OptionKind kind() const override { return value_.kind(); }
  [[nodiscard]] std::string rule() const override { return value_.rule(); }
  [[nodiscard]] std::optional<NumberRange> range() const override { return value_.range(); }
  [[nodiscard]] bool set(std::string_view text) override {
    if (!value_.set(text)) return false;
    if (search_ == RelabelerSearch::restarts) search_ = RelabelerSearch::climbing;
    return true;
  }
  [[nodiscard]] bool assign(double number) override { return assign_raw(value_, number); }
  [[nodiscard]] bool holds() const override { return value_.holds(); }
  [[nodiscard]] OptionScalar scalar() const override {
    // A value that breaks its rule is named by the message.
    const bool is_shown = search_ != RelabelerSearch::restarts || !value_.holds();
    return is_shown ? value_.scalar() : OptionScalar{};
  }
  [[nodiscard]] std::vector<std::string_view> names() const override { return value_.names(); }

 private:
  OptionValue& value_;
  RelabelerSearch& search_;
};

class PerturbationOptions final : public OptionVisitor {
 public:
  PerturbationOptions(OptionVisitor& visit, RelabelerSearch& search)
      : visit_(visit), search_(search) {}
  void option(const OptionHelp& help, OptionValue& value) override {
    PerturbationValue perturbation(value, search_);
    const std::string fallback = text_of(value.scalar());
    OptionHelp with_default = help;
    with_default.fallback = fallback;
    visit_.option(with_default, perturbation);
  }

 private:
  OptionVisitor& visit_;
  RelabelerSearch& search_;
};

}  // namespace

void RelabelerMachineOptions::describe(OptionVisitor& visit) {
  visit.name({.name = "engine", .help = "the machine that corrects labels"}, engine);
  const bool has_nu = engine == RelabelerEngine::nu_svm;
  ConditionalOptions of_c(visit, !has_nu, "the engine nu-svc takes --nu in its place");
  describe_cost(of_c, c);
  ConditionalOptions of_nu(visit, has_nu, "the engine svc takes -C in its place");
  of_nu.number({.name = "nu",
                .help = "share of margin errors; every cluster keeps half of it at least",
                .value = "SHARE"},
               nu,
               rules::share_above_zero);
  visit.number(
      {.name = "tolerance", .help = "relative duality gap at which a fit stops", .value = "GAP"},
      tolerance,
      rules::share_inside);
}

void RelabelerSearchOptions::describe(OptionVisitor& visit) {
  AnnealValue anneal(kind);
  visit.option({.name = "anneal", .help = "chains of runs by simulated annealing"}, anneal);
  PerturbationOptions perturbations(visit, kind);
  perturbations.number({.name = "perturb",
                        .help = "chains that move labels with this probability and run again",
                        .value = "P"},
                       perturb,
                       rules::share);
  perturbations.name({.name = "perturb-law",
                      .help = "constant, or stall: p + 0.05 for every run without a change, to 0.5",
                      .value = "LAW"},
                     perturb_law);
  ConditionalOptions of_chain(
      visit, kind != RelabelerSearch::restarts, "needs --anneal or --perturb");
  of_chain.whole({.name = "anneal-steps", .help = "runs of a chain after its first"},
                 anneal_steps,
                 {.least = 1});
  ConditionalOptions of_annealing(visit, kind == RelabelerSearch::annealing, "needs --anneal");
  of_annealing.number({.name = "temperature",
                       .help = "of the first step of --anneal; higher ones accept worse labels",
                       .value = "T"},
                      temperature,
                      rules::positive);
  of_annealing.number({.name = "cooling",
                       .help = "factor of the temperature at each step; smaller cools faster",
                       .value = "RATE"},
                      cooling,
                      rules::share_inside);
  of_annealing.name({.name = "cooling-schedule", .help = "how the temperature falls"}, schedule);
  visit.rule(!target || !std::isnan(*target), "the sum of squares to stop at is not a number");
}

void RelabelerOptions::describe(OptionVisitor& visit) {
  describe_cluster_count(visit, k);
  machine.describe(visit);
  visit.name({.name = "multiclass",
              .help = "more than two clusters: split again and again, or one machine for all",
              .value = "KIND"},
             multiclass);
  const bool direct = multiclass == RelabelerMulticlass::direct;
  visit.rule(!direct || machine.engine == RelabelerEngine::c_svm,
             "--multiclass direct: the engine must be svc");
  visit.rule(!direct || !machine.indefinite,
             "--multiclass direct: needs a positive semidefinite kernel");
  visit.number({.name = "relabel-fraction",
                .help = "share of a class's misclassified points that a step moves, the worst",
                .value = "SHARE"},
               relabel_fraction,
               rules::share_above_zero);
  visit.whole(
      {.name = "min-cluster", .help = "reject runs that end with fewer points in a cluster"},
      min_cluster,
      {.least = 1});
  visit.number({.name = "p-value",
                .help = "reject runs as good by chance with more than this probability",
                .value = "P",
                .fallback = "none"},
               p_value,
               rules::share_above_zero);
  visit.rule(!p_value || labellings > 0, "--p-value: needs random labellings, there are none");
  search.describe(visit);
  describe_restarts(visit, restarts, max_iterations);
  visit.threads(context.threads);
}

}  // namespace maxmargin
