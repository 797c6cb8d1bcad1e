// SPDX-License-Identifier: Apache-2.0
// A latent task of one's own: signals with a bump somewhere, or none. Where it is, is hidden.
#include <iostream>
#include <maxmargin/maxmargin.hpp>

namespace mm = maxmargin;
constexpr std::size_t width = 5;
struct Place {
  bool has_bump = false;
  std::size_t at = 0;  // hidden in the truth
  bool operator==(const Place&) const = default;
};
struct BumpTask {  // Phi(x, at) is the window there and a constant, that of "no bump" is 0
  using Input = std::vector<double>;
  using Output = Place;
  std::size_t dimension() const { return width + 1; }
  void joint_features(const Input& x, const Place& y, mm::FeatureVector& psi) const {
    for (std::size_t j = 0; y.has_bump && j < width; ++j) psi.add(j, x[y.at + j]);
    if (y.has_bump) psi.add(width, 1);
  }
  double loss(const Place& truth, const Place& y) const { return truth.has_bump != y.has_bump; }
  double score(const Input& x, const Place& y, std::span<const double> w) const {
    mm::FeatureVector psi;
    joint_features(x, y, psi);
    return psi.dot(w);
  }
  Place best(const Input& x, std::span<const double> w) const {
    Place top{.has_bump = true};
    for (std::size_t at = 1; at + width <= x.size(); ++at) {
      if (score(x, {true, at}, w) > score(x, top, w)) top.at = at;
    }
    return top;
  }
  Place predict(const Input& x, std::span<const double> w) const {
    return score(x, best(x, w), w) > 0 ? best(x, w) : Place{};
  }
  Place loss_augmented_argmax(const Input& x, const Place& truth, std::span<const double> w) const {
    const double extra = truth.has_bump ? -1 : 1;  // the loss of the one less that of the other
    return score(x, best(x, w), w) + extra > 0 ? best(x, w) : Place{};
  }
  Place complete(const Input& x, const Place& truth, std::span<const double> w) const {
    return truth.has_bump ? best(x, w) : truth;
  }
};
int main() {  // NOLINT(bugprone-exception-escape): an example that fails may end
  mm::Rng rng(1);
  std::vector<BumpTask::Input> signals(60, BumpTask::Input(30));
  std::vector<Place> truths(60);
  for (std::size_t i = 0; i < signals.size(); ++i) {
    truths[i].has_bump = i % 2 == 0;  // begins with the place 0, which is wrong
    for (double& value : signals[i]) value = 0.5 * rng.normal();
    const std::size_t at = rng.index(26);
    for (std::size_t j = 0; i % 2 == 0 && j < width; ++j) signals[i][at + j] += 2;
  }
  const mm::LatentOptions options{.start = mm::LatentStart::weights,
                                  .start_weights = {1, 1, 1, 1, 1, 0}};
  const auto found = mm::train_latent<BumpTask>(BumpTask(), signals, truths, {}, options);
  std::cout << "objective " << *found.report.primal_objective << " after " << found.trace.size()
            << " steps, stationary gap " << found.stationary_gap.value_or(-1) << '\n';
}
