// SPDX-License-Identifier: Apache-2.0
#include "learner/supervised/prepare.hpp"

#include <cmath>
#include <string>
#include <vector>

#include "maxmargin/core/error.hpp"
#include "maxmargin/core/number.hpp"
#include "maxmargin/io/table/read_data.hpp"
#include "maxmargin/kernel/gram/gram.hpp"

namespace maxmargin::learning {

void prepare_kernel(KernelChoice& kernel, const Dataset& rows, const FitInput& input) {
  if (const auto* precomputed = std::get_if<Precomputed>(&kernel.kernel())) {
    if (input.kernel_matrix != nullptr) {
      kernel = Precomputed{input.kernel_matrix};
    } else if (precomputed->matrix == nullptr) {
      throw InvalidArgument("--kernel precomputed: the data holds no values of a kernel");
    }
    return;
  }
  kernel = kernel.resolved(rows.examples, {.context = input.context});
  // A positive semidefinite kernel has no larger values anywhere.
  const std::vector<double> diagonal =
      kernel_diagonal(kernel.kernel(), rows.examples, {.context = input.context});
  for (std::size_t i = 0; i < diagonal.size(); ++i) {
    if (std::isfinite(diagonal[i])) continue;
    throw InvalidArgument("--kernel " + kernel_name(kernel.kernel()) + ": row " +
                          std::to_string(i + 1) + " with itself is " + format_number(diagonal[i]) +
                          ", must be finite");
  }
}

void refuse_negative_eigenvalue(const KernelChoice& kernel,
                                const FitInput& input,
                                const char* rest) {
  if (!std::holds_alternative<Precomputed>(kernel.kernel()) || !input.negative_eigenvalue) return;
  throw InvalidArgument("--kernel precomputed: not positive semidefinite (an eigenvalue is " +
                        format_number(*input.negative_eigenvalue, 4) + ")" + rest);
}

void prepare_code(CodeChoice& code, std::size_t classes) {
  if (code.file.empty() || code.given) return;
  const Dataset table = read_data(code.file, {.label = "none"});
  if (table.size() != classes) {
    throw FileError(code.file,
                    "has " + std::to_string(table.size()) + " rows, the data " +
                        std::to_string(classes) + " classes");
  }
  try {
    code.given = user_code(table.examples.to_dense().view());
  } catch (const InvalidArgument& wrong) {
    throw FileError(code.file, wrong.what());
  }
}

}  // namespace maxmargin::learning
