// SPDX-License-Identifier: Apache-2.0
//
// The table of learners as a C++ program meets it, for tests that hold the tool against it
// (tests/cli/registry_test.py, illegal_options_test.py):
//
//   registry_walk train FOLDER    trains every learner on data in memory and writes NAME.data,
//                                 NAME.mm, NAME.bin and NAME.lines
//   registry_walk predict FOLDER  loads every NAME.tool.mm and writes its predictions, NAME.back
//   registry_walk illegal         what train() says of illegal values of every option
//   registry_walk models FOLDER   writes models whose options are illegal, unknown or another
//                                 learner's, and what load_model() says
//   registry_walk figures         falsifies what models say of their certificate, and what verify()
//                                 says
//
// Each prints a JSON list with an object for every learner, or value.
#include <algorithm>
#include <cmath>
#include <exception>
#include <functional>
#include <iostream>

#include "illegal_values.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/core/number.hpp"
#include "maxmargin/io/stream/output.hpp"
#include "maxmargin/learner/source.hpp"
#include "walk_data.hpp"

namespace {

using namespace maxmargin;
using namespace maxmargin::walk;

const Context one_thread{.threads = 1};

std::string quoted(const std::string& text) {
  std::string json = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') json += '\\';
    if (c == '\n') {
      json += "\\n";
    } else {
      json += c;
    }
  }
  return json + '"';
}

/// An object of the list that is printed.
class Entry {
 public:
  Entry& text(const std::string& key, const std::string& value) { return raw(key, quoted(value)); }
  Entry& truth(const std::string& key, bool value) { return raw(key, value ? "true" : "false"); }
  [[nodiscard]] std::string json() const { return "{" + json_ + "}"; }

 private:
  Entry& raw(const std::string& key, const std::string& value) {
    if (!json_.empty()) json_ += ", ";
    json_ += quoted(key) + ": " + value;
    return *this;
  }
  std::string json_ = {};
};

std::string json_of(const std::vector<Entry>& entries) {
  std::string json = "[";
  for (const Entry& entry : entries) json += (json.size() > 1 ? ",\n" : "\n") + entry.json();
  return json + "\n]\n";
}

std::string path_of(const std::string& folder, const Learner& learner, const std::string& ending) {
  return folder + "/" + std::string(learner.info().name) + ending;
}

Training train_in_memory(const Learner& learner, const LearnerData& data) {
  return learner.train(
      data, {.options = needed_options(learner), .context = one_thread, .keep_certificate = true});
}

/// The file holds the same data: the same training makes the same bytes of it.
bool file_is_equal(const Learner& learner, const std::string& path, const Model& model) {
  const OptionTexts options = needed_options(learner);
  const LearnerData read = read_training_data(learner, path, {}, options, one_thread);
  return model_bytes(*train_in_memory(learner, read).model) == model_bytes(model);
}

std::vector<Entry> train_all(const std::string& folder) {
  std::vector<Entry> entries;
  for (const Learner* const each : learners()) {
    const LearnerData data = data_for(each->info());
    const std::string file = path_of(folder, *each, ".data");
    write_file_of(each->info(), data, file);
    const Training trained = train_in_memory(*each, data);
    save_model(*trained.model, path_of(folder, *each, ".mm"));
    save_model(*trained.model, path_of(folder, *each, ".bin"), ModelFormat::binary);
    write_file(path_of(folder, *each, ".lines"), predict(*trained.model, data).lines);
    Entry entry;
    entry.text("learner", std::string(each->info().name))
        .text("task", std::string(to_string(each->info().task)))
        .text("status", std::string(to_string(trained.report.solve.status)))
        .truth("needs_k", !needed_options(*each).empty())
        .truth("can_verify", each->can_verify())
        .truth("file_is_equal", file_is_equal(*each, file, *trained.model));
    entries.push_back(entry);
  }
  return entries;
}

std::vector<Entry> predict_all(const std::string& folder) {
  std::vector<Entry> entries;
  for (const Learner* const each : learners()) {
    const Model model = load_model(path_of(folder, *each, ".tool.mm"));
    const Prediction answer = predict(model, data_for(each->info()), {}, one_thread);
    write_file(path_of(folder, *each, ".back"), answer.lines);
    entries.push_back(Entry().text("learner", model.header().learner));
  }
  return entries;
}

/// What an InvalidArgument says; of anything else that it is none.
std::string refusal(const std::function<void()>& call) {
  try {
    call();
  } catch (const InvalidArgument& error) {
    return error.what();
  } catch (const std::exception& error) {
    return std::string("not an InvalidArgument: ") + error.what();
  }
  return "accepted";
}

