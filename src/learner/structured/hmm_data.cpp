// SPDX-License-Identifier: Apache-2.0
#include "learner/structured/hmm_data.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "io/model/machine_file_parts.hpp"
#include "learner/feature_checks.hpp"
#include "learner/named_field.hpp"
#include "learner/structured/sequence_answers.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/core/option.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/data/text/sequence_map.hpp"

namespace maxmargin::learning {

namespace {

/// Symbols of strings.
using SymbolNumbers = std::unordered_map<std::string_view, std::uint32_t>;

SymbolNumbers numbers_of(const std::vector<std::string>& strings) {
  SymbolNumbers numbers;
  for (std::size_t o = 0; o < strings.size(); ++o) {
    // The first one may be that of rare strings, which no string is.
    if (!strings[o].empty()) numbers.emplace(strings[o], static_cast<std::uint32_t>(o));
  }
  return numbers;
}

bool has_rare(const std::vector<std::string>& strings) {
  return !strings.empty() && strings.front().empty();
}

void require_column(const TaggedText& text, std::size_t column) {
  if (text.tokens() == 0 || column <= text.columns()) return;
  throw InvalidArgument(breach("symbol-column",
                               std::to_string(column),
                               "one of the " + std::to_string(text.columns()) +
                                   " observed columns of " + name_of(text.source)));
}

/// Strings in the order of first sight, the rare ones together in front.
std::vector<std::string> strings_of(const TaggedText& text,
                                    std::size_t column,
                                    std::uint64_t minimum_count) {
  std::unordered_map<std::string_view, std::uint64_t> counts;
  std::vector<std::string_view> seen;
  for (std::size_t token = 0; token < text.tokens(); ++token) {
    const std::string_view cell = text.cell(token, column - 1);
    if (++counts[cell] == 1) seen.push_back(cell);
  }
  std::vector<std::string> strings;
  if (minimum_count > 1) strings.emplace_back();
  for (const std::string_view cell : seen) {
    if (counts[cell] >= minimum_count) strings.emplace_back(cell);
  }
  return strings;
}

void add_symbols(const TaggedText& text,
                 const std::vector<std::string>& strings,
                 std::size_t column,
                 HmmData& data) {
  const SymbolNumbers numbers = numbers_of(strings);
  const bool rare = has_rare(strings);
  for (std::size_t s = 0; s < text.size(); ++s) {
    SymbolSequence& symbols = data.symbols.emplace_back();
    for (std::size_t token = text.begin(s); token < text.begin(s + 1); ++token) {
      const auto found = numbers.find(text.cell(token, column - 1));
      const bool is_known = found != numbers.end();
      if (!is_known && !rare) ++data.unseen;
      symbols.push_back(is_known ? found->second : rare ? 0 : unknown_state);
    }
  }
}

/// The label ? is none: it has no number.
void forget_unknown(HmmData& data) {
  const auto unknown = std::ranges::find(data.label_names, no_label);
  if (unknown == data.label_names.end()) return;
  const auto place = static_cast<std::uint32_t>(unknown - data.label_names.begin());
  data.label_names.erase(unknown);
  bool any = false;
  for (LabelSequence& labels : data.labels) {
    for (std::uint32_t& label : labels) {
      any = any || label != place;
      label = label == place ? unknown_state : label > place ? label - 1 : label;
    }
  }
  if (!any) data.labels.clear();
}

/// Tags by the numbers that are known for their names; further names stand behind.
void add_tags(const TaggedText& text, const std::vector<std::string>& known, HmmData& data) {
  data.label_names = known;
  if (!text.has_tags()) return;
  std::vector<std::uint32_t> number;
  data.label_names = number_labels(known, text.tags(), number);
  for (std::size_t s = 0; s < text.size(); ++s) {
    LabelSequence& labels = data.labels.emplace_back();
    for (std::size_t token = text.begin(s); token < text.begin(s + 1); ++token) {
      labels.push_back(number[text.tag(token)]);
    }
  }
  forget_unknown(data);
}

/// Is every position one feature of value 1?
bool are_symbols(const SequenceData& numbers) {
  return std::ranges::all_of(numbers.inputs, [](const Sequence& x) {
    for (std::size_t t = 0; t < x.size(); ++t) {
      if (x.indices_at(t).size() != 1 || x.value(x.begins[t]) != 1) return false;
    }
    return true;
  });
}

/// Rows of `features` numbers; further ones are left out.
VectorSequence vectors_of(const Sequence& x, std::size_t features) {
  VectorSequence vectors(x.size(), features, 0.0);
  for (std::size_t t = 0; t < x.size(); ++t) {
    for (std::size_t e = x.begins[t]; e < x.begins[t + 1]; ++e) {
      if (x.indices[e] < features) vectors(t, x.indices[e]) = x.value(e);
    }
  }
  return vectors;
}

/// Symbols of numbers are the feature of each position, vectors all of them.
HmmData numbers_data(const SequenceData& numbers,
                     HmmKind kind,
                     std::size_t features,
                     const std::vector<std::string>& known) {
  HmmData data;
  if (kind == HmmKind::gaussian) {
    for (const Sequence& x : numbers.inputs) data.vectors.push_back(vectors_of(x, features));
  } else {
    try {
      data.symbols = symbols_of(numbers);
    } catch (const InvalidArgument& problem) {
      throw InvalidArgument(name_of(numbers.source) + ": " + problem.what());
    }
  }
  SequenceData labels{.labels = numbers.labels, .label_names = numbers.label_names};
  if (!known.empty()) number_labels_as(known, labels);
  data.labels = std::move(labels.labels);
  data.label_names = std::move(labels.label_names);
  forget_unknown(data);
  return data;
}

}  // namespace

std::size_t HmmData::positions() const {
  std::size_t count = 0;
  for (const SymbolSequence& each : symbols) count += each.size();
  for (const VectorSequence& each : vectors) count += each.rows();
  return count;
}

HmmData learn_hmm_data(const SequenceCollection& given, const HmmChoice& choice, HmmNames& names) {
  require(given.text || given.numbers, "there are no sequences to learn from");
  HmmData data;
  if (given.numbers) {
    for (const auto& [name, is_given] : {std::pair("symbol-column", choice.symbol_column != 1),
                                         std::pair("min-count", choice.minimum_count != 1)}) {
      if (!is_given) continue;
      throw InvalidArgument(flag_of(name) + ": belongs to text, the data is numbers");
    }
    names.kind =
        choice.kind.value_or(are_symbols(*given.numbers) ? HmmKind::discrete : HmmKind::gaussian);
    names.features = given.numbers->features;
    data = numbers_data(*given.numbers, names.kind, names.features, {});
  } else {
    if (choice.kind == HmmKind::gaussian) {
      throw InvalidArgument("--emissions gaussian: " + name_of(given.text->source) +
                            " is text, which has symbols alone");
    }
    const TaggedText& text = *given.text;
    require_column(text, choice.symbol_column);
    names.strings = strings_of(text, choice.symbol_column, choice.minimum_count);
    names.features = names.strings.size();
    add_symbols(text, names.strings, choice.symbol_column, data);
    add_tags(text, {}, data);
  }
  if (data.positions() == 0) {
    throw FileError(name_of(given.numbers ? given.numbers->source : given.text->source),
                    "has no tokens");
  }
  names.states = data.labels.empty() ? std::vector<std::string>{} : data.label_names;
  names.labels = names.states.size();
  return data;
}

HmmData hmm_data_for(const SequenceCollection& given, const HmmNames& names, std::size_t column) {
  require(given.text || given.numbers, "there are no sequences");
  if (names.strings.empty() != given.numbers.has_value()) {
    throw InvalidArgument(given.numbers ? "the data is numbers, the model was trained on text"
                                        : "the data is text, the model was trained on numbers");
  }
  HmmData data;
  if (given.numbers) {
    data = numbers_data(*given.numbers, names.kind, names.features, names.states);
    for (const SymbolSequence& symbols : data.symbols) {
      data.unseen += static_cast<std::size_t>(std::ranges::count_if(
          symbols, [&](std::uint32_t symbol) { return symbol >= names.features; }));
    }
    return data;
  }
  require_column(*given.text, column);
  add_symbols(*given.text, names.strings, column, data);
  add_tags(*given.text, names.states, data);
  return data;
}

void add_states(std::size_t count, HmmNames& names) {
  for (std::size_t number = 1; names.states.size() < count; ++number) {
    std::string name = "state" + std::to_string(number);
    if (std::ranges::find(names.states, name) == names.states.end()) {
      names.states.push_back(std::move(name));
    }
  }
}

void store_names(const HmmNames& names, ModelDocument& document) {
  document.set_strings("labels", names.states);
  document.set_integer("known_labels", static_cast<std::int64_t>(names.labels));
  document.set_integer("features", static_cast<std::int64_t>(names.features));
  document.set_string("emission_kind", std::string(to_string(names.kind)));
  document.set_boolean("is_text", !names.strings.empty());
  if (!names.strings.empty()) document.set_strings("symbols", names.strings);
}

HmmNames names_in(const ModelDocument& document) {
  HmmNames names{.states = document.strings("labels"),
                 .labels = static_cast<std::size_t>(document.integer("known_labels")),
                 .features = static_cast<std::size_t>(document.integer("features")),
                 .kind = named_field<HmmKind>(document, "emission_kind")};
  demand(!names.states.empty() && names.labels <= names.states.size(),
         document,
         "labels",
         "are fewer than the known ones");
  if (document.boolean("is_text")) {
    names.strings = document.strings("symbols");
    demand(names.strings.size() == names.features && names.features > 0,
           document,
           "symbols",
           "are not as many as the model says");
    demand(names.kind == HmmKind::discrete, document, "is_text", "is not what has vectors");
    demand(document.integer("text.symbol_column") >= 1,
           document,
           "text.symbol_column",
           "is not a column");
  }
  return names;
}

}  // namespace maxmargin::learning
