// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "core/over_memory_limit.hpp"
#include "maxmargin/learner/data.hpp"
#include "maxmargin/learner/learner.hpp"

/// The memory limit of a training by name is of the data and of the work on it; what typed calls
/// are given is of the work alone.
namespace maxmargin::learning {

/// Bytes that the data takes.
[[nodiscard]] std::size_t bytes_of(const LearnerData& data);
[[nodiscard]] std::size_t bytes_of(const TableData& table);

/// What of them counts against the limit: little data is among the small things that every process
/// has (docs/design/memory.md).
[[nodiscard]] std::size_t counted_bytes(std::size_t bytes) noexcept;

/// The request of a training on data of so many counted bytes. Throws InvalidArgument when they
/// are more than the limit.
[[nodiscard]] TrainingRequest request_beside(std::size_t taken, const TrainingRequest& request);

/// train(request), with what the data leaves of the memory limit; messages speak of the whole.
template <class Data, class Train>
[[nodiscard]] auto beside_data(const Data& data,
                               const TrainingRequest& request,
                               const Train& train) {
  const std::size_t taken = counted_bytes(bytes_of(data));
  if (taken == 0) return train(request);
  const TrainingRequest own = request_beside(taken, request);
  try {
    return train(own);
  } catch (const OverMemoryLimit& over) {
    throw over.beside(taken);
  }
}

}  // namespace maxmargin::learning
