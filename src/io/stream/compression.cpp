// SPDX-License-Identifier: Apache-2.0
#include "io/stream/compression.hpp"

#define ZLIB_CONST
#include <bzlib.h>
#include <lzma.h>
#include <zlib.h>

#include <algorithm>
#include <limits>
#include <new>

namespace maxmargin {

namespace {

constexpr std::string_view gzip_magic("\x1f\x8b", 2);
constexpr std::string_view bzip2_magic("BZh", 3);
constexpr std::string_view xz_magic(
    "\xfd"
    "7zXZ\0",
    6);

/// What a decompressor of xz may take: `xz -9` needs 65 MiB, and a header may claim any number.
constexpr std::uint64_t largest_xz_memory = std::uint64_t{1} << 30;

/// zlib and bzip2 count in 32 bits: longer spans are taken in several steps.
unsigned int clamped(std::size_t size) {
  return static_cast<unsigned int>(
      std::min<std::size_t>(size, std::numeric_limits<unsigned int>::max()));
}

class GzipDecoder final : public Codec {
 public:
  GzipDecoder() {
    constexpr int gzip_with_largest_window = 15 + 16;
    if (inflateInit2(&stream_, gzip_with_largest_window) != Z_OK) throw std::bad_alloc();
  }
  ~GzipDecoder() override { inflateEnd(&stream_); }

  Step step(std::span<const char> in, bool /*in_is_last*/, std::span<char> out) override {
    stream_.next_in = reinterpret_cast<const Bytef*>(in.data());
    stream_.avail_in = clamped(in.size());
    stream_.next_out = reinterpret_cast<Bytef*>(out.data());
    stream_.avail_out = clamped(out.size());
    const int result = inflate(&stream_, Z_NO_FLUSH);
    if (result == Z_MEM_ERROR) throw std::bad_alloc();
    Step done = {.consumed = clamped(in.size()) - stream_.avail_in,
                 .produced = clamped(out.size()) - stream_.avail_out};
    if (result == Z_STREAM_END) {
      done.state = State::ended;
    } else if (result != Z_OK && result != Z_BUF_ERROR) {  // Z_BUF_ERROR: no room or no input
      done.state = State::damaged;
    }
    return done;
  }

 private:
  z_stream stream_ = {};
};

class GzipEncoder final : public Codec {
 public:
  GzipEncoder() {
    constexpr int gzip_with_largest_window = 15 + 16;
    constexpr int memory_level = 8;
    if (deflateInit2(&stream_,
                     Z_DEFAULT_COMPRESSION,
                     Z_DEFLATED,
                     gzip_with_largest_window,
                     memory_level,
                     Z_DEFAULT_STRATEGY) != Z_OK) {
      throw std::bad_alloc();
    }
  }
  ~GzipEncoder() override { deflateEnd(&stream_); }

  Step step(std::span<const char> in, bool in_is_last, std::span<char> out) override {
    stream_.next_in = reinterpret_cast<const Bytef*>(in.data());
    stream_.avail_in = clamped(in.size());
    stream_.next_out = reinterpret_cast<Bytef*>(out.data());
    stream_.avail_out = clamped(out.size());
    const bool finish = in_is_last && stream_.avail_in == in.size();
    const int result = deflate(&stream_, finish ? Z_FINISH : Z_NO_FLUSH);
    return {.consumed = clamped(in.size()) - stream_.avail_in,
            .produced = clamped(out.size()) - stream_.avail_out,
            .state = result == Z_STREAM_END ? State::ended : State::working};
  }

 private:
  z_stream stream_ = {};
};

class Bzip2Decoder final : public Codec {
 public:
  Bzip2Decoder() {
    if (BZ2_bzDecompressInit(&stream_, 0, 0) != BZ_OK) throw std::bad_alloc();
  }
  ~Bzip2Decoder() override { BZ2_bzDecompressEnd(&stream_); }

  Step step(std::span<const char> in, bool /*in_is_last*/, std::span<char> out) override {
    stream_.next_in = const_cast<char*>(in.data());  // the library does not write to it
    stream_.avail_in = clamped(in.size());
    stream_.next_out = out.data();
    stream_.avail_out = clamped(out.size());
    const int result = BZ2_bzDecompress(&stream_);
    if (result == BZ_MEM_ERROR) throw std::bad_alloc();
    Step done = {.consumed = clamped(in.size()) - stream_.avail_in,
                 .produced = clamped(out.size()) - stream_.avail_out};
    if (result == BZ_STREAM_END) {
      done.state = State::ended;
    } else if (result != BZ_OK) {
      done.state = State::damaged;
    }
    return done;
  }

