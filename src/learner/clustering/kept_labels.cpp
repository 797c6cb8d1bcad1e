// SPDX-License-Identifier: Apache-2.0
#include "learner/clustering/kept_labels.hpp"

#include <cmath>
#include <limits>
#include <string>

#include "maxmargin/core/error.hpp"

namespace maxmargin::learning {

namespace {

constexpr const char* section = "labels";

std::vector<std::int32_t> read(const ModelDocument& model, std::int32_t least) {
  constexpr double most = std::numeric_limits<std::int32_t>::max();
  std::vector<std::int32_t> labels;
  for (const double label : model.numbers(section)) {
    if (!(label >= least && label <= most && label == std::floor(label))) {
      throw ModelFormatError(
          model.source(),
          {},
          "the model's 'labels' must hold whole numbers from " + std::to_string(least));
    }
    labels.push_back(static_cast<std::int32_t>(label));
  }
  return labels;
}

}  // namespace

void keep_labels(ModelDocument& model, std::span<const std::int32_t> labels) {
  model.set_numbers(section, {labels.begin(), labels.end()});
}

bool has_kept_labels(const ModelDocument& model) { return model.has(section); }

std::vector<std::int32_t> kept_labels(const ModelDocument& model) { return read(model, 0); }

std::vector<std::int32_t> kept_labels_or_outliers(const ModelDocument& model) {
  return has_kept_labels(model) ? read(model, -1) : std::vector<std::int32_t>{};
}

}  // namespace maxmargin::learning
