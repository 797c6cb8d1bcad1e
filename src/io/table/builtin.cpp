// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/io/table/builtin.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <type_traits>
#include <utility>

#include "maxmargin/core/number.hpp"
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

/// A member of an options struct that a specification can set.
template <class Options>
struct Field {
  std::string name = {};
  std::string meaning = {};
  std::function<void(Options&, const Setting&)> set = {};
  std::function<std::string(const Options&)> text = {};
};

[[noreturn]] void refuse(const Setting& setting, std::string_view rule) {
  require_field(false, setting.key, setting.value, rule);
  throw InternalError("unreachable");
}

template <class Options, class Value>
Field<Options> field(std::string name, Value Options::*member, std::string meaning) {
  static_assert(std::is_same_v<Value, double> || std::is_unsigned_v<Value>);
  Field<Options> made = {.name = std::move(name), .meaning = std::move(meaning)};
  if constexpr (std::is_same_v<Value, double>) {
    made.set = [member](Options& options, const Setting& setting) {
      const std::optional<double> value = parse_number(setting.value);
      if (!value || !std::isfinite(*value)) refuse(setting, "a number");
      options.*member = *value;
    };
    made.text = [member](const Options& options) { return format_number(options.*member); };
  } else {
    made.set = [member](Options& options, const Setting& setting) {
      const std::optional<std::int64_t> value = parse_integer(setting.value);
      if (!value || *value < 0) refuse(setting, "a whole number >= 0");
      options.*member = static_cast<Value>(*value);
    };
    made.text = [member](const Options& options) { return std::to_string(options.*member); };
  }
  return made;
}