 private:
  bz_stream stream_ = {};
};

class Bzip2Encoder final : public Codec {
 public:
  Bzip2Encoder() {
    constexpr int block_of_900_kilobytes = 9;
    if (BZ2_bzCompressInit(&stream_, block_of_900_kilobytes, 0, 0) != BZ_OK) {
      throw std::bad_alloc();
    }
  }
  ~Bzip2Encoder() override { BZ2_bzCompressEnd(&stream_); }

  Step step(std::span<const char> in, bool in_is_last, std::span<char> out) override {
    stream_.next_in = const_cast<char*>(in.data());  // the library does not write to it
    stream_.avail_in = clamped(in.size());
    stream_.next_out = out.data();
    stream_.avail_out = clamped(out.size());
    const bool finish = in_is_last && stream_.avail_in == in.size();
    const int result = BZ2_bzCompress(&stream_, finish ? BZ_FINISH : BZ_RUN);
    return {.consumed = clamped(in.size()) - stream_.avail_in,
            .produced = clamped(out.size()) - stream_.avail_out,
            .state = result == BZ_STREAM_END ? State::ended : State::working};
  }

 private:
  bz_stream stream_ = {};
};

/// Both directions: liblzma tells them apart at the start alone.
class XzCodec final : public Codec {
 public:
  enum class Direction { decode, encode };

  explicit XzCodec(Direction direction) {
    constexpr std::uint32_t preset = 6;
    const lzma_ret result = direction == Direction::decode
                                ? lzma_stream_decoder(&stream_, largest_xz_memory, 0)
                                : lzma_easy_encoder(&stream_, preset, LZMA_CHECK_CRC64);
    if (result != LZMA_OK) throw std::bad_alloc();
  }
  ~XzCodec() override { lzma_end(&stream_); }

  Step step(std::span<const char> in, bool in_is_last, std::span<char> out) override {
    stream_.next_in = reinterpret_cast<const std::uint8_t*>(in.data());
    stream_.avail_in = in.size();
    stream_.next_out = reinterpret_cast<std::uint8_t*>(out.data());
    stream_.avail_out = out.size();
    const lzma_ret result = lzma_code(&stream_, in_is_last ? LZMA_FINISH : LZMA_RUN);
    if (result == LZMA_MEM_ERROR) throw std::bad_alloc();
    Step done = {.consumed = in.size() - stream_.avail_in,
                 .produced = out.size() - stream_.avail_out};
    if (result == LZMA_STREAM_END) {
      done.state = State::ended;
    } else if (result == LZMA_MEMLIMIT_ERROR) {
      done.state = State::needs_memory;
    } else if (result != LZMA_OK && result != LZMA_BUF_ERROR) {  // LZMA_BUF_ERROR: no progress
      done.state = State::damaged;
    }
    return done;
  }

 private:
  lzma_stream stream_ = LZMA_STREAM_INIT;
};

}  // namespace

std::optional<Compression> compression_of_bytes(std::string_view head) noexcept {
  if (head.starts_with(gzip_magic)) return Compression::gzip;
  if (head.starts_with(xz_magic)) return Compression::xz;
  // "BZh" is followed by the block size as a digit: a text that begins with BZh is left alone.
  if (head.starts_with(bzip2_magic) && head.size() > 3 && head[3] >= '1' && head[3] <= '9') {
    return Compression::bzip2;
  }
  return std::nullopt;
}

std::optional<Compression> compression_of_name(std::string_view path) noexcept {
  if (path.ends_with(".gz")) return Compression::gzip;
  if (path.ends_with(".bz2")) return Compression::bzip2;
  if (path.ends_with(".xz")) return Compression::xz;
  return std::nullopt;
}

std::string_view without_compression_suffix(std::string_view path) noexcept {
  return compression_of_name(path) ? path.substr(0, path.rfind('.')) : path;
}

std::unique_ptr<Codec> make_decoder(Compression kind) {
  switch (kind) {
    case Compression::gzip:
      return std::make_unique<GzipDecoder>();
    case Compression::bzip2:
      return std::make_unique<Bzip2Decoder>();
    case Compression::xz:
      break;
  }
  return std::make_unique<XzCodec>(XzCodec::Direction::decode);
}

std::unique_ptr<Codec> make_encoder(Compression kind) {
  switch (kind) {
    case Compression::gzip:
      return std::make_unique<GzipEncoder>();
    case Compression::bzip2:
      return std::make_unique<Bzip2Encoder>();
    case Compression::xz:
      break;
  }
  return std::make_unique<XzCodec>(XzCodec::Direction::encode);
}

}  // namespace maxmargin
