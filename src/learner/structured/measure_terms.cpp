// SPDX-License-Identifier: Apache-2.0
#include "learner/structured/measure_terms.hpp"

#include <array>

namespace maxmargin::learning {

namespace {

constexpr std::array<std::string_view, 1> trees = {"taxonomy"};
constexpr std::array<std::string_view, 1> costs = {"cost-matrix"};
constexpr std::array<std::string_view, 1> grades = {"relevant-from"};
constexpr std::array<std::string_view, 1> places = {"k"};
constexpr std::array<std::string_view, 2> both = {"k", "relevant-from"};

}  // namespace

std::span<const std::string_view> measure_terms(std::string_view learner,
                                                std::string_view measure) {
  if (learner == "multiclass") {
    if (measure == "tree_loss") return trees;
    if (measure == "mean_cost") return costs;
  }
  if (learner == "rank") {
    if (measure == "ndcg_at") return places;
    if (measure == "precision_at" || measure == "recall_at") return both;
    // NDCG takes the grades themselves; all others ask which rows are relevant.
    return grades;
  }
  return {};
}

}  // namespace maxmargin::learning
