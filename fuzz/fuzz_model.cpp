// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/io/model_file.hpp"
#include "round_trip.hpp"
#include "sealed_model.hpp"

namespace maxmargin {
namespace {

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
