// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/learner/kernel_check.hpp"

#include <cmath>
#include <utility>
#include <variant>

#include "learner/feature_checks.hpp"
#include "learner/source/table_source.hpp"
#include "maxmargin/kernel/gram/gram.hpp"

namespace maxmargin {

namespace {

/// The matrix, and the kernel as used.
std::pair<DenseMatrix, KernelChoice> matrix_of(const std::string& where,
                                               const OptionTexts& source,
                                               const KernelChoice& choice,
                                               const Context& context) {
  ReadOptions reading = learning::table_options(source, context);
  if (std::holds_alternative<Precomputed>(choice.kernel())) {
    return {*learning::read_training_kernel(where, reading).kernel_matrix, choice};
  }
  const TableData table = learning::read_rows(where, reading);
  learning::check_strings(table.data, is_for_strings(choice.kernel()));
  const Kernel kernel = choice.resolved(table.data.examples, {.context = context});
  return {gram(kernel, table.data.examples, {.context = context}), kernel};
}

double frobenius_norm(DenseView matrix) {
  double sum = 0;
  for (std::size_t i = 0; i < matrix.rows; ++i) {
    for (const double value : matrix.row(i)) sum += value * value;
  }
  return std::sqrt(sum);
}

/// |b - a| / |a| in the Frobenius norm.
double relative_change(const DenseMatrix& a, const DenseMatrix& b) {
  DenseMatrix difference = b;
  for (std::size_t i = 0; i < a.rows(); ++i) {
    for (std::size_t j = 0; j < a.cols(); ++j) difference(i, j) -= a(i, j);
  }
  const double size = frobenius_norm(a.view());
  return size == 0 ? 0.0 : frobenius_norm(difference.view()) / size;
}

void add_spectrum(const MercerReport& mercer, ReportFields& fields) {
  fields.emplace_back("least_eigenvalue", mercer.least_eigenvalue);
  fields.emplace_back("largest_eigenvalue", mercer.largest_eigenvalue);
  fields.emplace_back("tolerance", mercer.tolerance);
  fields.emplace_back("negative_eigenvalues",
                      static_cast<std::int64_t>(mercer.negative_eigenvalues));
  fields.emplace_back("negative_mass", mercer.negative_mass);
  fields.emplace_back("negative_share",
                      mercer.total_mass == 0 ? 0.0 : mercer.negative_mass / mercer.total_mass);
  fields.emplace_back("asymmetry", mercer.asymmetry);
  fields.emplace_back("positive_semidefinite", mercer.is_psd);
}

void repair(SpectrumRepair how, double tolerance, KernelCheck& check) {
  DenseMatrix repaired = repair_spectrum(check.gram.view(), how).gram;
  const MercerReport after = check_mercer(repaired.view(), tolerance);
  check.fields.emplace_back("repair", std::string(to_string(how)));
  check.fields.emplace_back("repaired_least_eigenvalue", after.least_eigenvalue);
  check.fields.emplace_back("repaired_largest_eigenvalue", after.largest_eigenvalue);
  check.fields.emplace_back("relative_change", relative_change(check.gram, repaired));
  check.gram = std::move(repaired);
}

}  // namespace

void KernelCheckOptions::describe(OptionVisitor& visit) {
  kernel.describe(visit);
  visit.number(
      {.name = "tolerance", .help = "share of the largest eigenvalue that counts as rounding"},
      tolerance,
      rules::not_negative);
  visit.name({.name = "repair", .help = "make the matrix positive semidefinite"}, repair);
}

KernelCheck check_kernel(const std::string& where,
                         const OptionTexts& source,
                         const KernelCheckOptions& options,
                         const Context& context) {
  validate(options);
  auto [matrix, kernel] = matrix_of(where, source, options.kernel, context);
  KernelCheck check;
  check.gram = std::move(matrix);
  check.mercer = check_mercer(check.gram.view(), options.tolerance);
  check.fields.emplace_back("source", where);
  check.fields.emplace_back("n", static_cast<std::int64_t>(check.gram.rows()));
  for (auto& [key, value] : option_values(kernel)) {
    check.fields.emplace_back(key, std::move(value));
  }
  add_spectrum(check.mercer, check.fields);
  if (options.repair) repair(*options.repair, options.tolerance, check);
  return check;
}

}  // namespace maxmargin
