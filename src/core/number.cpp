// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/core/number.hpp"

#include <array>
#include <charconv>
#include <limits>

namespace maxmargin {

namespace {

/// Powers of ten that a double holds exactly.
constexpr std::array<double, 23> exact_powers_of_ten = {
    1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// The power of ten just above the number written in [first, last): 1 for "5", 3 for "123",
/// -1 for "0.05", 300 for "1e299". Exponents saturate.
std::ptrdiff_t decimal_order(const char* first, const char* last) {
  std::ptrdiff_t order = 0;
  bool started = false;
  bool fraction = false;
  for (const char* p = first; p != last; ++p) {
    if (*p == '.') {
      fraction = true;
    } else if (is_digit(*p)) {
      started = started || *p != '0';
      if (started && !fraction) ++order;
      if (!started && fraction) --order;
    } else if (*p == 'e' || *p == 'E') {
      const bool negative = p + 1 != last && p[1] == '-';
      std::ptrdiff_t exponent = 0;
      for (++p; p != last; ++p) {
        if (is_digit(*p) && exponent < 1'000'000'000'000) exponent = exponent * 10 + (*p - '0');
      }
      return order + (negative ? -exponent : exponent);
    }
  }
  return order;
}

/// The general case: sign handling around std::from_chars, which rounds correctly.
const char* scan_general(const char* first, const char* last, double& value) noexcept {
  const char* begin = first;
  // from_chars takes '-' but not '+'.
  if (begin != last && *begin == '+') {
    ++begin;
    if (begin != last && (*begin == '+' || *begin == '-')) return first;
  }
  const auto [end, error] = std::from_chars(begin, last, value);
  if (error == std::errc::invalid_argument) return first;
  if (error == std::errc::result_out_of_range) {
    // from_chars leaves the value alone; beyond the range only the order of magnitude matters.
    const bool negative = *begin == '-';
    const double magnitude =
        decimal_order(begin, end) > 0 ? std::numeric_limits<double>::infinity() : 0.0;
    value = negative ? -magnitude : magnitude;
  }
  return end;
}

}  // namespace

const char* scan_number(const char* first, const char* last, double& value) noexcept {
  // Clinger's fast path: up to 19 digits make an exact integer, and when that is below 2^53 and
  // the power of ten is exact, one multiplication or division rounds correctly.
  const char* p = first;
  bool negative = false;
  if (p != last && (*p == '-' || *p == '+')) {
    negative = *p == '-';
    ++p;
  }
  const char* digits = p;
  std::uint64_t mantissa = 0;
  while (p != last && is_digit(*p)) mantissa = mantissa * 10 + static_cast<unsigned>(*p++ - '0');
  std::ptrdiff_t digit_count = p - digits;
  std::ptrdiff_t fraction_digits = 0;
  if (p != last && *p == '.') {
    ++p;
    const char* fraction = p;
    while (p != last && is_digit(*p)) mantissa = mantissa * 10 + static_cast<unsigned>(*p++ - '0');
    fraction_digits = p - fraction;
    digit_count += fraction_digits;
  }
  if (digit_count == 0 || digit_count > 19) return scan_general(first, last, value);
  std::ptrdiff_t exponent = -fraction_digits;
  if (p != last && (*p == 'e' || *p == 'E')) {
    const char* q = p + 1;
    bool negative_exponent = false;
    if (q != last && (*q == '-' || *q == '+')) {
      negative_exponent = *q == '-';
      ++q;
    }
    // Without digits the 'e' is not part of the number.
    if (q != last && is_digit(*q)) {
      std::ptrdiff_t written = 0;
      while (q != last && is_digit(*q)) {
        if (written < 10000) written = written * 10 + (*q - '0');
        ++q;
      }
      exponent += negative_exponent ? -written : written;
      p = q;
    }
  }
  if (mantissa > (std::uint64_t{1} << 53) || exponent < -22 || exponent > 22) {
    return scan_general(first, last, value);
  }
  double magnitude = static_cast<double>(mantissa);
  if (exponent < 0) {
    magnitude /= exact_powers_of_ten[static_cast<std::size_t>(-exponent)];
  } else {
    magnitude *= exact_powers_of_ten[static_cast<std::size_t>(exponent)];
  }
  value = negative ? -magnitude : magnitude;
  return p;
}

std::optional<double> parse_number(std::string_view text) noexcept {
  double value = 0;
  const char* last = text.data() + text.size();
  if (text.empty() || scan_number(text.data(), last, value) != last) return std::nullopt;
  return value;
}

std::optional<std::int64_t> parse_integer(std::string_view text) noexcept {
  if (text.size() > 1 && text[0] == '+' && is_digit(text[1])) text.remove_prefix(1);
  std::int64_t value = 0;
  const char* last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, value);
  if (error != std::errc{} || end != last) return std::nullopt;
  return value;
}

std::optional<std::uint64_t> parse_byte_size(std::string_view text) noexcept {
  if (text.size() > 1 && (text.back() == 'B' || text.back() == 'b')) text.remove_suffix(1);
  int shift = 0;
  if (!text.empty()) {
    constexpr std::string_view units = "KMGT";
    const char unit = static_cast<char>(text.back() & ~0x20);
    if (const auto at = units.find(unit); !is_digit(text.back()) && at != units.npos) {
      shift = 10 * (static_cast<int>(at) + 1);
      text.remove_suffix(1);
    }
  }
  const std::optional<double> count = parse_number(text);
  if (!count || !(*count >= 0)) return std::nullopt;
  const double bytes = *count * static_cast<double>(std::uint64_t{1} << shift);
  if (!(bytes < 9e18)) return std::nullopt;
  return static_cast<std::uint64_t>(bytes);
}

std::string format_number(double value) {
  std::array<char, 32> text;
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} ? std::string(text.data(), end) : std::string("nan");
}

std::string format_number(double value, int digits) {
  std::array<char, 64> text;
  const auto [end, error] = std::to_chars(
      text.data(), text.data() + text.size(), value, std::chars_format::general, digits);
  return error == std::errc{} ? std::string(text.data(), end) : format_number(value);
}

}  // namespace maxmargin
