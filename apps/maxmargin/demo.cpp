// SPDX-License-Identifier: Apache-2.0
//
// maxmargin demo: the main job on built-in data, explained.
#include <iostream>

#include "cluster_measures.hpp"
#include "commands.hpp"
#include "data_source.hpp"
#include "interrupt.hpp"
#include "maxmargin/data/iris.hpp"
#include "maxmargin/io/stream/output.hpp"
#include "picture.hpp"
#include "registry.hpp"
#include "terminal.hpp"

namespace maxmargin::tool {

int run_demo(const Arguments& arguments) {
  Arguments wanted = arguments;
  wanted.given["clusters"] = "3";
  wanted.given.try_emplace("seed", "1");
  const ClusterMethod& method = find_cluster_method(wanted);
  const LoadedData loaded{.data = iris()};
  const ClusterAnswer answer = method.run(loaded.data, wanted, progress_line(wanted.has("quiet")));
  end_progress_line();
  RunReport report{.kind = "method",
                   .name = std::string(method.name),
                   .n = loaded.data.size(),
                   .d = loaded.data.features(),
                   .solve = answer.report,
                   .metrics = answer.metrics};
  add_label_measures(loaded, answer.labels, report);

  const std::string picture = wanted.text_or("plot", "maxmargin-demo.svg");
  if (picture == "-") throw UsageError("demo --plot: must be a file");
  write_file(
      picture,
      draw(loaded,
           answer.labels,
           {.title = loaded.data.source + ", " + report.name, .threads = threads_of(wanted)}));
  if (wanted.has("quiet")) return 0;
  std::cout
      << "Iris: 150 flowers, 4 measurements each, grouped into 3 clusters without looking at\n"
         "the species (maxmargin cluster builtin:iris --method kmeans -k 3 --seed "
      << wanted.given["seed"] << ").\n\n"
      << summary(report)
      << "\nThe certificate: no grouping into 3 clusters has a sum of squares below the lower\n"
         "bound. The measures below it compare the clusters with the species.\n\n"
         "The picture is in "
      << picture << "\n";
  return 0;
}

}  // namespace maxmargin::tool
