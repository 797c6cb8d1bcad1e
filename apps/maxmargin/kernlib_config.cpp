// SPDX-License-Identifier: Apache-2.0
#include "kernlib_config.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <set>

#include "maxmargin/core/number.hpp"
#include "maxmargin/core/suggest.hpp"
#include "maxmargin/io/builtin.hpp"

namespace maxmargin::tool {

namespace {

/// A word of a property file and the tool's word for it.
struct Word {
  std::string_view theirs;
  std::string_view ours;
};

constexpr std::array engines = {Word{"SMO", "svc"}, Word{"NU_SMO", "nu-svc"}};
constexpr std::array kernels = {Word{"GAUSSIAN", "rbf"},
                                Word{"ABSDIFF", "absdiff"},
                                Word{"LAPLACE", "laplace"},
                                Word{"SENTROPIC", "sentropic"},
                                Word{"LINEAR", "linear"},
                                Word{"POLYNOMIAL", "poly"}};
/// Kernlib's own loaders say nothing of the format: it is found by the content.
constexpr std::array data_types = {Word{"SINGLE_DNA_TRAIN", ""},
                                   Word{"SINGLE_DNA_TEST", ""},
                                   Word{"svmlight", "svmlight"},
                                   Word{"csv", "csv"},
                                   Word{"tsv", "tsv"},
                                   Word{"npy", "npy"},
                                   Word{"idx", "idx"}};
/// The thesis spells its one procedure in two ways.
constexpr std::array procedures = {Word{"SYM_PERC_REL_PROC", ""}, Word{"SYM_PERC_RELPROC", ""}};
constexpr std::array coolings = {
    Word{"EXP_COOL", "geometric"}, Word{"LINEAR_COOL", "linear"}, Word{"LOG_COOL", "logarithmic"}};
constexpr std::array perturbations = {Word{"CONST_PERT", "constant"}, Word{"STALL_PERT", "stall"}};

/// What the value of a key is.
enum class Kind {
  word,      ///< one of `words`
  positive,  ///< a number > 0
  number,    ///< a number
  whole,     ///< a whole number >= 0; 10.0 is one
  path       ///< a file name
};

struct Key {
  std::string_view name;
  /// A name with the part of the program it belongs to; empty: none.
  std::string_view alias;
  Kind kind;
  /// The tool's option; empty: handled apart or without effect.
  std::string_view option;
  std::span<const Word> words = {};
};

constexpr std::array keys = {
    Key{"engine", "svm.engine", Kind::word, "engine", engines},
    Key{"cval", "svm.C", Kind::positive, "C"},
    Key{"nu", "svm.nu", Kind::positive, "nu"},
    Key{"epsilon", "svm.epsilon", Kind::positive, ""},
    Key{"tolerance", "svm.tolerance", Kind::positive, "tolerance"},
    Key{"maxiter", "svm.maxiter", Kind::whole, ""},
    Key{"random.seed", "", Kind::whole, "seed"},
    Key{"data.train.type", "", Kind::word, "format", data_types},
    Key{"data.train.file", "", Kind::path, ""},
    Key{"data.test.type", "", Kind::word, "", data_types},
    Key{"data.test.file", "", Kind::path, ""},
    Key{"class", "kernel.class", Kind::word, "kernel", kernels},
    Key{"sigma", "kernel.sigma", Kind::positive, ""},
    Key{"relabeler.proc", "", Kind::word, "", procedures},
    Key{"relabeler.maxiter", "", Kind::whole, "max-iterations"},
    Key{"relabeler.relfactor", "", Kind::positive, "relabel-fraction"},
    Key{"relabeler.clusters", "", Kind::whole, "clusters"},
    Key{"relabeler.restarts", "", Kind::whole, "restarts"},
    Key{"relabeler.mincluster", "", Kind::whole, "min-cluster"},
    Key{"relabeler.pvalue", "", Kind::positive, "p-value"},
    Key{"relabeler.sa.temp.proc", "", Kind::word, "cooling-schedule", coolings},
    Key{"relabeler.sa.temp.init", "", Kind::positive, "temperature"},
    Key{"relabeler.sa.temp.rate", "", Kind::positive, "cooling"},
    Key{"relabeler.sa.maxiter", "", Kind::whole, "anneal-steps"},
    Key{"relabeler.sa.pert.proc", "", Kind::word, "perturb-law", perturbations},
    Key{"relabeler.sa.pert.prob", "", Kind::number, "perturb"}};

/// Turns one file into arguments.
class Translation {
 public:
  Translation(Arguments arguments, const Properties& properties, const std::string& folder)
      : arguments_(std::move(arguments)), properties_(properties), folder_(folder) {}

  Arguments translate() {
    for (const Property& property : properties_.entries) take(property);
    set("method", "relabeler");
    set("clusters", "2");
    take_width();
    take_data();
    return std::move(arguments_);
  }

