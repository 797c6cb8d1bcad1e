// SPDX-License-Identifier: Apache-2.0
// Learners by name: lists them, asks one for its options, trains, saves and loads.
#include <iostream>

#include <maxmargin/data/iris.hpp>
#include <maxmargin/learner/learner.hpp>

namespace mm = maxmargin;

int main() {
  for (const mm::Learner* each : mm::learners()) {
    std::cout << each->info().name << ": " << each->info().summary << '\n';
  }
  for (const mm::OptionDescription& option : mm::learner("svc").options()) {
    std::cout << option.name << " [" << option.fallback << "] " << option.help << '\n';
  }

  const mm::Training trained = mm::train("svc", mm::iris(), {{"C", 10}, {"kernel", "linear"}});
  std::cout << "relative gap " << *trained.report.solve.relative_gap() << '\n';
  mm::save_model(*trained.model, "by_name.mm");
  const mm::Model model = mm::load_model("by_name.mm");
  std::cout << mm::predict(model, mm::iris()).labels.front().text() << '\n';
}
