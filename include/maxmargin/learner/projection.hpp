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
#include "maxmargin/learner/model.hpp"
#include "maxmargin/model/projection/kernel_pca.hpp"
#include "maxmargin/model/projection/lda.hpp"
#include "maxmargin/model/projection/pca.hpp"

/// Features along a few directions: principal components, those of a kernel's feature space, or
/// Fisher's discriminants.
///
///   const Projection found = train_projection(ProjectionKind::pca, data, {}).projection;
///   save_projection(found, "iris.pca");
///   const DenseMatrix scores = load_projection("iris.pca").transform(data);
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
  /// `header`: how it was found; the names of kind and task are filled in.
  explicit Projection(Value value, ModelHeader header = {});
  /// Throws ModelFormatError when the document holds none, or its header is broken.
  [[nodiscard]] static Projection of(const ModelDocument& document);
  /// Is the document one of a projection?
  [[nodiscard]] static bool is_known(const ModelDocument& document);

  [[nodiscard]] ProjectionKind kind() const noexcept;
  /// What it says of itself, as models do: options, seed, examples and how it ended. Files of
  /// format 1 say less.
  [[nodiscard]] const ModelHeader& header() const noexcept { return header_; }
  [[nodiscard]] const Value& value() const noexcept { return value_; }
  /// The scores along the directions, one row an example.
  [[nodiscard]] DenseMatrix transform(const Examples& examples, const Context& context = {}) const;
  /// The same; throws InvalidArgument for strings where the directions are of numbers, and the
  /// other way round.
  [[nodiscard]] DenseMatrix transform(const Dataset& data, const Context& context = {}) const;
  /// All of it, as in a file.
  [[nodiscard]] ModelDocument document() const;

 private:
  Value value_;
  ModelHeader header_;
};

/// Writes the projection to a file, whole or not at all.
MAXMARGIN_EXPORT void save_projection(const Projection& projection,
                                      const std::string& path,
                                      ModelFormat format = ModelFormat::text);
/// Throws FileError or ModelFormatError.
[[nodiscard]] MAXMARGIN_EXPORT Projection load_projection(const std::string& path);

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
