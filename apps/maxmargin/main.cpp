// SPDX-License-Identifier: Apache-2.0
//
// The command-line tool: finds the command, runs it, and turns what it throws into exit codes.
#include <exception>
#include <iostream>
#include <new>
#include <string_view>

#include "cli/call.hpp"
#include "compat/libsvm_call.hpp"
#include "idle_blas_threads.hpp"
#include "interrupt.hpp"
#include "terminal.hpp"

namespace {

using namespace maxmargin;
using namespace maxmargin::tool;

constexpr int exit_wrong_input = 1;
constexpr int exit_internal_error = 3;

/// A full disk or a closed pipe is an error, not a silent half answer.
void require_written(std::ostream& stream) {
  stream.flush();
  if (!stream) throw FileError("standard output", "cannot be written");
}

/// What an option does not suit is often known only when the data is: such a message begins with
/// the option's flag, and points at the help like that of any other wrong option.
int run_call(Call& call) {
  try {
    return call.command->run(call);
  } catch (const InvalidArgument& wrong) {
    if (!std::string_view(wrong.what()).starts_with('-')) throw;
    throw UsageError(wrong.what(), call.topic());
  }
}

int run(const std::vector<std::string>& words) {
  install_interrupt_handler();
  int code = 0;
  if (is_libsvm_call(words)) {
    code = run_libsvm_train(words);
  } else if (std::optional<Call> call = parse_call(words)) {
    code = run_call(*call);
  }
  require_written(std::cout);
  return code;
}

int fail(int code, const std::string& message) {
  end_progress_line();
  std::cerr << "maxmargin: " << message << "\n";
  return code;
}

std::string hint(const UsageError& error) {
  return "\nTry maxmargin " + error.topic() + (error.topic().empty() ? "" : " ") + "--help.";
}

}  // namespace

int main(int argc, char** argv) {
  end_idle_blas_threads();
  try {
    return run(std::vector<std::string>(argv + 1, argv + argc));
  } catch (const UsageError& error) {
    return fail(exit_wrong_input, error.what() + hint(error));
  } catch (const InternalError& error) {
    return fail(exit_internal_error, error.what());
  } catch (const Error& error) {
    return fail(exit_wrong_input, error.what());
  } catch (const std::bad_alloc&) {
    return fail(exit_wrong_input,
                "not enough memory for this data; where there is more, --memory-limit allows it");
  } catch (const std::exception& error) {
    return fail(exit_internal_error, std::string("internal error: ") + error.what());
  }
}
