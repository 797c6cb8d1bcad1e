// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/learner/model.hpp"

#include <mutex>
#include <new>
#include <optional>
#include <utility>

#include "learner/header.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/io/model/machine_file.hpp"
#include "maxmargin/io/stream/input.hpp"
#include "maxmargin/io/stream/output.hpp"
#include "maxmargin/learner/learner.hpp"
#include "maxmargin/learner/projection.hpp"

namespace maxmargin {

struct Model::State {
  ModelDocument document{"none"};
  ModelHeader header;
  const Learner* learner = nullptr;
  /// The calibration counts when probabilities are asked for alone.
  bool is_calibrated_on_demand = false;
  bool is_foreign = false;
  /// Made of the document once it is asked for.
  mutable std::once_flag making_machine = {};
  mutable std::optional<Machine> machine = std::nullopt;
};

namespace {

/// What models of other programs have beside ours (docs/guide/model-file.md).
constexpr const char* foreign_field = "foreign";
constexpr const char* on_demand_field = "calibration.on_demand";

bool says(const ModelDocument& document, const char* field) {
  return document.has(field) && document.boolean(field);
}

/// Models whose name is not their learner's: those of format 1 that had one of their own, and
/// machines of other programs that ours would train otherwise.
std::string_view learner_of_kind(std::string_view kind) {
  if (kind == "mmc-multiclass") return "mmc";
  if (kind == "logistic") return "linear-svc";
  return kind;
}

const Learner& learner_of(const ModelDocument& document) {
  if (const Learner* found = find_learner(learner_of_kind(document.learner()))) return *found;
  const std::string& name = document.learner();
  throw ModelFormatError(document.source(),
                         {},
                         Projection::is_known(document)
                             ? "is a projection by " + name + ", no model of a learner"
                             : "the learner " + name + " is not known");
}

}  // namespace

Model::Model(ModelDocument document) {
  const Learner& learner = learner_of(document);
  ModelHeader header = learning::header_of(document);
  learning::check_task(header, learner, document.source());
  learning::check_kept_options(header, learner, document.source());
  const auto state = std::make_shared<State>();
  state->header = std::move(header);
  state->learner = &learner;
  state->is_calibrated_on_demand = says(document, on_demand_field);
  state->is_foreign = says(document, foreign_field);
  state->document = std::move(document);
  state_ = state;
}

bool Model::is_known(const ModelDocument& document) {
  return find_learner(learner_of_kind(document.learner())) != nullptr;
}

Model Model::of_foreign(ForeignModel foreign, const std::string& source) {
  ModelDocument document(foreign.learner, source);
  document.set_string("task", std::string(to_string(learner_of(document).info().task)));
  document.set_boolean(foreign_field, true);
  if (auto* classifier = std::get_if<Classifier>(&foreign.machine)) {
    if (foreign.calibration) {
      classifier->calibration = std::move(foreign.calibration);
      document.set_boolean(on_demand_field, true);
    }
    add_classifier(document, std::move(*classifier));
  } else {
    add_regressor(document, std::move(std::get<Regressor>(foreign.machine)));
  }
  return Model(std::move(document));
}

const ModelHeader& Model::header() const noexcept { return state_->header; }
const Learner& Model::learner() const noexcept { return *state_->learner; }
const ModelDocument& Model::document() const noexcept { return state_->document; }
const Machine& Model::machine() const {
  std::call_once(state_->making_machine,
                 [&] { state_->machine.emplace(machine_of(state_->document)); });
  return *state_->machine;
}
bool Model::calibrates_on_demand() const noexcept { return state_->is_calibrated_on_demand; }
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
