// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "maxmargin/data/dataset.hpp"
#include "maxmargin/io/model/model_file.hpp"
#include "maxmargin/learner/learner.hpp"

/// Whether the features of data are those that a model takes.
namespace maxmargin::learning {

/// How messages name data: by its file, or "the data".
[[nodiscard]] std::string name_of(const std::string& source);
[[nodiscard]] std::string name_of(const Dataset& data);

/// Does the option `kernel` among these ask for a kernel of strings?
[[nodiscard]] bool asks_for_strings(const OptionTexts& options);
/// Throws InvalidArgument unless the rows are strings where these are wanted, and numbers where
/// not.
void check_strings(const Dataset& data, bool wanted);
/// Throws InvalidArgument where the rows are strings, which `who` ("the learner rank") does not
/// take.
void check_numbers(const Dataset& data, std::string_view who);
/// Is the model's kernel one of strings?
[[nodiscard]] bool is_for_strings(const ModelDocument& document);

/// Throws FileError, naming the row, when a model's score of it is not finite.
void require_finite_score(double score, std::size_t row, const Dataset& data);
/// The same of a table of scores, one row a row of the data.
void require_finite_scores(const DenseMatrix& scores, const Dataset& data);

/// Sparse data may have more or fewer features than the model: say so once. Dense data may not:
/// throws FileError.
void check_features(const Dataset& data, std::size_t features, std::vector<std::string>& warnings);
/// The same of other sparse data.
void check_features(const std::string& source,
                    std::size_t found,
                    std::size_t features,
                    std::vector<std::string>& warnings);
/// Where both name their features, the names must be the same in the same order; throws FileError.
void check_names(const Dataset& data, const std::vector<std::string>& names);

}  // namespace maxmargin::learning
