// SPDX-License-Identifier: Apache-2.0
#include "io/model/structural_state_file.hpp"
#include "maxmargin/problem/structural/risk.hpp"
#include "maxmargin/solver/structural/solution.hpp"
#include "round_trip.hpp"
#include "sealed_model.hpp"

namespace maxmargin {
namespace {

/// Two examples of three planes in three dimensions.
class SmallRisk final : public StructuralRisk {
 public:
  [[nodiscard]] std::size_t dimension() const override { return 3; }
  [[nodiscard]] std::size_t examples() const override { return 2; }
  [[nodiscard]] bool is_exact() const override { return true; }
  void largest_plane(std::size_t example,
                     std::span<const double> w,
                     StructuralPlane& plane) const override {
    plane = {};
    for (std::size_t j = 0; j < 3; ++j) {
      StructuralPlane rival{.offset = static_cast<double>(1 + j)};
      rival.slope.add(j, example == 0 ? 1.0 : -0.5);
      if (rival.offset - rival.slope.dot(w) > plane.offset - plane.slope.dot(w)) plane = rival;
    }
  }
};

/// A solver takes the state or refuses it; it must end, and with nothing worse.
void go_on(const StructuralState& state) {
  const SmallRisk risk;
  for (const StructuralMethod method : {StructuralMethod::block_frank_wolfe,
                                        StructuralMethod::one_slack,
                                        StructuralMethod::n_slack,
                                        StructuralMethod::subgradient}) {
    try {
      const StructuralSolution found = solve_structural(
          risk,
          method,
          {.max_passes = 4,
           .context = {.threads = 1, .seed = state.seed, .memory_limit = std::size_t{1} << 20}},
          &state);
      check(found.w.size() == risk.dimension(), "a solution has one number a weight");
    } catch (const InvalidArgument&) {
      // Most states belong to other runs.
    }
  }
}

std::string written(const StructuralState& state) {
  return written_by([&](OutputFile& output) {
    write_model(state_document(state, "fuzz"), output, ModelFormat::binary);
  });
}

void round_trip(const std::string& bytes) {
  const auto document = read_from(bytes, read_model);
  if (!document) return;
  std::optional<StructuralState> state;
  try {
    state = state_of(*document, document->has("run") ? document->string("run") : "");
  } catch (const ModelFormatError&) {
    return;
  }
  const std::string file = written(*state);
  const auto again = read_from(file, read_model);
  check(again.has_value(), "what state_document makes can be read");
  check(written(state_of(*again, "fuzz")) == file, "a state comes back as it was");
  go_on(*state);
}

}  // namespace
}  // namespace maxmargin

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace maxmargin;
  const auto plain = plain_bytes(std::string(reinterpret_cast<const char*>(bytes), size));
  if (plain) round_trip(sealed(*plain));
  return 0;
}
