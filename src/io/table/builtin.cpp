// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/io/table/builtin.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include "maxmargin/core/options.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/core/suggest.hpp"
#include "maxmargin/data/generators.hpp"
#include "maxmargin/data/iris.hpp"

namespace maxmargin {

namespace {

constexpr std::string_view prefix = "builtin:";

/// One `key=value` of a specification.
struct Setting {
  std::string_view key = {};
  std::string_view value = {};
};

/// A row of the table: what it is called and how it is made.
struct Builtin {
  BuiltinInfo info = {};
  /// Settings have known keys, each at most once.
  std::function<Dataset(std::span<const Setting>)> make = {};
};

/// Writes settings into the members of the same names.
class SettingsReader final : public OptionVisitor {
 public:
  explicit SettingsReader(std::span<const Setting> settings) : settings_(settings) {}
  void option(const OptionHelp& help, OptionValue& value) override {
    for (const Setting& setting : settings_) {
      if (setting.key != help.name || value.set(setting.value)) continue;
      require_field(false, setting.key, setting.value, value.rule());
    }
  }

 private:
  std::span<const Setting> settings_;
};

/// A generator of the table. Keys, defaults and meanings are those of its options, so the help text
/// cannot say something else.
template <DescribesOptions Options>
Builtin generator(std::string name,
                  std::string summary,
                  Options defaults,
                  std::function<Dataset(const Options&)> generate) {
  Builtin made = {.info = {.name = std::move(name), .summary = std::move(summary)}};
  for (OptionDescription& option : describe_options(defaults)) {
    made.info.parameters.push_back({.name = std::move(option.name),
                                    .default_value = std::move(option.fallback),
                                    .meaning = std::move(option.help)});
  }
  made.make = [=](std::span<const Setting> settings) {
    Options options = defaults;
    SettingsReader reader(settings);
    options.describe(reader);
    return generate(options);
  };
  return made;
}

/// Gives the class `positive` the label 1 and the others -1.
void make_binary(Dataset& data, std::string_view positive) {
  const Classes classes = classes_of(data.labels);
  const Label wanted = Label::parse(positive);
  const std::optional<std::int32_t> index = find_class(classes.names, wanted);
  if (!index) {
    std::vector<std::string> texts;
    for (const Label& name : classes.names) texts.push_back(name.text());
    const std::vector<std::string_view> known(texts.begin(), texts.end());
    throw InvalidArgument("positive = " + std::string(positive) + " is not a class" +
                          suggest_names(positive, known));
  }
  std::vector<double> signs;
  signs.reserve(classes.of_row.size());
  for (const std::int32_t c : classes.of_row) signs.push_back(c == *index ? 1 : -1);
  data.labels = LabelColumn::from_numbers(std::move(signs));
}

Builtin iris_entry() {
  return {.info = {.name = "iris",
                   .summary = "Fisher's 150 Iris flowers, four lengths, three species",
                   .parameters = {{.name = "positive",
                                   .meaning = "class that becomes 1; the others become -1"}}},
          .make = [](std::span<const Setting> settings) {
            Dataset data = iris();
            for (const Setting& setting : settings) make_binary(data, setting.value);
            return data;
          }};
}

/// Leaves the first rows of every class their labels.
void keep_labels_of_few(Dataset& data) {
  constexpr std::size_t labelled = 5;
  const Classes classes = classes_of(data.labels);
  std::vector<std::size_t> kept(classes.count(), 0);
  for (std::size_t i = 0; i < data.size(); ++i) {
    std::size_t& of_class = kept[static_cast<std::size_t>(classes.of_row[i])];
    if (of_class == labelled) {
      data.labels.clear(i);
    } else {
      ++of_class;
    }
  }
}

/// The set of features that are positive in place of the class.
void label_by_signs(Dataset& data) {
  data.labels = {};
  for (std::size_t i = 0; i < data.size(); ++i) {
    std::vector<Label>& set = data.label_sets.emplace_back();
    data.examples.row(i).for_each([&](std::size_t feature, double value) {
      if (value > 0) set.emplace_back(static_cast<double>(feature + 1));
    });
  }
}

/// Bags of three rows of the first class each, of which every second bag has one of the other class
/// in place of one of them, which makes it positive.
void put_into_bags(Dataset& data) {
  constexpr std::size_t bag_size = 3;
  const Classes classes = classes_of(data.labels);
  std::vector<std::size_t> plain;
  std::vector<std::size_t> special;
  for (std::size_t i = 0; i < data.size(); ++i) {
    (classes.of_row[i] == 0 ? plain : special).push_back(i);
  }
  std::vector<std::size_t> rows;
  std::vector<double> signs;
  std::vector<std::int64_t> groups;
  std::size_t next = 0;
  std::size_t next_special = 0;
  for (std::int64_t bag = 1; next + bag_size <= plain.size(); ++bag) {
    const bool is_positive = bag % 2 == 1 && next_special < special.size();
    for (std::size_t h = 0; h < bag_size; ++h) {
      const bool is_witness = is_positive && h == static_cast<std::size_t>(bag) % bag_size;
      rows.push_back(is_witness ? special[next_special++] : plain[next++]);
      signs.push_back(is_positive ? 1 : -1);
      groups.push_back(bag);
    }
  }
  data = data.select(rows);
  data.labels = LabelColumn::from_numbers(std::move(signs));
  data.groups = std::move(groups);
}

const std::vector<Builtin>& table() {
  static const std::vector<Builtin> builtins = {
      iris_entry(),
      generator<CirclesOptions>("circles", "two rings around the origin", {}, generate_circles),
      generator<JoinedCirclesOptions>(
          "joined-circles", "two rings that cross", {}, generate_joined_circles),
      generator<JoinedCirclesOptions>("three-circles",
                                      "three rings that cross",
                                      {.n = 150, .circles = 3},
                                      generate_joined_circles),
      generator<CircleAndBallsOptions>(
          "circle-and-balls", "a ring around two Gaussian balls", {}, generate_circle_and_balls),
      generator<MoonsOptions>(
          "moons", "two half circles that reach into each other", {}, generate_moons),
      generator<SquigglesOptions>(
          "squiggles", "wavy lines above each other", {}, generate_squiggles),
      generator<LettersOptions>(
          "ai", "points along the letters AI, a class a letter", {}, generate_letters),
      generator<LettersOptions>("aaai",
                                "points along the letters AAAI, a class a letter",
                                {.n = 200, .word = "aaai", .height = 1, .gap = 1},
                                generate_letters),
      generator<GaussiansOptions>(
          "gaussians", "round Gaussian classes of variance 1", {}, generate_gaussians),
      generator<GaussiansOptions>("few-labels",
                                  "two Gaussian classes, five rows of each with a label",
                                  {.n = 60, .k = 2, .d = 2},
                                  [](const GaussiansOptions& options) {
                                    Dataset data = generate_gaussians(options);
                                    keep_labels_of_few(data);
                                    return data;
                                  }),
      generator<GaussiansOptions>("label-sets",
                                  "Gaussian rows, each with the set of its positive features",
                                  {.n = 60, .k = 2, .d = 3},
                                  [](const GaussiansOptions& options) {
                                    Dataset data = generate_gaussians(options);
                                    label_by_signs(data);
                                    return data;
                                  }),
      generator<GaussiansOptions>("bags",
                                  "Gaussian rows in bags, one row of a positive bag is special",
                                  {.n = 90, .k = 2, .d = 2},
                                  [](const GaussiansOptions& options) {
                                    Dataset data = generate_gaussians(options);
                                    put_into_bags(data);
                                    return data;
                                  }),
      generator<CheckersOptions>(
          "checkers", "a checkerboard of unit squares", {}, generate_checkers),
      generator<SphereOptions>(
          "sphere",
          "classes on the unit sphere, with outliers moved outwards",
          {},
          [](const SphereOptions& options) { return generate_sphere(options).data; }),
      generator<RingOutliersOptions>(
          "ring-outliers",
          "two long Gaussians and points of random label on a ring far out",
          {},
          [](const RingOutliersOptions& options) { return generate_ring_outliers(options).data; })};
  return builtins;
}

const Builtin& find_builtin(std::string_view name) {
  std::vector<std::string_view> known;
  for (const Builtin& builtin : table()) {
    if (builtin.info.name == name) return builtin;
    known.push_back(builtin.info.name);
  }
  throw InvalidArgument("built-in data set " + std::string(name) + " is not known" +
                        suggest_names(name, known));
}

/// Reads `key=value`, knowing which keys there are and which were given before.
Setting read_setting(std::string_view text,
                     const BuiltinInfo& info,
                     std::span<const Setting> before) {
  const std::string where = std::string(prefix) + info.name + ": ";
  const std::size_t equals = text.find('=');
  if (equals == text.npos) {
    throw InvalidArgument(where + "\"" + std::string(text) + "\" must have the form key=value");
  }
  const Setting setting = {.key = text.substr(0, equals), .value = text.substr(equals + 1)};
  std::vector<std::string_view> known;
  for (const BuiltinParameter& parameter : info.parameters) known.push_back(parameter.name);
  if (std::find(known.begin(), known.end(), setting.key) == known.end()) {
    throw InvalidArgument(where + "parameter " + std::string(setting.key) + " is not known" +
                          suggest_names(setting.key, known));
  }
  for (const Setting& other : before) {
    if (other.key == setting.key) {
      throw InvalidArgument(where + "parameter " + std::string(setting.key) + " is given twice");
    }
  }
  return setting;
}

}  // namespace

std::vector<BuiltinInfo> builtin_list() {
  std::vector<BuiltinInfo> list;
  for (const Builtin& builtin : table()) list.push_back(builtin.info);
  return list;
}

bool is_builtin(std::string_view text) noexcept { return text.starts_with(prefix); }

Dataset make_builtin(std::string_view spec) {
  if (is_builtin(spec)) spec.remove_prefix(prefix.size());
  const std::string_view name = spec.substr(0, spec.find(','));
  const Builtin& builtin = find_builtin(name);
  std::vector<Setting> settings;
  for (std::size_t at = name.size(); at < spec.size();) {
    const std::string_view rest = spec.substr(at + 1);
    const std::string_view text = rest.substr(0, rest.find(','));
    settings.push_back(read_setting(text, builtin.info, settings));
    at += 1 + text.size();
  }
  try {
    Dataset data = builtin.make(settings);
    data.source = std::string(prefix) + std::string(spec);
    return data;
  } catch (const InvalidArgument& error) {
    throw InvalidArgument(std::string(prefix) + builtin.info.name + ": " + error.what());
  }
}

}  // namespace maxmargin
