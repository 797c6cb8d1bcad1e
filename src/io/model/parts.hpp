// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "maxmargin/io/model/model_file.hpp"

/// What the two forms of a model file share.
namespace maxmargin {

/// The version this library writes, and the oldest it reads.
constexpr std::uint32_t model_version = 2;
constexpr std::uint32_t oldest_model_version = 1;
[[nodiscard]] constexpr bool is_readable_version(std::uint64_t version) {
  return version >= oldest_model_version && version <= model_version;
}

/// First word of a text model.
constexpr std::string_view model_text_magic = "maxmargin-model";
/// First bytes of a binary model. A byte above 127 keeps it from passing for text, and the line
/// ends break visibly when a transfer rewrites them.
constexpr std::string_view model_binary_magic = "\x8fMMD\r\n\x1a\n";

/// Type names in the order of ModelDocument::Value and ModelDocument::Content; the binary form uses
/// the positions as type numbers. New types go to the end.
constexpr std::array<std::string_view, 4> value_type_names = {
    "string", "integer", "number", "boolean"};
constexpr std::array<std::string_view, 5> content_type_names = {
    "strings", "numbers", "labels", "dense", "sparse"};

/// Is `name` allowed as the name of a learner, field or section?
[[nodiscard]] bool is_model_name(std::string_view name) noexcept;

/// The problem with a version number that is not read.
[[nodiscard]] std::string unknown_version(std::string_view version);

/// The 64-bit FNV-1a hash of a stream of bytes. Every step is a bijection of the state, so that a
/// change of a single byte always changes the value; other damage slips through once in 2^64. It
/// guards against accidents, not against forgery.
class Checksum {
 public:
  void add(std::string_view bytes) noexcept {
    for (const char byte : bytes) {
      value_ = (value_ ^ static_cast<unsigned char>(byte)) * 0x100000001b3u;
    }
  }
  [[nodiscard]] std::uint64_t value() const noexcept { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325u;
};

[[nodiscard]] inline std::uint64_t checksum_of(std::string_view bytes) noexcept {
  Checksum checksum;
  checksum.add(bytes);
  return checksum.value();
}

/// Bytes on their way to a file, hashed as they pass, in blocks large enough for the file.
class ModelSink {
 public:
  explicit ModelSink(OutputFile& output) : output_(output) {}

  /// What is to be written next is appended here; call flush_if_large() now and then.
  [[nodiscard]] std::string& buffer() noexcept { return buffer_; }
  void flush_if_large() {
    if (buffer_.size() >= block_bytes) flush();
  }
  /// The checksum of everything appended up to now.
  [[nodiscard]] std::uint64_t checksum() {
    flush();
    return checksum_.value();
  }
  void flush() {
    checksum_.add(buffer_);
    output_.write(buffer_);
    buffer_.clear();
  }

 private:
  static constexpr std::size_t block_bytes = std::size_t{1} << 20;
  OutputFile& output_;
  std::string buffer_;
  Checksum checksum_;
};

/// `bytes` is the whole file, `name` its name for messages. They throw ModelFormatError.
[[nodiscard]] ModelDocument parse_model_text(const std::string& name, std::string_view bytes);
[[nodiscard]] ModelDocument parse_model_binary(const std::string& name, std::string_view bytes);
void write_model_text(const ModelDocument& model, OutputFile& output);
void write_model_binary(const ModelDocument& model, OutputFile& output);

}  // namespace maxmargin
