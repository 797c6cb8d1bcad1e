// SPDX-License-Identifier: Apache-2.0
//
// maxmargin convert: another format of data or of a model, scaled features, projections.
#include <algorithm>
#include <iostream>

#include "commands/commands.hpp"
#include "commands/common.hpp"
#include "maxmargin/data/scaling.hpp"
#include "maxmargin/io/model/machine_file.hpp"
#include "maxmargin/io/model/scaler_file.hpp"
#include "maxmargin/io/table/builtin.hpp"
#include "maxmargin/io/table/write_data.hpp"
#include "projection.hpp"

namespace maxmargin::tool {
enum class ConvertFormat { svmlight, csv, tsv, npy, idx, libsvm, liblinear, maxmargin };
}

namespace maxmargin {
template <>
inline constexpr auto names_of<tool::ConvertFormat> =
    name_table<tool::ConvertFormat>({{"svmlight", tool::ConvertFormat::svmlight},
                                     {"csv", tool::ConvertFormat::csv},
                                     {"tsv", tool::ConvertFormat::tsv},
                                     {"npy", tool::ConvertFormat::npy},
                                     {"idx", tool::ConvertFormat::idx},
                                     {"libsvm", tool::ConvertFormat::libsvm},
                                     {"liblinear", tool::ConvertFormat::liblinear},
                                     {"maxmargin", tool::ConvertFormat::maxmargin}});
}

namespace maxmargin::tool {

namespace {

/// What is done to the features of data; models have none.
struct FeatureChanges {
  std::optional<ScalingOptions> scale = std::nullopt;
  std::optional<std::string> save_scaler = std::nullopt;
  std::optional<std::string> scaler = std::nullopt;
  ProjectOptions projection = {};

  void describe(OptionVisitor& visit) {
    ScalingOptions chosen = scale.value_or(ScalingOptions{});
    describe_scaling(visit, chosen);
    if (scale || chosen.kind != ScalingKind::none) scale = chosen;
    visit.text({.name = "save-scaler", .help = "write the fitted scaler", .value = "FILE"},
               save_scaler);
    visit.text(
        {.name = "scaler", .help = "apply a scaler written by --save-scaler", .value = "FILE"},
        scaler);
    projection.describe(visit);
    visit.rule(!scale || !scaler, "--scale and --scaler exclude each other");
    visit.rule(!save_scaler || scale, "--save-scaler needs --scale");
  }
};

struct ConvertOptions {
  std::optional<ConvertFormat> to = std::nullopt;
  FeatureChanges changes = {};
  Context context = {};
  bool quiet = false;

