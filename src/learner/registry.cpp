// SPDX-License-Identifier: Apache-2.0
//
// The one table of learners. A new learner is a line in its family's file, or a family a line here.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "learner/clustering/clustering.hpp"
#include "learner/structured/structured.hpp"
#include "learner/supervised/supervised.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/core/number.hpp"
#include "maxmargin/core/suggest.hpp"
#include "maxmargin/learner/learner.hpp"

namespace maxmargin {

namespace {

struct Table {
  learning::LearnerList entries = {};
  std::vector<const Learner*> all = {};
};

Table make_table() {
  Table table;
  using namespace learning;
  for (const auto add : {add_kernel_classifiers,
                         add_linear_machines,
                         add_kernel_functions,
                         add_robust_machines,
                         add_relaxed_machines,
                         add_s3vm,
                         add_semi_supervised,
                         add_baselines,
                         add_sequence,
                         add_hmm,
                         add_structured_rows,
                         add_partition,
                         add_coreference,
                         add_align,
                         add_motif,
                         add_mil,
                         add_partition_methods,
                         add_kernel_kmeans,
                         add_hierarchical_methods,
                         add_mixtures,
                         add_spectral_methods,
                         add_sv_clustering,
                         add_relabeler,
                         add_mmc,
                         add_scalable_mmc}) {
    add(table.entries);
  }
  for (const auto& entry : table.entries) table.all.push_back(entry.get());
  return table;
}

OptionTexts texts_of(const std::vector<OptionSetting>& options) {
  OptionTexts texts;
  for (const OptionSetting& option : options) texts.emplace_back(option.name, option.text);
  return texts;
}

/// A run's own options by name are as good as its context.
constexpr std::string_view seed_name = "seed";

/// Whole numbers in digits, which options that count take, too.
std::string text_of_number(double value) {
  constexpr double exact = 9007199254740992.0;  // 2^53
  const bool is_whole = std::abs(value) < exact && value == std::floor(value);
  return is_whole ? std::to_string(static_cast<std::int64_t>(value)) : format_number(value);
}

}  // namespace

std::span<const Learner* const> learners() {
  static const Table table = make_table();
  return table.all;
}

const Learner* find_learner(std::string_view name) {
  for (const Learner* each : learners()) {
    if (each->info().name == name) return each;
  }
  return nullptr;
}

const Learner& learner(std::string_view name) {
  if (const Learner* found = find_learner(name)) return *found;
  std::vector<std::string_view> names;
  for (const Learner* each : learners()) names.push_back(each->info().name);
  throw InvalidArgument(breach("learner", name, "a known name" + suggest_names(name, names)));
}

OptionSetting::OptionSetting(std::string option, bool value)
    : name(std::move(option)), text(value ? "true" : "false") {}
OptionSetting::OptionSetting(std::string option, double value)
    : name(std::move(option)), text(text_of_number(value)) {}

std::vector<OptionSetting> detail::settings_of(const OptionTexts& texts) {
  std::vector<OptionSetting> settings;
  settings.reserve(texts.size());
  for (const auto& [name, text] : texts) settings.emplace_back(name, std::string_view(text));
  return settings;
}

Training train(std::string_view name,
               const LearnerData& data,
               const std::vector<OptionSetting>& options,
               const Context& context) {
  TrainingRequest request{
      .options = texts_of(options), .context = context, .keep_certificate = true};
  OptionTexts seeds;
  std::erase_if(request.options, [&](const auto& option) {
    if (option.first == seed_name) seeds.push_back(option);
    return option.first == seed_name;
  });
  set_options(request.context, seeds, "a run");
  const Learner& chosen = effective_learner(learner(name), request.options);
  return chosen.train(data, request);
}

Training train(std::string_view name,
               const Dataset& data,
               const std::vector<OptionSetting>& options,
               const Context& context) {
  return train(name, LearnerData(TableData{.data = data}), options, context);
}

Prediction predict(const Model& model,
                   const LearnerData& data,
                   const std::vector<OptionSetting>& options,
                   const Context& context) {
  return model.learner().predict(model, data, texts_of(options), context);
}

Prediction predict(const Model& model,
                   const Dataset& data,
                   const std::vector<OptionSetting>& options,
                   const Context& context) {
  return predict(model, LearnerData(TableData{.data = data}), options, context);
}

Verification verify(const Model& model, const LearnerData& data, const Context& context) {
  return model.learner().verify(model, data, context);
}

Verification verify(const Model& model, const Dataset& data, const Context& context) {
  return verify(model, LearnerData(TableData{.data = data}), context);
}

}  // namespace maxmargin
