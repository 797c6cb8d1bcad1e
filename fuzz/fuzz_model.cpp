// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/io/model/model_file.hpp"

#include <algorithm>

#include "io/model/sequence_map_file.hpp"
#include "io/model/structured_file.hpp"
#include "maxmargin/io/model/machine_file.hpp"
#include "round_trip.hpp"
#include "sealed_model.hpp"

namespace maxmargin {
namespace {

std::string written(const ModelDocument& model, ModelFormat format) {
  return written_by([&](OutputFile& output) { write_model(model, output, format); });
}

/// Whether dense copies of its matrices are small: how many columns a sparse one has is a claim.
bool is_small(const ModelDocument& model) {
  return std::ranges::all_of(model.sections(), [](const ModelDocument::Section& section) {
    const auto* matrix = std::get_if<SparseMatrix>(&section.content);
    return matrix == nullptr || matrix->cols() <= (std::size_t{1} << 20) / (matrix->rows() + 1);
  });
}

/// A document that `load` takes goes, as a machine, into another one by `add`, and comes back.
template <class Load, class Add>
void machine_round_trip(const ModelDocument& model, const Load& load, const Add& add) {
  std::optional<decltype(load(model))> machine;
  try {
    machine = load(model);
  } catch (const FileError&) {
    return;
  }
  const auto text_of = [&](ModelDocument& copy, auto given) {
    add(copy, std::move(given));
    return written(copy, ModelFormat::text);
  };
  ModelDocument first("copy");
  ModelDocument second("copy");
  const std::string text = text_of(first, std::move(*machine));
  check(text_of(second, load(first)) == text, "a machine comes back from its document");
}

void machine_round_trips(const ModelDocument& model) {
  if (!is_small(model)) return;
  machine_round_trip(model, sequence_tagger_of, add_sequence_tagger);
  machine_round_trip(model, aligner_of, add_aligner);
  machine_round_trip(model, partitioner_of, add_partitioner);
  machine_round_trip(model, forest_partitioner_of, add_forest_partitioner);
  machine_round_trip(model, multilabel_of, add_multilabel);
  machine_round_trip(model, regressor_of, add_regressor);
  machine_round_trip(model, classifier_of, add_classifier);
  machine_round_trip(model, load_sequence_map, [](ModelDocument& copy, const SequenceMap& map) {
    store_sequence_map(map, copy);
  });
}

void round_trip(const std::string& bytes) {
  const auto model = read_from(bytes, read_model);
  if (!model) return;
  const std::string text = written(*model, ModelFormat::text);
  const std::string binary = written(*model, ModelFormat::binary);
  const auto from_text = read_from(text, read_model);
  const auto from_binary = read_from(binary, read_model);
  check(from_text && from_binary, "what write_model writes can be read");
  check(written(*from_text, ModelFormat::text) == text, "text keeps the document");
  check(written(*from_binary, ModelFormat::binary) == binary, "binary keeps the document");
  check(written(*from_binary, ModelFormat::text) == text, "both forms hold the same document");
  machine_round_trips(*model);
}

}  // namespace
}  // namespace maxmargin

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace maxmargin;
  const std::string file(reinterpret_cast<const char*>(bytes), size);
  const auto plain = plain_bytes(file);
  if (!plain) return 0;
  round_trip(file);
  round_trip(sealed(*plain));
  return 0;
}
