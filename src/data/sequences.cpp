// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/data/sequences.hpp"

#include <algorithm>
#include <cmath>

#include "maxmargin/core/require.hpp"

namespace maxmargin {

namespace {

void require_begins(std::span<const std::size_t> begins,
                    std::size_t positions,
                    std::size_t entries,
                    std::string_view what) {
  const bool fits = begins.size() == positions + 1 && begins.front() == 0 &&
                    begins.back() == entries && std::ranges::is_sorted(begins);
  require(fits,
          std::string(what) +
              " must rise from 0 to the number of entries, one more than there are positions");
}

void require_below(std::span<const std::uint32_t> indices,
                   std::size_t features,
                   std::string_view what) {
  for (const std::uint32_t index : indices) {
    if (index < features) continue;
    throw InvalidArgument(std::string(what) + " " + std::to_string(index) +
                          " is not below their number, " + std::to_string(features));
  }
}

/// Its parts fit together, indices are below their numbers and values are finite.
void require_sound(const Sequence& x, std::size_t features, std::size_t step_features) {
  require(!x.begins.empty(), "begins must rise from 0 to the number of entries, it is empty");
  require_begins(x.begins, x.size(), x.indices.size(), "begins");
  require_below(x.indices, features, "the feature");
  require(x.values.empty() || x.values.size() == x.indices.size(),
          "there must be one value for every entry, or none");
  for (const double value : x.values) {
    if (std::isfinite(value)) continue;
    throw InvalidArgument("a value is " + format_number(value) + ", must be finite");
  }
  if (x.step_begins.empty()) {
    require(x.step_indices.empty(), "features of steps need step_begins");
    return;
  }
  if (x.size() == 0) return;
  require_begins(x.step_begins, x.size(), x.step_indices.size(), "step_begins");
  require(x.step_begins[1] == 0, "the step into the first position has no features");
  require_below(x.step_indices, step_features, "the feature of a step");
}

}  // namespace

void SequenceData::validate() const {
  const std::string name = source.empty() ? "the data" : source;
  require(labels.empty() || labels.size() == inputs.size(),
          name + ": there must be labels for every sequence, or for none");
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::string where = name + ": sequence " + std::to_string(i + 1);
    try {
      require_sound(inputs[i], features, step_features);
    } catch (const InvalidArgument& problem) {
      throw InvalidArgument(where + ": " + problem.what());
    }
    if (labels.empty()) continue;
    if (labels[i].size() != inputs[i].size()) {
      throw InvalidArgument(where + " has " + std::to_string(inputs[i].size()) +
                            " positions, but " + std::to_string(labels[i].size()) + " labels");
    }
    for (const std::uint32_t label : labels[i]) {
      if (label >= label_names.size()) {
        throw InvalidArgument(where + ": a label has no name");
      }
    }
  }
}

}  // namespace maxmargin
