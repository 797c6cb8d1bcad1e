// SPDX-License-Identifier: Apache-2.0
#include "learner/clustering/kept_labels.hpp"

#include <cmath>
#include <limits>

#include "maxmargin/core/error.hpp"

namespace maxmargin::learning {

namespace {

constexpr const char* section = "labels";

}  // namespace

void keep_labels(ModelDocument& model, std::span<const std::int32_t> labels) {
  model.set_numbers(section, {labels.begin(), labels.end()});
}

bool has_kept_labels(const ModelDocument& model) { return model.has(section); }

std::vector<std::int32_t> kept_labels(const ModelDocument& model) {
  constexpr double most = std::numeric_limits<std::int32_t>::max();
  std::vector<std::int32_t> labels;
  for (const double label : model.numbers(section)) {
    if (!(label >= 0 && label <= most && label == std::floor(label))) {
      throw ModelFormatError(
          model.source(), {}, "the model's 'labels' must hold whole numbers from 0");
    }
    labels.push_back(static_cast<std::int32_t>(label));
  }
  return labels;
}

}  // namespace maxmargin::learning
