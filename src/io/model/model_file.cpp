// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/io/model/model_file.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "io/model/parts.hpp"
#include "io/stream/whole_input.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/core/require.hpp"

namespace maxmargin {

namespace {

template <class T, class... Alternatives>
constexpr std::size_t index_in(const std::variant<Alternatives...>* /*type*/) {
  constexpr std::array<bool, sizeof...(Alternatives)> same = {std::is_same_v<T, Alternatives>...};
  return static_cast<std::size_t>(std::ranges::find(same, true) - same.begin());
}

template <class T>
constexpr std::string_view value_type_name =
    value_type_names[index_in<T>(static_cast<const ModelDocument::Value*>(nullptr))];
template <class T>
constexpr std::string_view content_type_name =
    content_type_names[index_in<T>(static_cast<const ModelDocument::Content*>(nullptr))];

}  // namespace

bool is_model_name(std::string_view name) noexcept {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  return !name.empty() && is_letter(name[0]) && std::ranges::all_of(name, [&](char c) {
    return is_letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
  });
}

ModelDocument::ModelDocument(std::string learner, std::string source)
    : learner_(std::move(learner)), source_(std::move(source)) {
  require_field(is_model_name(learner_),
                "the name of a learner",
                learner_,
                "a name of letters, digits, _ - . that begins with a letter");
}

void ModelDocument::claim(const std::string& name, Place place) {
  require_field(is_model_name(name),
                "the name of an entry",
                name,
                "letters, digits, _ - . and begin with a letter");
  require_field(
      places_.emplace(name, place).second, "the name of an entry", name, "used once in a model");
}

void ModelDocument::add(std::string name, Value value) {
  claim(name, {.is_section = false, .index = fields_.size()});
  fields_.push_back({std::move(name), std::move(value)});
}

void ModelDocument::add(std::string name, Content content) {
  claim(name, {.is_section = true, .index = sections_.size()});
  sections_.push_back({std::move(name), std::move(content)});
}

void ModelDocument::set_string(std::string name, std::string value) {
  add(std::move(name), Value(std::in_place_type<std::string>, std::move(value)));
}
void ModelDocument::set_integer(std::string name, std::int64_t value) {
  add(std::move(name), Value(std::in_place_type<std::int64_t>, value));
}
void ModelDocument::set_number(std::string name, double value) {
  add(std::move(name), Value(std::in_place_type<double>, value));
}
void ModelDocument::set_boolean(std::string name, bool value) {
  add(std::move(name), Value(std::in_place_type<bool>, value));
}
void ModelDocument::set_strings(std::string name, std::vector<std::string> values) {
  add(std::move(name), Content(std::move(values)));
}
void ModelDocument::set_numbers(std::string name, std::vector<double> values) {
  add(std::move(name), Content(std::move(values)));
}
void ModelDocument::set_labels(std::string name, std::vector<Label> values) {
  add(std::move(name), Content(std::move(values)));
}
void ModelDocument::set_dense(std::string name, DenseMatrix matrix) {
  require(matrix.cols() > 0 || matrix.rows() == 0,
          "the dense matrix '" + name + "' has rows but no columns");
  add(std::move(name), Content(std::move(matrix)));
}
void ModelDocument::set_sparse(std::string name, SparseMatrix matrix) {
  add(std::move(name), Content(std::move(matrix)));
}

void ModelDocument::fail(std::string_view name, std::string_view problem) const {
  throw ModelFormatError(
      source_, {}, "the model's '" + std::string(name) + "' " + std::string(problem));
}

template <class T>
const T& ModelDocument::field(std::string_view name) const {
  const auto at = places_.find(name);
  if (at == places_.end()) {
    fail(name, "is missing, expected a field of type " + std::string(value_type_name<T>));
  }
  const T* value =
      at->second.is_section ? nullptr : std::get_if<T>(&fields_[at->second.index].value);
  if (value == nullptr) fail(name, "is not a field of type " + std::string(value_type_name<T>));
  return *value;
}

template <class T>
const T& ModelDocument::section(std::string_view name) const {
  const auto at = places_.find(name);
  if (at == places_.end()) {
    fail(name, "is missing, expected a section of type " + std::string(content_type_name<T>));
  }
  const T* content =
      at->second.is_section ? std::get_if<T>(&sections_[at->second.index].content) : nullptr;
  if (content == nullptr) {
    fail(name, "is not a section of type " + std::string(content_type_name<T>));
  }
  return *content;
}

const std::string& ModelDocument::string(std::string_view name) const {
  return field<std::string>(name);
}
std::int64_t ModelDocument::integer(std::string_view name) const {
  return field<std::int64_t>(name);
}
double ModelDocument::number(std::string_view name) const { return field<double>(name); }
bool ModelDocument::boolean(std::string_view name) const { return field<bool>(name); }
const std::vector<std::string>& ModelDocument::strings(std::string_view name) const {
  return section<std::vector<std::string>>(name);
}
const std::vector<double>& ModelDocument::numbers(std::string_view name) const {
  return section<std::vector<double>>(name);
}
const std::vector<Label>& ModelDocument::labels(std::string_view name) const {
  return section<std::vector<Label>>(name);
}
const DenseMatrix& ModelDocument::dense(std::string_view name) const {
  return section<DenseMatrix>(name);
}
const SparseMatrix& ModelDocument::sparse(std::string_view name) const {
  return section<SparseMatrix>(name);
}
// This object is not const, so neither is what the const look-up finds in it.
DenseMatrix& ModelDocument::dense(std::string_view name) {
  return const_cast<DenseMatrix&>(section<DenseMatrix>(name));
}
SparseMatrix& ModelDocument::sparse(std::string_view name) {
  return const_cast<SparseMatrix&>(section<SparseMatrix>(name));
}

std::string unknown_version(std::string_view version) {
  return "this model has format version " + std::string(version) +
         ", and this maxmargin reads versions " + std::to_string(oldest_model_version) + " to " +
         std::to_string(model_version) + "; update maxmargin to read it";
}

bool looks_like_model(Input& input) {
  const std::string_view start = input.peek(model_text_magic.size());
  return start.starts_with(model_text_magic) || start.starts_with(model_binary_magic);
}

ModelDocument read_model(Input& input) {
  const bool binary = input.peek(model_binary_magic.size()) == model_binary_magic;
  if (!binary && input.peek(model_text_magic.size()) != model_text_magic) {
    throw ModelFormatError(input.name(),
                           {.line = 1, .column = 1},
                           "not a model file, expected '" + std::string(model_text_magic) + " " +
                               std::to_string(model_version) + "' or the start of a binary model");
  }
  const WholeInput whole(input);
  return binary ? parse_model_binary(input.name(), whole.bytes())
                : parse_model_text(input.name(), whole.bytes());
}

void write_model(const ModelDocument& model, OutputFile& output, ModelFormat format) {
  if (format == ModelFormat::binary) {
    write_model_binary(model, output);
  } else {
    write_model_text(model, output);
  }
}

}  // namespace maxmargin
