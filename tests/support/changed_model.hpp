// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "maxmargin/data/dataset.hpp"
#include "maxmargin/io/model/model_file.hpp"
#include "maxmargin/learner/learner.hpp"

/// Models that are not what the training wrote.
namespace maxmargin::test {

using Change = std::function<void(ModelDocument&)>;

/// The document with `change` in the place of one of its parts.
inline ModelDocument changed(const ModelDocument& document,
                             const std::string& part,
                             const Change& change) {
  ModelDocument made(document.learner());
  for (const ModelDocument::Field& field : document.fields()) {
    if (field.name == part) {
      change(made);
      continue;
    }
    std::visit(
        [&](const auto& value) {
          using T = std::decay_t<decltype(value)>;
          if constexpr (std::is_same_v<T, bool>) made.set_boolean(field.name, value);
          if constexpr (std::is_same_v<T, std::int64_t>) made.set_integer(field.name, value);
          if constexpr (std::is_same_v<T, double>) made.set_number(field.name, value);
          if constexpr (std::is_same_v<T, std::string>) made.set_string(field.name, value);
        },
        field.value);
  }
  for (const ModelDocument::Section& section : document.sections()) {
    if (section.name == part) {
      change(made);
      continue;
    }
    std::visit(
        [&](const auto& value) {
          using T = std::decay_t<decltype(value)>;
          const std::string& name = section.name;
          if constexpr (std::is_same_v<T, std::vector<std::string>>) made.set_strings(name, value);
          if constexpr (std::is_same_v<T, std::vector<double>>) made.set_numbers(name, value);
          if constexpr (std::is_same_v<T, std::vector<Label>>) made.set_labels(name, value);
          if constexpr (std::is_same_v<T, DenseMatrix>) made.set_dense(name, value);
          if constexpr (std::is_same_v<T, SparseMatrix>) made.set_sparse(name, value);
        },
        section.content);
  }
  return made;
}

inline Verification verified(const ModelDocument& document, const Dataset& data) {
  const Model model(document);
  return model.learner().verify(model, LearnerData(TableData{.data = data}), {});
}

}  // namespace maxmargin::test
