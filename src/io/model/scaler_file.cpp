// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/io/model/scaler_file.hpp"

namespace maxmargin {

void store_scaler(const Scaler& scaler, ModelDocument& model) {
  if (scaler.options.kind == ScalingKind::none) return;
  model.set_string("scaler.kind", to_string(scaler.options));
  if (scaler.options.kind == ScalingKind::range) {
    model.set_numbers("scaler.minimum", scaler.minimum);
    model.set_numbers("scaler.maximum", scaler.maximum);
  } else {
    model.set_numbers("scaler.mean", scaler.mean);
    model.set_numbers("scaler.deviation", scaler.deviation);
  }
}

Scaler load_scaler(const ModelDocument& model) {
  Scaler scaler;
  if (!model.has("scaler.kind")) return scaler;
  try {
    scaler.options = parse_scaling(model.string("scaler.kind"));
    if (scaler.options.kind == ScalingKind::range) {
      scaler.minimum = model.numbers("scaler.minimum");
      scaler.maximum = model.numbers("scaler.maximum");
    } else if (scaler.options.kind == ScalingKind::standard) {
      scaler.mean = model.numbers("scaler.mean");
      scaler.deviation = model.numbers("scaler.deviation");
    }
    scaler.validate();
  } catch (const InvalidArgument& broken) {
    throw ModelFormatError(model.source(), {}, std::string("scaler: ") + broken.what());
  }
  return scaler;
}

}  // namespace maxmargin
