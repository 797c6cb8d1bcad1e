// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "maxmargin/data/dataset.hpp"
#include "maxmargin/model/classifier.hpp"
#include "maxmargin/model/kernel/cs_svc.hpp"
#include "maxmargin/model/kernel/lp_svc.hpp"
#include "maxmargin/model/linear/svc.hpp"
#include "maxmargin/model/linear/svr.hpp"
#include "model/verify/verify.hpp"

/// Certificates of machines whose models are no expansions of their dual point: the primal from the
/// model, the dual from the point that the training kept (TrainingControl::keep_dual), both on the
/// training data by plain double loops. No code of a solver or of its measurements is used.
///
/// Of the options only what states the problem is read: C, loss, penalty, tube, bias, form and
/// class weights (and the context). Coefficients beyond their bounds by more than rounding are a
/// complaint; a dual point that meets its constraints proves its value as a lower bound, whatever
/// made it.
///
/// All throw InvalidArgument when model, dual point and data do not fit together in kind, classes
/// or sizes.
namespace maxmargin {

/// O(entries of the data) a function.
[[nodiscard]] Certificate verify_linear_svc(const Classifier& model,
                                            const DualPoint& dual,
                                            const Dataset& data,
                                            const LinearSvcOptions& options);
[[nodiscard]] Certificate verify_linear_svr(const Regressor& model,
                                            const DualPoint& dual,
                                            const Dataset& data,
                                            const LinearSvrOptions& options);

/// On the features as above. A kernel machine holds its dual point, and `dual` is ignored: O(n x
/// support vectors) kernel values.
[[nodiscard]] Certificate verify_cs_svc(const Classifier& model,
                                        const DualPoint& dual,
                                        const Dataset& data,
                                        const CsSvcOptions& options);

/// O(n^2) kernel values. The primal is infinite when a margin that an infinite C asks for is
/// missed.
[[nodiscard]] Certificate verify_lp_svc(const Classifier& model,
                                        const DualPoint& dual,
                                        const Dataset& data,
                                        const LpSvcOptions& options);

}  // namespace maxmargin
