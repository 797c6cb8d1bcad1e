// SPDX-License-Identifier: Apache-2.0
#include "ugly_problems.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "maxmargin/core/number.hpp"
#include "maxmargin/core/rng.hpp"

namespace maxmargin::ugly {

namespace {

double power_of_ten(Rng& rng, double least, double most) {
  return std::pow(10.0, rng.uniform(least, most));
}

bool takes(const Learner& learner, std::string_view option) {
  const std::vector<OptionDescription> all = learner.options();
  return std::ranges::any_of(all, [&](const auto& each) { return each.name == option; });
}

/// One of the values; an empty one leaves the default.
void choose(Problem& problem,
            const Learner& learner,
            Rng& rng,
            const std::string& option,
            const std::vector<std::string>& values) {
  const std::string& value = values[rng.index(values.size())];
  if (value.empty() || !takes(learner, option)) return;
  problem.options.emplace_back(option, value);
  problem.story += " --" + option + " " + value;
}

DenseMatrix points(Rng& rng, std::size_t n, std::string& story) {
  const std::size_t d = 1 + rng.index(4);
  DenseMatrix x(n, d);
  const bool on_a_grid = rng.bernoulli(0.3);
  for (double& value : x.values()) {
    value = on_a_grid ? static_cast<double>(rng.index(3)) - 1 : rng.normal();
  }
  story += on_a_grid ? ", on a grid" : "";
  for (std::size_t j = 0; j < d; ++j) {
    if (!rng.bernoulli(0.3)) continue;
    const bool constant = rng.bernoulli(0.4);
    const double factor = power_of_ten(rng, -4, 4);
    const double offset = rng.bernoulli(0.5) ? power_of_ten(rng, 0, 8) : 0.0;
    for (std::size_t i = 0; i < n; ++i) {
      x(i, j) = constant ? factor : x(i, j) * factor + offset;
    }
    story += constant ? ", a constant column" : ", a huge or tiny column";
  }
  if (rng.bernoulli(0.1)) {
    const double offset = power_of_ten(rng, 0, 8);
    for (double& value : x.values()) value += offset;
    story += ", all columns far from 0";
  }
  return x;
}

std::vector<double> classes(Rng& rng, const DenseMatrix& x, std::size_t count) {
  const std::size_t n = x.rows();
  std::vector<double> labels(n);
  const std::size_t kind = rng.index(3);  // by the first feature, at random, one alone
  for (std::size_t i = 0; i < n; ++i) {
    if (kind == 0) {
      labels[i] = x(i, 0) > x(0, 0) ? 1 : 0;
    } else if (kind == 1) {
      labels[i] = static_cast<double>(rng.index(count));
    }
  }
  labels[0] = 0;
  for (std::size_t c = 1; c < count && c < n; ++c) labels[c] = static_cast<double>(c);
  return labels;
}

}  // namespace

Problem problem(const Learner& learner, std::uint64_t index) {
  Rng rng(derive_seed(index, learner.info().name));
  Problem made;
  const std::size_t n = rng.bernoulli(0.5) ? 2 + rng.index(8) : 2 + rng.index(59);
  made.story = "n " + std::to_string(n);
  DenseMatrix x = points(rng, n, made.story);
  std::vector<double> labels(n);
  if (learner.info().task == Task::regress) {
    const double size = rng.bernoulli(0.5) ? 1.0 : power_of_ten(rng, -6, 6);
    for (double& label : labels) label = size * rng.normal();
  } else {
    labels = classes(rng, x, rng.bernoulli(0.8) ? 2 : 3);
  }
  if (rng.bernoulli(0.3)) {
    made.story += ", equal points";
    for (std::size_t i = n / 2; i < n; ++i) std::ranges::copy(x.row(i - n / 2), x.row(i).begin());
  }
  if (learner.info().learns_from_unlabelled && n > 4) {
    for (std::size_t i = 4; i < n; ++i) {
      if (rng.bernoulli(0.5)) labels[i] = std::numeric_limits<double>::quiet_NaN();
    }
  }
  made.data.examples = std::move(x);
  made.data.labels = LabelColumn::from_numbers(std::move(labels));
  if (rng.bernoulli(0.3)) {
    made.story += ", ugly weights";
    for (std::size_t i = 0; i < n; ++i) {
      made.data.weights.push_back(rng.bernoulli(0.1) ? 0.0 : power_of_ten(rng, -14, 14));
    }
  }
  if (rng.bernoulli(0.8)) {
    const bool far = rng.bernoulli(0.3);
    const double exponent = far ? 10 : 3;
    choose(made, learner, rng, "C", {format_number(power_of_ten(rng, -exponent, exponent))});
  }
  choose(made, learner, rng, "kernel", {"", "linear", "rbf", "rbf", "poly"});
  choose(made, learner, rng, "no-bias", {"", "", "true"});
  choose(made, learner, rng, "bias", {"", "", "none", "center", "constant"});
  choose(made, learner, rng, "loss", {"", ""});
  choose(made, learner, rng, "rho", {"", "0.5", "0.77", "0.9", "1"});
  choose(made, learner, rng, "nu", {"", "0.1", "0.9"});
  choose(made, learner, rng, "ramp", {"", "0", "-1", "0.5"});
  choose(made, learner, rng, "epsilon", {"", "0", "1e-3"});
  choose(made, learner, rng, "tolerance", {"", "", "1e-6"});
  choose(made, learner, rng, "max-iterations", {"20000"});
  choose(made, learner, rng, "restarts", {"2"});
  return made;
}

}  // namespace maxmargin::ugly
