// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "maxmargin/io/stream/input.hpp"
#include "maxmargin/io/stream/output.hpp"
#include "temporary_folder.hpp"

namespace maxmargin {

/// The bytes that `write(OutputFile&)` puts into a file.
template <class Write>
std::string written_bytes(const Write& write) {
  const TemporaryFolder folder;
  OutputFile file(folder.path("written"));
  write(file);
  file.commit();
  return Input::open(folder.path("written")).read_all();
}

/// The message of the Problem that `act` throws, or "" when it throws none.
template <class Problem, class Act>
std::string problem_of(const Act& act) {
  try {
    act();
  } catch (const Problem& problem) {
    return problem.what();
  }
  return "";
}

}  // namespace maxmargin
