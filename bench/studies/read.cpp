// SPDX-License-Identifier: Apache-2.0
// Makes svmlight files and times reading them; bench/studies/read.py drives it.
//
//   study_read make FILE MEGABYTES even|mixed
//   study_read time|memory FILE [THREADS]        prints "key value" lines
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <fstream>
#include <iostream>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "maxmargin/core/number.hpp"
#include "maxmargin/core/rng.hpp"
#include "maxmargin/io/stream/output.hpp"
#include "maxmargin/io/table/read_data.hpp"

namespace {

using maxmargin::Rng;

/// 0.xxxxxx, six digits.
void append_fraction(std::string& line, std::size_t millionths) {
  const std::string digits = std::to_string(millionths);
  line += "0." + std::string(6 - digits.size(), '0') + digits;
}

/// A value as files in the wild have them: counts, few digits, many digits, signs, exponents.
void append_wild_value(std::string& line, Rng& rng) {
  switch (rng.index(6)) {
    case 0:
    case 1:
      line += std::to_string(1 + rng.index(30));
      break;
    case 2:
      append_fraction(line, rng.index(1'000'000));
      break;
    case 3:
      line += maxmargin::format_number(rng.normal(), 4);
      break;
    case 4:
      line += maxmargin::format_number(rng.normal());
      break;
    default:
      line += maxmargin::format_number(1e-6 * rng.normal(), 7);
      break;
  }
}

/// even: 100 entries a row of about 100,000 columns, values 0.xxxxxx. mixed: 1 to 200 entries a
/// row, close or far apart, values of all kinds.
void make_file(const std::string& path, std::size_t bytes, bool even) {
  Rng rng(1, "read study");
  maxmargin::OutputFile file(path);
  std::string line;
  for (std::size_t written = 0; written < bytes; written += line.size()) {
    line = rng.bernoulli(0.5) ? "+1" : "-1";
    const std::size_t entries = even ? 100 : 1 + rng.index(200);
    const std::size_t widest_step = even ? 2000 : std::size_t{1} << rng.index(12);
    std::size_t index = 0;
    for (std::size_t k = 0; k < entries; ++k) {
      index += 1 + rng.index(widest_step);
      line += ' ' + std::to_string(index) + ':';
      if (even) {
        append_fraction(line, rng.index(1'000'000));
      } else {
        append_wild_value(line, rng);
      }
    }
    line += '\n';
    file.write(line);
  }
  file.commit();
}

/// Anonymous memory of this process now, in bytes: heap and stacks, without mapped files.
std::uint64_t anonymous_bytes() {
  std::ifstream status("/proc/self/status");
  std::string word;
  std::uint64_t kilobytes = 0;
  while (status >> word) {
    if (word == "RssAnon:" && status >> kilobytes) return kilobytes * 1024;
  }
  return 0;
}

/// Looks at the anonymous memory every millisecond. While a file is read it only grows, but for
/// scratch memory given back at the end, so that samples come close to the true peak.
class MemoryWatch {
 public:
  MemoryWatch() : before_(anonymous_bytes()), peak_(before_), thread_([this] { watch(); }) {}
  MemoryWatch(const MemoryWatch&) = delete;
  MemoryWatch& operator=(const MemoryWatch&) = delete;
  ~MemoryWatch() { stop(); }
  /// The most above what there was at the start.
  std::uint64_t stop() {
    done_ = true;
    if (thread_.joinable()) thread_.join();
    return peak_ - before_;
  }

 private:
  void watch() {
    while (!done_) {
      peak_ = std::max(peak_, anonymous_bytes());
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    peak_ = std::max(peak_, anonymous_bytes());
  }

  std::uint64_t before_;
  std::uint64_t peak_;
  std::atomic<bool> done_ = false;
  std::thread thread_;
};

void time_reading(const std::string& path, std::optional<std::size_t> threads, bool watch_memory) {
  std::optional<MemoryWatch> watch;
  if (watch_memory) watch.emplace();
  const auto start = std::chrono::steady_clock::now();
  const maxmargin::Dataset data = maxmargin::read_data(path, {.context = {.threads = threads}});
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  std::cout << "seconds " << seconds.count() << '\n'
            << "rows " << data.size() << '\n'
            << "columns " << data.features() << '\n'
            << "entries " << data.examples.entries() << '\n';
  if (watch) std::cout << "anonymous_peak " << watch->stop() << '\n';
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::vector<std::string> words(argv + 1, argv + argc);
    if (words.size() == 4 && words[0] == "make") {
      make_file(words[1], std::stoul(words[2]) * 1'000'000, words[3] == "even");
    } else if (words.size() >= 2 && (words[0] == "time" || words[0] == "memory")) {
      std::optional<std::size_t> threads;
      if (words.size() > 2) threads = std::stoul(words[2]);
      time_reading(words[1], threads, words[0] == "memory");
    } else {
      std::cerr << "usage: study_read make FILE MEGABYTES even|mixed\n"
                   "       study_read time|memory FILE [THREADS]\n";
      return 1;
    }
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
  return 0;
}
