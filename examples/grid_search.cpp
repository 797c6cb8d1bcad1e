// SPDX-License-Identifier: Apache-2.0
// Chooses the number of neighbours of a nearest-neighbour rule by five-fold cross-validation.
#include <algorithm>
#include <iostream>

#include "maxmargin/data/iris.hpp"
#include "maxmargin/eval/grid_search.hpp"

namespace mm = maxmargin;

/// A learner: trains as the point says, and answers with indices into context.class_names.
mm::Predictions nearest_neighbours(const mm::GridPoint& point,
                                   const mm::Dataset& train,
                                   const mm::Dataset& test,
                                   const mm::FoldContext& context) {
  const auto k = std::min(train.size(), static_cast<std::size_t>(point.number("k")));
  mm::Predictions predictions;
  for (std::size_t i = 0; i < test.size(); ++i) {
    std::vector<std::pair<double, std::size_t>> neighbours;
    for (std::size_t j = 0; j < train.size(); ++j) {
      neighbours.emplace_back(test.examples.row(i).squared_distance(train.examples.row(j)), j);
    }
    std::sort(neighbours.begin(), neighbours.end());
    std::vector<int> votes(context.class_names.size());
    for (std::size_t n = 0; n < k; ++n) {
      const mm::Label label = *train.labels.at(neighbours[n].second);
      ++votes[static_cast<std::size_t>(*mm::find_class(context.class_names, label))];
    }
    const auto winner = std::max_element(votes.begin(), votes.end()) - votes.begin();
    predictions.labels.push_back(static_cast<std::int32_t>(winner));
  }
  return predictions;
}

int main() {
  const mm::Dataset data = mm::iris();
  const auto folds = mm::stratified_folds(mm::classes_of(data.labels).of_row, 5, /*seed=*/1);
  const mm::Grid grid = mm::parse_grid("k=1,5,15,45");
  const mm::GridSearch search =
      mm::grid_search(data, folds, grid, nearest_neighbours, mm::metric_by_name("accuracy"));
  for (const mm::GridResult& result : search.results) {
    std::cout << result.point.describe() << "  accuracy " << result.mean << " +- "
              << result.standard_error << '\n';
  }
  std::cout << "chosen: " << search.results[search.chosen.value()].point.describe() << '\n';
}
