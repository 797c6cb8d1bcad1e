// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "maxmargin/io/model/model_file.hpp"
#include "maxmargin/structured/gaussian_hmm.hpp"
#include "maxmargin/structured/hmm.hpp"

/// Hidden Markov models in model files (docs/guide/model-file.md).
namespace maxmargin {

void add_hmm(ModelDocument& document, const Hmm& model);
void add_gaussian_hmm(ModelDocument& document, const GaussianHmm& model);
/// Which of the two is it?
[[nodiscard]] bool is_gaussian_hmm(const ModelDocument& document);

/// The model again, equal bit for bit. Throws ModelFormatError when something is missing, or is no
/// model.
[[nodiscard]] Hmm hmm_of(const ModelDocument& document);
[[nodiscard]] GaussianHmm gaussian_hmm_of(const ModelDocument& document);

}  // namespace maxmargin
