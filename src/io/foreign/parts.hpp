// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/append_number.hpp"
#include "maxmargin/io/foreign/model.hpp"

/// The two foreign formats and what their readers and writers share.
namespace maxmargin {

/// The lines of a foreign model file, read word by word: blanks separate, and what they are and how
/// many does not matter. Everything wrong ends in a ModelFormatError with the line.
class ForeignText {
 public:
  /// Both must outlive the object.
  ForeignText(const std::string& name, std::string_view bytes) : name_(name), bytes_(bytes) {}

  [[noreturn]] void fail(const std::string& problem) const;

  /// Goes to the next line that is not blank; false at the end.
  bool next_line();
  /// The same where a line must follow.
  void next_line(std::string_view expected);
  /// Nothing but blanks is left of the line.
  [[nodiscard]] bool at_line_end();
  void end_line();

  /// The next word of the line; `what` names it in messages.
  std::string_view word(std::string_view what);
  double finite(std::string_view what);
  /// A whole number from `least` to `most`.
  std::int64_t whole(std::string_view what, std::int64_t least, std::int64_t most);
  /// All numbers up to the end of the line.
  std::vector<double> numbers(std::string_view what);

  /// The fast steps of a row of entries `index:value`.
  std::int64_t entry_index(std::int64_t after, std::int64_t most);
  double entry_value();

  /// Bytes behind the current line: what a file claims is believed only as far as it goes.
  [[nodiscard]] std::size_t bytes_left() const noexcept { return bytes_.size() - next_; }

 private:
  void skip_blanks();
  [[nodiscard]] bool at_word_end() const;

  const std::string& name_;
  std::string_view bytes_;
  std::string_view line_;
  std::size_t line_number_ = 0;
  std::size_t next_ = 0;  ///< where the next line begins
  std::size_t at_ = 0;    ///< in the line
};

/// First word of a file of each.
inline constexpr std::string_view libsvm_start = "svm_type";
inline constexpr std::string_view liblinear_start = "solver_type";

[[nodiscard]] ForeignModel parse_libsvm_model(ForeignText& text);
[[nodiscard]] ForeignModel parse_liblinear_model(ForeignText& text);

/// Their labels are the whole numbers of 32 bits; no label may come twice.
[[nodiscard]] std::vector<Label> parse_foreign_labels(ForeignText& text);
/// The labels as a line of their files, ` 1 -1`. Throws InvalidArgument for labels they cannot
/// hold.
[[nodiscard]] std::string foreign_labels(const std::vector<Label>& classes);

/// Throws InvalidArgument when the model has something that neither format can hold.
void require_foreign_classifier(const Classifier& model);
void require_foreign_scaler(const std::optional<Scaler>& scaler);

/// Their one-class machines call x inside when the sum is above rho, ours when sum + offset >= 0.
/// The next number above rho makes one of the other: no double lies between.
[[nodiscard]] double offset_of_strict_rho(double rho);
[[nodiscard]] double strict_rho_of_offset(double offset);

}  // namespace maxmargin
