// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "maxmargin/core/context.hpp"
#include "maxmargin/data/dataset.hpp"
#include "maxmargin/kernel/choice.hpp"
#include "maxmargin/learner/learner.hpp"
#include "maxmargin/linalg/matrix.hpp"
#include "maxmargin/model/output_code.hpp"

/// Options as a training uses them: what depends on data or run is filled in.
namespace maxmargin::learning {

/// What a training is given beside data and options.
struct FitInput {
  Context context = {};
  /// The kernel between all examples, where it was computed elsewhere. The data then holds row
  /// numbers.
  std::shared_ptr<const DenseMatrix> kernel_matrix = nullptr;
  /// Of that kernel, where it has one.
  std::optional<double> negative_eigenvalue = std::nullopt;
  /// Keep what recomputing the certificate needs.
  bool keep_dual = false;
  /// One of several trainings of a larger run: no comparisons of its own.
  bool is_part = false;
};

/// The kernel for these rows: its width found, a precomputed one with its matrix.
void prepare_kernel(KernelChoice& kernel, const Dataset& rows, const FitInput& input);
/// Throws InvalidArgument for a precomputed kernel with a negative eigenvalue; `rest` is what could
/// be done about it.
void refuse_negative_eigenvalue(const KernelChoice& kernel,
                                const FitInput& input,
                                const char* rest = "; --allow-indefinite takes it all the same");
/// Reads the file that a code is in.
void prepare_code(CodeChoice& code, std::size_t classes);

/// Options of learners that need a positive semidefinite kernel for what they prove, and may be
/// told to take another.
template <class O>
concept MayBeIndefinite = requires(O& options) {
  options.kernel, options.allow_indefinite;
}
|| requires(O& options) { options.machine.kernel, options.machine.allow_indefinite; };

template <class O>
void prepare(O& options, const Dataset& rows, const FitInput& input) {
  context_of(options) = input.context;
  if constexpr (requires { options.control.keep_dual; }) {
    options.control.keep_dual = input.keep_dual;
  }
  if constexpr (requires { options.machine.control.keep_dual; }) {
    options.machine.control.keep_dual = input.keep_dual;
  }
  if constexpr (requires(KernelChoice & kernel) { kernel = options.kernel; }) {
    prepare_kernel(options.kernel, rows, input);
    if constexpr (requires { options.allow_indefinite; }) {
      if (!options.allow_indefinite) refuse_negative_eigenvalue(options.kernel, input);
    }
  }
  if constexpr (requires(KernelChoice & kernel) { kernel = options.machine.kernel; }) {
    prepare_kernel(options.machine.kernel, rows, input);
    if (!options.machine.allow_indefinite) {
      refuse_negative_eigenvalue(options.machine.kernel, input);
    }
  }
  if constexpr (requires(CodeChoice & code) { code = options.code; }) {
    prepare_code(options.code, classes_of(rows.labels).count());
  }
}

}  // namespace maxmargin::learning
