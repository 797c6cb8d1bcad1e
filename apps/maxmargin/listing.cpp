// SPDX-License-Identifier: Apache-2.0
#include "listing.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "learners.hpp"
#include "maxmargin/io/table/builtin.hpp"
#include "maxmargin/metric/registry.hpp"
#include "registry.hpp"
#include "structured_learners.hpp"
#include "terminal.hpp"

namespace maxmargin::tool {

namespace {

using Rows = std::vector<std::pair<std::string, std::string>>;

std::string section(const std::string& title, const Rows& rows) {
  Rows indented;
  for (const auto& [name, text] : rows) indented.emplace_back("  " + name, text);
  return title + ":\n" + table(indented);
}

std::string methods() {
  Rows rows;
  for (const ClusterMethod& method : cluster_methods())
    rows.emplace_back(method.name, method.summary);
  return section("Methods", rows);
}

std::string learner_list(bool with_structured) {
  Rows rows;
  for (const LearnerSpec* learner : learners()) rows.emplace_back(learner->name, learner->summary);
  if (with_structured) {
    for (const StructuredLearnerSpec& learner : structured_learners()) {
      rows.emplace_back(learner.name, learner.summary);
    }
  }
  return section("Learners", rows);
}

std::string metrics() {
  Rows rows;
  for (const Metric& metric : all_metrics()) rows.emplace_back(metric.name, metric.description);
  return section("Metrics", rows);
}

std::string libsvm_options() {
  return section("With --libsvm: [options] training_set_file [model_file]",
                 {{"-s 0..4", "C-SVC, nu-SVC, one-class, epsilon-SVR, nu-SVR"},
                  {"-t 0..4", "linear, poly, rbf, sigmoid, precomputed"},
                  {"-d -g -r", "degree, gamma (1/features), coef0"},
                  {"-c -n -p", "C, nu, epsilon of the tube"},
                  {"-e EPS", "stop at this violation of the KKT conditions (0.001)"},
                  {"-b 0|1", "probabilities, for classes"},
                  {"-h 0|1", "shrinking"},
                  {"-m MB", "memory for kernel rows (half of the machine's)"},
                  {"-wLABEL X", "C of this class times X"},
                  {"-v K", "print the cross-validated accuracy, write no model"},
                  {"-q", "print nothing"}});
}

std::string builtin_data() {
  Rows rows;
  for (const BuiltinInfo& set : builtin_list())
    rows.emplace_back("builtin:" + set.name, set.summary);
  return section("Built-in data (parameters: docs/guide/builtin-data.md)", rows);
}

}  // namespace

std::string listing_for(std::string_view command) {
  if (command == "train")
    return learner_list(true) + "\n" + libsvm_options() + "\n" + metrics() + "\n" + builtin_data();
  if (command == "tune") return learner_list(false) + "\n" + metrics();
  if (command == "cluster") return methods() + "\n" + builtin_data();
  if (command == "eval") return metrics();
  if (command == "info" || command == "convert") return builtin_data();
  return {};
}

}  // namespace maxmargin::tool
