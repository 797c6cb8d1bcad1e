// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

/// Lists of long option names, as the tables of commands, learners and methods are made of them.
namespace maxmargin::tool {

template <class... Text>
constexpr std::array<std::string_view, sizeof...(Text)> names(const Text&... text) {
  return {std::string_view(text)...};
}

/// The entries of all, in order.
template <std::size_t... sizes>
constexpr std::array<std::string_view, (sizes + ...)> joined(
    const std::array<std::string_view, sizes>&... lists) {
  std::array<std::string_view, (sizes + ...)> all;
  std::size_t next = 0;
  const auto append = [&](const auto& list) {
    for (const std::string_view name : list) all[next++] = name;
  };
  (append(lists), ...);
  return all;
}

/// Options of `train` that structured learners alone take.
inline constexpr std::array structured_options = names("order",
                                                       "rescaling",
                                                       "template",
                                                       "index",
                                                       "hash-bits",
                                                       "min-count",
                                                       "chunks",
                                                       "columns",
                                                       "k",
                                                       "relevant-from",
                                                       "query-weight",
                                                       "taxonomy",
                                                       "inner-nodes",
                                                       "cost-matrix",
                                                       "interactions",
                                                       "wrong-link",
                                                       "inference",
                                                       "max-mentions-between",
                                                       "checkpoint",
                                                       "checkpoint-every",
                                                       "resume");
/// Those of align alone.
inline constexpr std::array alignment_options = names("substitution",
                                                      "symmetric",
                                                      "gaps",
                                                      "gap-features",
                                                      "gap-costs",
                                                      "mode",
                                                      "end-gaps",
                                                      "loss-side",
                                                      "normalise");
inline constexpr std::array kernel_names = names("kernel", "gamma", "degree", "coef0");
/// How two-class machines make a classifier of several classes.
inline constexpr std::array code_names = names("multiclass", "code", "decoding", "probabilities");
/// What most classifiers take beside.
inline constexpr std::array classifier_names = joined(names("no-bias", "class-weight"), code_names);
/// What those take last that may be given one class; kernel machines also an indefinite kernel.
inline constexpr std::array one_class_names = names("allow-one-class", "memory-limit");
inline constexpr std::array kernel_machine_names =
    joined(names("allow-indefinite"), one_class_names);

}  // namespace maxmargin::tool
