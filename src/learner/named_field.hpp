// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "maxmargin/core/error.hpp"
#include "maxmargin/core/names.hpp"
#include "maxmargin/io/model/model_file.hpp"

namespace maxmargin::learning {

/// A field of a model that holds one of the names of an enumeration. Throws ModelFormatError for
/// others: "the covariance round is not known".
template <Named E>
[[nodiscard]] E named_field(const ModelDocument& document, const std::string& field) {
  const std::string& text = document.string(field);
  if (const std::optional<E> value = value_named<E>(text)) return *value;
  throw ModelFormatError(document.source(), {}, "the " + field + " " + text + " is not known");
}

}  // namespace maxmargin::learning
