// SPDX-License-Identifier: Apache-2.0
#include "learner/header.hpp"

#include <algorithm>
#include <charconv>
#include <string>
#include <utility>

#include "maxmargin/core/error.hpp"
#include "maxmargin/core/version.hpp"

namespace maxmargin::learning {

namespace {

constexpr std::string_view option_prefix = "option.";

void set_scalar(ModelDocument& document, const std::string& name, const ReportValue& value) {
  struct Visitor {
    ModelDocument& document;
    const std::string& name;
    void operator()(std::monostate /*nothing*/) const {}
    void operator()(bool truth) const { document.set_boolean(name, truth); }
    void operator()(std::int64_t whole) const { document.set_integer(name, whole); }
    void operator()(double number) const { document.set_number(name, number); }
    void operator()(const std::string& text) const { document.set_string(name, text); }
  };
  std::visit(Visitor{document, name}, value);
}

/// The first of these fields that the document has.
std::optional<double> number_in(const ModelDocument& document,
                                std::initializer_list<const char*> names) {
  for (const char* const name : names) {
    if (document.has(name)) return document.number(name);
  }
  return std::nullopt;
}

std::optional<Status> status_in(const ModelDocument& document) {
  for (const char* const name : {"training.status", "status"}) {
    if (!document.has(name)) continue;
    const std::string& text = document.string(name);
    if (const std::optional<Status> status = value_named<Status>(text)) return status;
    throw ModelFormatError(document.source(), {}, "the status " + text + " is not known");
  }
  return std::nullopt;
}

/// Text since format 2, as the largest seeds are no signed numbers.
std::uint64_t seed_in(const ModelDocument& document) {
  for (const ModelDocument::Field& field : document.fields()) {
    if (field.name != "seed" && field.name != "option.seed") continue;
    if (const auto* whole = std::get_if<std::int64_t>(&field.value)) {
      return static_cast<std::uint64_t>(*whole);
    }
    const auto* text = std::get_if<std::string>(&field.value);
    std::uint64_t seed = 0;
    if (text != nullptr) {
      const char* const end = text->data() + text->size();
      const auto [stopped, error] = std::from_chars(text->data(), end, seed);
      if (error == std::errc{} && stopped == end) return seed;
    }
    throw ModelFormatError(document.source(), {}, "the model's 'seed' is no whole number");
  }
  return 0;
}

bool has_key(const std::vector<OptionDescription>& options, const std::string& key) {
  return std::ranges::any_of(
      options, [&](const OptionDescription& option) { return key_of(option.name) == key; });
}

/// An option that was kept under a name that `who` has not.
void refuse_unknown_keys(const ModelHeader& header,
                         const std::vector<OptionDescription>& known,
                         const std::string& who) {
  OptionTexts unknown;
  for (const auto& [key, value] : header.options) {
    if (has_key(known, key)) continue;
    std::string given = key;
    std::ranges::replace(given, '_', '-');
    // Parameters of an expression stand in the expression.
    if (given.find('.') != std::string::npos) {
      throw InvalidArgument(flag_of(given) + ": " + who + " does not take it");
    }
    unknown.emplace_back(std::move(given), text_of(value));
  }
  refuse_unknown_options(unknown, known, who);
}

}  // namespace

ModelDocument document_with_header(const ModelHeader& header) {
  ModelDocument document{header.learner};
  document.set_string("task", header.task);
  if (!header.library.empty()) document.set_string("library", header.library);
  document.set_string("seed", std::to_string(header.seed));
  document.set_integer("training.examples", static_cast<std::int64_t>(header.examples));
  if (header.status) document.set_string("training.status", std::string(to_string(*header.status)));
  const auto set_number = [&](const char* name, std::optional<double> value) {
    if (value) document.set_number(name, *value);
  };
  set_number("training.primal_objective", header.primal_objective);
  set_number("training.dual_objective", header.dual_objective);
  set_number("training.lower_bound", header.lower_bound);
  if (const auto bound =
          bound_kind(header.lower_bound, header.primal_objective, header.dual_objective)) {
    document.set_string("training.bound", std::string(to_string(*bound)));
  }
  for (const auto& [key, value] : header.options) {
    set_scalar(document, std::string(option_prefix) + key, value);
  }
  return document;
}

ModelDocument document_with_header(const Learner& learner,
                                   const ReportFields& options,
                                   std::uint64_t seed,
                                   std::size_t examples,
                                   const SolveReport& report) {
  ModelHeader header{.learner = std::string(learner.info().name),
                     .task = std::string(to_string(learner.info().task)),
                     .library = MAXMARGIN_VERSION,
                     .seed = seed,
                     .examples = examples,
                     .status = report.status,
                     .primal_objective = report.primal_objective,
                     .dual_objective = report.dual_objective,
                     .lower_bound = report.lower_bound};
  const std::vector<OptionDescription> known = learner.options();
  ReportFields found;
  for (const auto& field : options) {
    if (field.first == "seed") continue;  // the header has it
    (has_key(known, field.first) ? header.options : found).push_back(field);
  }
  ModelDocument document = document_with_header(header);
  for (const auto& [key, value] : found) set_scalar(document, "found." + key, value);
  return document;
}

void append_body(ModelDocument& document, const ModelDocument& body) {
  for (const ModelDocument::Field& field : body.fields()) {
    struct Visitor {
      ModelDocument& document;
      const std::string& name;
      void operator()(bool truth) const { document.set_boolean(name, truth); }
      void operator()(std::int64_t whole) const { document.set_integer(name, whole); }
      void operator()(double number) const { document.set_number(name, number); }
      void operator()(const std::string& text) const { document.set_string(name, text); }
    };
    std::visit(Visitor{document, field.name}, field.value);
  }
  for (const ModelDocument::Section& section : body.sections()) {
    struct Visitor {
      ModelDocument& document;
      const std::string& name;
      void operator()(std::vector<std::string> list) const {
        document.set_strings(name, std::move(list));
      }
      void operator()(std::vector<double> list) const {
        document.set_numbers(name, std::move(list));
      }
      void operator()(std::vector<Label> list) const { document.set_labels(name, std::move(list)); }
      void operator()(DenseMatrix matrix) const { document.set_dense(name, std::move(matrix)); }
      void operator()(SparseMatrix matrix) const { document.set_sparse(name, std::move(matrix)); }
    };
    std::visit(Visitor{document, section.name}, section.content);
  }
}

ModelHeader header_of(const ModelDocument& document) {
  ModelHeader header{.learner = document.learner()};
  if (document.has("task")) header.task = document.string("task");
  if (document.has("library")) header.library = document.string("library");
  header.seed = seed_in(document);
  if (document.has("training.examples")) {
    const std::int64_t examples = document.integer("training.examples");
    if (examples < 0) {
      throw ModelFormatError(
          document.source(),
          {},
          "the model's 'training.examples' is " + std::to_string(examples) + ", must be >= 0");
    }
    header.examples = static_cast<std::size_t>(examples);
  }
  header.status = status_in(document);
  header.primal_objective = number_in(document, {"training.primal_objective", "primal_objective"});
  header.dual_objective = number_in(document, {"training.dual_objective", "dual_objective"});
  header.lower_bound = number_in(document, {"training.lower_bound", "lower_bound"});
  for (const ModelDocument::Field& field : document.fields()) {
    if (!field.name.starts_with(option_prefix)) continue;
    header.options.emplace_back(
        field.name.substr(option_prefix.size()),
        std::visit([](const auto& value) { return OptionScalar(value); }, field.value));
  }
  return header;
}

bool has_precomputed_kernel(const ModelDocument& document) {
  return document.has("kernel") && document.string("kernel") == "precomputed";
}

OptionTexts kept_options(const ModelHeader& header, const std::vector<OptionDescription>& known) {
  OptionTexts texts;
  for (const auto& [key, value] : header.options) {
    for (const OptionDescription& option : known) {
      if (key_of(option.name) != key) continue;
      // Files of format 1 say yes and no in words.
      const std::string said = option.kind == OptionKind::yes_no ? text_of(value) : "";
      const OptionScalar kept = said == "yes" || said == "no" ? OptionScalar(said == "yes") : value;
      texts.emplace_back(option.name, given_text(option.name, option.kind, kept));
      break;
    }
  }
  return texts;
}

void check_task(const ModelHeader& header, const Learner& learner, const std::string& source) {
  const std::string_view own = to_string(learner.info().task);
  // Of format 1, which names no library, rankings say regression.
  if (header.library.empty() || header.task == own) return;
  throw ModelFormatError(source,
                         {},
                         "the model's 'task' is " + header.task + ", that of " +
                             std::string(learner.info().name) + " is " + std::string(own));
}

void check_kept_options(const ModelHeader& header,
                        const std::vector<OptionDescription>& known,
                        const std::string& who,
                        const std::function<void(const OptionTexts&)>& check,
                        const std::string& source) {
  if (header.options.empty()) return;  // of another program
  try {
    // Files of format 1 name no library, and keep results beside options.
    if (!header.library.empty()) refuse_unknown_keys(header, known, who);
    check(kept_options(header, known));
  } catch (const InvalidArgument& broken) {
    throw ModelFormatError(source, {}, broken.what());
  }
}

void check_kept_options(const ModelHeader& header,
                        const Learner& learner,
                        const std::string& source) {
  check_kept_options(
      header,
      learner.options(),
      (learner.info().task == Task::cluster ? "the method " : "the learner ") +
          std::string(learner.info().name),
      [&](const OptionTexts& texts) { learner.check_values(texts); },
      source);
}

}  // namespace maxmargin::learning