  void describe(OptionVisitor& visit) {
    visit.name({.name = "to",
                .help = "format to write",
                .value = "FORMAT",
                .fallback = "by the extension of OUT, else as IN"},
               to);
    changes.describe(visit);
    describe_threads(visit, context.threads);
    describe_memory_limit(visit, context.memory_limit);
    visit.yes_no({.name = "quiet", .help = "no summary"}, quiet);
  }
};

Scaler wanted_scaler(const FeatureChanges& own, const Dataset& data) {
  if (!own.scaler) return fit_scaler(data.examples, own.scale.value_or(ScalingOptions{}));
  Input input = Input::open(*own.scaler);
  Scaler scaler = load_scaler(read_model(input));
  if (scaler.options.kind == ScalingKind::none) throw FileError(*own.scaler, "holds no scaler");
  return scaler;
}

bool is_model_format(ConvertFormat format) {
  return format == ConvertFormat::libsvm || format == ConvertFormat::liblinear ||
         format == ConvertFormat::maxmargin;
}

/// The format of a model to write: --to, else ours for OUT.mm, else the one that suits the machine.
ConvertFormat model_format_to_write(const ConvertOptions& own,
                                    const Machine& machine,
                                    const std::string& to) {
  if (own.to) {
    if (is_model_format(*own.to)) return *own.to;
    throw UsageError(breach("to", to_string(*own.to), "maxmargin, libsvm or liblinear"), "convert");
  }
  if (to.ends_with(".mm")) return ConvertFormat::maxmargin;
  return kernel_of(machine) != nullptr ? ConvertFormat::libsvm : ConvertFormat::liblinear;
}

/// A supervised model from one program's file to another's.
int convert_model(Input& input,
                  const Call& call,
                  const OptionTexts& given,
                  const ConvertOptions& own,
                  Outputs& outputs) {
  for (const OptionDescription& option : describe_options(FeatureChanges{})) {
    if (std::ranges::find(given, option.name, &OptionTexts::value_type::first) != given.end()) {
      throw UsageError(flag_of(option.name) + ": is for data", "convert");
    }
  }
  call.refuse_rest("a model");
  const std::string& to = call.positionals.at(1);
  const Model model = load_model(input);
  const ModelDocument& document = model.document();
  if (machine_kind(document) == MachineKind::none) {
    throw ModelFormatError(call.positionals.at(0),
                           {.line = 1},
                           "this is a model of " + document.learner() + ", only ours to read");
  }
  const ForeignModel foreign{.learner = document.learner(), .machine = model.machine()};
  const ConvertFormat format = model_format_to_write(own, foreign.machine, to);
  OutputFile& file = *outputs.file("OUT");
  if (format == ConvertFormat::libsvm) {
    write_libsvm_model(foreign, file);
  } else if (format == ConvertFormat::liblinear) {
    write_liblinear_model(foreign, file);
  } else {
    write_model(document, file);
  }
  outputs.commit();
  return 0;
}

/// The format of data to write: --to, else by the extension of OUT, else the one it was found in
/// (CSV for built-in data).
DataFormat data_format_to_write(const ConvertOptions& own,
                                DataFormat found,
                                const std::string& to) {
  if (own.to) {
    if (const auto format = value_named<DataFormat>(to_string(*own.to))) return *format;
    throw UsageError(breach("to", to_string(*own.to), "a format of data"), "convert");
  }
  if (const DataFormat by_name = format_of_name(to); by_name != DataFormat::automatic) {
    return by_name;
  }
  return found == DataFormat::automatic ? DataFormat::csv : found;
}

}  // namespace

std::vector<OptionGroup> convert_groups(const Learner* /*learner*/) {
  return {group_of<ConvertOptions>("Options"), {"The data", source_options(DataKind::table)}};
}

int run_convert(Call& call) {
  const OptionTexts given = call.given;
  ConvertOptions own;
  call.take(own);
  bound_memory(own.context);
  const std::string& from = call.positionals.at(0);
  const std::string& to = call.positionals.at(1);
  const Context& context = own.context;
  const ProjectOptions& projection = own.changes.projection;
  Outputs outputs(
      call, {{"OUT", to}, {"model", projection.model}, {"save-scaler", own.changes.save_scaler}});
  std::optional<Input> input;
  if (!is_builtin(from)) {
    input = Input::open(from);  // once: a pipe can be read only once
    if (looks_like_model(*input) || looks_like_foreign_model(*input)) {
      return convert_model(*input, call, given, own, outputs);
    }
  }
  TableData read =
      input ? read_table(*input, call.given, context) : read_table(from, call.given, context);
  Dataset& data = read.data;
  const Scaler scaler = wanted_scaler(own.changes, data);
  if (data.examples.is_dense() && scaler.options.kind != ScalingKind::none &&
      scaler.features() != data.features()) {
    throw FileError(from,
                    "has " + std::to_string(data.features()) + " features, the scaler " +
                        std::to_string(scaler.features()));
  }
  data.examples = scaler.apply(std::move(data.examples));

  const Status status = project(projection, given, context, data, outputs);
  if (OutputFile* const file = outputs.file("save-scaler")) {
    ModelDocument document("scaler");
    store_scaler(scaler, document);
    write_model(document, *file);
  }
  write_data(data, *outputs.file("OUT"), data_format_to_write(own, read.format, to));
  outputs.commit();
  if (!own.quiet && to != "-") {
    std::cerr << to << ": " << data.size() << " x " << data.features() << "\n";
  }
  return status == Status::solved ? 0 : 2;
}

}  // namespace maxmargin::tool
