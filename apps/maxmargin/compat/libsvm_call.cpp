// SPDX-License-Identifier: Apache-2.0
#include "compat/libsvm_call.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

#include "cli/call.hpp"
#include "cli/help.hpp"
#include "maxmargin/core/number.hpp"

namespace maxmargin::tool {

namespace {

constexpr std::array<std::string_view, 5> learner_of_type = {
    "svc", "nu-svc", "one-class", "svr", "nu-svr"};
constexpr std::array<std::string_view, 5> kernel_of_type = {
    "linear", "poly", "rbf", "sigmoid", "precomputed"};

[[noreturn]] void refuse(const std::string& option, const std::string& value, const char* rule) {
  throw UsageError("--libsvm: " + option + " " + value + ": must be " + rule, "train");
}

std::size_t whole_number(const std::string& option, const std::string& value, const char* rule) {
  const std::optional<std::int64_t> number = parse_integer(value);
  if (!number || *number < 0) refuse(option, value, rule);
  return static_cast<std::size_t>(*number);
}

double positive_number(const std::string& option, const std::string& value) {
  const std::optional<double> number = parse_number(value);
  if (!number || !(*number > 0)) refuse(option, value, "a number > 0");
  return *number;
}

/// The bytes of so many megabytes, at least one.
std::uint64_t megabytes_as_bytes(double megabytes) {
  constexpr double bytes = 1 << 20;
  constexpr double most = 1e18;  // far from the end of the type, more than there is
  return static_cast<std::uint64_t>(std::clamp(megabytes * bytes, 1.0, most));
}

bool zero_or_one(const std::string& option, const std::string& value) {
  if (value != "0" && value != "1") refuse(option, value, "0 or 1");
  return value == "1";
}

/// svm-train's own options while they are read; some matter only together.
struct Reading {
  LibsvmCall call = {};
  std::size_t svm_type = 0;
  std::size_t kernel_type = 2;
  /// As they were given, under our names.
  std::map<std::string, std::string, std::less<>> values = {};
  double kkt_tolerance = 1e-3;
  bool shrinking = true;

  /// -c, -g, ...: one letter and a value.
  void take(char letter, const std::string& value) {
    const std::string option = std::string("-") + letter;
    switch (letter) {
      case 's':
        svm_type = whole_number(option, value, "0 to 4");
        if (svm_type >= learner_of_type.size()) refuse(option, value, "0 to 4");
        break;
      case 't':
        kernel_type = whole_number(option, value, "0 to 4");
        if (kernel_type >= kernel_of_type.size()) refuse(option, value, "0 to 4");
        break;
      case 'c':
        values["C"] = value;
        break;
      case 'g':
        // svm-train reads 0 as "not given".
        if (parse_number(value) != 0.0) values["gamma"] = value;
        break;
      case 'd':
        values["degree"] = value;
        break;
      case 'r':
        values["coef0"] = value;
        break;
      case 'n':
        values["nu"] = value;
        break;
      case 'p':
        values["epsilon"] = value;
        break;
      case 'm':
        values["memory-limit"] = std::to_string(megabytes_as_bytes(positive_number(option, value)));
        break;
      case 'e':
        kkt_tolerance = positive_number(option, value);
        break;
      case 'h':
        shrinking = zero_or_one(option, value);
        break;
      case 'b':
        if (zero_or_one(option, value)) values["probabilities"] = "platt";
        break;
      case 'v':
        call.folds = whole_number(option, value, "a whole number >= 2");
        if (*call.folds < 2) refuse(option, value, "a whole number >= 2");
        break;
      default:
        throw UsageError("--libsvm: svm-train has no option " + option);
    }
  }

  /// -wi: the class i counts `value` times.
  void take_weight(const std::string& option, const std::string& value) {
    const std::optional<double> weight = parse_number(value);
    if (option.size() < 3 || !weight) refuse(option, value, "-wLABEL and a number");
    call.class_weights.emplace_back(Label::parse(option.substr(2)), *weight);
  }

