// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "maxmargin/data/dataset.hpp"
#include "maxmargin/model/classifier.hpp"
#include "maxmargin/model/semi/multiclass_s3vm.hpp"
#include "maxmargin/model/semi/s3vm.hpp"
#include "maxmargin/model/semi/s3vm_cccp.hpp"
#include "maxmargin/model/semi/tsvm.hpp"
#include "model/verify/verify.hpp"

/// Certificates of semi-supervised machines from model, dual point and training data, by plain
/// double loops that no training uses. Certificate::primal is the semi-supervised objective at the
/// model, with the best signs for it; Certificate::lower_bound, and its dual, what the dual point
/// proves.
///
/// Of the options only what states the problem is read. With unlabelled_c = 0 there is no balance
/// to keep: this is how the supervised machine is verified. On a kernel machine O(n x vectors)
/// kernel values, and with a balance O(n^2).
///
/// All throw InvalidArgument when model, dual point and data do not fit together.
namespace maxmargin {

[[nodiscard]] Certificate verify_tsvm(const Classifier& model,
                                      const DualPoint& dual,
                                      const Dataset& data,
                                      const TsvmOptions& options);

/// Complains also when the model misses the balance.
[[nodiscard]] Certificate verify_s3vm_cccp(const Classifier& model,
                                           const DualPoint& dual,
                                           const Dataset& data,
                                           const S3vmCccpOptions& options);

/// `dual` is what train_s3vm keeps: certificates and signs. Certificate::primal is the objective of
/// the machine on these signs, Certificate::lower_bound what the certificates prove. Complains when
/// signs differ from the labels given or miss the balance. O(n^3).
[[nodiscard]] Certificate verify_s3vm(const Classifier& model,
                                      const DualPoint& dual,
                                      const Dataset& data,
                                      const S3vmOptions& options);

/// What a model of train_multiclass_s3vm says of itself.
struct MulticlassS3vmClaim {
  /// The machine of the labelled rows alone; its bound is that of its own objective.
  bool is_supervised = false;
  /// What the bound of the other one rests on.
  SemiBound bound = SemiBound::trivial;
};

/// `dual` is what train_multiclass_s3vm keeps, each a vector a class: signs (+1 for the class of a
/// row), Lambda unless the bound is trivial (0 at rows that it does not count), and with the bound
/// of the relaxation the other multipliers of its certificate; of the supervised machine Lambda
/// alone. Certificate::primal is the objective of the machine on these labels,
/// Certificate::lower_bound what the certificate proves. Complains when labels differ from those
/// given or miss the sizes, of an offset that the machine cannot have, and of numbers that are no
/// certificate. That the kernel is positive semidefinite is taken from the training. O(n^3).
[[nodiscard]] Certificate verify_multiclass_s3vm(const Classifier& model,
                                                 const DualPoint& dual,
                                                 const Dataset& data,
                                                 const MulticlassS3vmOptions& options,
                                                 const MulticlassS3vmClaim& claim);

}  // namespace maxmargin
