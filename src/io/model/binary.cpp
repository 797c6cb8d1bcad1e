// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <cmath>
#include <limits>

#include "io/model/parts.hpp"
#include "io/stream/byte_order.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/core/sizes.hpp"

/// The binary form of a model file (docs/guide/model-file.md).
namespace maxmargin {

namespace {

constexpr std::size_t checksum_bytes = 8;

// ---- writing ----

void append_count(std::string& to, std::size_t count) {
  append_little(to, static_cast<std::uint64_t>(count));
}
void append_string(std::string& to, std::string_view text) {
  append_count(to, text.size());
  to += text;
}
void append_double(std::string& to, double value) {
  append_little(to, std::bit_cast<std::uint64_t>(value));
}

struct ValueWriter {
  std::string& to;
  void operator()(const std::string& value) const { append_string(to, value); }
  void operator()(std::int64_t value) const {
    append_little(to, static_cast<std::uint64_t>(value));
  }
  void operator()(double value) const { append_double(to, value); }
  void operator()(bool value) const { to.push_back(value ? '\1' : '\0'); }
};

struct ContentWriter {
  ModelSink& sink;

  void doubles(std::span<const double> values) const {
    for (const double value : values) {
      append_double(sink.buffer(), value);
      sink.flush_if_large();
    }
  }
  void operator()(const std::vector<std::string>& values) const {
    append_count(sink.buffer(), values.size());
    for (const std::string& value : values) {
      append_string(sink.buffer(), value);
      sink.flush_if_large();
    }
  }
  void operator()(const std::vector<double>& values) const {
    append_count(sink.buffer(), values.size());
    doubles(values);
  }
  void operator()(const std::vector<Label>& labels) const {
    append_count(sink.buffer(), labels.size());
    for (const Label& label : labels) {
      sink.buffer().push_back(label.is_number() ? '\0' : '\1');
      if (label.is_number()) {
        append_double(sink.buffer(), label.number());
      } else {
        append_string(sink.buffer(), label.text());
      }
      sink.flush_if_large();
    }
  }
  void operator()(const DenseMatrix& matrix) const {
    append_count(sink.buffer(), matrix.rows());
    append_count(sink.buffer(), matrix.cols());
    doubles(matrix.values());
  }
  void operator()(const SparseMatrix& matrix) const {
    append_count(sink.buffer(), matrix.rows());
    append_count(sink.buffer(), matrix.cols());
    append_count(sink.buffer(), matrix.entries());
    const SparseView view = matrix.view();
    for (const std::int64_t offset : view.offsets.subspan(1)) {
      append_little(sink.buffer(), static_cast<std::uint64_t>(offset));
      sink.flush_if_large();
    }
    for (const std::int32_t column : view.columns) {
      append_little(sink.buffer(), static_cast<std::uint32_t>(column));
      sink.flush_if_large();
    }
    doubles(view.values);
  }
};

// ---- reading ----

class BinaryParser {
 public:
  BinaryParser(const std::string& name, std::string_view bytes) : name_(name), bytes_(bytes) {}

  ModelDocument parse() {
    at_ = model_binary_magic.size();
    const auto version = load_little<std::uint32_t>(take(4, "a version").data());
    if (!is_readable_version(version)) fail(unknown_version(std::to_string(version)));
    // The bytes may be anything, so the checksum comes before any of them is believed.
    if (bytes_.size() < at_ + checksum_bytes) fail("the file is cut short");
    const std::string_view body = bytes_.substr(0, bytes_.size() - checksum_bytes);
    if (load_little<std::uint64_t>(bytes_.data() + body.size()) != checksum_of(body)) {
      fail("the checksum does not match: the file is cut short, was changed or damaged");
    }
    bytes_ = body;
    ModelDocument model(read_name("learner"), name_);
    const std::size_t fields = read_count(2, "fields");
    for (std::size_t i = 0; i < fields; ++i) read_field(model);
    const std::size_t sections = read_count(2, "sections");
    for (std::size_t i = 0; i < sections; ++i) read_section(model);
    if (at_ != bytes_.size()) fail("expected the checksum after the last section");
    return model;
  }

 private:
  [[noreturn]] void fail(const std::string& problem) const {
    throw ModelFormatError(name_, {}, "at byte " + std::to_string(at_) + ": " + problem);
  }

  std::string_view take(std::size_t count, std::string_view what) {
    if (count > bytes_.size() - at_) {
      fail("expected " + std::string(what) + " of " + std::to_string(count) + " bytes, but " +
           std::to_string(bytes_.size() - at_) + " are left");
    }
    at_ += count;
    return bytes_.substr(at_ - count, count);
  }
  std::uint64_t take_64(std::string_view what) {
    return load_little<std::uint64_t>(take(8, what).data());
  }
  std::uint8_t take_byte(std::string_view what) {
    return static_cast<std::uint8_t>(take(1, what)[0]);
  }
  double take_double() { return std::bit_cast<double>(take_64("a number")); }

  /// A count of things of at least `bytes_each` bytes; they must fit what is left.
  std::size_t read_count(std::size_t bytes_each, std::string_view what) {
    const std::uint64_t count = take_64("a count");
    if (count > (bytes_.size() - at_) / bytes_each) {
      fail(std::to_string(count) + " " + std::string(what) + " do not fit the " +
           std::to_string(bytes_.size() - at_) + " bytes that follow");
    }
    return static_cast<std::size_t>(count);
  }
  std::size_t read_column_count() {
    const std::uint64_t count = take_64("a count");
    if (count > static_cast<std::uint64_t>(std::numeric_limits<std::int32_t>::max())) {
      fail(std::to_string(count) + " columns, must be at most 2^31 - 1");
    }
    return static_cast<std::size_t>(count);
  }
  std::string read_string() {
    const std::size_t length = read_count(1, "characters");
    return std::string(take(length, "a string"));
  }
  std::string read_name(std::string_view what) {
    std::string name = read_string();
    if (!is_model_name(name)) {
      fail("the name of a " + std::string(what) +
           " must be letters, digits, _ - . and begin with a letter");
    }
    return name;
  }
  std::string new_name(const ModelDocument& model, std::string_view what) {
    std::string name = read_name(what);
    if (model.has(name)) fail("the name '" + name + "' occurs twice");
    return name;
  }

