// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include "maxmargin/model/semi/multiclass_s3vm.hpp"

/// What proves the bound of train_multiclass_s3vm as vectors of one number a row, which is how
/// models keep dual points. verify_multiclass_s3vm (maxmargin/model/verify/semi.hpp) says which.
namespace maxmargin {

/// Lambda of some rows, one vector a class; 0 at the others.
[[nodiscard]] DualPoint keep_lambda(const DenseMatrix& lambda,
                                    std::span<const std::size_t> of_rows,
                                    std::size_t rows);

/// All but Lambda of the relaxation's certificate, cut into vectors and filled up with 0.
[[nodiscard]] DualPoint keep_multipliers(const ClassCertificate& certificate,
                                         std::size_t rows,
                                         std::size_t classes);

/// The inverses, from vector `first` on. Of the labelled rows alone all multipliers are 0. Require
/// as many vectors as are kept.
[[nodiscard]] ClassCertificate supervised_certificate(const DualPoint& kept,
                                                      std::size_t first,
                                                      std::span<const std::size_t> labelled,
                                                      std::size_t classes);
[[nodiscard]] ClassCertificate relaxation_certificate(const DualPoint& kept,
                                                      std::size_t first,
                                                      std::size_t unlabelled,
                                                      std::size_t classes);

}  // namespace maxmargin
