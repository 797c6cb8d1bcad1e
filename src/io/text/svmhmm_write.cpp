// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "io/append_number.hpp"
#include "io/quote.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/data/label.hpp"
#include "maxmargin/io/text/svmhmm.hpp"

namespace maxmargin {

namespace {

/// Does the reader give this label back as the same text?
bool reads_back(const std::string& label) {
  if (label.empty() || label == "?" || label.starts_with("qid:")) return false;
  for (const char c : label) {
    if (static_cast<unsigned char>(c) <= ' ' || c == '#') return false;
  }
  return Label::parse(label).text() == label;
}

/// Before the first byte is written, as what went to a pipe cannot be taken back.
void check(const SequenceData& data) {
  require(data.labels.empty() || data.labels.size() == data.size(),
          "labels for some sequences alone");
  require(data.step_features == 0, "features of steps cannot stand in this format");
  for (std::size_t i = 0; i < data.size(); ++i) {
    const Sequence& sequence = data.inputs[i];
    const std::string name = "sequence " + std::to_string(i + 1);
    require(sequence.size() > 0, name + " has no position");
    for (std::size_t t = 0; t < sequence.size(); ++t) {
      const auto indices = sequence.indices_at(t);
      for (std::size_t k = 1; k < indices.size(); ++k) {
        require(indices[k - 1] < indices[k], name + ": the indices of a position must increase");
      }
    }
    for (const double value : sequence.values) {
      require(std::isfinite(value), name + ": a value is not finite");
    }
    if (data.labels.empty()) continue;
    require(data.labels[i].size() == sequence.size(), name + ": one label a position");
    for (const std::uint32_t label : data.labels[i]) {
      require(label < data.label_names.size(), name + ": a label without a name");
      if (reads_back(data.label_names[label])) continue;
      throw InvalidArgument(name + ": the label " + quote(data.label_names[label], "\"\"") +
                            " cannot stand in this format");
    }
  }
}

}  // namespace

void write_svmhmm(const SequenceData& data, OutputFile& output) {
  check(data);
  std::string line;
  for (std::size_t i = 0; i < data.size(); ++i) {
    const Sequence& sequence = data.inputs[i];
    for (std::size_t t = 0; t < sequence.size(); ++t) {
      line = data.labels.empty() ? "?" : data.label_names[data.labels[i][t]];
      // At the start of a file these would pass for a byte order mark or for compressed data.
      if (i == 0 && t == 0 && (line.starts_with("\xef\xbb\xbf") || line.starts_with("BZh"))) {
        line.insert(0, 1, ' ');
      }
      line += " qid:";
      append_number(line, i + 1);
      for (std::size_t k = sequence.begins[t]; k < sequence.begins[t + 1]; ++k) {
        line += ' ';
        append_number(line, std::uint64_t{sequence.indices[k]} + 1);
        line += ':';
        append_number(line, sequence.value(k));
      }
      line += '\n';
      output.write(line);
    }
  }
}

}  // namespace maxmargin
