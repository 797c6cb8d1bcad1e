// SPDX-License-Identifier: Apache-2.0
#include "io/append_number.hpp"
#include "io/model/parts.hpp"

/// The text form of a model file (docs/guide/model-file.md), writing.
namespace maxmargin {

namespace {

constexpr std::string_view hex_digits = "0123456789abcdef";

void append_quoted(std::string& to, std::string_view text) {
  to += '"';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      to += '\\';
      to += c;
    } else if (c == '\n') {
      to += "\\n";
    } else if (c == '\r') {
      to += "\\r";
    } else if (c == '\t') {
      to += "\\t";
    } else if (byte < 0x20 || byte == 0x7f) {
      to += "\\x";
      to += hex_digits[byte >> 4];
      to += hex_digits[byte & 15];
    } else {
      to += c;
    }
  }
  to += '"';
}

struct ValueWriter {
  std::string& to;
  void operator()(const std::string& value) const { append_quoted(to, value); }
  void operator()(std::int64_t value) const { append_number(to, value); }
  void operator()(double value) const { append_number(to, value); }
  void operator()(bool value) const { to += value ? "true" : "false"; }
};

/// Writes the counts of a section, which end its header line, and then its rows.
struct ContentWriter {
  ModelSink& sink;

  void counts(std::initializer_list<std::size_t> numbers) const {
    for (const std::size_t number : numbers) sink.buffer() += " " + std::to_string(number);
    end_line();
  }
  void end_line() const {
    sink.buffer() += '\n';
    sink.flush_if_large();
  }
  void operator()(const std::vector<std::string>& values) const {
    counts({values.size()});
    for (const std::string& value : values) {
      append_quoted(sink.buffer(), value);
      end_line();
    }
  }
  void operator()(const std::vector<double>& values) const {
    counts({values.size()});
    for (const double value : values) {
      append_number(sink.buffer(), value);
      end_line();
    }
  }
  void operator()(const std::vector<Label>& labels) const {
    counts({labels.size()});
    for (const Label& label : labels) {
      if (label.is_number()) {
        sink.buffer() += label.text();
      } else {
        append_quoted(sink.buffer(), label.text());
      }
      end_line();
    }
  }
  void operator()(const DenseMatrix& matrix) const {
    counts({matrix.rows(), matrix.cols()});
    for (std::size_t i = 0; i < matrix.rows(); ++i) {
      for (std::size_t j = 0; j < matrix.cols(); ++j) {
        if (j > 0) sink.buffer() += ' ';
        append_number(sink.buffer(), matrix(i, j));
      }
      end_line();
    }
  }
  void operator()(const SparseMatrix& matrix) const {
    counts({matrix.rows(), matrix.cols(), matrix.entries()});
    for (std::size_t i = 0; i < matrix.rows(); ++i) {
      const SparseRow row = matrix.row(i);
      for (std::size_t k = 0; k < row.columns.size(); ++k) {
        if (k > 0) sink.buffer() += ' ';
        append_number(sink.buffer(), std::int64_t{row.columns[k]} + 1);
        sink.buffer() += ':';
        append_number(sink.buffer(), row.values[k]);
      }
      end_line();
    }
  }
};

}  // namespace

void write_model_text(const ModelDocument& model, OutputFile& output) {
  ModelSink sink(output);
  std::string& to = sink.buffer();
  to += std::string(model_text_magic) + " " + std::to_string(model_version) + "\n";
  to += "learner " + model.learner() + "\n";
  for (const ModelDocument::Field& field : model.fields()) {
    to += "field " + field.name + " " + std::string(value_type_names[field.value.index()]) + " ";
    std::visit(ValueWriter{to}, field.value);
    to += '\n';
  }
  for (const ModelDocument::Section& section : model.sections()) {
    to +=
        "section " + section.name + " " + std::string(content_type_names[section.content.index()]);
    std::visit(ContentWriter{sink}, section.content);
  }
  const std::uint64_t checksum = sink.checksum();
  to += "checksum fnv1a64 ";
  for (int shift = 60; shift >= 0; shift -= 4) to += hex_digits[(checksum >> shift) & 15];
  to += '\n';
  sink.flush();
}

}  // namespace maxmargin
