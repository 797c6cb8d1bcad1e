// SPDX-License-Identifier: Apache-2.0
#include "learner/data_memory.hpp"

#include <algorithm>
#include <cstdint>
#include <variant>
#include <vector>

#include "core/memory_limit.hpp"

namespace maxmargin::learning {

namespace {

/// Of the 32 MiB that a process may take beyond its limit, code and tables need the other half.
constexpr std::size_t little = std::size_t{16} << 20;

std::size_t bytes_of(const Examples& examples) {
  if (examples.is_dense()) return examples.entries() * sizeof(double);
  return examples.entries() * (sizeof(double) + sizeof(std::int32_t)) +
         examples.rows() * sizeof(std::int64_t);
}

std::size_t bytes_of(const Dataset& data) {
  std::size_t bytes = bytes_of(data.examples);
  bytes += (data.labels.size() + data.weights.size() + data.groups.size()) * sizeof(double);
  for (const std::vector<Label>& set : data.label_sets) {
    bytes += sizeof(std::vector<Label>) + set.capacity() * sizeof(Label);
  }
  return bytes;
}

std::size_t bytes_of(const DnaData& data) {
  std::size_t bytes = data.labels.size() + data.weights.size() * sizeof(double);
  for (const auto* const texts : {&data.sequences, &data.names}) {
    for (const std::string& text : *texts) bytes += sizeof(std::string) + text.capacity();
  }
  return bytes;
}

}  // namespace

std::size_t bytes_of(const TableData& table) {
  std::size_t bytes = bytes_of(table.data);
  if (table.kernel_matrix != nullptr) {
    bytes += table.kernel_matrix->values().size() * sizeof(double);
  }
  return bytes;
}

std::size_t bytes_of(const LearnerData& data) {
  if (const auto* const table = std::get_if<TableData>(&data)) return bytes_of(*table);
  if (const auto* const dna = std::get_if<DnaData>(&data)) return bytes_of(*dna);
  const auto* const sequences = std::get_if<SequenceCollection>(&data);
  if (sequences != nullptr && sequences->text) return sequences->text->memory_bytes();
  return 0;
}

std::size_t counted_bytes(std::size_t bytes) noexcept {
  return bytes > little ? bytes - little : 0;
}

TrainingRequest request_beside(std::size_t taken, const TrainingRequest& request) {
  const std::size_t limit = request.context.memory_bytes();
  require_within_limit(
      taken, limit, "the data in memory", "train on fewer rows or features, or allow more memory");
  TrainingRequest own = request;
  own.context.memory_limit = std::max<std::size_t>(1, limit - taken);
  return own;
}

}  // namespace maxmargin::learning