  /// Our options for what was asked; options that the type of machine or kernel has no use for are
  /// ignored, as svm-train does.
  void settle() {
    call.learner = learner_of_type[svm_type];
    auto& options = call.options;
    options.emplace_back("kernel", kernel_of_type[kernel_type]);
    options.emplace_back("allow-indefinite", "true");
    options.emplace_back("kkt-tolerance", format_number(kkt_tolerance));
    if (!shrinking) options.emplace_back("no-shrinking", "true");
    const bool classifies = svm_type <= 1;
    const auto keep = [&](const char* name, bool used) {
      const auto found = values.find(name);
      if (used && found != values.end()) options.emplace_back(name, found->second);
    };
    // Its default is 1/d.
    const bool has_width = kernel_type >= 1 && kernel_type <= 3;
    if (has_width) values.emplace("gamma", "auto");
    keep("C", svm_type == 0 || svm_type >= 3);
    keep("nu", svm_type == 1 || svm_type == 2 || svm_type == 4);
    keep("epsilon", svm_type == 3);
    keep("gamma", has_width);
    keep("degree", kernel_type == 1);
    keep("coef0", kernel_type == 1 || kernel_type == 3);
    keep("probabilities", classifies);
    if (const auto found = values.find("memory-limit"); found != values.end()) {
      call.run.emplace_back(found->first, found->second);
    }
    if (!classifies) call.class_weights.clear();
  }
};

/// The name svm-train gives a model: that of the training file without its folder.
std::string default_model_path(const std::string& training_path) {
  const std::size_t slash = training_path.rfind('/');
  return (slash == std::string::npos ? training_path : training_path.substr(slash + 1)) + ".model";
}

bool is_long_option(const std::string& word) {
  for (const char* const name : {"--threads", "--seed", "--time-limit", "--json"}) {
    if (word == name) return true;
  }
  return false;
}

}  // namespace

LibsvmCall parse_libsvm_call(const std::vector<std::string>& words) {
  Reading reading;
  LibsvmCall& call = reading.call;
  std::vector<std::string> paths;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "--libsvm") continue;
    if (word == "-q" || word == "--quiet") {
      call.quiet = true;
      continue;
    }
    if (word.size() < 2 || word[0] != '-') {
      paths.push_back(word);
      continue;
    }
    const bool known = is_long_option(word) || word.starts_with("-w") || word.size() == 2;
    if (!known) throw UsageError("--libsvm: " + word + " is no option of svm-train");
    if (i + 1 == words.size()) throw UsageError("--libsvm: " + word + " wants a value");
    const std::string& value = words[++i];
    if (word.starts_with("--")) {
      call.run.emplace_back(word.substr(2), value);
    } else if (word.starts_with("-w")) {
      reading.take_weight(word, value);
    } else {
      reading.take(word[1], value);
    }
  }
  if (paths.empty()) throw UsageError("--libsvm: the training file is missing");
  if (paths.size() > 2) throw UsageError("--libsvm: " + paths[2] + " is one word too many");
  reading.settle();
  call.data_path = paths[0];
  call.model_path = paths.size() == 2 ? paths[1] : default_model_path(paths[0]);
  return call;
}

std::string libsvm_help() {
  return "With --libsvm: [options] training_set_file [model_file]:\n" +
         listed({{"-s 0..4", "C-SVC, nu-SVC, one-class, epsilon-SVR, nu-SVR"},
                 {"-t 0..4", "linear, poly, rbf, sigmoid, precomputed"},
                 {"-d -g -r", "degree, gamma (1/features), coef0"},
                 {"-c -n -p", "C, nu, epsilon of the tube"},
                 {"-e EPS", "stop at this violation of the KKT conditions (0.001)"},
                 {"-b 0|1", "probabilities, for classes"},
                 {"-h 0|1", "shrinking"},
                 {"-m MB", "memory for kernel rows (half of the machine's)"},
                 {"-wLABEL X", "C of this class times X"},
                 {"-v K", "print the cross-validated accuracy, write no model"},
                 {"-q", "print nothing"}});
}

}  // namespace maxmargin::tool
