// SPDX-License-Identifier: Apache-2.0
#include "learner/structured/hmm_machine.hpp"

#include <cmath>
#include <vector>

#include "core/recomputation.hpp"
#include "io/model/hmm_file.hpp"
#include "io/model/machine_file_parts.hpp"
#include "structured/gaussian_parts.hpp"
#include "structured/hmm_fit.hpp"
#include "structured/hmm_logs.hpp"

namespace maxmargin::learning {

HmmMachine HmmMachine::in(const ModelDocument& document) {
  if (is_gaussian_hmm(document)) return HmmMachine(gaussian_hmm_of(document));
  return HmmMachine(hmm_of(document));
}

void HmmMachine::store(ModelDocument& document) const {
  if (const Hmm* const model = symbols()) {
    add_hmm(document, *model);
  } else {
    add_gaussian_hmm(document, vectors());
  }
}

HmmKind HmmMachine::kind() const {
  return symbols() != nullptr ? HmmKind::discrete : HmmKind::gaussian;
}

std::size_t HmmMachine::features() const {
  const Hmm* const model = symbols();
  return model != nullptr ? model->symbols() : vectors().features();
}

HmmChain HmmMachine::chain() const {
  return std::visit(
      [](const auto& model) {
        return HmmChain{.start = model.start, .transitions = model.transitions, .end = model.end};
      },
      model_);
}

std::unique_ptr<HmmEmissions> HmmMachine::emissions(const HmmData& data) const {
  if (const Hmm* const model = symbols()) {
    return std::make_unique<HmmSymbols>(data.symbols, model->emissions);
  }
  const GaussianHmm& model = vectors();
  const FeatureUnits units = units_of(model);
  auto made =
      std::make_unique<HmmVectors>(data.vectors, units, model.states(), model.covariance, 0.0);
  made->set_parameters(parameters_in(model, units));
  return made;
}

std::size_t HmmMachine::parameters() const {
  const HmmChain own = chain();
  const std::size_t chained = own.start.size() + own.transitions.values().size() + own.end.size();
  if (const Hmm* const model = symbols()) return chained + model->emissions.values().size();
  return chained + vectors().means.values().size() + vectors().covariances.values().size();
}

double HmmMachine::count_objective(const HmmData& data, double smoothing) const {
  if (const Hmm* const model = symbols()) {
    return hmm_count_objective(*model, data.symbols, data.labels, smoothing);
  }
  return gaussian_count_objective(vectors(), data.vectors, data.labels, smoothing);
}

DenseMatrix HmmMachine::logs(const HmmData& data, std::size_t sequence) const {
  if (symbols() == nullptr) return gaussian_log_densities(vectors(), data.vectors[sequence]);
  const DenseMatrix& emissions = symbols()->emissions;
  const SymbolSequence& x = data.symbols[sequence];
  DenseMatrix nodes(x.size(), emissions.rows(), 0.0);
  for (std::size_t t = 0; t < x.size(); ++t) {
    if (x[t] >= emissions.cols()) continue;
    for (std::size_t j = 0; j < emissions.rows(); ++j) nodes(t, j) = std::log(emissions(j, x[t]));
  }
  return nodes;
}

double HmmMachine::log_likelihood(const HmmData& data,
                                  bool with_labels,
                                  const Context& context) const {
  const LabelChain logs_of_chain = log_chain(chain());
  std::vector<double> each(data.size());
  verify_chunks(context, each.size(), [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      DenseMatrix nodes = logs(data, i);
      if (with_labels && !data.labels.empty()) forbid_others(data.labels[i], nodes);
      each[i] = logs_of_chain.log_sum(nodes.view());
    }
  });
  double sum = 0;
  for (const double one : each) sum += one;
  return sum;
}

double HmmMachine::log_prior(double smoothing) const {
  if (const Hmm* const model = symbols()) return hmm_log_prior(*model, smoothing);
  return smoothing == 0 ? 0 : smoothing * sum_of_logs(chain());
}

StoredHmm stored_hmm(const ModelDocument& document) {
  StoredHmm stored{.names = names_in(document), .machine = HmmMachine::in(document)};
  const auto& [names, machine] = stored;
  demand(names.states.size() == machine.chain().start.size(),
         document,
         "labels",
         "are not as many as the states");
  demand(names.kind == machine.kind(), document, "emission_kind", "is not that of the tables");
  demand(names.features == machine.features(),
         document,
         "features",
         "are not as many as the tables have");
  return stored;
}

}  // namespace maxmargin::learning
