// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "maxmargin/io/model_file.hpp"
#include "round_trip.hpp"

namespace maxmargin {
namespace {

std::uint64_t checksum_of(const std::string& bytes) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

/// The same file with a checksum that fits, for no mutation would ever guess it: what comes behind
/// the check is where the bugs would be.
std::string sealed(std::string bytes) {
  if (bytes.starts_with("\x8f")) {
    bytes.resize(bytes.size() < 8 ? 0 : bytes.size() - 8);
    const std::uint64_t checksum = checksum_of(bytes);
    for (int shift = 0; shift < 64; shift += 8)
      bytes.push_back(static_cast<char>(checksum >> shift));
    return bytes;
  }
  if (const std::size_t at = bytes.rfind("\nchecksum "); at != std::string::npos) {
    bytes.resize(at + 1);
  }
  std::array<char, 40> line = {};
  std::snprintf(line.data(),
                line.size(),
                "checksum fnv1a64 %016llx\n",
                static_cast<unsigned long long>(checksum_of(bytes)));
  return bytes + line.data();
}

std::string written(const ModelDocument& model, ModelFormat format) {
  return written_by([&](OutputFile& output) { write_model(model, output, format); });
}

void round_trip(const std::string& bytes) {
  const auto model = read_from(bytes, read_model);
  if (!model) return;
  const std::string text = written(*model, ModelFormat::text);
  const std::string binary = written(*model, ModelFormat::binary);
  const auto from_text = read_from(text, read_model);
  const auto from_binary = read_from(binary, read_model);
  check(from_text && from_binary, "what write_model writes can be read");
  check(written(*from_text, ModelFormat::text) == text, "text keeps the document");
  check(written(*from_binary, ModelFormat::binary) == binary, "binary keeps the document");
  check(written(*from_binary, ModelFormat::text) == text, "both forms hold the same document");
}

}  // namespace
}  // namespace maxmargin

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace maxmargin;
  const std::string file(reinterpret_cast<const char*>(bytes), size);
  const auto plain = plain_bytes(file);
  if (!plain) return 0;
  round_trip(file);
  round_trip(sealed(*plain));
  return 0;
}
