// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "given.hpp"
#include "reference_machines.hpp"

/// One function a learner, in a file a family. Empty: the reference does not know the problem.
namespace maxmargin::reference {

[[nodiscard]] std::optional<Verdict> judge_svc(const Given& given);
[[nodiscard]] std::optional<Verdict> judge_linear_svc(const Given& given);
[[nodiscard]] std::optional<Verdict> judge_centroid_svc(const Given& given);
[[nodiscard]] std::optional<Verdict> judge_svr(const Given& given);
[[nodiscard]] std::optional<Verdict> judge_linear_svr(const Given& given);
[[nodiscard]] std::optional<Verdict> judge_nu_svr(const Given& given);
[[nodiscard]] std::optional<Verdict> judge_nu_svc(const Given& given);
[[nodiscard]] std::optional<Verdict> judge_one_class(const Given& given);
[[nodiscard]] std::optional<Verdict> judge_svdd(const Given& given);
[[nodiscard]] std::optional<Verdict> judge_lp_svc(const Given& given);
[[nodiscard]] std::optional<Verdict> judge_loo_svc(const Given& given);
[[nodiscard]] std::optional<Verdict> judge_ramp_svc(const Given& given);
[[nodiscard]] std::optional<Verdict> judge_linear_ramp_svc(const Given& given);
[[nodiscard]] std::optional<Verdict> judge_trimmed_svc(const Given& given);
[[nodiscard]] std::optional<Verdict> judge_robust_svc(const Given& given);
[[nodiscard]] std::optional<Verdict> judge_outlier_svc(const Given& given);
[[nodiscard]] std::optional<Verdict> judge_cs_svc(const Given& given);

}  // namespace maxmargin::reference