/// A generator of the table. Its defaults are those of the options struct, so the help text cannot
/// say something else.
template <class Options>
Builtin generator(std::string name,
                  std::string summary,
                  Options defaults,
                  std::vector<Field<Options>> fields,
                  std::function<Dataset(const Options&)> generate) {
  fields.push_back(field("seed", &Options::seed, "which random draw"));
  Builtin made = {.info = {.name = std::move(name), .summary = std::move(summary)}};
  for (const Field<Options>& one : fields) {
    made.info.parameters.push_back(
        {.name = one.name, .default_value = one.text(defaults), .meaning = one.meaning});
  }
  made.make = [=](std::span<const Setting> settings) {
    Options options = defaults;
    for (const Setting& setting : settings) {
      for (const Field<Options>& one : fields) {
        if (one.name == setting.key) one.set(options, setting);
      }
    }
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

Builtin circles_entry() {
  using Options = CirclesOptions;
  return generator<Options>("circles",
                            "two rings around the origin",
                            {},
                            {field("n", &Options::n, "rows"),
                             field("inner", &Options::inner, "radius of class 1"),
                             field("outer", &Options::outer, "radius of class 2"),
                             field("shift", &Options::shift, "how far class 1 is to the right"),
                             field("noise", &Options::noise, "deviation of the noise")},
                            generate_circles);
}

Builtin joined_circles_entry(std::string name, std::string summary, JoinedCirclesOptions defaults) {
  using Options = JoinedCirclesOptions;
  return generator<Options>(
      std::move(name),
      std::move(summary),
      defaults,
      {field("n", &Options::n, "rows"),
       field("radius", &Options::radius, "radius of the rings"),
       field("distance", &Options::distance, "between the centres of neighbours"),
       field("noise", &Options::noise, "deviation of the noise")},
      generate_joined_circles);
}

Builtin circle_and_balls_entry() {
  using Options = CircleAndBallsOptions;
  return generator<Options>("circle-and-balls",
                            "a ring around two Gaussian balls",
                            {},
                            {field("n", &Options::n, "rows"),
                             field("radius", &Options::radius, "radius of the ring"),
                             field("distance", &Options::distance, "between the balls' centres"),
                             field("ball", &Options::ball, "deviation of the balls"),
                             field("noise", &Options::noise, "deviation of the ring's noise")},
                            generate_circle_and_balls);
}

Builtin moons_entry() {
  using Options = MoonsOptions;
  return generator<Options>(
      "moons",
      "two half circles that reach into each other",
      {},
      {field("n", &Options::n, "rows"), field("noise", &Options::noise, "deviation of the noise")},
      generate_moons);
}

Builtin squiggles_entry() {
  using Options = SquigglesOptions;
  return generator<Options>("squiggles",
                            "wavy lines above each other",
                            {},
                            {field("n", &Options::n, "rows"),
                             field("curves", &Options::curves, "lines, a class each"),
                             field("length", &Options::length, "extent in x"),
                             field("period", &Options::period, "wave length"),
                             field("amplitude", &Options::amplitude, "height of the waves"),
                             field("gap", &Options::gap, "vertical distance of the lines"),
                             field("noise", &Options::noise, "deviation of the noise")},
                            generate_squiggles);
}

Builtin letters_entry(std::string summary, LettersOptions defaults) {
  using Options = LettersOptions;
  return generator<Options>(defaults.word,
                            std::move(summary),
                            defaults,
                            {field("n", &Options::n, "rows"),
                             field("height", &Options::height, "of the letters; an A is 1 wide"),
                             field("gap", &Options::gap, "between the letters"),
                             field("noise", &Options::noise, "deviation of the noise")},
                            generate_letters);
}

Builtin gaussians_entry() {
  using Options = GaussiansOptions;
  return generator<Options>(
      "gaussians",
      "round Gaussian classes of variance 1",
      {},
      {field("n", &Options::n, "rows"),
       field("k", &Options::k, "classes"),
       field("d", &Options::d, "features"),
       field("separation", &Options::separation, "between the means of neighbours")},
      generate_gaussians);
}

Builtin checkers_entry() {
  using Options = CheckersOptions;
  return generator<Options>("checkers",
                            "a checkerboard of unit squares",
                            {},
                            {field("n", &Options::n, "rows"),
                             field("cells", &Options::cells, "squares a side"),
                             field("jitter", &Options::jitter, "deviation of the noise")},
                            generate_checkers);
}

Builtin sphere_entry() {
  using Options = SphereOptions;
  return generator<Options>(
      "sphere",
      "classes on the unit sphere, with outliers moved outwards",
      {},
      {field("n", &Options::n, "rows, outliers included"),
       field("classes", &Options::classes, "classes"),
       field("d", &Options::d, "features"),
       field("spread", &Options::spread, "deviation around the class's direction"),
       field("outliers", &Options::outliers, "points moved outwards"),
       field("radius", &Options::radius, "the outliers' distance from the origin")},
      [](const Options& options) { return generate_sphere(options).data; });
}

Builtin ring_outliers_entry() {
  using Options = RingOutliersOptions;
  return generator<Options>(
      "ring-outliers",
      "two long Gaussians and points of random label on a ring far out",
      {},
      {field("n", &Options::n, "rows, outliers included"),
       field("outliers", &Options::outliers, "points on the ring"),
       field("radius", &Options::radius, "inner radius of the ring"),
       field("width", &Options::width, "width of the ring")},
      [](const Options& options) { return generate_ring_outliers(options).data; });
}

const std::vector<Builtin>& table() {
  static const std::vector<Builtin> builtins = {
      iris_entry(),
      circles_entry(),
      joined_circles_entry("joined-circles", "two rings that cross", {}),
      joined_circles_entry("three-circles", "three rings that cross", {.n = 150, .circles = 3}),
      circle_and_balls_entry(),
      moons_entry(),
      squiggles_entry(),
      letters_entry("points along the letters AI, a class a letter", {}),
      letters_entry("points along the letters AAAI, a class a letter",
                    {.n = 200, .word = "aaai", .height = 1, .gap = 1}),
      gaussians_entry(),
      checkers_entry(),
      sphere_entry(),
      ring_outliers_entry()};
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
