// SPDX-License-Identifier: Apache-2.0
#include "io/model/sequence_map_file.hpp"

#include <algorithm>
#include <set>

#include "io/stream/line_blocks.hpp"
#include "maxmargin/core/require.hpp"

namespace maxmargin {

namespace {

/// The name of hash_text in files: another function would need another name.
constexpr std::string_view hash_name = "fnv1a64-splitmix";
/// Features of a dictionary go into the file in strings of many lines: a string of its own for each
/// of 10^7 features would take more memory than the dictionary.
constexpr std::size_t bytes_a_block = std::size_t{1} << 16;

std::vector<std::string> to_blocks(const StringTable& names) {
  std::vector<std::string> blocks;
  for (std::size_t number = 0; number < names.size(); ++number) {
    require(names[number].find('\n') == std::string_view::npos, "a feature holds a line end");
    if (blocks.empty() || blocks.back().size() >= bytes_a_block) {
      blocks.emplace_back().reserve(bytes_a_block + 256);
    } else {
      blocks.back() += '\n';
    }
    blocks.back() += names[number];
  }
  return blocks;
}

StringTable from_blocks(const std::vector<std::string>& blocks) {
  StringTable names;
  for (const std::string& block : blocks) {
    std::string_view left = block;
    for (;;) {
      const std::size_t end = std::min(left.find('\n'), left.size());
      const std::size_t before = names.size();
      require(names.add(left.substr(0, end)) == before, "holds a feature twice");
      if (end == left.size()) break;
      left.remove_prefix(end + 1);
    }
  }
  return names;
}

void store_index(const FeatureIndex& index, const std::string& name, ModelDocument& model) {
  require(index.is_frozen(), "an index that still learns");
  model.set_string(name + ".kind",
                   std::string(to_string(index.is_hashed() ? FeatureIndexKind::hashed
                                                           : FeatureIndexKind::dictionary)));
  if (index.is_hashed()) {
    model.set_string(name + ".hash", std::string(hash_name));
    model.set_integer(name + ".bits", static_cast<std::int64_t>(index.hash_bits()));
  } else {
    model.set_integer(name + ".count", static_cast<std::int64_t>(index.size()));
    model.set_strings(name + ".names", to_blocks(index.names()));
  }
}

FeatureIndex load_index(const ModelDocument& model, const std::string& name) {
  const auto kind = parse_name<FeatureIndexKind>(model.string(name + ".kind"), name + ".kind");
  if (kind == FeatureIndexKind::hashed) {
    require(model.string(name + ".hash") == hash_name,
            name + ".hash is not " + std::string(hash_name));
    const std::int64_t bits = model.integer(name + ".bits");
    require(bits >= 1 && bits <= 31, name + ".bits is not from 1 to 31");
    return FeatureIndex({.kind = kind, .hash_bits = static_cast<std::size_t>(bits)});
  }
  StringTable names = from_blocks(model.strings(name + ".names"));
  require(static_cast<std::int64_t>(names.size()) == model.integer(name + ".count"),
          name + ".count is not the number of features");
  return FeatureIndex(std::move(names));
}

}  // namespace

FeatureTemplates read_templates(Input& input) {
  skip_byte_order_mark(input);
  return parse_templates(input.read_all(), input.name());
}

FeatureTemplates find_templates(const std::string& name_or_path) {
  const auto names = standard_template_names();
  if (std::ranges::find(names, name_or_path) != names.end()) {
    return standard_templates(name_or_path);
  }
  Input input = Input::open(name_or_path);
  return read_templates(input);
}

void store_sequence_map(const SequenceMap& map, ModelDocument& model) {
  model.set_string("map.templates", to_text(map.templates));
  store_index(map.positions, "map.positions", model);
  store_index(map.steps, "map.steps", model);
  model.set_strings("map.labels", map.label_names);
}

bool has_sequence_map(const ModelDocument& model) { return model.has("map.templates"); }

SequenceMap load_sequence_map(const ModelDocument& model) {
  try {
    SequenceMap map{.templates = parse_templates(model.string("map.templates"), model.source()),
                    .positions = load_index(model, "map.positions"),
                    .steps = load_index(model, "map.steps"),
                    .label_names = model.strings("map.labels")};
    const std::set<std::string> distinct(map.label_names.begin(), map.label_names.end());
    require(distinct.size() == map.label_names.size(), "map.labels holds a label twice");
    return map;
  } catch (const InvalidArgument& broken) {
    throw ModelFormatError(model.source(), {}, std::string("sequence map: ") + broken.what());
  } catch (const ModelFormatError&) {
    throw;
  } catch (const ParseError& broken) {
    // The line counts within the templates, not within the file.
    throw ModelFormatError(model.source(), {}, std::string("map.templates: ") + broken.what());
  }
}

}  // namespace maxmargin
