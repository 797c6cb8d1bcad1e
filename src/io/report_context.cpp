// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/io/report_context.hpp"

#include "core/parallel.hpp"

namespace maxmargin {

void add_threads(const Context& context, RunReport& report) {
  report.options.emplace_back("threads", static_cast<std::int64_t>(thread_count(context.threads)));
}

}  // namespace maxmargin
