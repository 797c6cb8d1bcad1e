// SPDX-License-Identifier: Apache-2.0
#include "learners.hpp"

#include <algorithm>

#include "option_names.hpp"
#include "option_table.hpp"
#include "structured_learners.hpp"

namespace maxmargin::tool {

std::string_view to_string(TaskKind kind) noexcept {
  switch (kind) {
    case TaskKind::classification:
      return "classification";
    case TaskKind::regression:
      return "regression";
    case TaskKind::one_class:
      return "one-class";
  }
  return "unknown";
}

bool LearnerSpec::takes(std::string_view option) const {
  return std::ranges::find(options, option) != options.end();
}

std::vector<const LearnerSpec*> learners() {
  std::vector<const LearnerSpec*> all;
  for (const auto family : {kernel_classifiers(),
                            linear_learners(),
                            kernel_functions(),
                            robust_learners(),
                            relaxed_learners(),
                            s3vm_learners(),
                            semi_supervised_learners(),
                            baseline_learners()}) {
    for (const LearnerSpec& learner : family) all.push_back(&learner);
  }
  return all;
}

const LearnerSpec* learner_named(std::string_view name) {
  for (const LearnerSpec* learner : learners()) {
    if (learner->name == name) return learner;
  }
  return nullptr;
}

namespace {

/// An option that only some learners take was given to one that does not.
void refuse_foreign_options(const LearnerSpec& learner, const Arguments& arguments) {
  const auto refuse = [&](std::string_view option) {
    if (!arguments.has(option) || learner.takes(option)) return;
    throw UsageError(main_flag(option) + ": the learner " + std::string(learner.name) +
                     " does not take it");
  };
  for (const LearnerSpec* other : learners()) {
    for (const std::string_view option : other->options) refuse(option);
  }
  // Options of structured learners that some of the others take, too, are in their lists.
  for (const std::string_view option : structured_options) refuse(option);
  for (const std::string_view option : alignment_options) refuse(option);
}

}  // namespace

const LearnerSpec& find_learner(const Arguments& arguments) {
  const std::optional<std::string> name = arguments.text("learner");
  if (!name) throw UsageError("--learner: the name of the learner is missing");
  std::vector<std::string> names;
  for (const LearnerSpec* learner : learners()) names.emplace_back(learner->name);
  for (const StructuredLearnerSpec& learner : structured_learners()) {
    names.emplace_back(learner.name);
  }
  require_choice("learner", *name, names);
  if (structured_learner_named(*name) != nullptr) {
    throw UsageError("--learner " + *name + ": belongs to train");
  }
  const LearnerSpec& named = *learner_named(*name);
  refuse_foreign_options(named, arguments);
  const bool direct = arguments.text("multiclass") == "direct";
  if (!direct || (named.name != "svc" && named.name != "linear-svc")) return named;
  const LearnerSpec& learner = *learner_named("cs-svc");
  refuse_foreign_options(learner, arguments);
  return learner;
}

}  // namespace maxmargin::tool
