// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/append_number.hpp"
#include "io/foreign/text.hpp"
#include "maxmargin/io/foreign/model.hpp"

/// The two foreign formats and what they have in common.
namespace maxmargin {

/// First word of a file of each.
inline constexpr std::string_view libsvm_start = "svm_type";
inline constexpr std::string_view liblinear_start = "solver_type";

[[nodiscard]] ForeignModel parse_libsvm_model(ForeignText& text);
[[nodiscard]] ForeignModel parse_liblinear_model(ForeignText& text);

/// Their labels are the whole numbers of 32 bits; no label may come twice.
[[nodiscard]] std::vector<Label> parse_foreign_labels(ForeignText& text);
/// The labels as a line of their files, ` 1 -1`. Throws InvalidArgument for labels they cannot
/// hold.
[[nodiscard]] std::string foreign_labels(const std::vector<Label>& classes);

/// Throws InvalidArgument when the model has something that neither format can hold.
void require_foreign_classifier(const Classifier& model);
void require_foreign_scaler(const std::optional<Scaler>& scaler);

/// Their one-class machines call x inside when the sum is above rho, ours when sum + offset >= 0.
/// The next number above rho makes one of the other: no double lies between.
[[nodiscard]] double offset_of_strict_rho(double rho);
[[nodiscard]] double strict_rho_of_offset(double offset);

}  // namespace maxmargin
