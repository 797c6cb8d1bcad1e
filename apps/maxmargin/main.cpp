// SPDX-License-Identifier: Apache-2.0
//
// The command-line tool: finds the command, runs it, and turns what it throws into exit codes.
#include <dlfcn.h>
#include <unistd.h>

#include <exception>
#include <iostream>
#include <new>
#include <optional>
#include <string_view>

#include "cli/call.hpp"
#include "compat/libsvm_call.hpp"
#include "interrupt.hpp"
#include "printable.hpp"
#include "terminal.hpp"

namespace {

using namespace maxmargin;
using namespace maxmargin::tool;

constexpr int exit_wrong_input = 1;
constexpr int exit_internal_error = 3;

/// OpenBLAS starts a thread for every core when it is loaded; they spin for a while before they
/// sleep, on the cores that our own threads want. The library never gives them work, so a short
/// command is a fifth faster without them. Does nothing where BLAS is another library.
void end_idle_blas_threads() {
  void* const found = dlsym(RTLD_DEFAULT, "blas_thread_shutdown_");
  if (found != nullptr) reinterpret_cast<int (*)()>(found)();
}

/// A full disk or a closed pipe is an error, not a silent half answer.
void require_written(std::ostream& stream) {
  stream.flush();
  if (!stream) throw FileError("standard output", "cannot be written");
}

/// Runs what the help of `topic` describes. Wrong usage that was found where nothing is known of
/// the command points at that help; and what an option does not suit is often known only when the
/// data is: such a message begins with the option's flag, and points there, too.
template <class Run>
int run_with_hint(const std::string& topic, const Run& run) {
  try {
    return run();
  } catch (const UsageError& wrong) {
    throw wrong.topic().empty() ? UsageError(wrong.what(), topic) : wrong;
  } catch (const InvalidArgument& wrong) {
    if (!std::string_view(wrong.what()).starts_with('-')) throw;
    throw UsageError(wrong.what(), topic);
  }
}

int run(const std::vector<std::string>& words) {
  install_interrupt_handler();
  int code = 0;
  if (is_libsvm_call(words)) {
    code = run_with_hint("train", [&] { return run_libsvm_train(words); });
  } else if (std::optional<Call> call = parse_call(words)) {
    code = run_with_hint(call->topic(), [&] { return call->command->run(*call); });
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
  // Messages are for people; standard output is so when it is a terminal.
  const PrintableStream messages(std::cerr);
  std::optional<PrintableStream> results;
  if (isatty(STDOUT_FILENO) != 0) results.emplace(std::cout);
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