/// An option that some learners have and this one has not, other than `except`; its key names it.
std::string option_of_another(const Learner& learner, std::string_view except = {}) {
  const std::vector<OptionDescription> own = learner.options();
  const bool clusters = learner.info().task == Task::cluster;
  for (const Learner* const other : learners()) {
    if ((other->info().task == Task::cluster) != clusters) continue;
    for (const OptionDescription& option : other->options()) {
      const bool is_own = std::ranges::any_of(own, [&](const OptionDescription& mine) {
        return mine.name == option.name || mine.alias == option.name;
      });
      if (is_own || is_switched_off(option.name) || option.name == except) continue;
      return option.name;
    }
  }
  throw InternalError("there is no option of another learner");
}

std::vector<Entry> walk_illegal_values() {
  std::vector<Entry> entries;
  for (const Learner* const each : learners()) {
    const std::string name(each->info().name);
    const LearnerData data = data_for(each->info());
    const auto add = [&](const std::string& what,
                         const OptionDescription& option,
                         const std::string& value) {
      OptionTexts texts = needed_options(*each);
      std::erase_if(texts, [&](const auto& text) { return text.first == option.name; });
      texts.emplace_back(option.name, value);
      std::vector<OptionSetting> settings;
      for (const auto& [key, text] : texts) settings.emplace_back(key, text);
      // Asked first: a value that is accepted must not be trained with, it may take for ever.
      std::string message = refusal([&] { each->check_options(texts); });
      if (message != "accepted") {
        const std::string trained = refusal([&] { (void)train(name, data, settings, one_thread); });
        if (trained != message) message = "train() says: " + trained;
      }
      entries.push_back(Entry()
                            .text("learner", name)
                            .truth("is_method", each->info().task == Task::cluster)
                            .truth("needs_k", texts.size() > 1)
                            .text("what", what)
                            .text("option", option.name)
                            .text("flag", flag_of(option.name))
                            .text("value", value)
                            .text("rule", option.rule)
                            .text("message", message));
    };
    for (const OptionDescription& option : each->options()) {
      for (const std::string& value : illegal_values(option)) add("value", option, value);
    }
    add("unknown option", {.name = "no-such-option"}, "1");
    add("option of another", {.name = option_of_another(*each)}, "1");
  }
  return entries;
}

