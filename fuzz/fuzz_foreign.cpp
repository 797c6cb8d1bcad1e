// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/io/foreign/model.hpp"
#include "maxmargin/io/model/machine_file.hpp"
#include "round_trip.hpp"

namespace maxmargin {
namespace {

std::string foreign_bytes(const ForeignModel& model) {
  const bool libsvm = model.solver.empty();
  return written_by([&](OutputFile& output) {
    if (libsvm) {
      write_libsvm_model(model, output);
    } else {
      write_liblinear_model(model, output);
    }
  });
}

/// The same machine in a file of ours.
std::string own_bytes(const ForeignModel& model) {
  ModelDocument document(model.learner);
  if (const auto* classifier = std::get_if<Classifier>(&model.machine)) {
    add_classifier(document, *classifier);
  } else {
    add_regressor(document, std::get<Regressor>(model.machine));
  }
  return written_by([&](OutputFile& output) { write_model(document, output); });
}

}  // namespace
}  // namespace maxmargin

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace maxmargin;
  const std::string file(reinterpret_cast<const char*>(bytes), size);
  if (!plain_bytes(file)) return 0;
  const auto model = read_from(file, read_foreign_model);
  if (!model) return 0;
  if (const auto* classifier = std::get_if<Classifier>(&model->machine)) classifier->validate();
  // Writing drops vectors without a coefficient, so that the second file is the normal form.
  const std::string first = foreign_bytes(*model);
  const auto again = read_from(first, read_foreign_model);
  check(again.has_value(), "what is written can be read");
  check(foreign_bytes(*again) == first, "a written model reads back as it was");
  check(own_bytes(*model).size() > 0, "a foreign model fits a file of ours");
  return 0;
}
