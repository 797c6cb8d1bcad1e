// SPDX-License-Identifier: Apache-2.0
#include "compat/kernlib_config.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <set>

#include "maxmargin/core/number.hpp"
#include "maxmargin/core/suggest.hpp"
#include "maxmargin/io/properties.hpp"
#include "maxmargin/io/table/builtin.hpp"

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
  word,         ///< one of `words`
  positive,     ///< a number > 0
  share,        ///< a number in (0, 1]
  rate,         ///< a number in (0, 1)
  probability,  ///< a number in [0, 1]
  whole,        ///< a whole number >= 0; 10.0 is one
  count,        ///< a whole number >= 1
  path          ///< a file name
};

/// What a value must be, in words.
std::string_view rule_of(Kind kind) {
  switch (kind) {
    case Kind::word:
      return "a known name";
    case Kind::positive:
      return "a number > 0";
    case Kind::share:
      return "a number in (0, 1]";
    case Kind::rate:
      return "a number in (0, 1)";
    case Kind::probability:
      return "a number in [0, 1]";
    case Kind::whole:
      return "a whole number >= 0";
    case Kind::count:
      return "a whole number >= 1";
    case Kind::path:
      return "a file name";
  }
  throw InternalError("a kind of value without a rule");
}

bool is_whole(Kind kind) { return kind == Kind::whole || kind == Kind::count; }

bool keeps_rule(Kind kind, double number) {
  switch (kind) {
    case Kind::positive:
      return number > 0;
    case Kind::share:
      return number > 0 && number <= 1;
    case Kind::rate:
      return number > 0 && number < 1;
    case Kind::probability:
      return number >= 0 && number <= 1;
    case Kind::whole:
      return number >= 0;
    case Kind::count:
      return number >= 1;
    case Kind::word:
    case Kind::path:
      break;
  }
  return false;
}

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
    Key{"nu", "svm.nu", Kind::share, "nu"},
    Key{"epsilon", "svm.epsilon", Kind::positive, ""},
    Key{"tolerance", "svm.tolerance", Kind::positive, "tolerance"},
    Key{"maxiter", "svm.maxiter", Kind::whole, ""},
    Key{"random.seed", "", Kind::whole, "seed"},
    Key{"data.train.type", "", Kind::word, "", data_types},
    Key{"data.train.file", "", Kind::path, ""},
    Key{"data.test.type", "", Kind::word, "", data_types},
    Key{"data.test.file", "", Kind::path, ""},
    Key{"class", "kernel.class", Kind::word, "kernel", kernels},
    Key{"sigma", "kernel.sigma", Kind::positive, ""},
    Key{"relabeler.proc", "", Kind::word, "", procedures},
    Key{"relabeler.maxiter", "", Kind::count, "max-iterations"},
    Key{"relabeler.relfactor", "", Kind::share, "relabel-fraction"},
    Key{"relabeler.clusters", "", Kind::count, "k"},
    Key{"relabeler.restarts", "", Kind::count, "restarts"},
    Key{"relabeler.mincluster", "", Kind::count, "min-cluster"},
    Key{"relabeler.pvalue", "", Kind::share, "p-value"},
    Key{"relabeler.sa.temp.proc", "", Kind::word, "cooling-schedule", coolings},
    Key{"relabeler.sa.temp.init", "", Kind::positive, "temperature"},
    Key{"relabeler.sa.temp.rate", "", Kind::rate, "cooling"},
    Key{"relabeler.sa.maxiter", "", Kind::count, "anneal-steps"},
    Key{"relabeler.sa.pert.proc", "", Kind::word, "perturb-law", perturbations},
    Key{"relabeler.sa.pert.prob", "", Kind::probability, "perturb"}};

/// Turns one file into options of the call.
class Translation {
 public:
  Translation(Call& call, const Properties& properties, const std::string& folder)
      : call_(call),
        call_names_engine_(call.has("engine")),
        call_names_kernel_(call.has("kernel")),
        properties_(properties),
        folder_(folder) {}

  void translate() {
    for (const Property& property : properties_.entries) take(property);
    set("k", "2");
    take_cost();
    take_width();
    take_data();
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
    if (key.name == "cval") {
      cost_ = &property;
    } else if (key.name == "nu") {
      nu_ = &property;
    } else if (key.name == "sigma") {
      sigma_ = &property;
    } else if (key.name == "data.train.file") {
      data_ = value;
    } else if (key.name == "data.train.type") {
      format_ = value;
    } else if (!key.option.empty() && !value.empty()) {
      set(key.option, value);
    }
    if (key.name == "epsilon" || key.name == "maxiter") {
      call_.notes.push_back(property.key +
                            ": without effect, as every fit ends at its duality gap");
    }
    if (key.name == "data.test.file") {
      call_.notes.push_back(property.key +
                            ": without effect; write the model with --model and give it and "
                            "the file to predict");
    }
  }

