// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "maxmargin/cluster/relabeler/relabeler.hpp"
#include "maxmargin/core/parallel.hpp"
#include "maxmargin/core/require.hpp"

namespace maxmargin {

void RelabelerMachineOptions::validate() const {
  require_field(c > 0 && std::isfinite(c), "RelabelerMachineOptions.c", c, "finite and > 0");
  require_field(nu > 0 && nu <= 1, "RelabelerMachineOptions.nu", nu, "in (0, 1]");
  require_field(tolerance > 0, "RelabelerMachineOptions.tolerance", tolerance, "> 0");
}

void RelabelerSearchOptions::validate() const {
  require_field(temperature > 0 && std::isfinite(temperature),
                "RelabelerSearchOptions.temperature",
                temperature,
                "finite and > 0");
  require_field(cooling > 0 && cooling < 1, "RelabelerSearchOptions.cooling", cooling, "in (0, 1)");
  require_field(
      perturb >= 0 && perturb <= 1, "RelabelerSearchOptions.perturb", perturb, "in [0, 1]");
  require_field(!target || !std::isnan(*target),
                "RelabelerSearchOptions.target",
                target.value_or(0),
                "a number");
}

void RelabelerOptions::validate() const {
  require_field(k >= 1, "RelabelerOptions.k", static_cast<double>(k), ">= 1");
  machine.validate();
  search.validate();
  require_field(relabel_fraction > 0 && relabel_fraction <= 1,
                "RelabelerOptions.relabel_fraction",
                relabel_fraction,
                "in (0, 1]");
  require_field(
      min_cluster >= 1, "RelabelerOptions.min_cluster", static_cast<double>(min_cluster), ">= 1");
  require_field(restarts >= 1, "RelabelerOptions.restarts", static_cast<double>(restarts), ">= 1");
  require_field(max_iterations >= 1,
                "RelabelerOptions.max_iterations",
                static_cast<double>(max_iterations),
                ">= 1");
  if (p_value) {
    require_field(*p_value > 0 && *p_value <= 1, "RelabelerOptions.p_value", *p_value, "in (0, 1]");
    require(labellings > 0,
            "RelabelerOptions.p_value: needs random labellings, but there are none");
  }
  const bool direct = multiclass == RelabelerMulticlass::direct;
  require(!direct || machine.engine == RelabelerEngine::c_svm,
          "RelabelerMachineOptions.engine: the direct multi-class machine has no nu");
  require(!direct || !machine.indefinite,
          "RelabelerOptions.multiclass: the direct machine needs a positive semidefinite kernel");
  static_cast<void>(thread_count(threads));
}

}  // namespace maxmargin
