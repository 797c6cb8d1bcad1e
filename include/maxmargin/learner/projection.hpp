// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <variant>

#include "maxmargin/core/context.hpp"
#include "maxmargin/core/export.hpp"
#include "maxmargin/core/names.hpp"
#include "maxmargin/core/options.hpp"
#include "maxmargin/data/dataset.hpp"
#include "maxmargin/io/model/model_file.hpp"
#include "maxmargin/kernel/choice.hpp"
#include "maxmargin/model/projection/kernel_pca.hpp"
#include "maxmargin/model/projection/lda.hpp"
#include "maxmargin/model/projection/pca.hpp"

/// Features along a few directions: principal components, those of a kernel's feature space, or
/// Fisher's discriminants.
namespace maxmargin {

enum class ProjectionKind { pca, kernel_pca, lda };
template <>
inline constexpr auto names_of<ProjectionKind> =
    name_table<ProjectionKind>({{"pca", ProjectionKind::pca},
                                {"kernel-pca", ProjectionKind::kernel_pca},
                                {"lda", ProjectionKind::lda}});

struct MAXMARGIN_EXPORT ProjectionOptions {
  std::size_t components = 2;
  /// Of kernel-pca.
  KernelChoice kernel = {};
  bool allow_indefinite = false;
  void describe(OptionVisitor& visit);
};

/// A projection that was found.
class MAXMARGIN_EXPORT Projection {
 public:
  using Value = std::variant<PcaModel, KernelPcaModel, LdaProjection>;
  explicit Projection(Value value) : value_(std::move(value)) {}
  /// Throws ModelFormatError when the document holds none.
  [[nodiscard]] static Projection of(const ModelDocument& document);

  [[nodiscard]] ProjectionKind kind() const noexcept;
  [[nodiscard]] const Value& value() const noexcept { return value_; }
  /// The scores along the directions, one row an example.
  [[nodiscard]] DenseMatrix transform(const Examples& examples, const Context& context = {}) const;
  /// The same; throws InvalidArgument for strings where the directions are of numbers, and the
  /// other way round.
  [[nodiscard]] DenseMatrix transform(const Dataset& data, const Context& context = {}) const;
  [[nodiscard]] ModelDocument document() const;

 private:
  Value value_;
};

struct TrainedProjection {
  Projection projection;
  SolveReport report = {};
};

/// Finds the directions on the data. Throws InvalidArgument for weighted data, and for lda without
/// labels; lda keeps the first `components` of its directions.
[[nodiscard]] MAXMARGIN_EXPORT TrainedProjection train_projection(ProjectionKind kind,
                                                                  const Dataset& data,
                                                                  const ProjectionOptions& options,
                                                                  const Context& context = {});

}  // namespace maxmargin
