// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "arguments.hpp"

/// The subcommands. Each returns the exit code: 0 done, 2 finished without converging, 3 a failed
/// verification. Wrong usage and wrong input are exceptions (main.cpp turns them into 1).
namespace maxmargin::tool {

int run_train(const Arguments& arguments);
int run_tune(const Arguments& arguments);
int run_cluster(const Arguments& arguments);
int run_predict(const Arguments& arguments);
int run_eval(const Arguments& arguments);
int run_info(const Arguments& arguments);
int run_solve(const Arguments& arguments);
int run_convert(const Arguments& arguments);
int run_plot(const Arguments& arguments);
int run_demo(const Arguments& arguments);
int run_completion(const Arguments& arguments);

/// Is this `train --libsvm ...`, which has svm-train's grammar and not the tool's?
[[nodiscard]] bool is_libsvm_call(int argc, const char* const* argv);
int run_libsvm_train(int argc, const char* const* argv);

}  // namespace maxmargin::tool
