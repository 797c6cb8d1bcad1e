// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "maxmargin/data/splits.hpp"
#include "maxmargin/learner/data.hpp"

/// The examples of structured learners, whatever their kind, by number: what folds part.
namespace maxmargin::learning {

/// Rows, or what holds them together (bags, queries); sequences, documents, pairs.
class ExampleList {
 public:
  /// Keeps a reference. Throws InvalidArgument where rows do not stand together in their bags or
  /// queries.
  ExampleList(const LearnerData& data, DataKind kind);

  [[nodiscard]] std::size_t size() const { return size_; }
  /// Of each example, -1 not known; empty where examples have no class.
  [[nodiscard]] std::span<const std::int32_t> classes() const { return classes_; }
  /// K folds by the seed: grouped where examples have relatives (parts of one document, families of
  /// proteins, rows of a group), else stratified by class, else plain.
  [[nodiscard]] std::vector<Fold> folds(std::size_t k, std::uint64_t seed) const;
  /// The given examples, each with all that is known about it.
  [[nodiscard]] LearnerData select(std::span<const std::size_t> examples) const;

 private:
  void look_at(const TableData& table, DataKind kind);
  void look_at(const SequenceCollection& sequences);
  void look_at(const PartitionCollection& documents);
  void look_at(const AlignmentData& pairs);
  void look_at(const DnaData& sequences);

  const LearnerData& data_;
  std::size_t size_ = 0;
  /// What messages call them.
  std::string_view unit_ = "rows";
  std::vector<std::int32_t> classes_ = {};
  /// Of each example; empty: no two are relatives.
  std::vector<std::int64_t> groups_ = {};
  /// Of tables whose examples are runs of rows: where they begin, and the number of rows. Empty:
  /// rows are the examples.
  std::vector<std::size_t> begins_ = {};
};

}  // namespace maxmargin::learning
