// SPDX-License-Identifier: Apache-2.0
// What study_structural and study_structural_dlib share: hand-written words as chains whose weights
// are those of pixels and of pairs of neighbouring letters. dlib's chains have no weights of the
// first and last letter, so these have none either.
#pragma once

#include <algorithm>
#include <ctime>
#include <iostream>
#include <string>
#include <string_view>
#include <utility>

#include "maxmargin/core/error.hpp"
#include "maxmargin/core/number.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/io/stream/input.hpp"
#include "maxmargin/io/text/svmhmm.hpp"
#include "maxmargin/structured/tasks/chain.hpp"

namespace maxmargin {

struct Words {
  SequenceData data;
  ChainTask task;
};

inline Words read_words(const std::string& path) {
  Input input = Input::open(path);
  SequenceData data = read_svmhmm(input);
  for (const Sequence& word : data.inputs) {
    // dlib is spared the multiplications then.
    require(std::ranges::all_of(word.values, [](double value) { return value == 1; }),
            "read_words: pixels must be 1");
  }
  ChainTask task(
      {.labels = data.label_names.size(), .features = data.features, .begin = false, .end = false});
  return {std::move(data), std::move(task)};
}

inline void print(std::string_view key, double value) {
  std::cout << key << ' ' << format_number(value) << '\n';
}

inline double number_of(std::string_view text) {
  const auto value = parse_number(text);
  if (!value) throw InvalidArgument(std::string(text) + " is not a number");
  return *value;
}

/// Of all threads of this program since it began.
inline double cpu_seconds() {
  return static_cast<double>(std::clock()) / static_cast<double>(CLOCKS_PER_SEC);
}

}  // namespace maxmargin
