// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/eval/cluster_projections.hpp"

#include "maxmargin/core/options.hpp"
#include "maxmargin/model/kernel/svc.hpp"

namespace maxmargin {

void ClusterMachine::describe(OptionVisitor& visit) {
  visit.number(
      {.name = "C", .help = "weight of the losses; larger fits the groups closer", .alias = "c"},
      c,
      rules::positive_or_infinite);
  kernel.describe(visit);
  visit.yes_no(
      {.name = "allow-indefinite", .help = "accept a kernel that is not positive semidefinite"},
      allow_indefinite);
}

ClusterProjections cluster_projections(const Dataset& data,
                                       std::span<const std::int32_t> clusters,
                                       const ClusterMachine& machine,
                                       const Context& context) {
  validate(machine);
  Dataset grouped{.examples = data.examples, .source = data.source};
  grouped.labels = LabelColumn::from_numbers({clusters.begin(), clusters.end()});
  const Classifier model =
      train_svc(grouped,
                {.c = machine.c,
                 .kernel = machine.kernel.resolved(grouped.examples, {.context = context}),
                 .multiclass = MulticlassKind::one_vs_rest,
                 .allow_indefinite = machine.allow_indefinite,
                 .control = {.context = {.threads = context.threads}}})
          .model;
  ClusterProjections found{
      .values = decision_values(model.functions,
                                grouped.examples,
                                {.context = context, .precision = ValuePrecision::exact})};
  for (const Label& name : model.classes) {
    found.clusters.push_back(static_cast<std::int32_t>(name.number()));
  }
  return found;
}

}  // namespace maxmargin
