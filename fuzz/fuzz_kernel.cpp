// SPDX-License-Identifier: Apache-2.0
#include <string_view>

#include "maxmargin/core/error.hpp"
#include "maxmargin/kernel/choice.hpp"
#include "round_trip.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace maxmargin;
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  try {
    const KernelChoice choice = KernelChoice::parse(text);
    const std::string canonical = choice.text();
    check(KernelChoice::parse(canonical).text() == canonical, "the text of a kernel reads back");
    if (is_for_strings(choice.kernel()) || std::holds_alternative<Precomputed>(choice.kernel())) {
      return 0;
    }
    DenseMatrix rows(3, 2);
    for (std::size_t i = 0; i < 6; ++i) rows.values()[i] = 0.25 * static_cast<double>(i + 1);
    const Examples examples(rows);
    const Kernel kernel = choice.resolved(examples, {.context = {.threads = 1}});
    static_cast<void>(evaluate(kernel, examples.row(0), examples.row(1)));
    check(KernelChoice(kernel).text() == KernelChoice::parse(kernel_expression(kernel)).text(),
          "a resolved kernel reads back");
  } catch (const InvalidArgument& problem) {
    check(std::string_view(problem.what()).find('\n') == std::string_view::npos,
          "a message is one line");
  }
  return 0;
}
