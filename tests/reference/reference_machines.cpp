// SPDX-License-Identifier: Apache-2.0
#include "reference_machines.hpp"

#include <map>
#include <string_view>
#include <utility>
#include <variant>

#include "judges.hpp"
#include "learner/supervised/model_document.hpp"

namespace maxmargin::reference {

namespace {

using Judge = std::optional<Verdict> (*)(const Given&);
const std::map<std::string_view, Judge> judges = {{"svc", judge_svc},
                                                  {"linear-svc", judge_linear_svc},
                                                  {"centroid-svc", judge_centroid_svc},
                                                  {"svr", judge_svr},
                                                  {"linear-svr", judge_linear_svr},
                                                  {"one-class", judge_one_class},
                                                  {"svdd", judge_svdd},
                                                  {"nu-svr", judge_nu_svr},
                                                  {"nu-svc", judge_nu_svc},
                                                  {"cs-svc", judge_cs_svc},
                                                  {"lp-svc", judge_lp_svc},
                                                  {"loo-svc", judge_loo_svc},
                                                  {"ramp-svc", judge_ramp_svc},
                                                  {"linear-ramp-svc", judge_linear_ramp_svc},
                                                  {"trimmed-svc", judge_trimmed_svc},
                                                  {"robust-svc", judge_robust_svc},
                                                  {"outlier-svc", judge_outlier_svc}};

}  // namespace

std::optional<Verdict> judge(const Model& model, const Dataset& data) {
  const LearnerInfo& info = model.learner().info();
  const auto found = judges.find(info.name);
  if (found == judges.end()) return std::nullopt;
  const Machine& machine = learning::machine_of(model, info.task);
  const DecisionFunction& functions = functions_of(machine);
  std::optional<Matrix> gram = gram_of(data, functions);
  if (!gram) return std::nullopt;
  Given given{.data = data, .options = Options(model.header()), .gram = std::move(*gram)};
  const bool direct = info.name == "cs-svc";
  given.weights.assign(data.size(), 1);
  if (!data.weights.empty()) given.weights.assign(data.weights.begin(), data.weights.end());
  if (info.task == Task::classify) {
    const Classes classes = classes_of(data.labels);
    if (classes.count() != 2 && !direct) return std::nullopt;
    for (const std::int32_t c : classes.of_row) {
      given.signs.push_back(direct ? static_cast<Number>(c) : static_cast<Number>(2 * c - 1));
    }
  } else if (info.task == Task::regress) {
    for (const double target : data.labels.numbers()) given.targets.push_back(target);
  }
  const std::size_t count =
      std::visit([](const auto& each) { return each.offsets.size(); }, functions);
  for (std::size_t f = 0; f < count; ++f) {
    given.functions.push_back(function_of(functions, f, data, given.gram));
  }
  if (count != 1 && !direct) return std::nullopt;
  std::optional<Verdict> verdict = found->second(given);
  if (verdict) verdict->rounding = rounding_of(given, functions);
  return verdict;
}

}  // namespace maxmargin::reference
