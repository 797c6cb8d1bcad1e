// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "maxmargin/data/dataset.hpp"
#include "maxmargin/model/classifier.hpp"
#include "maxmargin/model/robust/centroid_svc.hpp"
#include "maxmargin/model/robust/loo_svc.hpp"
#include "maxmargin/model/robust/ramp_svc.hpp"
#include "maxmargin/model/robust/robust_svc.hpp"
#include "model/verify/verify.hpp"

/// Certificates of robust machines from the model, the training data and what the training kept
/// (TrainingControl::keep_dual), by plain double loops that no training uses:
/// docs/algorithms/robust.md says what each proves. Of the options only what states the problem is
/// read. All throw InvalidArgument when model, dual point and data do not fit together.
namespace maxmargin {

/// The primal is the robust objective of the model, the dual that of the convex problem of its
/// outliers, both summed over the functions; the lower bound is one over all functions and all
/// choices of outliers, >= 0. `dual` holds for every function the dual point of that problem and
/// then the stages of the lower bound; a stage beyond its box is scaled into it. With
/// MulticlassKind::direct the dual points have a vector a class.
[[nodiscard]] Certificate verify_ramp_svc(const Classifier& model,
                                          const DualPoint& dual,
                                          const Dataset& data,
                                          const RampSvcOptions& options);
[[nodiscard]] Certificate verify_linear_ramp_svc(const Classifier& model,
                                                 const DualPoint& dual,
                                                 const Dataset& data,
                                                 const LinearRampSvcOptions& options);
/// There are no stages; the lower bound is 0 for rho < 1 and the dual objective for rho = 1.
[[nodiscard]] Certificate verify_trimmed_svc(const Classifier& model,
                                             const DualPoint& dual,
                                             const Dataset& data,
                                             const TrimmedSvcOptions& options);

/// The lower bound is what the certificate of the relaxation proves (weight_saddle_bound), or the
/// dual objective with rho = 1. `dual` holds for every function the dual point of its outliers, the
/// certificate's lambda and multipliers of the examples, and that of s_0 and of the share kept once
/// a row. O(m^3) time and 4 m^2 numbers at a time for the m rows of each function. Requires
/// options.rho, as used.
[[nodiscard]] Certificate verify_robust_svc(const Classifier& model,
                                            const DualPoint& dual,
                                            const Dataset& data,
                                            const RobustSvcOptions& options);
[[nodiscard]] Certificate verify_outlier_svc(const Classifier& model,
                                             const DualPoint& dual,
                                             const Dataset& data,
                                             const OutlierSvcOptions& options);

/// The model holds its dual point. Requires options.lambda, as used.
[[nodiscard]] Certificate verify_centroid_svc(const Classifier& model,
                                              const Dataset& data,
                                              const CentroidSvcOptions& options);
/// O(n^2) kernel values. The primal is infinite when a margin that an infinite C asks for is
/// missed.
[[nodiscard]] Certificate verify_loo_svc(const Classifier& model,
                                         const DualPoint& dual,
                                         const Dataset& data,
                                         const LooSvcOptions& options);

}  // namespace maxmargin
