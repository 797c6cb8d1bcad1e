// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/learner/model.hpp"

#include <new>
#include <optional>
#include <utility>

#include "learner/header.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/io/model/machine_file.hpp"
#include "maxmargin/io/stream/input.hpp"
#include "maxmargin/io/stream/output.hpp"
#include "maxmargin/learner/learner.hpp"

namespace maxmargin {

struct Model::State {
  ModelDocument document;
  ModelHeader header;
  const Learner* learner = nullptr;
  /// The calibration counts when probabilities are asked for alone.
  bool is_calibrated_on_demand = false;
  bool is_foreign = false;
};

namespace {

/// As models of LIBSVM are.
constexpr const char* on_demand_field = "calibration.on_demand";

/// Models whose name is not their learner's: those of format 1 that had one of their own, and
/// machines of other programs that ours would train otherwise.
std::string_view learner_of_kind(std::string_view kind) {
  if (kind == "mmc-multiclass") return "mmc";
  if (kind == "logistic") return "linear-svc";
  return kind;
}

const Learner& learner_of(const ModelDocument& document) {
  if (const Learner* found = find_learner(learner_of_kind(document.learner()))) return *found;
  throw ModelFormatError(
      document.source(), {}, "the learner " + document.learner() + " is not known");
}

ModelDocument document_of(const ForeignModel& foreign, const std::string& source) {
  ModelDocument document(foreign.learner, source);
  document.set_string("task", std::string(to_string(learner_of(document).info().task)));
  if (const auto* classifier = std::get_if<Classifier>(&foreign.machine)) {
    add_classifier(document, *classifier);
  } else {
    add_regressor(document, std::get<Regressor>(foreign.machine));
  }
  return document;
}

}  // namespace

Model::Model(ModelDocument document) {
  const Learner& learner = learner_of(document);
  ModelHeader header = learning::header_of(document);
  learning::check_kept_options(header, learner, document.source());
  const bool on_demand = document.has(on_demand_field) && document.boolean(on_demand_field);
  state_ = std::make_shared<const State>(
      State{std::move(document), std::move(header), &learner, on_demand});
}

bool Model::is_known(const ModelDocument& document) {
  return find_learner(learner_of_kind(document.learner())) != nullptr;
}

Model Model::of_foreign(ForeignModel foreign, const std::string& source) {
  Model model(document_of(foreign, source));
  auto state = std::make_shared<State>(*model.state_);
  state->is_foreign = true;
  if (auto* classifier = std::get_if<Classifier>(&foreign.machine);
      classifier != nullptr && foreign.calibration) {
    classifier->calibration = std::move(foreign.calibration);
    state->document = document_of(foreign, source);
    state->document.set_boolean(on_demand_field, true);
    state->is_calibrated_on_demand = true;
  }
  model.state_ = std::move(state);
  return model;
}

const ModelHeader& Model::header() const noexcept { return state_->header; }
const Learner& Model::learner() const noexcept { return *state_->learner; }
const ModelDocument& Model::document() const noexcept { return state_->document; }
const ModelDocument* Model::with_probabilities() const noexcept {
  return state_->is_calibrated_on_demand ? &state_->document : nullptr;
}
bool Model::is_foreign() const noexcept { return state_->is_foreign; }

void save_model(const Model& model, const std::string& path, ModelFormat format) {
  OutputFile file(path);
  write_model(model.document(), file, format);
  file.commit();
}

std::string model_bytes(const Model& model, ModelFormat format) {
  std::string bytes;
  OutputFile memory = OutputFile::to_memory(bytes);
  write_model(model.document(), memory, format);
  memory.commit();
  return bytes;
}

Model load_model(Input& input) {
  try {
    if (looks_like_foreign_model(input)) {
      return Model::of_foreign(read_foreign_model(input), input.name());
    }
    return Model(read_model(input));
  } catch (const std::bad_alloc&) {
    throw FileError(input.name(), "this model needs more memory than there is for it");
  }
}

Model load_model(const std::string& path) {
  Input input = Input::open(path);
  return load_model(input);
}

Model load_model_bytes(std::string_view bytes, const std::string& name) {
  Input input = Input::from_memory(name, std::string(bytes));
  return load_model(input);
}

}  // namespace maxmargin
