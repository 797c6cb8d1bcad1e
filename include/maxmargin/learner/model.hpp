// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "maxmargin/core/export.hpp"
#include "maxmargin/core/options.hpp"
#include "maxmargin/core/report.hpp"
#include "maxmargin/io/foreign/model.hpp"
#include "maxmargin/io/model/model_file.hpp"
#include "maxmargin/model/machine.hpp"

/// Trained models, whatever the learner: one header, saved and loaded in one way.
///
///   const Model model = *train("svc", data, {{"C", "10"}}).model;
///   save_model(model, "iris.mm");
///   const Model again = load_model("iris.mm");
namespace maxmargin {

class Learner;

/// What every model says of itself (docs/guide/model-file.md, "The header").
struct ModelHeader {
  std::string learner = {};
  /// As the learner's Task is named.
  std::string task = {};
  /// The version of this library that trained it; empty in files of format 1.
  std::string library = {};
  /// The options as used: key and value.
  OptionScalars options = {};
  std::uint64_t seed = 0;
  /// Rows, sequences, queries, ... it was trained on; 0: not known.
  std::size_t examples = 0;
  /// How the training ended, where the model says.
  std::optional<Status> status = std::nullopt;
  std::optional<double> primal_objective = std::nullopt;
  std::optional<double> dual_objective = std::nullopt;
  std::optional<double> lower_bound = std::nullopt;
};

/// An immutable value, cheap to copy.
class MAXMARGIN_EXPORT Model {
 public:
  /// A model of a document. Throws ModelFormatError when its learner is not known or its header is
  /// broken; the learner checks the rest when it is asked.
  explicit Model(ModelDocument document);
  /// Is the document one of a learner (and not a projection or a scaler)?
  [[nodiscard]] static bool is_known(const ModelDocument& document);

  [[nodiscard]] const ModelHeader& header() const noexcept;
  [[nodiscard]] const Learner& learner() const noexcept;
  /// All of it, as in a file.
  [[nodiscard]] const ModelDocument& document() const noexcept;
  /// The machine of a classifier, regressor or detector. It is made from the document at the first
  /// call, and kept for all copies of this model. Throws ModelFormatError where there is none.
  [[nodiscard]] const Machine& machine() const;
  /// Do its probabilities count when they are asked for alone? Of models that another program
  /// wrote, whose labels do not go by them.
  [[nodiscard]] bool calibrates_on_demand() const noexcept;
  /// Did another program write it? Such files do not say how many features there were.
  [[nodiscard]] bool is_foreign() const noexcept;

  /// A model of LIBSVM or LIBLINEAR.
  [[nodiscard]] static Model of_foreign(ForeignModel foreign, const std::string& source);

 private:
  struct State;
  std::shared_ptr<const State> state_;
};

/// Writes the model to a file, whole or not at all.
MAXMARGIN_EXPORT void save_model(const Model& model,
                                 const std::string& path,
                                 ModelFormat format = ModelFormat::text);
/// The bytes that save_model writes.
[[nodiscard]] MAXMARGIN_EXPORT std::string model_bytes(const Model& model,
                                                       ModelFormat format = ModelFormat::text);
/// Reads a model file of this or an earlier format, or one of LIBSVM or LIBLINEAR. Throws FileError
/// or ModelFormatError.
[[nodiscard]] MAXMARGIN_EXPORT Model load_model(const std::string& path);
/// The same of a file that is open already.
[[nodiscard]] MAXMARGIN_EXPORT Model load_model(Input& input);
/// The same from the bytes of one; `name` is for messages.
[[nodiscard]] MAXMARGIN_EXPORT Model load_model_bytes(std::string_view bytes,
                                                      const std::string& name = "model");

}  // namespace maxmargin
