// SPDX-License-Identifier: Apache-2.0
// One fit of a clustering method or of kernel PCA; bench/studies/clustering.py calls it.
//   study_clustering kmeans DATA K LABELS           restarts: 10
//   study_clustering spectral DATA K LABELS GAMMA
//   study_clustering mixture DATA K LABELS full|diagonal TOLERANCE
//   study_clustering kernel-pca DATA COMPONENTS - GAMMA
// DATA is an NPY file. Prints "key value" lines: seconds (the fit alone) and objective; the labels
// go to LABELS, one a line.
#include <algorithm>
#include <cstdint>
#include <exception>
#include <fstream>
#include <iostream>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "maxmargin/cluster/kmeans/kmeans.hpp"
#include "maxmargin/cluster/mixture/mixture.hpp"
#include "maxmargin/cluster/spectral/spectral.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/core/number.hpp"
#include "maxmargin/core/timer.hpp"
#include "maxmargin/io/table/read_data.hpp"
#include "maxmargin/model/projection/kernel_pca.hpp"

namespace {

using namespace maxmargin;

double number_of(const char* text) {
  const auto value = parse_number(text);
  if (!value) throw InvalidArgument(std::string(text) + " is not a number");
  return *value;
}

void write(const std::string& path, const std::vector<std::int32_t>& labels) {
  std::ofstream file(path);
  for (const std::int32_t label : labels) file << label << '\n';
  if (!file) throw FileError(path, "cannot write");
}

/// Seconds of a fit, and its answer. Short fits are repeated and the median taken: the peer's are
/// timed in a process that is warm as well.
template <class Fit>
auto timed(const Fit& fit, double& seconds) {
  std::vector<double> runs;
  while (true) {
    const Stopwatch watch;
    auto found = fit();
    runs.push_back(watch.seconds());
    if (runs.front() > 0.2 || runs.size() == 5) {
      std::ranges::sort(runs);
      seconds = runs[runs.size() / 2];
      return found;
    }
  }
}

void print(double seconds, double objective) {
  std::cout << "seconds " << format_number(seconds) << "\nobjective " << format_number(objective)
            << '\n';
}

int run(int count, char** argument) {
  if (count < 5) throw InvalidArgument("see the head of bench/studies/clustering.cpp");
  const std::string_view method = argument[1];
  const Dataset data = read_data(argument[2]);
  const auto k = static_cast<std::size_t>(number_of(argument[3]));
  const std::string labels = argument[4];
  double seconds = 0;
  if (method == "kmeans") {
    const KmeansClustering found =
        timed([&] { return cluster_kmeans(data, {.k = k, .lower_bound_limit = 0}); }, seconds);
    print(seconds, found.inertia);
    write(labels, found.labels);
  } else if (method == "spectral" && count == 6) {
    const SpectralOptions options{.k = k, .kernel = Rbf{.gamma = number_of(argument[5])}};
    const SpectralClustering found =
        timed([&] { return cluster_spectral(data, options); }, seconds);
    print(seconds, *found.report.primal_objective);
    write(labels, found.labels);
  } else if (method == "mixture" && count == 7) {
    const bool full = std::string_view(argument[5]) == "full";
    const MixtureOptions options{.k = k,
                                 .covariance = full ? Covariance::full : Covariance::diagonal,
                                 .restarts = 1,
                                 .tolerance = number_of(argument[6])};
    const MixtureClustering found = timed([&] { return cluster_mixture(data, options); }, seconds);
    print(seconds, found.log_likelihood);
    write(labels, found.labels);
  } else if (method == "kernel-pca" && count == 6) {
    const KernelPcaOptions options{.components = k, .kernel = Rbf{.gamma = number_of(argument[5])}};
    const auto found = timed([&] { return train_kernel_pca(data.examples, options); }, seconds);
    print(seconds,
          std::accumulate(found.model.eigenvalues.begin(), found.model.eigenvalues.end(), 0.0));
  } else {
    throw InvalidArgument("see the head of bench/studies/clustering.cpp");
  }
  return 0;
}

}  // namespace

int main(int count, char** argument) {
  try {
    return run(count, argument);
  } catch (const std::exception& error) {
    std::cerr << "study_clustering: " << error.what() << '\n';
    return 1;
  }
}
