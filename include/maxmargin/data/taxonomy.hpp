// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "maxmargin/core/export.hpp"
#include "maxmargin/data/label.hpp"

namespace maxmargin {

/// A node and what is above it; unset: it is at the top.
struct TaxonomyLink {
  Label node = {};
  std::optional<Label> parent = std::nullopt;
};

/// Labels in a tree, or in several: docs/algorithms/hierarchy.md. Nodes are numbered from 0 by
/// depth, then in the order of labels, so that parents come before their children.
class MAXMARGIN_EXPORT Taxonomy {
 public:
  static constexpr std::uint32_t no_parent = UINT32_MAX;

  Taxonomy() = default;
  /// A parent without a link of its own is at the top. Throws InvalidArgument for a node with two
  /// links and for one that is above itself.
  explicit Taxonomy(std::span<const TaxonomyLink> links);

  [[nodiscard]] std::size_t size() const noexcept { return names_.size(); }
  [[nodiscard]] const Label& name(std::uint32_t node) const { return names_[node]; }
  [[nodiscard]] std::uint32_t parent(std::uint32_t node) const { return parents_[node]; }
  /// 1 at the top.
  [[nodiscard]] std::uint32_t depth(std::uint32_t node) const { return depths_[node]; }
  [[nodiscard]] bool is_leaf(std::uint32_t node) const { return leaf_[node] != 0; }
  [[nodiscard]] std::optional<std::uint32_t> find(const Label& name) const;
  /// Edges between two nodes; trees hang on one root above their tops.
  [[nodiscard]] std::size_t edges_between(std::uint32_t a, std::uint32_t b) const;

 private:
  std::vector<Label> names_;
  std::vector<std::uint32_t> parents_;
  std::vector<std::uint32_t> depths_;
  std::vector<std::uint8_t> leaf_;
  std::vector<std::uint32_t> by_name_;  ///< node numbers in the order of labels
};

}  // namespace maxmargin