  /// The value in the tool's words; empty when there is no such word.
  std::string checked_value(const Key& key, const Property& property) const {
    const std::string& value = property.value;
    const std::string problem =
        property.key + " = " + value + ": must be " + std::string(rule_of(key.kind));
    if (key.kind == Kind::word) return our_word(key, property);
    if (key.kind == Kind::path) {
      if (value.empty()) fail(property, problem);
      return value;
    }
    if (is_whole(key.kind)) {
      // A seed may be larger than the whole numbers that doubles hold.
      std::uint64_t whole = 0;
      const char* const end = value.data() + value.size();
      const auto [stopped, error] = std::from_chars(value.data(), end, whole);
      const bool is_digits = error == std::errc{} && stopped == end;
      if (is_digits && keeps_rule(key.kind, static_cast<double>(whole))) return value;
    }
    const std::optional<double> number = parse_number(value);
    if (!number || !std::isfinite(*number) || !keeps_rule(key.kind, *number)) {
      fail(property, problem);
    }
    if (!is_whole(key.kind)) return value;
    // kernlib's own example gives a number of steps as 10.0
    constexpr double largest = 9007199254740992.0;  // 2^53
    if (!(*number < largest) || *number != std::floor(*number)) fail(property, problem);
    return std::to_string(static_cast<std::int64_t>(*number));
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
    if (!call_.has(option)) call_.given.emplace_back(option, std::move(value));
  }

  /// A value that what was chosen has no use for: an error of the file, unless the call chose.
  void leave_out(const Property& property, const std::string& why, bool call_chose) {
    if (!call_chose) fail(property, property.key + ": " + why);
    call_.notes.push_back(property.key + ": without effect, as " + why);
  }

  /// C or nu, whichever the engine has.
  void take_cost() {
    const bool is_nu = call_.text("engine").value_or("svc") == "nu-svc";
    if (const Property* used = is_nu ? nu_ : cost_) set(is_nu ? "nu" : "C", used->value);
    if (const Property* other = is_nu ? cost_ : nu_) {
      leave_out(*other,
                is_nu ? "the engine nu-svc takes nu in its place"
                      : "the engine svc takes cval in its place",
                call_names_engine_);
    }
  }

  /// sigma to gamma, by the formula of the kernel.
  void take_width() {
    if (sigma_ == nullptr) return;
    const std::string kernel = call_.text("kernel").value_or("rbf");
    if (kernel == "linear" || kernel == "poly") {
      leave_out(*sigma_, "the kernel " + kernel + " has no width", call_names_kernel_);
      return;
    }
    const double sigma = *parse_number(sigma_->value);
    const double squares = kernel == "sentropic" ? 1 : 2;
    set("gamma", format_number(1 / (squares * sigma * sigma)));
  }

  void take_data() {
    // The format is that of the file's own data.
    if (!call_.positionals.empty() || data_.empty()) return;
    if (!format_.empty()) set("format", format_);
    const bool as_it_is = is_builtin(data_) || std::filesystem::path(data_).is_absolute();
    call_.positionals.push_back(as_it_is ? data_
                                         : (std::filesystem::path(folder_) / data_).string());
  }

  Call& call_;
  bool call_names_engine_;
  bool call_names_kernel_;
  const Properties& properties_;
  const std::string& folder_;
  std::set<std::string_view> seen_;
  const Property* cost_ = nullptr;
  const Property* nu_ = nullptr;
  const Property* sigma_ = nullptr;
  std::string data_;
  std::string format_;
};

}  // namespace

void apply_config(Call& call) {
  const std::optional<std::string> path = call.text("config");
  if (!path) return;
  const Learner& relabeler = learner("relabeler");
  if (call.learner != nullptr && call.learner != &relabeler) {
    throw UsageError("--config: a property file is for --method relabeler alone", "cluster");
  }
  call.learner = &relabeler;
  Input input = Input::open(*path);
  const Properties properties = read_properties(input);
  Translation(call, properties, std::filesystem::path(*path).parent_path().string()).translate();
}

}  // namespace maxmargin::tool
