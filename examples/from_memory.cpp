// SPDX-License-Identifier: Apache-2.0
// Rows from memory, a kernel put together from others, one that was computed elsewhere, and rows
// that stay where they are.
#include <iostream>
#include <memory>
#include <utility>
#include <vector>

#include <maxmargin/data/dataset.hpp>
#include <maxmargin/kernel/combine.hpp>
#include <maxmargin/learner/learner.hpp>
#include <maxmargin/model/kernel/svc.hpp>

namespace mm = maxmargin;

int main() {
  mm::Dataset data;
  mm::DenseMatrix rows(4, 2);
  for (std::size_t i = 0; i < 4; ++i) {
    rows(i, 0) = static_cast<double>(i);
    rows(i, 1) = 1;
  }
  data.examples = std::move(rows);
  data.labels = mm::LabelColumn::from_numbers({-1, -1, 1, 1});

  const mm::Kernel kernel = mm::sum_of(mm::Linear{}, mm::scaled(mm::Rbf{.gamma = 0.5}, 2));
  const auto fit = mm::train_svc(data, {.c = 10, .kernel = kernel});
  std::cout << "relative gap " << *fit.report.relative_gap() << '\n';

  mm::DenseMatrix values(4, 4);
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t j = 0; j < 4; ++j) {
      values(i, j) = mm::evaluate(kernel, data.examples.row(i), data.examples.row(j));
    }
  }
  mm::TableData table{.data = data};
  table.data.examples = mm::index_examples(4);
  table.kernel_matrix = std::make_shared<const mm::DenseMatrix>(std::move(values));
  const mm::Training same =
      mm::train("svc", mm::LearnerData(table), {{"C", 10}, {"kernel", "precomputed"}});
  std::cout << "the same objective: " << *same.report.solve.primal_objective << " and "
            << *fit.report.primal_objective << '\n';

  const auto memory =
      std::make_shared<const std::vector<double>>(std::vector<double>{0, 1, 1, 1, 2, 1, 3, 1});
  mm::Dataset lent{.labels = data.labels};
  lent.examples = mm::Examples::borrow(mm::DenseView{memory->data(), 4, 2, 2}, memory);
  std::cout << "and on borrowed rows: " << *mm::train_svc(lent).report.primal_objective << '\n';
}
