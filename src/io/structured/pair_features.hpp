// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "maxmargin/data/partition.hpp"
#include "maxmargin/io/stream/input.hpp"
#include "maxmargin/io/stream/output.hpp"

/// Pair-feature files, for outputs that are partitions (docs/guide/partition-files.md):
///
///     document NAME
///     item ID CLUSTER
///     ...
///     1 2 index:value ...
namespace maxmargin {

/// Reads all that is left of `input`. Partitions are there if every item of the file has a cluster,
/// and are not if none has. Throws ParseError with line and column.
[[nodiscard]] PartitionData read_pair_features(Input& input);

/// Writes what read_pair_features reads back as the same data, but for features behind the last one
/// that occurs. Throws InvalidArgument for data that is not valid, for an item whose name is empty
/// or holds a blank, and for a name of a document with a line end or blanks around it. The caller
/// commits the file.
void write_pair_features(const PartitionData& data, OutputFile& output);

}  // namespace maxmargin
