// SPDX-License-Identifier: Apache-2.0
// Trains a support vector machine, shows its certificate, and checks it with other code.
#include <iostream>

#include <maxmargin/maxmargin.hpp>

namespace mm = maxmargin;

int main() {
  const mm::Dataset data = mm::iris();
  const auto fit = mm::train_svc(data, {.c = 1.5, .kernel = mm::Rbf{.gamma = 0.125}});
  std::cout << "status " << mm::to_string(fit.report.status) << ", objective "
            << *fit.report.primal_objective << ", at most " << *fit.report.gap()
            << " above the best possible\n";

  // By name, the same options give a model that can be saved and verified.
  const mm::Training kept = mm::train("svc", data, {{"C", 1.5}, {"gamma", 0.125}});
  const mm::Verification checked = mm::verify(*kept.model, data);
  std::cout << "recomputed: " << *checked.primal << " and " << *checked.dual << '\n';

  const std::vector<mm::Label> answers = fit.model.predict(data);
  std::cout << "the first flower is " << answers.front().text() << '\n';
  return fit.report.status == mm::Status::solved ? 0 : 1;
}
