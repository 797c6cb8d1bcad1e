// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "maxmargin/core/context.hpp"
#include "maxmargin/kernel/kernel.hpp"
#include "maxmargin/learner/learner.hpp"

/// Pictures of points and what a model says of them.
namespace maxmargin::tool {

/// What a picture shows beside the points and their groups.
struct Picture {
  std::string title = {};
  std::string group_title = "cluster";
  /// Empty: the groups' numbers.
  std::vector<std::string> group_names = {};
  /// What a point without a group is.
  std::string no_group_name = "outlier";
  /// Groups of further points with the features of the data, to tint the plane with; used when
  /// there are two features. Empty: not known.
  std::function<std::vector<std::int32_t>(const Examples&)> group_of = {};
  /// Rows of the data that are support vectors.
  std::vector<std::size_t> support_vectors = {};
};

/// A scatter plot (SVG) of the data, or of its first two principal components when it has more than
/// two features: colour is the group (-1: an outlier), the marker's shape the known class where
/// that is another one. The components are those in the feature space of `kernel`, if there is one.
[[nodiscard]] std::string draw(const TableData& table,
                               std::span<const std::int32_t> groups,
                               const Picture& picture,
                               const Context& context,
                               const std::optional<Kernel>& kernel = std::nullopt);

/// The clusters of a training and, in two dimensions, of the plane around them.
[[nodiscard]] std::string cluster_picture(const TableData& table,
                                          const Training& trained,
                                          const Context& context);

/// Adds the regions and support vectors of a model of clusters or classes.
void show_model(const Model& model, const Dataset& data, const Context& context, Picture& picture);

/// What a model says of points, as groups: clusters, classes in their order, or inside (0) and
/// outside (-1).
[[nodiscard]] std::vector<std::int32_t> groups_of(const Model& model,
                                                  const Examples& points,
                                                  const Context& context);

/// The rows of `examples` that are among `vectors`.
[[nodiscard]] std::vector<std::size_t> rows_among(const Examples& examples,
                                                  const Examples& vectors);

}  // namespace maxmargin::tool
