// SPDX-License-Identifier: Apache-2.0
#include "core/cluster_count.hpp"

#include <optional>
#include <string>

#include "core/own_values.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/core/number.hpp"

namespace maxmargin {

namespace {

constexpr std::string_view option_name = "k";

class ClusterCountValue final : public OptionValue {
 public:
  explicit ClusterCountValue(std::size_t& k) : k_(k) {}
  [[nodiscard]] OptionKind kind() const override { return OptionKind::whole; }
  [[nodiscard]] std::string rule() const override { return "a whole number >= 1"; }
  [[nodiscard]] bool set(std::string_view text) override {
    const std::optional<std::uint64_t> value = parse_whole(text);
    if (!value || *value < 1) return false;
    k_ = static_cast<std::size_t>(*value);
    return true;
  }
  [[nodiscard]] bool holds() const override { return k_ >= 1; }
  [[nodiscard]] OptionScalar scalar() const override {
    return k_ == 0 ? OptionScalar{} : OptionScalar(static_cast<std::int64_t>(k_));
  }

 private:
  std::size_t& k_;
};

}  // namespace

void describe_cluster_count(OptionVisitor& visit, std::size_t& k) {
  visit.rule(k != 0, "-k: the number of clusters is missing");
  ClusterCountValue value(k);
  visit.option(
      {.name = option_name, .help = "number of clusters", .value = "K", .alias = "clusters"},
      value);
}

void require_cluster_count(bool holds, std::size_t k, std::string_view rule) {
  if (!holds) throw InvalidArgument(breach(option_name, std::to_string(k), rule));
}

void describe_restarts(OptionVisitor& visit, std::size_t& restarts, std::size_t& max_iterations) {
  visit.whole(
      {.name = "restarts", .help = "starts, of which the best is kept; more find better answers"},
      restarts,
      {.least = 1});
  visit.whole({.name = "max-iterations", .help = "upper limit on the iterations of one start"},
              max_iterations,
              {.least = 1});
}

}  // namespace maxmargin
