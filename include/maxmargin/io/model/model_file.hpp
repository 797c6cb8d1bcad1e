// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "maxmargin/core/export.hpp"
#include "maxmargin/core/names.hpp"
#include "maxmargin/data/label.hpp"
#include "maxmargin/io/stream/input.hpp"
#include "maxmargin/io/stream/output.hpp"
#include "maxmargin/linalg/matrix.hpp"

/// Model files: what a learner needs to remember, as a document that any later version can read.
/// The grammar is in docs/guide/model-file.md.
namespace maxmargin {

/// The contents of a model file, whatever the learner: its name, named scalar fields (options,
/// seed, certificate) and named sections (label map, scaler, vectors, coefficients). Fields and
/// sections keep the order in which they were set. Names are letters, digits, `_`, `-` and `.`,
/// begin with a letter, and occur once in a document.
///
/// A learner reads the names it knows and leaves the rest alone, so that files of a later minor
/// version stay readable. A document holds neither time nor thread count: the same training gives
/// the same bytes.
class MAXMARGIN_EXPORT ModelDocument {
 public:
  using Value = std::variant<std::string, std::int64_t, double, bool>;
  using Content = std::variant<std::vector<std::string>,
                               std::vector<double>,
                               std::vector<Label>,
                               DenseMatrix,
                               SparseMatrix>;
  struct Field {
    std::string name = {};
    Value value = {};
  };
  struct Section {
    std::string name = {};
    Content content = {};
  };

  /// `source` is the file's name for messages. Throws InvalidArgument when `learner` is not a name.
  explicit ModelDocument(std::string learner, std::string source = "model");

  [[nodiscard]] const std::string& learner() const noexcept { return learner_; }
  [[nodiscard]] const std::string& source() const noexcept { return source_; }
  [[nodiscard]] std::span<const Field> fields() const noexcept { return fields_; }
  [[nodiscard]] std::span<const Section> sections() const noexcept { return sections_; }
  /// Is there a field or a section of this name?
  [[nodiscard]] bool has(std::string_view name) const { return places_.contains(name); }

  /// Add a field or a section. They throw InvalidArgument when `name` is not a name or is taken,
  /// and when a dense matrix has rows but no columns (its rows would leave no trace in a file).
  void set_string(std::string name, std::string value);
  void set_integer(std::string name, std::int64_t value);
  void set_number(std::string name, double value);
  void set_boolean(std::string name, bool value);
  void set_strings(std::string name, std::vector<std::string> values);
  void set_numbers(std::string name, std::vector<double> values);
  void set_labels(std::string name, std::vector<Label> values);
  void set_dense(std::string name, DenseMatrix matrix);
  void set_sparse(std::string name, SparseMatrix matrix);

  /// The value of a field or section. They throw ModelFormatError, naming the file and the field,
  /// when it is missing or of another type.
  [[nodiscard]] const std::string& string(std::string_view name) const;
  [[nodiscard]] std::int64_t integer(std::string_view name) const;
  [[nodiscard]] double number(std::string_view name) const;
  [[nodiscard]] bool boolean(std::string_view name) const;
  [[nodiscard]] const std::vector<std::string>& strings(std::string_view name) const;
  [[nodiscard]] const std::vector<double>& numbers(std::string_view name) const;
  [[nodiscard]] const std::vector<Label>& labels(std::string_view name) const;
  [[nodiscard]] const DenseMatrix& dense(std::string_view name) const;
  [[nodiscard]] const SparseMatrix& sparse(std::string_view name) const;
  /// For moving a large matrix out of a document that is no longer needed.
  [[nodiscard]] DenseMatrix& dense(std::string_view name);
  [[nodiscard]] SparseMatrix& sparse(std::string_view name);

 private:
  /// Where a name is: the number of a field or of a section.
  struct Place {
    bool is_section = false;
    std::size_t index = 0;
  };
  void add(std::string name, Value value);
  void add(std::string name, Content content);
  void claim(const std::string& name, Place place);
  template <class T>
  const T& field(std::string_view name) const;
  template <class T>
  const T& section(std::string_view name) const;
  [[noreturn]] void fail(std::string_view name, std::string_view problem) const;

  std::string learner_;
  std::string source_;
  std::vector<Field> fields_;
  std::vector<Section> sections_;
  std::map<std::string, Place, std::less<>> places_;
};

/// How a document lies in a file. Text is for ever and for people; the binary twin holds the same
/// document in less space and reads faster.
enum class ModelFormat { text, binary };
template <>
inline constexpr auto names_of<ModelFormat> =
    name_table<ModelFormat>({{"text", ModelFormat::text}, {"binary", ModelFormat::binary}});

/// Reads a model in either form, found by its first bytes. Throws ModelFormatError when the input
/// is not a model, of a version this library does not know, damaged or cut short.
[[nodiscard]] MAXMARGIN_EXPORT ModelDocument read_model(Input& input);

/// Does `input` begin like a model file? Consumes nothing.
[[nodiscard]] MAXMARGIN_EXPORT bool looks_like_model(Input& input);

/// Writes the document; the caller commits the file. The same document gives the same bytes.
MAXMARGIN_EXPORT void write_model(const ModelDocument& model,
                                  OutputFile& output,
                                  ModelFormat format = ModelFormat::text);

}  // namespace maxmargin
