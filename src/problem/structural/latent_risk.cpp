// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/problem/structural/latent_risk.hpp"

namespace maxmargin {

LatentRisk::~LatentRisk() = default;

}  // namespace maxmargin
