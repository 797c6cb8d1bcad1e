// SPDX-License-Identifier: Apache-2.0
#include "io/stream/byte_source.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>
#include <vector>

#include "maxmargin/core/error.hpp"

namespace maxmargin {

namespace {

class FileSource final : public ByteSource {
 public:
  FileSource(std::string name, FileDescriptor file)
      : name_(std::move(name)), file_(std::move(file)) {}

  std::size_t read_some(std::span<char> into) override {
    for (;;) {
      const ssize_t count = ::read(file_.number(), into.data(), into.size());
      if (count >= 0) return static_cast<std::size_t>(count);
      if (errno != EINTR) throw FileError(name_, system_problem("cannot read", errno));
    }
  }

 private:
  std::string name_;
  FileDescriptor file_;
};

class MemorySource final : public ByteSource {
 public:
  explicit MemorySource(std::string bytes) : bytes_(std::move(bytes)), left_(bytes_) {}

  std::size_t read_some(std::span<char> into) override {
    const std::size_t count = left_.copy(into.data(), into.size());
    left_.remove_prefix(count);
    return count;
  }

 private:
  std::string bytes_;
  std::string_view left_;
};

class DecompressingSource final : public ByteSource {
 public:
  DecompressingSource(std::string name,
                      Compression kind,
                      std::string_view head,
                      std::unique_ptr<ByteSource> source)
      : name_(std::move(name)),
        kind_(kind),
        source_(std::move(source)),
        decoder_(make_decoder(kind)) {
    head.copy(compressed_.data(), head.size());
    filled_ = head.size();
  }

  std::size_t read_some(std::span<char> into) override {
    while (decoder_ || begin_next_member()) {
      if (used_ == filled_) refill();
      const std::span<const char> in(compressed_.data() + used_, filled_ - used_);
      const Codec::Step step = decoder_->step(in, source_ended_, into);
      used_ += step.consumed;
      if (step.state == Codec::State::damaged) fail("is damaged");
      if (step.state == Codec::State::needs_memory) {
        fail("claims to need more than 1 GiB of memory to be decompressed");
      }
      if (step.state == Codec::State::ended) decoder_.reset();
      if (step.produced > 0) return step.produced;
      if (decoder_ && step.consumed == 0 && used_ == filled_ && source_ended_) {
        fail("ends early; is the file truncated?");
      }
    }
    return 0;
  }

 private:
  /// Names the place in the compressed file, in bytes from 0: how far it was read.
  [[noreturn]] void fail(const std::string& problem) const {
    throw FileError(name_,
                    "at byte " + std::to_string(before_buffer_ + used_) + ": the " +
                        std::string(to_string(kind_)) + " data " + problem);
  }

  void refill() {
    if (source_ended_) return;
    before_buffer_ += used_;
    used_ = 0;
    filled_ = source_->read_some(compressed_);
    source_ended_ = filled_ == 0;
  }

  /// After a member: skips padding and starts on the next member if there is one.
  bool begin_next_member() {
    for (;;) {
      if (used_ == filled_) refill();
      if (used_ == filled_) return false;
      if (compressed_[used_] != 0) break;
      ++used_;
    }
    // Bring the first bytes of the member together.
    std::copy(compressed_.begin() + static_cast<std::ptrdiff_t>(used_),
              compressed_.begin() + static_cast<std::ptrdiff_t>(filled_),
              compressed_.begin());
    filled_ -= used_;
    before_buffer_ += used_;
    used_ = 0;
    while (filled_ < compression_magic_bytes && !source_ended_) {
      const std::size_t count = source_->read_some(std::span(compressed_).subspan(filled_));
      filled_ += count;
      source_ended_ = count == 0;
    }
    if (compression_of_bytes({compressed_.data(), filled_}) != kind_) {
      throw FileError(name_,
                      "at byte " + std::to_string(before_buffer_) + ": other bytes follow the " +
                          std::string(to_string(kind_)) + " data");
    }
    decoder_ = make_decoder(kind_);
    return true;
  }

  std::string name_;
  Compression kind_;
  std::unique_ptr<ByteSource> source_;
  std::unique_ptr<Codec> decoder_;  ///< empty between members
  std::vector<char> compressed_ = std::vector<char>(std::size_t{1} << 18);
  std::uint64_t before_buffer_ = 0;  ///< bytes of the file before compressed_[0]
  std::size_t used_ = 0;
  std::size_t filled_ = 0;
  bool source_ended_ = false;
};

}  // namespace

FileDescriptor::FileDescriptor(FileDescriptor&& other) noexcept
    : number_(std::exchange(other.number_, -1)), ownership_(other.ownership_) {}

FileDescriptor::~FileDescriptor() { static_cast<void>(close()); }

bool FileDescriptor::close() noexcept {
  const int number = std::exchange(number_, -1);
  if (number < 0 || ownership_ == Ownership::borrowed) return true;
  return ::close(number) == 0;
}

std::string system_problem(std::string_view what, int error_number) {
  return std::string(what) + ": " + std::generic_category().message(error_number);
}

std::unique_ptr<ByteSource> make_file_source(std::string name, FileDescriptor file) {
  return std::make_unique<FileSource>(std::move(name), std::move(file));
}

std::unique_ptr<ByteSource> make_memory_source(std::string bytes) {
  return std::make_unique<MemorySource>(std::move(bytes));
}

std::unique_ptr<ByteSource> make_decompressing_source(std::string name,
                                                      Compression kind,
                                                      std::string_view head,
                                                      std::unique_ptr<ByteSource> source) {
  return std::make_unique<DecompressingSource>(std::move(name), kind, head, std::move(source));
}

}  // namespace maxmargin
