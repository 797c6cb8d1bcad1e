// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "maxmargin/core/option.hpp"
#include "maxmargin/kernel/choice.hpp"
#include "maxmargin/model/kernel/bias.hpp"

/// Options that several machines describe alike.
namespace maxmargin {

/// C.
void describe_cost(OptionVisitor& visit, double& c, const NumberRule& rule = rules::positive);
/// no-bias.
void describe_bias(OptionVisitor& visit, bool& bias);
/// bias, of machines by relaxation.
void describe_bias(OptionVisitor& visit, KernelBias& bias);
/// allow-one-class.
void describe_one_class(OptionVisitor& visit, bool& allow_one_class);
/// kernel, gamma, degree and coef0 of a relaxation, which needs a positive semidefinite kernel;
/// `others` are the learners that take another.
void describe_semidefinite_kernel(OptionVisitor& visit,
                                  KernelChoice& kernel,
                                  std::string_view others);
/// restarts and max-rounds of a descent.
void describe_descent(OptionVisitor& visit,
                      std::optional<std::size_t>& restarts,
                      std::size_t& max_rounds);
/// restarts, random roundings of a relaxation.
void describe_roundings(OptionVisitor& visit, std::size_t& restarts);
/// max-rounds.
void describe_rounds(OptionVisitor& visit, std::size_t& max_rounds);

}  // namespace maxmargin
