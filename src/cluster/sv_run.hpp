// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cluster/sv_labelling.hpp"
#include "maxmargin/cluster/sv_clustering.hpp"

namespace maxmargin::svc {

/// Throws InvalidArgument unless these options can be used on this data.
void require_fit(const Dataset& data, const SvClusteringOptions& options);

/// One width: sphere, contour and labels, but no members in the model yet. Requires require_fit.
[[nodiscard]] SvClustering run_without_members(const Dataset& data,
                                               const SvClusteringOptions& options,
                                               GraphCache& graphs);

/// Puts the distinct labelled rows into the model.
void fill_members(const Dataset& data, SvClustering& clustering);

}  // namespace maxmargin::svc
