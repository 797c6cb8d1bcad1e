// SPDX-License-Identifier: Apache-2.0
//
// The command-line tool: finds the command, runs it, and turns what it throws into exit codes.
#include <exception>
#include <iostream>
#include <map>
#include <new>

#include "commands.hpp"
#include "idle_blas_threads.hpp"
#include "interrupt.hpp"
#include "kernlib_config.hpp"
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

int run(int argc, const char* const* argv) {
  install_interrupt_handler();
  if (is_libsvm_call(argc, argv)) {
    const int code = run_libsvm_train(argc, argv);
    require_written(std::cout);
    return code;
  }
  std::optional<Arguments> arguments = parse_arguments(argc, argv);
  if (!arguments) {
    require_written(std::cout);
    return 0;
  }
  static const std::map<std::string, int (*)(const Arguments&), std::less<>> commands = {
      {"train", run_train},
      {"tune", run_tune},
      {"cluster", run_cluster},
      {"predict", run_predict},
      {"eval", run_eval},
      {"info", run_info},
      {"solve", run_solve},
      {"convert", run_convert},
      {"plot", run_plot},
      {"demo", run_demo},
      {"completion", run_completion}};
  arguments = with_config(std::move(*arguments));
  const int code = commands.at(arguments->command)(*arguments);
  require_written(std::cout);
  return code;
}

int fail(int code, const std::string& message) {
  end_progress_line();
  std::cerr << "maxmargin: " << message << "\n";
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  end_idle_blas_threads();
  try {
    return run(argc, argv);
  } catch (const UsageError& error) {
    return fail(exit_wrong_input, std::string(error.what()) + "\nTry maxmargin --help.");
  } catch (const InternalError& error) {
    return fail(exit_internal_error, error.what());
  } catch (const InvalidArgument& error) {
    return fail(exit_wrong_input, in_words_of_the_tool(error.what()));
  } catch (const Error& error) {
    return fail(exit_wrong_input, error.what());
  } catch (const std::bad_alloc&) {
    return fail(exit_wrong_input, "not enough memory for this data");
  } catch (const std::exception& error) {
    return fail(exit_internal_error, std::string("internal error: ") + error.what());
  }
}
