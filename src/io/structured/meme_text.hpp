// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "maxmargin/model/structured/motif.hpp"

namespace maxmargin {

/// The motif in the minimal text format of the MEME suite, version 4: the learned columns as
/// log-odds matrix, the sites as letter probabilities (site_probabilities).
[[nodiscard]] std::string to_meme(const MotifFinder& finder, const MotifSites& sites);

}  // namespace maxmargin
