// SPDX-License-Identifier: Apache-2.0
//
// Every choice of every learner once: what trains is saved and loaded again, and answers and
// verifies as before; what does not go with the other defaults says so.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "maxmargin/core/error.hpp"
#include "maxmargin/learner/learner.hpp"
#include "maxmargin/maxmargin.hpp"
#include "walk_data.hpp"

namespace maxmargin {
namespace {

/// The values of a choice of names or of a switch; of other options none.
std::vector<std::string> choices_of(const OptionDescription& option) {
  if (option.kind == OptionKind::yes_no) return {"true", "false"};
  return option.names;
}

/// Empty: the options do not go together, which is said in the words of options.
std::optional<Training> trained_with(const Learner& entry,
                                     const LearnerData& data,
                                     const OptionTexts& options) {
  try {
    return entry.train(data,
                       {.options = options, .context = {.threads = 1}, .keep_certificate = true});
  } catch (const Error& refusal) {
    EXPECT_STRNE(refusal.what(), "");
    return std::nullopt;
  }
}

class EveryChoice : public ::testing::TestWithParam<const Learner*> {};

TEST_P(EveryChoice, IsSavedLoadedAndVerified) {
  const Learner& entry = *GetParam();
  const LearnerData data = walk::data_for(entry.info());
  for (const OptionDescription& option : entry.options()) {
    for (const std::string& value : choices_of(option)) {
      SCOPED_TRACE(flag_of(option.name) + " " + value);
      OptionTexts options = walk::needed_options(entry);
      options.emplace_back(option.name, value);
      const std::optional<Training> trained = trained_with(entry, data, options);
      if (!trained || !trained->model) continue;
      const Model again = load_model_bytes(model_bytes(*trained->model));
      EXPECT_EQ(predict(again, data).lines, predict(*trained->model, data).lines);
      if (!again.learner().can_verify()) continue;
      const Verification found = verify(again, data);
      EXPECT_TRUE(found.agrees.value_or(true)) << found.complaint;
      EXPECT_EQ(found.complaint.empty(), found.agrees == true);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Learners,
                         EveryChoice,
                         ::testing::ValuesIn(learners().begin(), learners().end()),
                         [](const auto& each) {
                           std::string name(each.param->info().name);
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

}  // namespace
}  // namespace maxmargin
