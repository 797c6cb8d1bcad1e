// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "learner/header.hpp"
#include "long_double_qp.hpp"
#include "maxmargin/data/dataset.hpp"
#include "maxmargin/model/classifier.hpp"

/// What the references of all learners are given: a model and its data as long doubles.
namespace maxmargin::reference {

inline constexpr Number infinity = std::numeric_limits<Number>::infinity();

/// The options that a model says it was trained with.
class Options {
 public:
  explicit Options(const ModelHeader& header) {
    for (const auto& [key, value] : header.options) all_.emplace(key, value);
  }
  [[nodiscard]] Number number(const std::string& key, Number otherwise) const {
    const auto at = all_.find(key);
    if (at == all_.end()) return otherwise;
    if (const auto* value = std::get_if<double>(&at->second)) return *value;
    if (const auto* value = std::get_if<std::int64_t>(&at->second)) return *value;
    if (const auto* value = std::get_if<std::string>(&at->second)) {
      if (*value == "inf" || *value == "infinity") return infinity;
      return otherwise;
    }
    return otherwise;
  }
  [[nodiscard]] bool truth(const std::string& key, bool otherwise) const {
    const auto at = all_.find(key);
    const bool* value = at == all_.end() ? nullptr : std::get_if<bool>(&at->second);
    return value == nullptr ? otherwise : *value;
  }
  [[nodiscard]] std::string name(const std::string& key, const std::string& otherwise) const {
    const auto at = all_.find(key);
    const auto* value = at == all_.end() ? nullptr : std::get_if<std::string>(&at->second);
    return value == nullptr ? otherwise : *value;
  }

 private:
  std::map<std::string, OptionScalar> all_ = {};
};

/// The kernel of the functions between all rows; empty for kernels that are not known here.
[[nodiscard]] std::optional<Matrix> gram_of(const Dataset& data, const DecisionFunction& functions);

/// One function of the model on the training rows.
struct Function {
  Vector values = {};  ///< without offset
  Number offset = 0;
  Number square = 0;         ///< |w|^2 without offset
  Vector coefficients = {};  ///< of kernel machines, one a row
};

[[nodiscard]] Function function_of(const DecisionFunction& functions,
                                   std::size_t f,
                                   const Dataset& data,
                                   const Matrix& gram);

/// A problem as all of the following see it.
struct Given {
  const Dataset& data;
  Options options;
  Matrix gram;
  Vector signs = {};  ///< of two classes
  Vector targets = {};
  Vector weights = {};
  std::vector<Function> functions = {};

  [[nodiscard]] std::size_t size() const { return data.size(); }
  [[nodiscard]] const Function& function() const { return functions.front(); }
  [[nodiscard]] Number c() const { return options.number("C", 1); }
};

inline Interval negated(const Interval& i) { return {.low = -i.high, .high = -i.low}; }
inline Interval plus(const Interval& i, Number x) { return {.low = i.low + x, .high = i.high + x}; }

/// The sum of the values.
[[nodiscard]] Number total(const Vector& values);

/// Adds the constant feature of linear machines; returns |w|^2 with its weight.
[[nodiscard]] Number penalise_offset(const Given& given, Matrix& gram);

/// 16 roundings of every term of f(x_i), times the cost of the row.
[[nodiscard]] Number rounding_of(const Given& given, const DecisionFunction& functions);

}  // namespace maxmargin::reference