 private:
  [[noreturn]] void fail(const Property& property, const std::string& problem) const {
    throw ParseError(properties_.source, {.line = property.line}, problem);
  }

  const Key& key_of(const Property& property) const {
    std::vector<std::string_view> known;
    for (const Key& key : keys) {
      if (property.key == key.name || (!key.alias.empty() && property.key == key.alias)) {
        return key;
      }
      known.push_back(key.name);
      if (!key.alias.empty()) known.push_back(key.alias);
    }
    fail(property, "unknown key " + property.key + suggest_names(property.key, known));
  }

  void take(const Property& property) {
    const Key& key = key_of(property);
    if (!seen_.insert(key.name).second) {
      fail(property,
           "the key " + property.key + " means " + std::string(key.name) +
               ", which is there already");
    }
    const std::string value = checked_value(key, property);
    if (key.name.starts_with("relabeler.sa.")) set("anneal", "true");
    if (!key.option.empty() && !value.empty()) set(key.option, value);
    if (key.name == "sigma") sigma_ = &property;
    if (key.name == "data.train.file") data_ = value;
    if (key.name == "epsilon" || key.name == "maxiter") {
      arguments_.notes.push_back(property.key +
                                 ": without effect, as every fit ends at its duality gap");
    }
    if (key.name == "data.test.file") {
      arguments_.notes.push_back(property.key +
                                 ": without effect; write the model with --model and give it and "
                                 "the file to predict");
    }
  }

  /// The value in the tool's words; empty when there is no such word.
  std::string checked_value(const Key& key, const Property& property) const {
    const std::string& value = property.value;
    const std::string what = property.key + " = " + value + ": must be ";
    if (key.kind == Kind::path) {
      if (value.empty()) fail(property, what + "a file name");
      return value;
    }
    if (key.kind == Kind::word) return our_word(key, property);
    const std::optional<double> number = parse_number(value);
    if (key.kind == Kind::whole) {
      if (parse_integer(value).value_or(-1) >= 0) return value;
      // kernlib's own example gives a number of steps as 10.0
      constexpr double largest = 9007199254740992.0;  // 2^53
      if (!number || !(*number >= 0 && *number < largest) || *number != std::floor(*number)) {
        fail(property, what + "a whole number >= 0");
      }
      return std::to_string(static_cast<std::int64_t>(*number));
    }
    const bool positive = key.kind == Kind::positive;
    if (!number || !std::isfinite(*number) || (positive && !(*number > 0))) {
      fail(property, what + (positive ? "a number > 0" : "a number"));
    }
    return value;
  }

  std::string our_word(const Key& key, const Property& property) const {
    std::vector<std::string_view> known;
    for (const Word& word : key.words) {
      if (word.theirs == property.value) return std::string(word.ours);
      known.push_back(word.theirs);
    }
    fail(property,
         property.key + " = " + property.value + ": must be a known name" +
             suggest_names(property.value, known));
  }

  /// What the call itself says stays.
  void set(std::string_view option, std::string value) {
    arguments_.given.emplace(option, std::move(value));
  }

  /// sigma to gamma, by the formula of the kernel.
  void take_width() {
    if (sigma_ == nullptr) return;
    const std::string kernel = arguments_.text_or("kernel", "rbf");
    if (kernel == "linear" || kernel == "poly") {
      fail(*sigma_, sigma_->key + ": the kernel " + kernel + " has no width");
    }
    const double sigma = *parse_number(sigma_->value);
    const double squares = kernel == "sentropic" ? 1 : 2;
    set("gamma", format_number(1 / (squares * sigma * sigma)));
  }

  void take_data() {
    std::string& data = arguments_.positionals.at(0);
    if (!data.empty() || data_.empty()) return;
    const bool as_it_is = is_builtin(data_) || std::filesystem::path(data_).is_absolute();
    data = as_it_is ? data_ : (std::filesystem::path(folder_) / data_).string();
  }

  Arguments arguments_;
  const Properties& properties_;
  const std::string& folder_;
  std::set<std::string_view> seen_;
  const Property* sigma_ = nullptr;
  std::string data_;
};

}  // namespace

Arguments with_properties(Arguments arguments,
                          const Properties& properties,
                          const std::string& folder) {
  return Translation(std::move(arguments), properties, folder).translate();
}

Arguments with_config(Arguments arguments) {
  if (const std::optional<std::string> path = arguments.text("config")) {
    if (arguments.text_or("method", "relabeler") != "relabeler") {
      throw UsageError("--config: a property file is for --method relabeler alone");
    }
    Input input = Input::open(*path);
    const Properties properties = read_properties(input);
    arguments = with_properties(
        std::move(arguments), properties, std::filesystem::path(*path).parent_path().string());
  }
  if (arguments.command == "cluster" && arguments.positionals.at(0).empty()) {
    throw UsageError("DATA is required, or --config with data.train.file");
  }
  return arguments;
}

}  // namespace maxmargin::tool
