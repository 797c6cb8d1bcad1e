// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "cli/call.hpp"

/// The subcommands: what each takes, and what it does. They return the exit code: 0 done, 2
/// finished without converging, 3 a failed verification. Wrong usage and wrong input are exceptions
/// (main.cpp turns them into 1).
namespace maxmargin::tool {

std::vector<OptionGroup> train_groups(const Learner* learner);
int run_train(Call& call);
std::vector<OptionGroup> tune_groups(const Learner* learner);
int run_tune(Call& call);
std::vector<OptionGroup> cluster_groups(const Learner* method);
int run_cluster(Call& call);
std::vector<OptionGroup> predict_groups(const Learner* learner);
int run_predict(Call& call);
std::vector<OptionGroup> eval_groups(const Learner* learner);
int run_eval(Call& call);
std::vector<OptionGroup> info_groups(const Learner* learner);
int run_info(Call& call);
std::vector<OptionGroup> solve_groups(const Learner* learner);
int run_solve(Call& call);
std::vector<OptionGroup> convert_groups(const Learner* learner);
int run_convert(Call& call);
std::vector<OptionGroup> plot_groups(const Learner* learner);
int run_plot(Call& call);
std::vector<OptionGroup> demo_groups(const Learner* learner);
int run_demo(Call& call);
std::vector<OptionGroup> completion_groups(const Learner* learner);
int run_completion(Call& call);
/// The shells that there is a completion script for.
[[nodiscard]] std::vector<std::string_view> completed_shells();

}  // namespace maxmargin::tool
