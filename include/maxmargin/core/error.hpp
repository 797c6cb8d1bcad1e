// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>

#include "maxmargin/core/export.hpp"

/// Exceptions for wrong calls and broken files. Numerical trouble is never an exception: it is a
/// Status in the report (core/report.hpp). Messages name the thing, its value and the rule.
namespace maxmargin {

/// Root of everything this library throws on purpose.
class MAXMARGIN_EXPORT Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The caller passed something outside the contract.
class MAXMARGIN_EXPORT InvalidArgument : public Error {
 public:
  using Error::Error;
};

/// A file cannot be opened, read, written or decompressed. The message starts with its name.
class MAXMARGIN_EXPORT FileError : public Error {
 public:
  FileError(const std::string& file, const std::string& problem)
      : Error(file + ": " + problem), file_(file) {}
  [[nodiscard]] const std::string& file() const noexcept { return file_; }

 protected:
  struct Located {};
  FileError(Located /*tag*/, std::string file, const std::string& message)
      : Error(message), file_(std::move(file)) {}

 private:
  std::string file_;
};

/// A place in a text file: line and column count from 1; 0 means "not known" (binary files).
struct FilePlace {
  std::size_t line = 0;
  std::size_t column = 0;
};

/// The contents of a file break a rule of its format: "file:line:column: problem".
class MAXMARGIN_EXPORT ParseError : public FileError {
 public:
  ParseError(const std::string& file, FilePlace place, const std::string& problem)
      : FileError(Located{}, file, locate(file, place) + problem), place_(place) {}
  [[nodiscard]] FilePlace place() const noexcept { return place_; }

 private:
  static std::string locate(const std::string& file, FilePlace place) {
    // Appended piece by piece: g++ 12 warns about ":" + std::to_string(n), wrongly (its bug
    // 105329).
    std::string text = file;
    if (place.line > 0) text.append(":").append(std::to_string(place.line));
    if (place.line > 0 && place.column > 0) text.append(":").append(std::to_string(place.column));
    return text + ": ";
  }
  FilePlace place_;
};

/// A model file is damaged, of a newer version, or not a model file.
class MAXMARGIN_EXPORT ModelFormatError : public ParseError {
 public:
  using ParseError::ParseError;
};

/// An invariant of this library is broken. Please report it.
class MAXMARGIN_EXPORT InternalError : public Error {
 public:
  explicit InternalError(const std::string& message)
      : Error("internal error (please report): " + message) {}
};

}  // namespace maxmargin
