// SPDX-License-Identifier: Apache-2.0
//
// The options of maximum-margin clustering.
#include "cluster/mmc/describe.hpp"

#include <cstdint>
#include <string>
#include <string_view>

#include "core/cluster_count.hpp"
#include "core/own_values.hpp"
#include "maxmargin/cluster/mmc/alternating.hpp"
#include "maxmargin/cluster/mmc/cutting_plane.hpp"
#include "maxmargin/cluster/mmc/mmc.hpp"
#include "maxmargin/cluster/mmc/multiclass.hpp"
#include "maxmargin/core/number.hpp"
#include "model/describe.hpp"

namespace maxmargin {

namespace {

constexpr std::string_view landmarks_prefix = "nystroem:";
constexpr std::int64_t most_landmarks = 1'000'000'000;

/// nystroem:M.
class LandmarksValue final : public OptionValue {
 public:
  explicit LandmarksValue(std::optional<std::size_t>& landmarks) : landmarks_(landmarks) {}
  [[nodiscard]] OptionKind kind() const override { return OptionKind::text; }
  [[nodiscard]] std::string rule() const override {
    return "nystroem:M with a whole number M >= 1";
  }
  [[nodiscard]] bool set(std::string_view text) override {
    if (!text.starts_with(landmarks_prefix)) return false;
    const std::optional<std::uint64_t> count = parse_whole(text.substr(landmarks_prefix.size()));
    if (!count || *count < 1 || *count > most_landmarks) return false;
    landmarks_ = static_cast<std::size_t>(*count);
    return true;
  }
  [[nodiscard]] bool holds() const override { return !landmarks_ || *landmarks_ >= 1; }
  [[nodiscard]] OptionScalar scalar() const override {
    if (!landmarks_) return {};
    return std::string(landmarks_prefix) + std::to_string(*landmarks_);
  }

 private:
  std::optional<std::size_t>& landmarks_;
};

/// none or relaxation.
class BoundValue final : public detail::NameChoice {
 public:
  explicit BoundValue(bool& relaxation)
      : NameChoice({"none", "relaxation"}), relaxation_(relaxation) {}
  [[nodiscard]] bool set(std::string_view text) override {
    if (text != "none" && text != "relaxation") return false;
    relaxation_ = text == "relaxation";
    return true;
  }
  [[nodiscard]] bool holds() const override { return true; }
  [[nodiscard]] OptionScalar scalar() const override {
    return std::string(relaxation_ ? "relaxation" : "none");
  }

 private:
  bool& relaxation_;
};

void two_clusters(OptionVisitor& visit, std::size_t k, std::string_view why) {
  visit.rule(k == 2, "-k " + std::to_string(k) + ": " + std::string(why));
}

}  // namespace

void describe_margin(OptionVisitor& visit, double& c, std::optional<double>& balance) {
  describe_cost(visit, c);
  visit.number({.name = "balance",
                .help = "how far cluster sizes may be from equal; none: any sizes but 0",
                .value = "SHARE|none"},
               balance,
               rules::share_below_one,
               "none");
}

void describe_gap(OptionVisitor& visit, double& tolerance) {
  visit.number(
      {.name = "tolerance", .help = "relative duality gap at which a solve stops", .value = "GAP"},
      tolerance,
      rules::share_inside);
}

void describe_landmarks(OptionVisitor& visit, std::optional<std::size_t>& landmarks) {
  LandmarksValue value(landmarks);
  visit.option({.name = "features",
                .help = "nystroem:M: M features in place of the kernel; more are nearer to it",
                .value = "NAME"},
               value);
}

void describe_anchors(OptionVisitor& visit, std::optional<std::size_t>& anchors) {
  visit.whole(
      {.name = "anchors",
       .help = "points told apart for a better bound on three or more clusters; more cost more",
       .fallback = "the smaller of k and 4"},
      anchors,
      {.most = most_anchors});
}

void MmcOptions::describe(OptionVisitor& visit) {
  describe_cluster_count(visit, k);
  two_clusters(visit, k, "must be 2");
  describe_margin(visit, c, balance);
  visit.name({.name = "balance-form",
              .help = "how the relaxation has the balance: total, or rows as published"},
             balance_form,
             {LabelBalance::total, LabelBalance::rows});
  describe_bias(visit, bias);
  describe_gap(visit, tolerance);
  describe_restarts(visit, restarts, max_iterations);
  visit.threads(context.threads);
}

void MulticlassMmcOptions::describe(OptionVisitor& visit) {
  describe_cluster_count(visit, k);
  visit.rule(k >= 2, "-k " + std::to_string(k) + ": must be at least 2");
  describe_margin(visit, c, balance);
  describe_bias(visit, bias);
  describe_gap(visit, tolerance);
  describe_restarts(visit, restarts, max_iterations);
  describe_anchors(visit, anchors);
  visit.threads(context.threads);
}

void MmcAlternatingOptions::describe(OptionVisitor& visit) {
  describe_cluster_count(visit, k);
  visit.rule(k >= 2, "-k " + std::to_string(k) + ": the margin needs two clusters or more");
  describe_margin(visit, c, balance);
  describe_bias(visit, bias);
  visit.name({.name = "steps", .help = "relabel, or sdp: relaxed labels first, two clusters alone"},
             steps);
  const std::string not_two = ": only for two clusters, not -k " + std::to_string(k);
  visit.rule(steps == MmcSteps::relabel || k == 2, "--steps sdp" + not_two);
  describe_landmarks(visit, landmarks);
  BoundValue bound(relaxation);
  visit.option(
      {.name = "bound", .help = "none, or relaxation: bound all labellings, two clusters alone"},
      bound);
  visit.rule(!relaxation || k == 2, "--bound relaxation" + not_two);
  describe_gap(visit, tolerance);
  describe_restarts(visit, restarts, max_iterations);
  visit.threads(context.threads);
}

void MmcCuttingPlaneOptions::describe(OptionVisitor& visit) {
  describe_cluster_count(visit, k);
  two_clusters(visit, k, "the method mmc-cutting-plane makes two clusters");
  describe_margin(visit, c, balance);
  describe_bias(visit, bias);
  describe_gap(visit, tolerance);
  describe_restarts(visit, restarts, max_iterations);
  visit.threads(context.threads);
}

}  // namespace maxmargin
