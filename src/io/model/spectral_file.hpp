// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "maxmargin/cluster/spectral/spectral.hpp"
#include "maxmargin/io/model/model_file.hpp"
#include "maxmargin/model/projection/kernel_pca.hpp"

/// Models that rest on eigenvectors of kernel matrices, in model files.
namespace maxmargin {

/// Adds all that prediction needs to a document, under fixed names. Throw InvalidArgument for a
/// kernel that no file can hold (rank_one: its function is code). Of a precomputed kernel the
/// number of columns is kept, not the matrix.
void add_spectral(ModelDocument& document, const SpectralModel& model);
void add_kernel_pca(ModelDocument& document, const KernelPcaModel& model);

/// The model again, equal bit for bit. Throw ModelFormatError, naming the file and the field, when
/// something is missing, out of range or does not fit the rest.
[[nodiscard]] SpectralModel spectral_of(ModelDocument document);
[[nodiscard]] KernelPcaModel kernel_pca_of(ModelDocument document);

}  // namespace maxmargin