  void read_field(ModelDocument& model) {
    std::string name = new_name(model, "field");
    const std::uint8_t type = take_byte("a field type");
    if (type == 0) {
      model.set_string(std::move(name), read_string());
    } else if (type == 1) {
      model.set_integer(std::move(name), static_cast<std::int64_t>(take_64("an integer")));
    } else if (type == 2) {
      model.set_number(std::move(name), take_double());
    } else if (type == 3) {
      const std::uint8_t value = take_byte("a boolean");
      if (value > 1) fail("a boolean must be 0 or 1, found " + std::to_string(value));
      model.set_boolean(std::move(name), value == 1);
    } else {
      fail("unknown field type " + std::to_string(type));
    }
  }

  void read_section(ModelDocument& model) {
    std::string name = new_name(model, "section");
    const std::uint8_t type = take_byte("a section type");
    if (type == 0) {
      model.set_strings(std::move(name),
                        read_list<std::string>(8, "strings", [this] { return read_string(); }));
    } else if (type == 1) {
      model.set_numbers(std::move(name),
                        read_list<double>(8, "numbers", [this] { return take_double(); }));
    } else if (type == 2) {
      model.set_labels(std::move(name),
                       read_list<Label>(9, "labels", [this] { return read_label(); }));
    } else if (type == 3) {
      model.set_dense(std::move(name), read_dense());
    } else if (type == 4) {
      model.set_sparse(std::move(name), read_sparse());
    } else {
      fail("unknown section type " + std::to_string(type));
    }
  }

  template <class T, class ReadItem>
  std::vector<T> read_list(std::size_t bytes_each, std::string_view what, const ReadItem& item) {
    const std::size_t count = read_count(bytes_each, what);
    std::vector<T> values;
    values.reserve(count);
    while (values.size() < count) values.push_back(item());
    return values;
  }

  Label read_label() {
    const std::uint8_t kind = take_byte("a kind of label");
    if (kind > 1) fail("a label must be of kind 0 (number) or 1 (string)");
    if (kind == 1) return Label(read_string());
    const double value = take_double();
    if (!(std::abs(value) <= std::numeric_limits<double>::max())) {
      fail("a number as a label must be finite");
    }
    return Label(value);
  }

  DenseMatrix read_dense() {
    const std::size_t rows = read_count(8, "rows");
    const std::size_t cols = read_column_count();
    if (rows > 0 && cols == 0) fail("a dense matrix with rows needs columns");
    if (cols > 0 && rows > (bytes_.size() - at_) / 8 / cols) {
      fail(std::to_string(rows) + " x " + std::to_string(cols) + " numbers do not fit the " +
           std::to_string(bytes_.size() - at_) + " bytes that follow");
    }
    DenseMatrix matrix = DenseMatrix::uninitialized(rows, cols);
    for (double& value : matrix.values()) value = take_double();
    return matrix;
  }

  SparseMatrix read_sparse() {
    const std::size_t rows = read_count(8, "rows");
    const std::size_t cols = read_column_count();
    const std::size_t entries = read_count(12, "entries");
    Buffer<std::int64_t> offsets(1, 0);
    offsets.reserve(rows + 1);
    for (std::size_t i = 0; i < rows; ++i) {
      const std::uint64_t offset = take_64("an offset");
      if (offset > entries) fail("an offset must be at most " + std::to_string(entries));
      offsets.push_back(static_cast<std::int64_t>(offset));
    }
    const std::string_view column_bytes = take(entries * 4, "column numbers");
    Buffer<std::int32_t> columns(entries);
    for (std::size_t k = 0; k < entries; ++k) {
      columns[k] = static_cast<std::int32_t>(load_little<std::uint32_t>(&column_bytes[4 * k]));
    }
    const std::string_view value_bytes = take(entries * 8, "numbers");
    Buffer<double> values(entries);
    for (std::size_t k = 0; k < entries; ++k) {
      values[k] = std::bit_cast<double>(load_little<std::uint64_t>(&value_bytes[8 * k]));
    }
    try {
      return {cols, std::move(offsets), std::move(columns), std::move(values)};
    } catch (const InvalidArgument& error) {
      fail(error.what());
    }
  }

  const std::string& name_;
  std::string_view bytes_;
  std::size_t at_ = 0;
};

}  // namespace

void write_model_binary(const ModelDocument& model, OutputFile& output) {
  ModelSink sink(output);
  std::string& to = sink.buffer();
  to += model_binary_magic;
  append_little(to, model_version);
  append_string(to, model.learner());
  append_count(to, model.fields().size());
  for (const ModelDocument::Field& field : model.fields()) {
    append_string(to, field.name);
    to.push_back(static_cast<char>(field.value.index()));
    std::visit(ValueWriter{to}, field.value);
  }
  append_count(to, model.sections().size());
  for (const ModelDocument::Section& section : model.sections()) {
    append_string(to, section.name);
    to.push_back(static_cast<char>(section.content.index()));
    std::visit(ContentWriter{sink}, section.content);
  }
  append_little(to, sink.checksum());
  sink.flush();
}

ModelDocument parse_model_binary(const std::string& name, std::string_view bytes) {
  return BinaryParser(name, bytes).parse();
}

}  // namespace maxmargin
