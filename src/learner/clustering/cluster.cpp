// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/learner/cluster.hpp"

#include <string>

#include "learner/clustering/clustering.hpp"
#include "learner/clustering/request.hpp"
#include "learner/data_memory.hpp"
#include "maxmargin/core/error.hpp"

namespace maxmargin {

namespace {

const learning::ClusterLearner& clustering_by(const Learner& learner) {
  if (const auto* method = dynamic_cast<const learning::ClusterLearner*>(&learner)) return *method;
  throw InvalidArgument("the learner " + std::string(learner.info().name) + " does not cluster");
}

}  // namespace

void ClusterChecks::describe(OptionVisitor& visit) {
  visit.yes_no(
      {.name = "validate", .help = "add stability and the errors of a machine on the clusters"},
      validate);
  visit.yes_no({.name = "verify",
                .help = "recompute the objective from model and data, hold it to the bound"},
               verify);
}

Training cluster(const Learner& method,
                 const LearnerData& data,
                 const TrainingRequest& request,
                 const ClusterChecks& checks) {
  const learning::ClusterLearner& clustering = clustering_by(method);
  return learning::beside_data(data, request, [&](const TrainingRequest& own) {
    return clustering.train_and_check(data, own, checks);
  });
}

const Learner& usual_clustering() { return learner("kmeans"); }

Training cluster(const TableData& data, std::size_t k, const Context& context) {
  return usual_clustering().train(
      data,
      {.options = {{std::string(learning::cluster_count_name), std::to_string(k)}},
       .context = context});
}

ClusterRecords records_of(const Learner& method, const OptionTexts& options) {
  const learning::ClusterLearner& clustering = clustering_by(method);
  const learning::ClusterRequest request = learning::read_request(clustering, options);
  constexpr std::size_t any_number = 2;
  const OptionTexts own = request.chooses_clusters
                              ? learning::with_cluster_count(request.own, any_number)
                              : request.own;
  const bool steps = clustering.records_steps(own);
  return {.steps = steps, .table = steps || request.chooses_clusters};
}

}  // namespace maxmargin