/// The text of a model with another last line, which holds its checksum (FNV-1a).
std::string with_checksum(std::string text) {
  text.resize(text.rfind("checksum "));
  std::uint64_t sum = 0xcbf29ce484222325;
  for (const char c : text) sum = (sum ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  constexpr std::string_view digits = "0123456789abcdef";
  text += "checksum fnv1a64 ";
  for (int shift = 60; shift >= 0; shift -= 4) text += digits[(sum >> shift) & 0xf];
  return text + "\n";
}

/// The value as a model's field holds it: numbers as such where their digits come back.
std::string field_value(const OptionDescription& option, const std::string& value) {
  const std::optional<double> number = parse_number(value);
  const bool is_number =
      option.kind == OptionKind::number && number && format_number(*number) == value;
  return is_number ? "number " + value : "string " + quoted(value);
}

/// The text of the model with that value in the field of the option, which it may not have had.
std::string with_option(const Model& model,
                        const OptionDescription& option,
                        const std::string& value) {
  std::string text = model_bytes(model);
  const std::string field = "field option." + key_of(option.name) + " ";
  const std::size_t found = text.find("\n" + field);
  const std::size_t begin = (found == std::string::npos ? text.find("\nfield ") : found) + 1;
  const std::size_t end = found == std::string::npos ? begin : text.find('\n', begin) + 1;
  text.replace(begin, end - begin, field + field_value(option, value) + "\n");
  return with_checksum(std::move(text));
}

/// A model that lies about its options is refused where it is read.
std::string refusal_of_model(const std::string& path) {
  try {
    (void)load_model(path);
  } catch (const ModelFormatError& error) {
    return error.what();
  } catch (const std::exception& error) {
    return std::string("not a ModelFormatError: ") + error.what();
  }
  return "accepted";
}

std::vector<Entry> write_broken_models(const std::string& folder) {
  std::vector<Entry> entries;
  for (const Learner* const each : learners()) {
    const Training trained = train_in_memory(*each, data_for(each->info()));
    const auto add = [&](const OptionDescription& option, const std::string& value, int at) {
      const std::string path =
          path_of(folder, *each, "." + option.name + std::to_string(at) + ".mm");
      write_file(path, with_option(*trained.model, option, value));
      OptionTexts texts = needed_options(*each);
      std::erase_if(texts, [&](const auto& said) { return said.first == option.name; });
      texts.emplace_back(option.name, value);
      entries.push_back(Entry()
                            .text("learner", std::string(each->info().name))
                            .text("option", option.name)
                            .text("value", value)
                            .text("model", path)
                            .text("by_name", refusal([&] { each->check_options(texts); }))
                            .text("message", refusal_of_model(path)));
    };
    for (const OptionDescription& option : each->options()) {
      int at = 0;
      for (const std::string& value : illegal_values(option)) {
        // What files of format 1 say for true.
        if (option.kind == OptionKind::yes_no && value == "yes") continue;
        add(option, value, at++);
      }
    }
    add({.name = "such-an-option"}, "1", 0);
    // A number of clusters that is asked for is refused in words of its own.
    add({.name = option_of_another(*each, "k")}, "1", 0);
  }
  return entries;
}

/// The model with another number in that field.
Model with_number(const Model& model, const std::string& field, double value) {
  std::string text = model_bytes(model);
  const std::string start = "\nfield " + field + " ";
  const std::size_t begin = text.find(start) + 1;
  const std::size_t end = text.find('\n', begin);
  text.replace(begin, end - begin, "field " + field + " number " + format_number(value));
  return load_model_bytes(with_checksum(std::move(text)));
}

/// The model whose text lacks the line of that field.
Model without_field(const Model& model, const std::string& field) {
  std::string text = model_bytes(model);
  const std::size_t begin = text.find("\nfield " + field + " ") + 1;
  text.erase(begin, text.find('\n', begin) + 1 - begin);
  return load_model_bytes(with_checksum(std::move(text)));
}

/// Every figure of the certificate in the header by itself: a little off where verify() recomputes
/// it, else past the objective, which no bound can be; and missing where the status needs it.
std::vector<Entry> falsify_figures() {
  std::vector<Entry> entries;
  for (const Learner* const each : learners()) {
    if (!each->can_verify()) continue;
    const LearnerData data = data_for(each->info());
    const Training trained = train_in_memory(*each, data);
    const Model& model = *trained.model;
    const Verification honest = each->verify(model, data, one_thread);
    const auto look_at =
        [&](const Model& lying, const std::string& figure, const std::string& change) {
          const Verification found = each->verify(lying, data, one_thread);
          entries.push_back(Entry()
                                .text("learner", std::string(each->info().name))
                                .text("figure", figure)
                                .text("change", change)
                                .truth("honest_agrees", honest.agrees == true)
                                .truth("agrees", found.agrees != false)
                                .text("reason", found.complaint));
        };
    const auto add = [&](const std::string& figure, std::optional<double> said, double change) {
      if (!said) return;
      look_at(
          with_number(model, "training." + figure, *said + change), figure, format_number(change));
    };
    const ModelHeader& header = model.header();
    const double scale = std::max(1e-3, std::abs(header.primal_objective.value_or(1)));
    const double little = 0.01 * scale;
    for (const double change : {little, -little}) {
      add("primal_objective", header.primal_objective, change);
      if (honest.dual) add("dual_objective", header.dual_objective, change);
    }
    if (honest.lower_bound) add("lower_bound", header.lower_bound, little);
    add("dual_objective", header.dual_objective, 2 * scale);
    add("lower_bound", header.lower_bound, 2 * scale);
    // A clustering's bound comes beside its objective; solved is said of the search there.
    if (each->info().task == Task::cluster || header.status != Status::solved) continue;
    if (header.dual_objective && !header.lower_bound) {
      look_at(without_field(model, "training.dual_objective"), "dual_objective", "missing");
    }
    if (header.lower_bound && !header.dual_objective) {
      look_at(without_field(model, "training.lower_bound"), "lower_bound", "missing");
    }
  }
  return entries;
}

std::vector<Entry> run(const std::vector<std::string>& words) {
  const std::string what = words.empty() ? "" : words[0];
  if (words.size() == 1 && what == "illegal") return walk_illegal_values();
  if (words.size() == 2 && what == "train") return train_all(words[1]);
  if (words.size() == 2 && what == "predict") return predict_all(words[1]);
  if (words.size() == 2 && what == "models") return write_broken_models(words[1]);
  if (words.size() == 1 && what == "figures") return falsify_figures();
  throw InvalidArgument("usage: registry_walk train|predict|models FOLDER, illegal or figures");
}

}  // namespace

int main(int argc, char** argv) {
  try {
    std::cout << json_of(run(std::vector<std::string>(argv + 1, argv + argc)));
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "registry_walk: " << error.what() << "\n";
    return 1;
  }
}
